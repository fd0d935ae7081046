#include "bench/quantile_lines.hpp"

#include <algorithm>
#include <cmath>

namespace lares::bench {
namespace {

class Scale {
 public:
  Scale(const std::vector<QuantileLine>& lines, std::size_t width) : width_(width) {
    for (const QuantileLine& line : lines) most_ = std::max(most_, line.values.q95);
  }

  [[nodiscard]] std::size_t place(double value) const {
    if (!(most_ > 0) || width_ == 0) return 0;
    const double part = std::clamp(value / most_, 0.0, 1.0);
    return static_cast<std::size_t>(std::lround(part * static_cast<double>(width_ - 1)));
  }

 private:
  std::size_t width_;
  double most_ = 0;
};

void fill(std::string& text, std::size_t from, std::size_t to, char with) {
  for (std::size_t i = from; i <= to && i < text.size(); ++i) text[i] = with;
}

}  // namespace

std::string quantile_lines(const std::vector<QuantileLine>& lines, std::size_t width) {
  const Scale scale(lines, width);
  std::size_t name_width = 0;
  for (const QuantileLine& line : lines) name_width = std::max(name_width, line.name.size());
  std::string text;
  for (const QuantileLine& line : lines) {
    const Quantiles& q = line.values;
    std::string drawn(width, ' ');
    fill(drawn, scale.place(q.q5), scale.place(q.q95), '-');
    fill(drawn, scale.place(q.q25), scale.place(q.q75), '=');
    fill(drawn, scale.place(q.median), scale.place(q.median), '#');
    text += "  " + line.name + std::string(name_width - line.name.size(), ' ') + " |" + drawn;
    text += "|\n";
  }
  return text;
}

}  // namespace lares::bench

// What a reader of least times has to know besides.
#include <fmt/format.h>

#include <algorithm>

#include "trace/model/least_times.hpp"
#include "trace/names.hpp"

namespace lares::trace {
namespace {

/// More than figures that scatter.
constexpr double clearly_above = 1.1;

template <class Has>
std::size_t count_rows(const LeastTimes& times, Has has) {
  return static_cast<std::size_t>(std::count_if(times.rows.begin(), times.rows.end(), has));
}

}  // namespace

std::vector<std::string> remarks_on(const LeastTimes& times) {
  std::vector<std::string> remarks;
  const std::size_t silent = count_rows(times, [](const LeastRow& row) { return !row.is_known(); });
  if (silent == times.rows.size()) {
    remarks.emplace_back(
        "The trace has no bytes, so the model cannot say anything: the program tells them by "
        "array sections in affinity and depend clauses.");
  } else if (silent > 0) {
    remarks.push_back(
        fmt::format("{} of {} constructs name no bytes, so nothing can be said of them.", silent,
                    times.rows.size()));
  }
  double bytes = 0;
  double homeless = 0;
  for (const LeastRow& row : times.rows) {
    bytes += row.bytes;
    homeless += row.homeless;
  }
  if (homeless > 0) {
    remarks.push_back(fmt::format("No home is known of {} of the bytes; they count as local.",
                                  human_share(homeless / bytes)));
  }
  if (count_rows(times, [](const LeastRow& row) { return row.least.efficiency > clearly_above; }) >
      0) {
    remarks.emplace_back("Above 100 %, caches gave what the model takes from memory.");
  }
  return remarks;
}

}  // namespace lares::trace

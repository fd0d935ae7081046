#include "cli/simulate/counted.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <vector>

namespace lares::cli {
namespace {

constexpr std::string_view table_begin = "<!-- policies -->";
constexpr std::string_view table_end = "<!-- /policies -->";
constexpr std::string_view share_column = "of all lines";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \r") - first + 1);
}

/// "| a | b |" as its cells; none for a line that is no row.
std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  line = trimmed(line);
  if (!line.starts_with('|')) return cells;
  line.remove_prefix(1);
  for (std::size_t bar = line.find('|'); bar != std::string_view::npos; bar = line.find('|')) {
    cells.push_back(trimmed(line.substr(0, bar)));
    line.remove_prefix(bar + 1);
  }
  return cells;
}

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

}  // namespace

CountedLines::CountedLines(std::string_view page) {
  const std::size_t begin = page.find(table_begin);
  if (begin == std::string_view::npos) return;
  page.remove_prefix(begin + table_begin.size());
  page = page.substr(0, page.find(table_end));
  std::size_t column = 0;
  while (!page.empty()) {
    const std::size_t end = std::min(page.find('\n'), page.size());
    const auto cells = cells_of(page.substr(0, end));
    page.remove_prefix(std::min(end + 1, page.size()));
    const auto at = std::find(cells.begin(), cells.end(), share_column);
    if (at != cells.end()) {
      column = static_cast<std::size_t>(at - cells.begin());
    } else if (column > 0 && column < cells.size() && !cells[column].starts_with('-')) {
      shares_[std::string(cells[0])] = std::string(cells[column]);
    }
  }
}

std::string CountedLines::read(const std::string& path) {
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rbe"));
  std::string text;
  if (!file) return text;
  std::array<char, 65536> buffer;
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), file.get())) {
    text.append(buffer.data(), count);
  }
  return text;
}

std::string CountedLines::sentence(const std::string& program, const std::string& policy) const {
  std::string text;
  for (const auto& [compiler, runtime] :
       {std::pair{"gcc", "libgomp"}, std::pair{"clang", "libomp"}}) {
    const std::string name = program + "-" + compiler + ", ";
    const auto ours = shares_.find(name + policy);
    const auto stock = shares_.find(name + "stock " + runtime);
    if (ours == shares_.end() || stock == shares_.end()) continue;
    if (!text.empty()) text += "; ";
    text += std::string(compiler) + " " + ours->second + " of the lines, stock " + runtime + " " +
            stock->second;
  }
  return text;
}

}  // namespace lares::cli

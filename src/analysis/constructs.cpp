#include "analysis/constructs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "analysis/run_stats.hpp"
#include "analysis/session_file.hpp"
#include "analysis/stats_file.hpp"

namespace lares::analysis {
namespace {

using runtime::ConstructRow;
using runtime::ExplainFile;
using runtime::Located;

std::uint64_t load_count(std::span<const std::byte> bytes, std::size_t offset) noexcept {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

template <std::size_t N>
void load_all(std::span<const std::byte> row, std::size_t offset,
              std::array<std::uint64_t, N>& values) noexcept {
  for (std::size_t i = 0; i < N; ++i)
    values[i] = load_count(row, offset + i * sizeof(std::uint64_t));
}

std::string path_of(std::span<const std::byte> row) {
  std::string path(sizeof(ConstructRow::file), '\0');
  std::memcpy(path.data(), row.data() + offsetof(ConstructRow, file), path.size());
  path.resize(std::min(path.find('\0'), path.size()));
  return printable(std::move(path));
}

Construct read_row(std::span<const std::byte> row) {
  Construct construct;
  construct.tasks = load_count(row, offsetof(ConstructRow, tasks));
  load_all(row, offsetof(ConstructRow, located), construct.located);
  load_all(row, offsetof(ConstructRow, known), construct.known);
  load_all(row, offsetof(ConstructRow, at_home), construct.at_home);
  construct.offset = load_count(row, offsetof(ConstructRow, taken));
  if (load_count(row, offsetof(ConstructRow, ready)) == 1) {
    construct.offset = load_count(row, offsetof(ConstructRow, offset));
    construct.file = path_of(row);
  }
  return construct;
}

template <std::size_t N>
void add(std::array<std::uint64_t, N>& sum, const std::array<std::uint64_t, N>& more) noexcept {
  for (std::size_t i = 0; i < N; ++i) sum[i] += more[i];
}

std::string share_text(std::optional<double> share) {
  return share ? fmt::format("{:.1f} %", 100 * *share) : "-";
}

}  // namespace

Located Construct::mostly_by() const noexcept {
  return static_cast<Located>(std::max_element(located.begin(), located.end()) - located.begin());
}

double Construct::share_of_most() const noexcept {
  // In doubles: a damaged file's numbers have sums that no integer holds.
  const double all = std::accumulate(located.begin(), located.end(), 0.0);
  return fraction(static_cast<double>(*std::max_element(located.begin(), located.end())), all);
}

std::size_t Construct::last_window() const noexcept {
  return std::min(static_cast<std::size_t>(std::bit_width(std::max<std::uint64_t>(tasks, 1))) - 1,
                  ConstructRow::windows - 1);
}

std::optional<double> Construct::home_share(std::size_t begin, std::size_t end) const noexcept {
  double all = 0;
  double home = 0;
  for (std::size_t i = begin; i < std::min(end, ConstructRow::windows); ++i) {
    all += static_cast<double>(known[i]);
    home += static_cast<double>(std::min(at_home[i], known[i]));
  }
  if (all == 0) return std::nullopt;
  return fraction(home, all);
}

std::optional<double> Construct::home_share_at_first() const noexcept {
  const std::size_t last = last_window();
  return home_share(0, last < 3 ? last + 1 : last - 2);
}

std::optional<double> Construct::home_share_later() const noexcept {
  const std::size_t last = last_window();
  return home_share(last == 0 ? 0 : last - 1, last + 1);
}

Result<std::vector<Construct>> parse_constructs(std::span<const std::byte> bytes,
                                                std::uint64_t* left_out) {
  if (bytes.size() < sizeof(ExplainFile)) return Error{"the file of constructs is truncated"};
  std::uint32_t row_bytes = 0;
  std::memcpy(&row_bytes, bytes.data() + offsetof(ExplainFile, row_bytes), sizeof row_bytes);
  if (load_count(bytes, offsetof(ExplainFile, magic)) != ExplainFile::expected_magic ||
      row_bytes != sizeof(ConstructRow)) {
    return Error{"the file of constructs comes from another version of Lares"};
  }
  *left_out += load_count(bytes, offsetof(ExplainFile, left_out));
  std::vector<Construct> constructs;
  for (std::size_t i = 0; i < ExplainFile::most_rows; ++i) {
    const auto row =
        bytes.subspan(offsetof(ExplainFile, rows) + i * sizeof(ConstructRow), sizeof(ConstructRow));
    if (load_count(row, offsetof(ConstructRow, taken)) == 0) continue;
    constructs.push_back(read_row(row));
  }
  return constructs;
}

Explanation read_explanation(const std::string& folder) {
  Explanation all;
  std::map<std::pair<std::string, std::uint64_t>, Construct> sum;
  for (const std::string& path : paths_in(folder, "explain.")) {
    const auto bytes = read_session_file(path, sizeof(ExplainFile));
    Result<std::vector<Construct>> constructs = parse_constructs(bytes, &all.left_out);
    if (!constructs) continue;
    for (const Construct& each : constructs.value()) {
      Construct& known = sum[{each.file, each.offset}];
      known.file = each.file;
      known.offset = each.offset;
      known.tasks += each.tasks;
      add(known.located, each.located);
      add(known.known, each.known);
      add(known.at_home, each.at_home);
    }
  }
  for (auto& [place, construct] : sum) all.constructs.push_back(std::move(construct));
  std::sort(all.constructs.begin(), all.constructs.end(),
            [](const Construct& a, const Construct& b) {
              return std::tie(b.tasks, a.file, a.offset) < std::tie(a.tasks, b.file, b.offset);
            });
  return all;
}

const char* to_words(Located located) noexcept {
  switch (located) {
    case Located::unknown:
      break;
    case Located::data:
      return "depend or affinity";
    case Located::name:
      return "name in depend";
    case Located::series:
      return "place in a series";
    case Located::loop:
      return "part of a taskloop";
    case Located::argument:
      return "pointer argument";
  }
  return "nothing";
}

std::vector<std::string> explanation_text(const Explanation& explanation) {
  std::vector<std::string> lines;
  if (explanation.constructs.empty()) return lines;
  std::size_t width = 9;
  for (const Construct& each : explanation.constructs) width = std::max(width, each.place.size());
  lines.push_back(fmt::format("lares: {:<{}}  {:>10}  {:<27}  {:>8}  {:>8}", "construct", width,
                              "tasks", "data located by", "at home", "later"));
  for (const Construct& each : explanation.constructs) {
    const std::string how =
        fmt::format("{} {:.0f} %", to_words(each.mostly_by()), 100 * each.share_of_most());
    lines.push_back(fmt::format("lares: {:<{}}  {:>10}  {:<27}  {:>8}  {:>8}", each.place, width,
                                each.tasks, how, share_text(each.home_share_at_first()),
                                share_text(each.home_share_later())));
  }
  if (explanation.left_out > 0) {
    lines.push_back(fmt::format("lares: {} tasks of more than {} constructs are not in this table",
                                explanation.left_out, ExplainFile::most_rows));
  }
  return lines;
}

}  // namespace lares::analysis

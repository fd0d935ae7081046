#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lab/counts/counts.hpp"
#include "lab/counts/paint.hpp"

namespace lares::lab {
namespace {

constexpr int cell_width = 6;

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

/// The colour of a cell: what is local is green, what is remote glows the more it weighs in all
/// that is remote, and what is next to nothing is dim.
const char* colour_of(const Matrix& matrix, std::size_t row, std::size_t column) {
  constexpr double heavy = 1.5;
  constexpr double next_to_nothing = 0.01;
  const auto cell = static_cast<double>(matrix.at(row, column));
  const auto all = static_cast<double>(matrix.sum());
  if (cell <= next_to_nothing * all / static_cast<double>(matrix.nodes())) return "2";
  if (row == column) return "32";
  const double pairs = static_cast<double>(matrix.nodes() * (matrix.nodes() - 1));
  const double even = static_cast<double>(matrix.remote()) / pairs;
  return cell > heavy * even ? "1;31" : "33";
}

std::string matrix_text(const Matrix& matrix, bool colour) {
  std::string text = fmt::format("    {:>{}}", "", cell_width + 2);
  for (std::size_t column = 0; column < matrix.nodes(); ++column) {
    text += fmt::format("{:>{}}", column, cell_width);
  }
  text += "   local\n";
  for (std::size_t row = 0; row < matrix.nodes(); ++row) {
    const std::uint64_t sum = matrix.row_sum(row);
    text += fmt::format("    {:>{}}", fmt::format("node {}", row), cell_width + 2);
    for (std::size_t column = 0; column < matrix.nodes(); ++column) {
      text += painted(fmt::format("{:>{}}", short_count(matrix.at(row, column)), cell_width),
                      colour_of(matrix, row, column), colour);
    }
    text += sum == 0 ? fmt::format("{:>8}\n", "-")
                     : fmt::format("{:>6.1f} %\n", percent(matrix.at(row, row), sum));
  }
  return text;
}

/// "12,345 lines (0.8 MiB)"
std::string amount(std::uint64_t lines, Bytes line) {
  return fmt::format("{} {} ({})", grouped(lines), lines == 1 ? "line" : "lines",
                     bytes_text(Bytes{lines * line.count}));
}

std::string heaviest_text(const RegionSummary& summary, Bytes line) {
  if (!summary.heaviest) return "  nothing crossed between nodes\n";
  const Link& link = *summary.heaviest;
  return fmt::format(
      "  heaviest link: cpus of node {} with node {}, {}, {:.1f} % of what crossed\n", link.cpus,
      link.memory, amount(link.lines, line), percent(link.lines, summary.crossed));
}

std::string caches_text(const RegionCounts& region, bool has_l3) {
  std::string text;
  if (region.transfer.sum() > 0) {
    text += fmt::format(
        "  of the fetched, {} came from other caches, {:.1f} % of them from the same node\n",
        grouped(region.transfer.sum()), percent(region.transfer.local(), region.transfer.sum()));
  }
  if (has_l3)
    text += fmt::format("  found in the shared cache: {}\n", grouped(region.l3_hit.sum()));
  return text;
}

std::string region_text(const Counts& counts, const RegionCounts& region, bool colour) {
  const RegionSummary summary = summarize(region);
  const Matrix memory = from_memory(region);
  std::string text = painted(region.name, "1", colour);
  if (region.entered > 1) text += fmt::format(", entered {} times", grouped(region.entered));
  if (region.left_open) text += ", still open when the program ended";
  text += ": lines from memory, rows: node of the cpu, columns: node of the memory\n";
  text += matrix_text(memory, colour);
  text += fmt::format("  fetched {}, {:.1f} % local; written back {}, {:.1f} % local\n",
                      amount(summary.fetched, counts.line), 100 * summary.local_share(),
                      amount(summary.written_back, counts.line),
                      percent(region.write_back.local(), summary.written_back));
  return text + caches_text(region, counts.l3.count > 0) + heaviest_text(summary, counts.line);
}

}  // namespace

std::string short_count(std::uint64_t count) {
  constexpr std::uint64_t exact = 10'000;
  if (count < exact) return std::to_string(count);
  constexpr std::array units = {'k', 'M', 'G', 'T', 'P', 'E'};
  auto amount = static_cast<double>(count) / 1000;
  std::size_t unit = 0;
  // 999.5k would be printed as 1000k.
  while (amount >= 999.5 && unit + 1 < units.size()) {
    amount /= 1000;
    ++unit;
  }
  return fmt::format("{:.{}f}{}", amount, amount < 9.95 ? 1 : 0, units[unit]);
}

std::string bytes_text(Bytes bytes) {
  constexpr std::array units = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto amount = static_cast<double>(bytes.count);
  std::size_t unit = 0;
  while (amount >= 1024 && unit + 1 < units.size()) {
    amount /= 1024;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", amount, unit == 0 ? 0 : 1, units[unit]);
}

std::string counts_text(const Counts& counts, bool colour) {
  std::string text;
  for (const RegionCounts& region : counts.regions) text += region_text(counts, region, colour);
  return text;
}

std::vector<std::string> counts_notes(const Counts& counts) {
  std::vector<std::string> notes;
  if (!counts.complete)
    notes.emplace_back("the counts end where the guest did, before the program's end");
  if (counts.unmatched_ends > 0) {
    notes.push_back(
        fmt::format("{} ends of regions had no begin and were left out", counts.unmatched_ends));
  }
  if (counts.regions_left_out > 0) {
    notes.push_back(
        fmt::format("{} begins of regions were left out: the lab counts up to 256 names",
                    counts.regions_left_out));
  }
  for (const RegionCounts& region : counts.regions) {
    if (region.left_open)
      notes.push_back(fmt::format("the region \"{}\" was never ended", region.name));
  }
  return notes;
}

}  // namespace lares::lab

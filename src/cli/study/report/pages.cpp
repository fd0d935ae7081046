// Pages by threads, for people: who came to which first, and who uses them.
#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

#include "cli/study/report/report.hpp"
#include "trace/names.hpp"

namespace lares::cli {
namespace {

using trace::BytesByUse;
using trace::PageArea;
using trace::PageUse;
using Cells = std::vector<std::string>;

constexpr std::size_t most_areas = 12;
constexpr std::size_t most_columns = 32;
constexpr std::array uses = {PageUse::local, PageUse::shared, PageUse::remote, PageUse::not_named};

void put_bytes(Cells& cells, const BytesByUse& bytes, std::uint64_t unbound) {
  cells.push_back(human_bytes({trace::all_bytes(bytes)}));
  for (const PageUse use : uses) cells.push_back(part_word(bytes_of(bytes, use)));
  cells.push_back(part_word(unbound));
}

std::string domain_word(std::uint16_t domain) {
  return domain == trace::no_domain ? "-" : std::to_string(domain);
}

Table new_table(std::size_t words) {
  std::vector<Table::Align> columns(words, Table::Align::left);
  columns.resize(words + 2 + uses.size(), Table::Align::right);
  return Table(std::move(columns));
}

std::string threads_table(const ReportedRun& run) {
  Table table = new_table(1);
  table.add({"touched first by", "bytes", "local", "shared", "remote", "not named", "unbound"});
  BytesByUse rest{};
  std::uint64_t rest_unbound = 0;
  std::size_t shown = 0;
  for (const trace::PageColumn& column : run.findings.pages.columns) {
    if (++shown > most_columns) {
      trace::add(rest, column.bytes);
      rest_unbound += column.unbound;
      continue;
    }
    Cells cells{thread_word(run, column.thread)};
    put_bytes(cells, column.bytes, column.unbound);
    table.add(std::move(cells));
  }
  if (shown > most_columns) {
    Cells cells{fmt::format("{} more", shown - most_columns)};
    put_bytes(cells, rest, rest_unbound);
    table.add(std::move(cells));
  }
  return table.text("  ");
}

std::string user_word(const PageArea& area) {
  if (area.user == trace::no_domain) return "-";
  return fmt::format("{} ({})", area.user, trace::human_share(area.user_share));
}

// Named by some grain, or a good part of all: not the program's code, stacks and libraries.
bool is_worth_a_line(const PageArea& area, std::uint64_t all) {
  constexpr std::uint64_t small_part = 50;
  return trace::named_bytes(area.bytes) > 0 || trace::all_bytes(area.bytes) * small_part >= all;
}

// What is not shown is added up in the last line.
std::string areas_table(const ReportedRun& run) {
  Table table = new_table(4);
  table.add({"from address", "touched first by", "in domain", "used most in", "bytes", "local",
             "shared", "remote", "not named", "unbound"});
  const std::uint64_t all = trace::all_bytes(run.findings.pages.bytes);
  BytesByUse rest{};
  std::uint64_t rest_unbound = 0;
  std::size_t shown = 0;
  for (const PageArea& area : run.findings.pages.areas) {
    if (shown == most_areas || !is_worth_a_line(area, all)) {
      trace::add(rest, area.bytes);
      rest_unbound += area.unbound;
      continue;
    }
    ++shown;
    Cells cells{fmt::format("{:#x}", area.begin), thread_word(run, area.thread),
                domain_word(area.domain), user_word(area)};
    put_bytes(cells, area.bytes, area.unbound);
    table.add(std::move(cells));
  }
  if (const std::size_t hidden = run.findings.pages.areas.size() - shown; hidden > 0) {
    Cells cells{fmt::format("{} more", hidden), "", "", ""};
    put_bytes(cells, rest, rest_unbound);
    table.add(std::move(cells));
  }
  return table.text("  ");
}

std::string besides(const ReportedRun& run) {
  std::string text;
  if (run.findings.pages.not_seen > 0) {
    text += fmt::format(
        "  Of {} that grains name nobody was seen to come first: {}.\n",
        human_bytes({run.findings.pages.not_seen}),
        run.trace.touches.sees_system_calls
            ? "the memory was there before, or is less than the estimated lengths say"
            : "system calls filled it, which this user may not see, or it was there before");
  }
  if (run.trace.touches.bytes_of_others > 0) {
    text += fmt::format("  Processes without regions touched {} besides.\n",
                        human_bytes({run.trace.touches.bytes_of_others}));
  }
  return text;
}

}  // namespace

std::string part_word(std::uint64_t bytes) { return bytes == 0 ? "-" : human_bytes({bytes}); }

std::string thread_word(const ReportedRun& run, trace::Index thread) {
  if (thread == trace::none) return "others";
  const trace::Thread& each = run.trace.threads[thread];
  return fmt::format("{}.{}", each.process, each.number);
}

std::string pages_text(const ReportedRun& run, const Palette& palette) {
  if (!run.trace.touches.are_known) return {};
  std::string text = palette.bold("Pages") +
                     ", by the thread that came to them first, against the domains whose grains "
                     "use them\n";
  text += threads_table(run) + "\n" + areas_table(run) + besides(run);
  return text + "\n";
}

}  // namespace lares::cli

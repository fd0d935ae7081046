#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "analysis/stats_file.hpp"
#include "analysis/summary.hpp"

namespace lares::analysis {
namespace {

/// 1234567 as "1,234,567".
std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

std::string counted(std::uint64_t number, std::string_view thing) {
  return fmt::format("{} {}{}", grouped(number), thing, number == 1 ? "" : "s");
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array units = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto amount = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (amount >= 1024 && unit + 1 < units.size()) {
    amount /= 1024;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", amount, unit == 0 ? 0 : 1, units[unit]);
}

std::string seconds_text(Nanoseconds time) {
  return fmt::format("{:.3g} s", static_cast<double>(time.count) / 1e9);
}

double percent(std::uint64_t part, std::uint64_t whole) {
  return 100.0 * fraction(static_cast<double>(part), static_cast<double>(whole));
}

std::string shares_text(const Shares& shares) {
  return fmt::format("{:5.1f} % local  {:5.1f} % same domain  {:5.1f} % remote",
                     percent(shares.local, shares.total()),
                     percent(shares.same_domain, shares.total()),
                     percent(shares.remote, shares.total()));
}

std::string line(std::string_view head, std::string_view text) {
  return fmt::format("lares: {:<9} {}", head, text);
}

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string where_line(const Report& report) {
  const RunStats& run = report.run;
  std::string text = counted(run.threads, "thread");
  text += fmt::format(" in {}", counted(report.setting.domains, report.setting.level + " domain"));
  text += report.setting.bound ? ", bound" : ", not bound";
  if (!run.runtimes.empty()) text += ", " + joined(run.runtimes);
  if (run.processes.size() > 1) text += fmt::format(", {} processes", run.processes.size());
  if (run.wall.count > 0) text += ", " + seconds_text(run.wall);
  return line("threads", text);
}

std::string tasks_line(const Counts& counts) {
  std::string text = grouped(counts.tasks().total());
  if (counts.inlined > 0)
    text += fmt::format(", {} at once by their creator", grouped(counts.inlined));
  if (counts.data_tasks.total() > 0) {
    text += fmt::format(", {:.1f} % with data whose home is known",
                        percent(counts.data_tasks.total(), counts.tasks().total()));
  }
  return line("tasks", text);
}

/// "own domain 12, nearest 3, 3rd 1": the distances up to the farthest that occurred.
std::string steals_text(const std::array<std::uint64_t, runtime::distance_ranks>& steals) {
  constexpr std::array<std::string_view, 3> names = {"own domain", "nearest other", "2nd nearest"};
  std::size_t last = 0;
  for (std::size_t rank = 0; rank < steals.size(); ++rank) {
    if (steals[rank] > 0) last = rank;
  }
  std::string text;
  for (std::size_t rank = 0; rank <= last; ++rank) {
    if (rank > 0) text += ", ";
    text += rank < names.size()         ? std::string(names[rank])
            : rank == 3                 ? std::string("3rd")
            : rank + 1 == steals.size() ? fmt::format("{}th or farther", rank)
                                        : fmt::format("{}th", rank);
    text += " " + grouped(steals[rank]);
  }
  return text;
}

std::string overhead_text(const RunStats& run) {
  if (run.counts.queueing_ns <= 0 || run.counts.thread_time_ns <= 0) return "not measured";
  return fmt::format("{:.1f} % of the threads' time in queues, {:.0f} ns per operation",
                     100 * run.queueing_share(), run.operation_ns());
}

void add_task_lines(std::vector<std::string>& lines, const RunStats& run) {
  const Counts& counts = run.counts;
  lines.push_back(tasks_line(counts));
  if (counts.tasks().total() == 0) return;
  lines.push_back(line("by tasks", shares_text(counts.tasks())));
  if (counts.data_bytes.total() > 0) {
    lines.push_back(line("by bytes", shares_text(counts.data_bytes) + "  of " +
                                         bytes_text(counts.data_bytes.total())));
  }
  lines.push_back(line("steals", counts.stolen() == 0 ? "none" : steals_text(counts.steals)));
  lines.push_back(line("overhead", overhead_text(run)));
}

std::string loops_text(const Counts& counts) {
  const Shares& iterations = counts.loop_iterations;
  std::string text =
      fmt::format("{}, iterations {:.1f} % local, {:.1f} % same domain, {:.1f} % remote",
                  grouped(counts.loops), percent(iterations.local, iterations.total()),
                  percent(iterations.same_domain, iterations.total()),
                  percent(iterations.remote, iterations.total()));
  if (counts.loop_ranges_stolen() > 0) {
    text += "; ranges stolen: " + steals_text(counts.loop_steals);
  }
  if (counts.loop_ns > 0) {
    text += fmt::format("; longest thread {:.2f} of the mean, {:.1f} % of the time waiting behind",
                        counts.loop_imbalance(),
                        100 * fraction(counts.loop_wait_ns, counts.loop_ns + counts.loop_wait_ns));
  }
  return text;
}

void add_loop_line(std::vector<std::string>& lines, const Counts& counts) {
  if (counts.loops > 0) lines.push_back(line("loops", loops_text(counts)));
}

void add_bubble_line(std::vector<std::string>& lines, const Counts& counts) {
  if (counts.bubbles == 0) return;
  lines.push_back(
      line("bubbles",
           fmt::format("{} teams placed; threads moved: {} to their data, {} to what they were "
                       "seen to touch, {} to idle cores{}",
                       grouped(counts.bubbles), grouped(counts.bubble_shakes),
                       grouped(counts.bubble_seen), grouped(counts.bubble_steals),
                       counts.bubble_data == 0 ? std::string()
                                               : fmt::format(" ({} ranges of data with them)",
                                                             grouped(counts.bubble_data)))));
}

std::vector<std::string> all_notes(const Report& report) {
  std::vector<std::string> notes = report.notes;
  for (const std::string& note : report.run.notes) {
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
  }
  return notes;
}

void add_notes(std::vector<std::string>& lines, const std::vector<std::string>& notes,
               std::size_t room) {
  const bool fit = notes.size() <= room;
  const std::size_t shown = fit ? notes.size() : room - 1;
  for (std::size_t i = 0; i < shown; ++i) lines.push_back(line("note", notes[i]));
  if (!fit) {
    lines.push_back(line(
        "note", fmt::format("{} more; --summary=text FILE writes them all", notes.size() - shown)));
  }
}

// What else is said of the run may be of that.
void add_waiting_line(std::vector<std::string>& lines, const RunStats& run) {
  if (run.waiting_share() <= notable_waiting_share) return;
  lines.push_back(line("disturbed", fmt::format("of the time in which threads could run, {:.0f} % "
                                                "went by waiting for a processor",
                                                100 * run.waiting_share())));
}

}  // namespace

std::vector<std::string> summary_text(const Report& report, std::size_t max_lines) {
  std::vector<std::string> lines;
  std::optional<Advice> advice;
  if (report.run.used_openmp()) {
    lines.push_back(where_line(report));
    lines.push_back(line("policy", report.policy_words));
    add_task_lines(lines, report.run);
    add_loop_line(lines, report.run.counts);
    add_bubble_line(lines, report.run.counts);
    add_waiting_line(lines, report.run);
    advice = advise(report.run, report.setting);
  }
  const std::size_t taken = lines.size() + (advice ? 1 : 0);
  add_notes(lines, all_notes(report), max_lines - taken);
  if (advice) lines.push_back(line("advice", advice->sentence));
  return lines;
}

}  // namespace lares::analysis

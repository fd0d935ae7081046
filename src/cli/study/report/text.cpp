// The report for people.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "analysis/stats_file.hpp"
#include "cli/study/report/pairs.hpp"
#include "cli/study/report/report.hpp"
#include "trace/findings/diagnoses/diagnoses.hpp"
#include "trace/names.hpp"

namespace lares::cli {
namespace {

using trace::Locality;
using Align = Table::Align;

constexpr std::size_t most_threads = 32;

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::uint64_t of(const std::array<std::uint64_t, trace::localities>& by, Locality locality) {
  return by[static_cast<std::size_t>(locality)];
}

std::string head_line(const ReportedRun& run) {
  const trace::About& about = run.trace.about;
  std::string line = fmt::format("{}", fmt::join(about.command, " "));
  for (const std::string& part : {about.openmp, about.policy, about.machine}) {
    if (!part.empty()) line += (line.empty() ? "" : ", ") + part;
  }
  return analysis::printable(line);
}

std::string severity_word(trace::Severity severity, const Palette& palette) {
  switch (severity) {
    case trace::Severity::problem:
      return palette.red("problem");
    case trace::Severity::warning:
      return palette.yellow("warning");
    case trace::Severity::note:
      break;
  }
  return palette.dim("note");
}

std::string diagnoses_text(const ReportedRun& run, const Palette& palette) {
  if (run.findings.diagnoses.empty()) return {};
  std::string text = palette.bold("Diagnoses") + "\n";
  for (const trace::Diagnosis& each : run.findings.diagnoses) {
    text += fmt::format("  {}  {}\n", severity_word(each.severity, palette), each.title);
    text += fmt::format("    seen    {}\n", each.evidence);
    text += fmt::format("    do      {}\n", each.remedy);
    if (each.gain > 0) {
      text += fmt::format("    gain    up to {} of the threads' time: {}\n",
                          trace::human_share(each.gain), each.gain_how);
    }
  }
  return text + "\n";
}

std::string constructs_text(const ReportedRun& run, const Palette& palette) {
  if (run.findings.constructs.empty()) return {};
  Table table({Align::left, Align::right, Align::right, Align::right, Align::right, Align::right,
               Align::right, Align::right, Align::right, Align::right, Align::right});
  table.add({"construct", "grains", "time", "share", "local", "domain", "remote", "median",
             "longest", "far/near", "critical"});
  for (const trace::ConstructRow& row : run.findings.constructs) {
    if (&row - run.findings.constructs.data() == most_constructs) break;
    const auto where = [&row](Locality locality) {
      return trace::human_share(share(of(row.sums.time_by, locality), row.sums.time));
    };
    table.add({analysis::printable(place_of(run, row.construct)), std::to_string(row.sums.grains),
               trace::human_time(row.sums.time),
               trace::human_share(share(row.sums.time, run.findings.work)), where(Locality::local),
               where(Locality::same_domain), where(Locality::remote), trace::human_time(row.median),
               trace::human_time(row.longest),
               row.inflation > 0 ? fmt::format("{:.2f}", row.inflation) : "-",
               trace::human_share(share(row.critical, run.findings.critical))});
  }
  return palette.bold("Constructs") + ", most time first\n" + table.text("  ") +
         constructs_left(run.findings.constructs.size()) + "\n";
}

std::string domains_text(const ReportedRun& run, const Palette& palette) {
  Table table({Align::left, Align::right, Align::right, Align::right, Align::right, Align::right,
               Align::right, Align::right});
  table.add({"domain", "threads", "grains", "time", "local", "domain", "remote", "idle"});
  for (const trace::DomainRow& row : run.findings.domains) {
    const auto where = [&row](Locality locality) {
      return trace::human_share(share(of(row.sums.time_by, locality), row.sums.time));
    };
    table.add({std::to_string(row.domain), std::to_string(row.threads),
               std::to_string(row.sums.grains), trace::human_time(row.sums.time),
               where(Locality::local), where(Locality::same_domain), where(Locality::remote),
               trace::human_time(row.idle)});
  }
  return palette.bold("Domains") + "\n" + table.text("  ") + "\n";
}

// Bytes where lengths are known, else grains.
std::string matrix_text(const ReportedRun& run, const Palette& palette) {
  const std::size_t size = run.trace.domains;
  const auto& bytes = run.findings.bytes;
  const bool by_bytes = std::any_of(bytes.begin(), bytes.end(), [](auto b) { return b != 0; });
  const auto& values = by_bytes ? bytes : run.findings.grains;
  if (size < 2 || std::all_of(values.begin(), values.end(), [](auto v) { return v == 0; })) {
    return {};
  }
  std::vector<Align> columns(size + 1, Align::right);
  columns[0] = Align::left;
  Table table(std::move(columns));
  std::vector<std::string> head{"home \\ ran in"};
  for (std::size_t to = 0; to < size; ++to) head.push_back(std::to_string(to));
  table.add(head);
  for (std::size_t from = 0; from < size; ++from) {
    std::vector<std::string> cells{std::to_string(from)};
    for (std::size_t to = 0; to < size; ++to) {
      const std::uint64_t value = values[from * size + to];
      std::string cell = value == 0 ? "-" : by_bytes ? human_bytes({value}) : std::to_string(value);
      cells.push_back(from == to ? palette.green(cell) : cell);
    }
    table.add(std::move(cells));
  }
  const char* const what = !by_bytes ? ", grains"
                           : run.trace.estimates_lengths
                               ? ", bytes that grains name (estimated: up "
                                 "to what is named next)"
                               : ", bytes that grains name";
  return palette.bold("Node by node") + what + "\n" + table.text("  ") + "\n";
}

std::string lengths_text(const ReportedRun& run, const Palette& palette) {
  constexpr std::size_t width = 40;
  std::uint64_t most = 0;
  const auto sum = [](const auto& by) {
    std::uint64_t total = 0;
    for (const std::uint64_t each : by) total += each;
    return total;
  };
  for (const trace::LengthBin& bin : run.findings.lengths) {
    most = std::max(most, sum(bin.grains_by));
  }
  if (most == 0) return {};
  Table table({Align::right, Align::right, Align::left});
  for (const trace::LengthBin& bin : run.findings.lengths) {
    const std::uint64_t count = sum(bin.grains_by);
    const std::size_t length = count == 0 ? 0 : std::max<std::size_t>(1, count * width / most);
    table.add({trace::human_time(trace::Time{1} << bin.log2), std::to_string(count),
               std::string(length, '#')});
  }
  return palette.bold("Own time of grains") + ", from ... on\n" + table.text("  ") + "\n";
}

std::string threads_text(const ReportedRun& run, const Palette& palette) {
  Table table({Align::left, Align::right, Align::right, Align::right, Align::right, Align::right});
  table.add({"thread", "domain", "work", "creating", "waiting", "own code"});
  std::size_t shown = 0;
  for (const trace::ThreadRow& row : run.findings.threads) {
    if (++shown > most_threads) break;
    const trace::Time all = row.work + row.create + row.idle + row.other;
    const trace::Thread& thread = run.trace.threads[row.thread];
    table.add({fmt::format("{}.{}", thread.process, thread.number),
               thread.domain == trace::no_domain ? "-" : std::to_string(thread.domain),
               trace::human_share(share(row.work, all)), trace::human_share(share(row.create, all)),
               trace::human_share(share(row.idle, all)),
               trace::human_share(share(row.other, all))});
  }
  std::string text = palette.bold("Threads") + ", of their time in regions\n" + table.text("  ");
  if (run.findings.threads.size() > most_threads) {
    text += fmt::format("  and {} more\n", run.findings.threads.size() - most_threads);
  }
  return text + "\n";
}

std::string bound_text(const ReportedRun& run) {
  const trace::Findings& findings = run.findings;
  if (findings.critical == 0) return {};
  return fmt::format(
      "The longest chain of work that had to follow each other takes {}: on any number of cores "
      "the "
      "regions take that much of their {}.\n\n",
      trace::human_time(findings.critical), trace::human_time(findings.in_regions));
}

}  // namespace

std::string place_of(const ReportedRun& run, trace::Index construct) {
  return construct == trace::none ? "?" : run.trace.constructs[construct].place;
}

std::string constructs_left(std::size_t constructs) {
  if (constructs <= most_constructs) return {};
  return fmt::format("  and {} more (--format csv has all)\n", constructs - most_constructs);
}

std::string report_text(const ReportedRun& run, const Palette& palette) {
  std::string text = palette.bold(head_line(run)) + "\n\n";
  for (const std::string& sentence : run.findings.verdict) text += sentence + "\n";
  for (const std::string& note : run.trace.notes) text += palette.yellow("note: ") + note + "\n";
  text += "\n";
  text += diagnoses_text(run, palette);
  text += constructs_text(run, palette);
  text += model_section(run, palette);
  text += domains_text(run, palette);
  text += matrix_text(run, palette);
  text += pages_text(run, palette);
  text += moves_text(run, palette);
  text += threads_text(run, palette);
  text += lengths_text(run, palette);
  text += bound_text(run);
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

namespace {

std::string change(double before, double after) {
  if (before == 0) return after == 0 ? "1.00" : "-";
  return fmt::format("{:.2f}", after / before);
}

double far_share(const ReportedRun& run) {
  return share(of(run.findings.all.time_by, Locality::remote), run.findings.all.time);
}

// Of what is named.
double far_pages(const ReportedRun& run) {
  const trace::BytesByUse& bytes = run.findings.pages.bytes;
  return share(bytes_of(bytes, trace::PageUse::remote), trace::named_bytes(bytes));
}

std::string totals_text(const ReportedRun& before, const ReportedRun& after,
                        const Palette& palette) {
  Table table({Align::left, Align::right, Align::right, Align::right});
  table.add({"", "before", "after", "ratio"});
  const auto time = [&table](const char* name, trace::Time b, trace::Time a) {
    table.add({name, trace::human_time(b), trace::human_time(a),
               change(static_cast<double>(b), static_cast<double>(a))});
  };
  time("in regions", before.findings.in_regions, after.findings.in_regions);
  time("in grains", before.findings.work, after.findings.work);
  time("creating", before.findings.creation, after.findings.creation);
  time("waiting", before.findings.idle, after.findings.idle);
  time("critical path", before.findings.critical, after.findings.critical);
  table.add({"grains", std::to_string(before.findings.all.grains),
             std::to_string(after.findings.all.grains),
             change(static_cast<double>(before.findings.all.grains),
                    static_cast<double>(after.findings.all.grains))});
  if (before.trace.touches.are_known && after.trace.touches.are_known) {
    table.add({"remote, of pages' bytes", trace::human_share(far_pages(before)),
               trace::human_share(far_pages(after)), change(far_pages(before), far_pages(after))});
  }
  table.add({"remote, of grains' time", trace::human_share(far_share(before)),
             trace::human_share(far_share(after)), change(far_share(before), far_share(after))});
  return palette.bold("The run") + "\n" + table.text("  ") + "\n";
}

std::string changed_constructs(const ReportedRun& before, const ReportedRun& after,
                               const Palette& palette) {
  Table table({Align::left, Align::right, Align::right, Align::right, Align::right, Align::right});
  table.add({"construct", "time before", "after", "ratio", "remote before", "after"});
  const auto time = [](const trace::ConstructRow* row) {
    return row == nullptr ? "-" : trace::human_time(row->sums.time);
  };
  const auto remote = [](const trace::ConstructRow* row) {
    return row == nullptr
               ? "-"
               : trace::human_share(share(of(row->sums.time_by, Locality::remote), row->sums.time));
  };
  for (const auto& [place, old, now] :
       pairs_of(before, before.findings.constructs, after, after.findings.constructs)) {
    const bool both = old != nullptr && now != nullptr;
    table.add(
        {analysis::printable(place), time(old), time(now),
         both ? change(static_cast<double>(old->sums.time), static_cast<double>(now->sums.time))
              : "-",
         remote(old), remote(now)});
  }
  return palette.bold("Constructs") + "\n" + table.text("  ") + "\n";
}

std::string changed_diagnoses(const ReportedRun& before, const ReportedRun& after,
                              const Palette& palette) {
  const auto has = [](const ReportedRun& run, const std::string& id) {
    return std::any_of(run.findings.diagnoses.begin(), run.findings.diagnoses.end(),
                       [&id](const trace::Diagnosis& each) { return each.id == id; });
  };
  std::string text;
  for (const trace::Diagnosis& each : before.findings.diagnoses) {
    if (!has(after, each.id)) text += "  " + palette.green("gone") + "  " + each.title + "\n";
  }
  for (const trace::Diagnosis& each : after.findings.diagnoses) {
    text += "  " + (has(before, each.id) ? palette.dim("stays") : palette.red("new")) + "  " +
            each.title + "\n";
  }
  return text.empty() ? text : palette.bold("Diagnoses") + "\n" + text + "\n";
}

}  // namespace

std::string comparison_text(const ReportedRun& before, const ReportedRun& after,
                            const Palette& palette) {
  std::string text = "before  " + palette.bold(head_line(before)) + "\n";
  text += "after   " + palette.bold(head_line(after)) + "\n\n";
  text += totals_text(before, after, palette);
  text += changed_constructs(before, after, palette);
  text += model_comparison(before, after, palette);
  text += changed_diagnoses(before, after, palette);
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

}  // namespace lares::cli

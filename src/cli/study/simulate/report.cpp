#include "cli/study/simulate/report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <set>

#include "cli/commands.hpp"
#include "cli/machine_options.hpp"
#include "simulate/papers/papers.hpp"

namespace lares::cli {
namespace {

namespace papers = simulate::papers;
using papers::Basis;
using papers::Cell;
using papers::Count;
using papers::Finding;
using papers::Judgement;
using papers::Reproduction;
using papers::Verdict;

constexpr std::size_t sizes_of_factorisations[] = {8192, 16384, 32768, 49152};

std::string introduction(std::uint32_t seeds) {
  namespace limits = papers::limits;
  const auto percent = [](double factor) { return fmt::format("{:.0f} %", (factor - 1) * 100); };
  return fmt::format(
      "# The papers' figures\n\n"
      "Written by `lares simulate --report docs/papers.md`; do not edit. Published figures beside "
      "simulated ones, and what the papers state without figures. The published ones stand in "
      "`src/simulate/papers/published.json`, with table and page. None of these machines is at "
      "hand: nothing here was measured on them.\n\n"
      "## What counts, and how it is judged\n\n"
      "There are four classes, and they are counted apart. Only the last one says anything about "
      "scheduling.\n\n"
      "- *input*: the figure stands in the machine file as it was published.\n"
      "- *fitted*: a parameter was chosen so that it comes out. Neither class proves anything.\n"
      "- *follows from inputs*: by arithmetic or by the model of the machine. No policy is asked: "
      "data, threads and loops are where the workload puts them.\n"
      "- *predicted by a policy*: the objects that schedule tasks under `lares run` made the "
      "decisions.\n\n"
      "Cells that are one number in the model are one quantity: it counts once, with the worst of "
      "their verdicts.\n\n"
      "The limits are the same for all rows, and for what speaks against a statement as for what "
      "speaks for it. They were set when most of the figures were known.\n\n"
      "- A figure is *as published* within {0}, up or down. A share is within {1:.0f} points.\n"
      "- Where the paper has the same row without the effect, the effect is judged: the figure "
      "divided by that row. It must have the published sign.\n"
      "- Differences up to {2} are ties. \"Clearly\" is more than {3}, and up to that is \"about "
      "the same\". \"Decisive\" and \"significantly\" are a factor of {4:g}, \"several times\" one "
      "of {5:g}. \"Close\" is within {0}.\n"
      "- Everything is judged at all points: {6} seeds with the best parameters, and both ends of "
      "every assumed range. For the factorisations one more end is that transfers hide behind "
      "computing. What depends on neither tasks nor chance has no seeds.\n"
      "- *yes* and *as published*: at all points. *Depends*: at some, of how many stands beside "
      "it. *No*: at none. *Opposite*: at none, and at some the other way round.\n",
      percent(limits::close), limits::points * 100, percent(limits::tie), percent(limits::clear),
      limits::much, limits::several, seeds);
}

/// Four digits, without an exponent.
std::string shown(double value) {
  return value >= 1000 ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

std::string range(double low, double high) {
  return low < high ? shown(low) + " .. " + shown(high) : "";
}

std::string verdict_text(const Judgement& judgement, const char* yes, const std::string& why) {
  std::string text = yes;
  switch (judgement.verdict) {
    case Verdict::yes:
      return text;
    case Verdict::depends:
      text = fmt::format("depends ({} of {})", judgement.held, judgement.points);
      break;
    case Verdict::no:
      text = "**no**";
      break;
    case Verdict::opposite:
      text = "**opposite**";
  }
  return why.empty() ? text : text + ": " + why;
}

/// What is compared: the error, the difference of two shares, or two effects.
std::string compared(const Cell& cell) {
  const double simulated = cell.simulated.median();
  const double published = cell.published->middle();
  if (cell.published->unit == "share") {
    return fmt::format("{:+.1f} points", 100 * (simulated - published));
  }
  if (cell.baseline.published != nullptr) {
    const double effect = simulated / cell.baseline.simulated.median();
    return fmt::format("x{:.3f} for x{:.3f}", effect,
                       published / cell.baseline.published->middle());
  }
  return fmt::format("{:+.1f} %", 100 * (simulated / published - 1));
}

std::string cells_text(const std::vector<Cell>& cells) {
  if (cells.empty()) return "";
  std::string text =
      "\n| source | what | published | simulated | range | compared | class | as published |\n"
      "|---|---|--:|--:|---|--:|---|---|\n";
  for (const Cell& cell : cells) {
    const papers::Published& figure = *cell.published;
    const std::string what = figure.what + (figure.unit.empty() ? "" : ", " + figure.unit) +
                             (cell.how.empty() ? "" : ", " + cell.how);
    const std::string printed = figure.low < figure.high ? range(figure.low, figure.high)
                                                         : fmt::format("{:.5g}", figure.low);
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", figure.place, what, printed,
                        shown(cell.simulated.median()),
                        range(cell.simulated.low(), cell.simulated.high()), compared(cell),
                        name_of(cell.basis), verdict_text(cell.judgement(), "yes", cell.why));
  }
  return text;
}

std::string findings_text(const std::vector<Finding>& findings) {
  if (findings.empty()) return "";
  std::string text =
      "\n| source | statement | simulated | class | holds |\n|---|---|---|---|---|\n";
  for (const Finding& finding : findings) {
    text += fmt::format("| {} | {} | {} | {} | {} |\n", finding.place, finding.statement,
                        finding.evidence, name_of(finding.basis),
                        verdict_text(finding.judgement(), "yes", finding.why));
  }
  return text;
}

std::string counts_text(const char* what, const char* published, const std::vector<Count>& counts) {
  std::string text = fmt::format(
      "\n| {} | {} | counted once | yes | depends | no | opposite |\n"
      "|---|--:|--:|--:|--:|--:|--:|\n",
      what, published);
  for (std::size_t basis = 0; basis < counts.size(); ++basis) {
    const Count& count = counts[basis];
    const auto& by = count.by_verdict;
    text +=
        fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", name_of(static_cast<Basis>(basis)),
                    count.figures, count.all(), by[0], by[1], by[2], by[3]);
  }
  return text;
}

/// What of a paper is not held against anything, and how its figures were read.
std::string notes_of(const papers::Paper& paper) {
  std::string readings;
  std::string left_out;
  for (const papers::Place& place : paper.places) {
    const std::string page = place.page.empty() ? "" : " (page " + place.page + ")";
    if (!place.wording.empty()) {
      readings += fmt::format("- {}{}: {}.\n", place.name, page, place.wording);
    }
    if (!place.left_out.empty()) {
      left_out += fmt::format("- {}{}, {}: {}.\n", place.name, page, place.about, place.left_out);
      continue;
    }
    std::set<std::string> told;
    for (const papers::Published& figure : place.figures) {
      if (figure.left_out.empty() || !told.insert(figure.left_out).second) continue;
      left_out +=
          fmt::format("- {}, {} and alike: {}.\n", place.name, figure.what, figure.left_out);
    }
  }
  if (!readings.empty()) readings = "\n### The papers' words on how to read them\n\n" + readings;
  return readings + "\n### Not in this report\n\n" + left_out;
}

/// Writes the page from top to bottom.
class Page {
 public:
  explicit Page(std::uint32_t seeds) : seeds_(seeds) {}

  void section(const char* title, const char* about, const Result<Reproduction>& result) {
    if (!result) throw UserMistake{result.error()};
    const Reproduction& found = result.value();
    body_ += fmt::format("\n## {}\n\n{}\n", title, about) + cells_text(found.cells) +
             findings_text(found.findings);
    cells_.insert(cells_.end(), found.cells.begin(), found.cells.end());
    findings_.insert(findings_.end(), found.findings.begin(), found.findings.end());
  }
  void add(const std::string& text) { body_ += text; }

  [[nodiscard]] std::string text() const {
    return introduction(seeds_) + counts_text("figures", "published", papers::count_cells(cells_)) +
           counts_text("statements", "published", papers::count_findings(findings_)) + body_;
  }

 private:
  std::uint32_t seeds_;
  std::string body_;
  std::vector<Cell> cells_;
  std::vector<Finding> findings_;
};

void write_schmidl(Page& page, const papers::FindMachine& find, std::uint32_t seeds) {
  page.section("Schmidl 2016: bandwidth and distances (chapter 2)",
               "Bandwidths follow from the same resources and shares as in all simulations; no "
               "tasks run. Groups are found by the library of [`lares "
               "distances`](distances.md) in the printed matrices.",
               papers::reproduce_bandwidth(find));
  page.section("Schmidl 2016: tours and migration (chapter 3)",
               "Tours are computed by the library of [`lares places`](places.md) from the printed "
               "distances. Access times are simulated STREAM; when moving pays is computed by the "
               "library of [`lares_break_even`](memory.md#costs).",
               papers::reproduce_placement(find, seeds));
  page.section(
      "Schmidl 2016: load balancing (chapter 4, Table 5.3)",
      "On `bull-bcs-16s`. The kernel's rate is fitted to the static loop on four sockets, the loss "
      "of the fabric to GNU's tasks; one end of the range is without that loss. `near` is the "
      "paper's own order, whose thieves all go to the same victim; Lares' `nearest` starts at a "
      "random one of equally distant domains.",
      papers::reproduce_balance(find, seeds));
  page.section(
      "Schmidl 2016: conjugate gradients (chapter 6)",
      "On `bull-bcs-16s`, the program as `cg`. The speed-up is over one core with all data "
      "in its own memory.",
      papers::reproduce_gradients(find, seeds));
}

/// The lab counts what the policies that the papers describe do in another machine.
std::string counted_text(const CountedLines& counted) {
  struct Row {
    const char* program;
    const char* policy;
    const char* stands_for;
  };
  constexpr std::array<Row, 2> rows{
      {{"jacobi", "locality-queues", "Wittmann & Hager 2010: locality queues"},
       {"cholesky", "virouleau", "Virouleau 2016: strategy 4"}}};
  if (counted.empty()) return "";
  std::string text = fmt::format(
      "\n## The same policies, counted in the lab\n\n"
      "Lines from another node's memory, of all lines from memory: [counted]"
      "(lab.md#what-the-policies-do) in an emulated guest of {}. It is none of the papers' "
      "machines, and it knows nothing of time.\n\n"
      "| policy | program | under it | under the stock runtime |\n|---|---|--:|--:|\n",
      counted.guest());
  for (const Row& row : rows) {
    for (const auto& [compiler, stock] :
         {std::pair{"gcc", "stock libgomp"}, std::pair{"clang", "stock libomp"}}) {
      const std::string program = fmt::format("{}-{}", row.program, compiler);
      text += fmt::format("| {} | {} | {} | {} |\n", row.stands_for, program,
                          counted.share(program, row.policy), counted.share(program, stock));
    }
  }
  return text;
}

}  // namespace

std::string papers_report(std::uint32_t seeds, const CountedLines& counted) {
  const papers::FindMachine find = [](const std::string& name) {
    return load_machine({name, std::nullopt});
  };
  const auto& publications = papers::publications();
  if (isatty(STDERR_FILENO) == 1)
    fmt::print(stderr, "simulating four papers; this takes minutes\n");
  Page page(seeds);
  page.section(
      "Broquedis et al. 2010: ForestGOMP",
      "Teams of threads and their data, on `opteron-4s-square`. In Table 1 cores are given. "
      "Everywhere else the [bubble schedulers](policies.md#bubbles) place the teams, and "
      "data is where it was touched first. Stealing in Table 9, and from teams 0 and 1 in "
      "Table 10, is from a given team, as in the paper; from team 2 in Table 10 it is what "
      "`memory` decides.",
      papers::reproduce_forestgomp(find, seeds));
  page.add(notes_of(publications[0]));
  write_schmidl(page, find, seeds);
  page.add(notes_of(publications[1]));
  page.section("Wittmann & Hager 2010: locality queues",
               "The paper's Figure 3 prints no numbers, so its statements are checked. Only the "
               "bandwidths of these machines are published; links are assumptions.",
               papers::reproduce_wittmann(find, seeds));
  page.add(notes_of(publications[2]));
  page.section(
      "Virouleau 2016: Cholesky and QR",
      "On `sgi-uv2000-24s`, of which no bandwidth was published, and the paper prints no times: "
      "everything but the distances is assumed. Tiles of 512, whose kernels pack their operands "
      "before they compute. That is an assumption, too: it is what makes transfers cost time. The "
      "paper does not say which sizes are small, or which it ran.",
      papers::reproduce_virouleau(
          find, seeds, {std::begin(sizes_of_factorisations), std::end(sizes_of_factorisations)}));
  page.add(notes_of(publications[3]));
  page.add(counted_text(counted));
  return page.text();
}

}  // namespace lares::cli

#include "cli/simulate/report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "cli/commands.hpp"
#include "cli/machine_options.hpp"
#include "simulate/papers/papers.hpp"

namespace lares::cli {
namespace {

namespace papers = simulate::papers;
using papers::Basis;
using papers::Cell;
using papers::Finding;
using papers::Reproduction;

// Up to this error a figure counts as reproduced.
constexpr double good = 0.15;
constexpr std::size_t sizes_of_factorisations[] = {8192, 16384, 32768, 49152};

constexpr const char* introduction =
    "# The papers' figures\n\n"
    "Written by `lares simulate --report FILE`; do not edit. Published figures beside simulated "
    "ones, and what the papers state without figures.\n\n"
    "- *reproduced*: within 15 %. *ranking only*: farther off, but the published order came out.\n"
    "- *fitted*: the model was made so that this figure comes out; it proves nothing.\n"
    "- *computed*: by Lares' library from what the paper printed; nothing is simulated.\n"
    "- *range*: over seeds and uncertain parameters.\n"
    "- *in the lab*: [counted](lab.md#what-the-policies-do) in an emulated machine of four nodes, "
    "which knows whose memory is used and nothing of time. None of these machines is at hand, so "
    "no column has times measured on them; what is measured here is linked where it answers the "
    "same question.\n";

/// A part of the page and what it adds to the sums on top.
struct Tally {
  std::size_t reproduced = 0;
  std::size_t ranking = 0;
  std::size_t missed = 0;
  std::size_t fitted = 0;
  std::size_t computed = 0;
  std::size_t holds = 0;
  std::size_t fails = 0;
};

void say(const char* what) {
  if (isatty(STDERR_FILENO) == 1) fmt::print(stderr, "simulating {}\n", what);
}

Reproduction checked(Result<Reproduction> found) {
  if (!found) throw UserMistake{found.error()};
  return std::move(found.value());
}

/// Four digits, without an exponent.
std::string shown(double value) {
  return value >= 1000 ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

std::string verdict(const Cell& cell, Tally& tally) {
  const std::string why = cell.why.empty() ? "" : ": " + cell.why;
  if (cell.basis == Basis::fitted) {
    ++tally.fitted;
    return "fitted";
  }
  if (cell.basis == Basis::computed) {
    ++tally.computed;
    return "computed" + (std::abs(cell.error()) < 0.001 ? "" : why);
  }
  if (std::abs(cell.error()) <= good) {
    ++tally.reproduced;
    return "reproduced";
  }
  ++(cell.ranked ? tally.ranking : tally.missed);
  return (cell.ranked ? "ranking only" : "**not reproduced**") + why;
}

std::string cells_text(const std::vector<Cell>& cells, Tally& tally) {
  if (cells.empty()) return "";
  std::string text =
      "\n| source | what | published | simulated | range | error | verdict |\n"
      "|---|---|--:|--:|---|--:|---|\n";
  for (const Cell& cell : cells) {
    const std::string range =
        cell.low < cell.high ? shown(cell.low) + " .. " + shown(cell.high) : "";
    text += fmt::format("| {} | {} | {:.5g} | {} | {} | {:+.1f} % | {} |\n", cell.source, cell.what,
                        cell.published, shown(cell.simulated), range, cell.error() * 100,
                        verdict(cell, tally));
  }
  if (const double mean = papers::mean_error(cells); mean > 0) {
    text += fmt::format("\nMean error of the figures that were predicted: {:.1f} %.\n", mean * 100);
  }
  return text;
}

std::string findings_text(const std::vector<Finding>& findings, const CountedLines& counted,
                          Tally& tally) {
  if (findings.empty()) return "";
  const bool in_lab = std::any_of(findings.begin(), findings.end(), [&](const Finding& finding) {
    return !counted.sentence(finding.counted, finding.policy).empty();
  });
  std::string text = in_lab ? "\n| source | finding | simulated | remote in the lab | holds |\n"
                              "|---|---|---|---|---|\n"
                            : "\n| source | finding | simulated | holds |\n|---|---|---|---|\n";
  for (const Finding& finding : findings) {
    ++(finding.holds ? tally.holds : tally.fails);
    text += fmt::format("| {} | {} | {} | {}{} |\n", finding.source, finding.statement,
                        finding.evidence,
                        in_lab ? counted.sentence(finding.counted, finding.policy) + " | " : "",
                        finding.holds         ? "yes"
                        : finding.why.empty() ? "**no**"
                                              : "**no**: " + finding.why);
  }
  return text;
}

std::string left_out_text(std::span<const papers::LeftOut> list) {
  std::string text = "\n### Not in this report\n\n";
  for (const papers::LeftOut& each : list)
    text += fmt::format("- {}: {}.\n", each.what, each.reason);
  return text;
}

/// Writes the page from top to bottom.
class Page {
 public:
  explicit Page(const CountedLines& counted) : counted_(counted) {}

  void section(const char* title, const char* about, Result<Reproduction> result) {
    const Reproduction found = checked(std::move(result));
    text_ += fmt::format("\n## {}\n\n{}\n", title, about) + cells_text(found.cells, tally_) +
             findings_text(found.findings, counted_, tally_);
  }
  void left_out(std::span<const papers::LeftOut> list) { text_ += left_out_text(list); }

  [[nodiscard]] std::string text() const {
    const Tally& t = tally_;
    return introduction +
           fmt::format(
               "\nOf {} predicted figures {} are reproduced, of {} more only the ranking, {} are "
               "not; {} were fitted, {} are computed. Of {} statements {} hold.\n",
               t.reproduced + t.ranking + t.missed, t.reproduced, t.ranking, t.missed, t.fitted,
               t.computed, t.holds + t.fails, t.holds) +
           text_;
  }

 private:
  const CountedLines& counted_;
  Tally tally_;
  std::string text_;
};

void write_schmidl(Page& page, const papers::FindMachine& find, std::uint32_t seeds) {
  page.section("Schmidl 2016: bandwidth and distances (chapter 2)",
               "Bandwidths follow from the same resources and shares as in all simulations; no "
               "tasks run. The text says \"18 or 8\" of Altix and BCS at their worst: 18 is taken "
               "for BCS, whose single threads lose less.",
               papers::reproduce_bandwidth(find));
  page.section("Schmidl 2016: tours and migration (chapter 3)",
               "Tours are computed by the library of [`lares places`](places.md) from the printed "
               "distances. Access times are simulated STREAM; when moving pays is computed by the "
               "library of [`lares_break_even`](memory.md#costs).",
               papers::reproduce_placement(find, seeds));
  page.section(
      "Schmidl 2016: load balancing (chapter 4, Table 5.3)",
      "On `bull-bcs-16s`. The kernel's rate is fitted to the static loop on four sockets, the loss "
      "of the fabric to GNU's tasks; the range shows what happens without that loss. `near` is the "
      "paper's own order, whose thieves all go to the same victim; Lares' `nearest` starts at a "
      "random "
      "one of equally distant domains.",
      papers::reproduce_balance(find, seeds));
  page.section(
      "Schmidl 2016: conjugate gradients (chapter 6)",
      "On `bull-bcs-16s`, the program as `cg`. The speed-up is over one core with all data "
      "in its own memory.",
      papers::reproduce_gradients(find, seeds));
  page.left_out(papers::left_out_of_schmidl());
}

}  // namespace

std::string papers_report(std::uint32_t seeds, const CountedLines& counted) {
  const papers::FindMachine find = [](const std::string& name) {
    return load_machine({name, std::nullopt});
  };
  Page page(counted);
  say("Broquedis 2010");
  page.section("Broquedis et al. 2010: ForestGOMP",
               "Bound threads and their data, on `opteron-4s-square`.",
               papers::reproduce_forestgomp(find));
  page.left_out(papers::left_out_of_forestgomp());
  say("Schmidl 2016");
  write_schmidl(page, find, seeds);
  say("Wittmann & Hager 2010");
  page.section("Wittmann & Hager 2010: locality queues",
               "The paper's Figure 3 prints no numbers, so its statements are checked. Only the "
               "bandwidths of these machines are published; links are assumptions.",
               papers::reproduce_wittmann(find, seeds));
  page.left_out(papers::left_out_of_wittmann());
  say("Virouleau 2016");
  page.section(
      "Virouleau 2016: Cholesky and QR",
      "On `sgi-uv2000-24s`, of which no bandwidth was published, and the paper prints no times: "
      "everything but the distances is assumed. Tiles of 512, whose kernels pack their operands "
      "before they compute; if transfers hid behind computing, strategies 1, 4 "
      "and 7 would differ by 2 % instead of 8 % at n=32768. Differences up to 1 % count as a tie.",
      papers::reproduce_virouleau(
          find, seeds, {std::begin(sizes_of_factorisations), std::end(sizes_of_factorisations)}));
  page.left_out(papers::left_out_of_virouleau());
  return page.text();
}

}  // namespace lares::cli

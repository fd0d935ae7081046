#include "cli/simulate/report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>

#include "cli/commands.hpp"
#include "cli/machine_options.hpp"
#include "simulate/papers.hpp"

namespace lares::cli {
namespace {

using simulate::Cell;
using simulate::Finding;
using simulate::Reproduction;

// Up to this error a figure counts as reproduced.
constexpr double good = 0.15;
constexpr std::size_t sizes_of_factorisations[] = {8192, 16384, 32768, 49152};

constexpr const char* introduction =
    "# The papers' figures\n\n"
    "Written by `lares simulate --report FILE`; do not edit. Published figures beside simulated "
    "ones. A "
    "cell marked *fitted* went into the calibration and proves nothing. `range` is over seeds and "
    "uncertain parameters. The columns for counts in the lab and for measurements on such machines "
    "are empty until somebody has them.\n";

void say(const char* what) {
  if (isatty(STDERR_FILENO) == 1) fmt::print(stderr, "simulating {}\n", what);
}

Reproduction checked(Result<Reproduction> found) {
  if (!found) throw UserMistake{found.error()};
  return std::move(found.value());
}

const char* verdict(const Cell& cell) {
  if (cell.calibrated) return "fitted";
  return std::abs(cell.error()) <= good ? "reproduced" : "not reproduced";
}

std::string cells_text(const std::vector<Cell>& cells) {
  if (cells.empty()) return "";
  std::string text =
      "\n| source | what | published | simulated | range | error | lab | measured | verdict |\n"
      "|---|---|---|---|---|---|---|---|---|\n";
  for (const Cell& cell : cells) {
    const std::string range =
        cell.low < cell.high ? fmt::format("{:.4g} .. {:.4g}", cell.low, cell.high) : "";
    text += fmt::format("| {} | {} | {:.5g} | {:.4g} | {} | {:+.1f} % | | | {} |\n", cell.table,
                        cell.what, cell.published, cell.simulated, range, cell.error() * 100,
                        verdict(cell));
  }
  return text + fmt::format("\nMean error of the cells that were not fitted: {:.1f} %.\n",
                            simulate::mean_error(cells) * 100);
}

std::string findings_text(const std::vector<Finding>& findings) {
  if (findings.empty()) return "";
  std::string text = "\n| source | finding | simulated | holds |\n|---|---|---|---|\n";
  for (const Finding& finding : findings) {
    text += fmt::format("| {} | {} | {} | {} |\n", finding.source, finding.statement,
                        finding.evidence, finding.holds ? "yes" : "**no**");
  }
  return text;
}

std::string section(const std::string& title, const std::string& about, const Reproduction& found) {
  return "\n## " + title + "\n\n" + about + "\n" + cells_text(found.cells) +
         findings_text(found.findings);
}

}  // namespace

std::string papers_report(std::uint32_t seeds) {
  const simulate::FindMachine find = [](const std::string& name) {
    return load_machine({name, std::nullopt});
  };
  std::string text = introduction;
  say("Broquedis 2010");
  text +=
      section("Broquedis et al. 2010: ForestGOMP",
              "Bound threads and their data, on `opteron-4s-square`. The columns of libgomp are "
              "left out: where its unbound threads ran was up to the kernel. Phase 1 of Table 7 "
              "as printed contradicts Table 6 and is left out, too. So are the overall "
              "times of Tables 8 to 10, which repeat their slowest teams; with them the mean "
              "error would be 8.0 %.",
              checked(simulate::reproduce_forestgomp(find)));
  say("Schmidl 2016");
  text += section(
      "Schmidl 2016: load balancing",
      "On `bull-bcs-16s`. The kernel's rate is fitted to the static loop on four sockets, the loss "
      "of the fabric to GNU's tasks; the range shows what happens without that loss. \"Near\" "
      "is `steal=near`, the paper's own; Lares' `nearest` starts at a random one of equally "
      "distant "
      "domains.",
      checked(simulate::reproduce_schmidl(find, seeds)));
  say("Wittmann & Hager 2010");
  text += section("Wittmann & Hager 2010: locality queues",
                  "The paper's Figure 3 prints no numbers, so its statements are checked. Only the "
                  "bandwidths of these machines are published; links are assumptions.",
                  checked(simulate::reproduce_wittmann(find, seeds)));
  say("Virouleau 2016");
  text += section(
      "Virouleau et al. 2016: Cholesky and QR",
      "On `sgi-uv2000-24s`, of which no bandwidth was published: everything but the "
      "distances is assumed. Tiles of 512. In this model the factorisations "
      "are bound by computing, so the strategies differ by one or two percent: read "
      "a yes from 32768 on as a tie.",
      checked(simulate::reproduce_virouleau(
          find, seeds, {std::begin(sizes_of_factorisations), std::end(sizes_of_factorisations)})));
  return text;
}

}  // namespace lares::cli

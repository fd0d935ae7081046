// Schmidl 2016, chapter 6: conjugate gradients on the BCS machine; and what is left out of the
// thesis.
#include <array>

#include "simulate/papers/runner.hpp"

namespace lares::simulate::papers {
namespace {

constexpr std::size_t all_cores = 128;
constexpr const char* no_fill =
    "what it costs to fill the pipelines of small arrays is not modelled";

double speed_up(const Measured& row) { return row.typical.alone_seconds / row.seconds.median; }

}  // namespace

Result<Reproduction> reproduce_gradients(const FindMachine& find, std::uint32_t seeds) {
  const auto loaded = load(find, "bull-bcs-16s");
  if (!loaded) return loaded.error();
  Runner runner(loaded.value(), seeds);
  Reproduction found;
  const auto add = [&](const char* where, const char* what, double published, double simulated,
                       const char* why = "") {
    found.cells.push_back({std::string("Schmidl 2016, ") + where, what, published, simulated,
                           simulated, simulated, Basis::predicted, false, why});
  };
  const auto stream = [&](const char* gb) {
    return runner.run(std::string("stream:kernel=triad,gb=") + gb, "static", all_cores).rate;
  };
  add("Figure 6.9", "STREAM, 128 threads, GB/s", 260, stream("40"));
  add("6.2.4", "STREAM of 3.1 GB, 128 threads, GB/s", 226, stream("3.1"));
  add("6.2.4", "STREAM of 45 MB, 128 threads, GB/s", 155, stream("0.045"), no_fill);
  const Measured serial = runner.run("cg:init=serial", "static", all_cores);
  const Measured spread = runner.run("cg:init=static", "static", all_cores);
  const Measured one = runner.run("cg:init=static", "static", 1);
  if (runner.error) return *runner.error;
  add("Figure 6.5", "CG, all on one socket, remote share", 0.93, remote_share(serial));
  add("Figure 6.8", "CG, distributed, speed-up with 128 threads", 45, speed_up(spread));
  found.findings.push_back({"Schmidl 2016, Figure 6.4",
                            "with the matrix on one socket there is next to no speed-up",
                            speed_up(serial) < 8, "128 threads: " + number(speed_up(serial))});
  found.findings.push_back({"Schmidl 2016, Figure 6.6",
                            "distributing it improves performance significantly",
                            spread.seconds.median < 0.5 * serial.seconds.median,
                            number(serial.seconds.median, " s before, ") +
                                number(spread.seconds.median, " s after; one thread ") +
                                number(one.seconds.median, " s")});
  return found;
}

std::span<const LeftOut> left_out_of_schmidl() noexcept {
  static constexpr std::array<LeftOut, 17> list{{
      {"Table 1.1", "a list of the machines; they are [machine files](../machines/README.md)"},
      {"Figure 2.1, the curves", "no numbers printed; the losses that the text states are above"},
      {"Figure 2.3 and 4.1, 4.5, 4.7, 4.8, 5.1, 5.4, 5.11, 6.1", "drawings"},
      {"Figures 2.1 to 2.4 for ScaleMP", "its licence forbids to publish figures"},
      {"Table 2.1",
       "malloc under locks of other libraries and kernels: not modelled; "
       "[`lares bench malloc`](bench.md) measures it here"},
      {"Table 2.2",
       "page faults are not modelled; [`lares bench first-touch`](bench.md) measures "
       "them here"},
      {"Tables 2.3 and 2.4, Figure 2.5",
       "constructs of other runtimes; those of today are measured in "
       "[benchmarks](benchmarks.md#overhead)"},
      {"Figure 2.7", "a firmware's table: it is the machine file `sgi-altix-uv-32s`"},
      {"Figure 3.1", "the distances of Figure 2.8 as a drawing"},
      {"Table 3.1, seconds", "of that machine; ours are in [places](places.md#compared)"},
      {"Table 3.2, migration and next touch",
       "the first went into the machine files; the second is a signal handler under Linux 2.6.32. "
       "Today's ways are measured in [memory](memory.md#what-it-costs)"},
      {"Figures 4.2 to 4.9, the single threads", "no numbers printed; the totals are above"},
      {"Table 5.1", "which programs create tasks how: nothing to simulate"},
      {"Figures 5.2 to 5.10, 5.12, 5.13, 6.2, 6.3, 6.7; Table 5.2",
       "screenshots, hot spots and overheads of other tools; the Sudoku solver is not a workload"},
      {"Figures 6.4, 6.6, 6.8, the curves", "no numbers printed; what the text states is above"},
      {"Figure 6.10", "no times printed; the model's inputs are above (6.2.4)"},
      {"Figures 6.11 and 6.12",
       "SHEMAT-Suite (speed-up 41) and TrajSearch (625) are programs that we do not have, on "
       "machines that nobody has described"},
  }};
  return list;
}

}  // namespace lares::simulate::papers

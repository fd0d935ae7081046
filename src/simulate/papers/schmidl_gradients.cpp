// Schmidl 2016, chapter 6: conjugate gradients on the BCS machine.
#include "simulate/papers/runner.hpp"

namespace lares::simulate::papers {
namespace {

constexpr std::size_t all_cores = 128;
constexpr double cores_of_a_socket = 8;

Values speed_up(const Runs& runs) {
  return runs.of([](const Outcome& outcome) { return outcome.alone_seconds / outcome.seconds; });
}

}  // namespace

Result<Reproduction> reproduce_gradients(const FindMachine& find, std::uint32_t seeds) {
  const auto loaded = load(find, "bull-bcs-16s");
  if (!loaded) return loaded.error();
  Runner runner(loaded.value(), seeds);
  Sheet sheet("Schmidl 2016");
  const auto stream = [&](const char* gb) {
    return runner.run(std::string("stream:kernel=triad,gb=") + gb, "static", all_cores).rate();
  };
  sheet.add("Figure 6.9", "STREAM", {.simulated = stream("40"), .quantity = "controllers of BCS"});
  sheet.add("section 6.2.4", "STREAM of 3.1 GB",
            {.simulated = stream("3.1"), .quantity = "controllers of BCS"});
  sheet.add("section 6.2.4", "STREAM of 45 MB",
            {.simulated = stream("0.045"),
             .why = "what it costs to fill the pipelines of small arrays is not modelled"});
  const Runs serial = runner.run("cg:init=serial", "static", all_cores);
  const Runs spread = runner.run("cg:init=static", "static", all_cores);
  const Runs one = runner.run("cg:init=static", "static", 1);
  if (runner.error) return *runner.error;
  sheet.add("Figure 6.5", "CG, all on one socket", {.simulated = serial.remote_share()});
  sheet.add("Figure 6.8", "CG, distributed", {.simulated = speed_up(spread)});
  sheet.state({.place = "Figure 6.4",
               .statement = "with the matrix on one socket there is next to no speed-up: less than "
                            "one socket has cores",
               .claims = {below(speed_up(serial), Values(cores_of_a_socket))},
               .evidence = "128 threads: " + number(speed_up(serial))});
  sheet.state({.place = "Figure 6.6",
               .statement = "distributing it improves performance significantly",
               .claims = {below(spread.seconds(), serial.seconds(), limits::much)},
               .evidence = number(serial.seconds(), " s before, ") +
                           number(spread.seconds(), " s after; one thread ") +
                           number(one.seconds(), " s")});
  return sheet.take();
}

}  // namespace lares::simulate::papers

// Wittmann & Hager 2010, "Optimizing ccNUMA locality for task-parallel execution under OpenMP and
// TBB on multicore-based systems".
#include <algorithm>
#include <array>

#include "simulate/papers/runner.hpp"

namespace lares::simulate::papers {
namespace {

constexpr double margin = 0.9;  // "within 10 %"
constexpr double noise_margin = 1.02;
constexpr double site_bytes = 16;  // one load, one store

struct TestSystem {
  const char* machine;
  double system;  // STREAM copy, GB/s
};
constexpr std::array<TestSystem, 3> test_systems{
    {{"istanbul-4s", 38.6}, {"nehalem-ep-2s", 36.6}, {"nehalem-ex-4s", 33.4}}};

struct JacobiRates {
  double copy = 0;         // STREAM, GB/s
  double static_gb_s = 0;  // of static scheduling
  double round_robin = 0;  // all others relative to that
  double serial = 0;
  std::array<double, 4> plain{};   // static ijk, static kji, static,1 ijk, static,1 kji
  std::array<double, 4> queues{};  // the same
};

JacobiRates jacobi_rates(Runner& runner) {
  JacobiRates rates;
  rates.copy = runner.run("stream:kernel=copy", "static").rate;
  const Measured best = runner.run("jacobi:init=static", "static");
  rates.static_gb_s = best.rate * site_bytes / 1000;
  const double stat = best.seconds.median;
  rates.round_robin = stat / runner.seconds("jacobi:init=interleave", "static");
  rates.serial = stat / runner.seconds("jacobi:init=serial", "static");
  constexpr std::array<const char*, 4> variants = {
      "jacobi:init=static,order=ijk", "jacobi:init=static,order=kji",
      "jacobi:init=static1,order=ijk", "jacobi:init=static1,order=kji"};
  for (std::size_t v = 0; v < 4; ++v) {
    rates.plain[v] = stat / runner.seconds(variants[v], "central");
    rates.queues[v] = stat / runner.seconds(variants[v], "locality-queues");
  }
  return rates;
}

std::string four(const std::array<double, 4>& values) {
  return number(values[0]) + ", " + number(values[1]) + ", " + number(values[2]) + ", " +
         number(values[3]);
}

void judge_jacobi(const std::string& machine, const JacobiRates& r, Reproduction& found) {
  const std::string source = "Wittmann & Hager 2010, Figure 3, " + machine;
  const auto add = [&](const char* statement, bool holds, const std::string& evidence,
                       const char* why = "") {
    found.findings.push_back({source, statement, holds, evidence, why});
  };
  const double best_plain = *std::max_element(r.plain.begin(), r.plain.end());
  const double worst_plain = *std::min_element(r.plain.begin(), r.plain.end());
  add("first touch comes close to STREAM copy", r.static_gb_s >= margin * r.copy,
      number(r.static_gb_s, " GB/s against ") + number(r.copy, " GB/s"));
  add("round robin lies between serial and first touch",
      r.serial < r.round_robin && r.round_robin <= 1.0 * noise_margin,
      "relative to static: round robin " + number(r.round_robin) + ", serial " + number(r.serial));
  add("plain tasks are never faster than static with round-robin pages",
      best_plain <= r.round_robin * noise_margin,
      "static ijk, static kji, static,1 ijk, static,1 kji: " + four(r.plain),
      "served in turn, tasks meet the static,1 pattern of two sockets more often than by chance");
  add("of plain tasks, static initialisation with ijk submission is worst",
      r.plain[0] <= worst_plain * noise_margin, four(r.plain));
  add("locality queues come within 10 % of static with kji submission", r.queues[1] >= margin,
      number(r.queues[1]));
  found.findings.back().counted = "jacobi";
  found.findings.back().policy = "locality-queues";
  add("locality queues come within 10 % of static with static,1 initialisation",
      r.queues[2] >= margin, number(r.queues[2]));
  add("and with both", r.queues[3] >= margin, number(r.queues[3]),
      "a layer has 60 blocks: with 24 threads, tasks that follow each other then alternate between "
      "two sockets only");
  add("locality queues lose their gain with static and ijk", r.queues[0] < 0.6,
      number(r.queues[0]));
}

void compare_systems(const std::array<JacobiRates, 3>& rates, Reproduction& found) {
  const std::string source = "Wittmann & Hager 2010, Figure 3";
  const auto list = [&](double JacobiRates::* field) {
    std::string text;
    for (std::size_t i = 0; i < rates.size(); ++i) {
      text += (i == 0 ? "" : ", ") + std::string(test_systems[i].machine) + " " +
              number(rates[i].*field);
    }
    return text;
  };
  found.findings.push_back(
      {source, "round robin costs most on Nehalem EP",
       rates[1].round_robin < std::min(rates[0].round_robin, rates[2].round_robin),
       list(&JacobiRates::round_robin), "the strength of all links is assumed"});
  found.findings.push_back({source, "serial placement costs most on Nehalem EX",
                            rates[2].serial < std::min(rates[0].serial, rates[1].serial),
                            list(&JacobiRates::serial)});
}

}  // namespace

Result<Reproduction> reproduce_wittmann(const FindMachine& find, std::uint32_t seeds) {
  Reproduction found;
  std::array<JacobiRates, 3> rates;
  for (std::size_t i = 0; i < test_systems.size(); ++i) {
    const std::string name = test_systems[i].machine;
    const auto loaded = load(find, name);
    if (!loaded) return loaded.error();
    Runner runner(loaded.value(), seeds);
    rates[i] = jacobi_rates(runner);
    if (runner.error) return *runner.error;
    // A socket's own rate is in every machine file; Istanbul's capacity for probes is this figure.
    found.cells.push_back({"Wittmann & Hager 2010, Table 1", name + ", STREAM copy, GB/s",
                           test_systems[i].system, rates[i].copy, rates[i].copy, rates[i].copy,
                           i == 0 ? Basis::fitted : Basis::predicted});
    judge_jacobi(name, rates[i], found);
  }
  compare_systems(rates, found);
  return found;
}

std::span<const LeftOut> left_out_of_wittmann() noexcept {
  static constexpr std::array<LeftOut, 6> list{{
      {"Table 1, the rest", "the machines; a socket's bandwidth went into the machine files"},
      {"Figures 1 and 2", "drawings of the machines"},
      {"Figure 3, the bars", "no numbers printed; their statements are above"},
      {"Figure 3 and section 3, TBB", "its scheduler is not simulated"},
      {"Figure 4", "variability: in the model it follows from a noise that is assumed"},
      {"2.1: about 256 queued tasks, 14,400 tasks", "given to the simulated workload"},
  }};
  return list;
}

}  // namespace lares::simulate::papers

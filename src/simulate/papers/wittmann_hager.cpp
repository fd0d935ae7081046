// Wittmann & Hager 2010, "Optimizing ccNUMA locality for task-parallel execution under OpenMP and
// TBB on multicore-based systems".
#include <array>

#include "simulate/papers/runner.hpp"

namespace lares::simulate::papers {
namespace {

constexpr double site_gb = 16e-9;  // of an update: one load, one store
constexpr double updates = 1e6;    // in the unit of the workload's rate

struct TestSystem {
  const char* machine;
  Basis copy;  // Istanbul's capacity for probes is this figure; a socket's rate is in every file
};
constexpr std::array<TestSystem, 3> test_systems{{{"istanbul-4s", Basis::input},
                                                  {"nehalem-ep-2s", Basis::follows},
                                                  {"nehalem-ex-4s", Basis::follows}}};

struct JacobiRates {
  Values copy{0};         // STREAM, GB/s
  Values static_gb_s{0};  // of static scheduling
  Values round_robin{0};  // all others relative to that
  Values serial{0};
  std::vector<Values> plain{};   // static ijk, static kji, static,1 ijk, static,1 kji
  std::vector<Values> queues{};  // the same
};

JacobiRates jacobi_rates(Runner& runner) {
  JacobiRates rates;
  rates.copy = runner.run("stream:kernel=copy", "static").rate();
  const Runs best = runner.run("jacobi:init=static", "static");
  rates.static_gb_s = best.rate() * Values(updates * site_gb);
  const Values stat = best.seconds();
  rates.round_robin = stat / runner.seconds("jacobi:init=interleave", "static");
  rates.serial = stat / runner.seconds("jacobi:init=serial", "static");
  for (const char* variant : {"jacobi:init=static,order=ijk", "jacobi:init=static,order=kji",
                              "jacobi:init=static1,order=ijk", "jacobi:init=static1,order=kji"}) {
    rates.plain.push_back(stat / runner.seconds(variant, "central"));
    rates.queues.push_back(stat / runner.seconds(variant, "locality-queues"));
  }
  return rates;
}

std::string four(const std::vector<Values>& values) {
  return number(values[0]) + ", " + number(values[1]) + ", " + number(values[2]) + ", " +
         number(values[3]);
}

void judge_loops(const std::string& place, const JacobiRates& r, Sheet& sheet) {
  sheet.state({.place = place,
               .statement = "first touch comes close to STREAM copy",
               .claims = {about(r.static_gb_s, r.copy, limits::close)},
               .evidence = number(r.static_gb_s, " GB/s against ") + number(r.copy, " GB/s")});
  sheet.state({.place = place,
               .statement = "round robin lies between serial and first touch",
               .claims = {below(r.serial, r.round_robin), below(r.round_robin, Values(1))},
               .evidence = "relative to static: round robin " + number(r.round_robin) +
                           ", serial " + number(r.serial),
               .why = "the strength of all links is assumed"});
}

void judge_tasks(const std::string& place, const JacobiRates& r, Sheet& sheet) {
  const auto add = [&](const char* statement, std::vector<Answers> claims,
                       const std::string& evidence, const char* why = "") {
    sheet.state({.place = place,
                 .statement = statement,
                 .basis = Basis::predicted,
                 .claims = std::move(claims),
                 .evidence = evidence,
                 .why = why});
  };
  std::vector<Answers> never_faster;
  std::vector<Answers> first_is_worst;
  for (const Values& each : r.plain) {
    never_faster.push_back(at_most(each, r.round_robin));
    first_is_worst.push_back(at_most(r.plain[0], each));
  }
  add("plain tasks are never faster than static with round-robin pages", never_faster,
      "static ijk, static kji, static,1 ijk, static,1 kji: " + four(r.plain) +
          "; round robin: " + number(r.round_robin),
      "served in turn, tasks meet the static,1 pattern of two sockets more often than by chance");
  add("of plain tasks, static initialisation with ijk submission is worst", first_is_worst,
      four(r.plain));
  const Values stat(1);
  add("locality queues come within 10 % of static with kji submission",
      {about(r.queues[1], stat, limits::close)}, number(r.queues[1]));
  add("locality queues come within 10 % of static with static,1 initialisation",
      {about(r.queues[2], stat, limits::close)}, number(r.queues[2]));
  add("and with both", {about(r.queues[3], stat, limits::close)}, number(r.queues[3]),
      "a layer has 60 blocks: with 24 threads, tasks that follow each other then alternate between "
      "two sockets only");
  add("locality queues lose their gain over plain tasks with static and ijk",
      {about(r.queues[0], r.plain[0])}, number(r.queues[0]) + " against " + number(r.plain[0]));
}

/// One machine loses more than the two others: `rate` is what is left.
void judge_most(const char* statement, std::size_t machine, const std::vector<JacobiRates>& rates,
                Values JacobiRates::* rate, const char* why, Sheet& sheet) {
  Finding finding{.place = "Figure 3", .statement = statement, .why = why};
  for (std::size_t i = 0; i < rates.size(); ++i) {
    finding.evidence +=
        (i == 0 ? "" : ", ") + std::string(test_systems[i].machine) + " " + number(rates[i].*rate);
    if (i == machine) continue;
    const auto [least_left, other] = crossed(rates[machine].*rate, rates[i].*rate);
    finding.claims.push_back(below(least_left, other));
  }
  sheet.state(std::move(finding));
}

}  // namespace

Result<Reproduction> reproduce_wittmann(const FindMachine& find, std::uint32_t seeds) {
  Sheet sheet("Wittmann & Hager 2010");
  std::vector<JacobiRates> rates;
  for (const TestSystem& system : test_systems) {
    const auto loaded = load(find, system.machine);
    if (!loaded) return loaded.error();
    Runner runner(loaded.value(), seeds);
    rates.push_back(jacobi_rates(runner));
    if (runner.error) return *runner.error;
    sheet.add("Table 1", system.machine, {.basis = system.copy, .simulated = rates.back().copy});
    const std::string place = std::string("Figure 3, ") + system.machine;
    judge_loops(place, rates.back(), sheet);
    judge_tasks(place, rates.back(), sheet);
  }
  const char* why = "the strength of all links is assumed";
  judge_most("round robin costs most on Nehalem EP", 1, rates, &JacobiRates::round_robin, why,
             sheet);
  judge_most("serial placement costs most on Nehalem EX", 2, rates, &JacobiRates::serial, why,
             sheet);
  return sheet.take();
}

}  // namespace lares::simulate::papers

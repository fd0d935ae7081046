// How much a creator may queue before it helps.
#include <gtest/gtest.h>

#include "machine_support.hpp"
#include "simulate/experiment.hpp"
#include "simulate/workloads/workloads.hpp"

namespace lares::simulate {
namespace {

double seconds_of(const std::string& workload, const std::string& preset, std::size_t cores,
                  const std::string& policy) {
  const machine::Machine machine =
      machine::test::load(std::string(LARES_SOURCE_DIR) + "/machines/" + preset + ".json");
  const auto model = read_model(machine, machine.simulation);
  const auto schedule = parse_schedule(policy, machine.domains_with_cores());
  const auto found = run_experiment(
      {machine, model.value(), workload, {{policy, schedule.value()}}, {cores}, 3, false});
  return found.value().rows.at(0).seconds.median;
}

// The first half of the tasks belongs to the creator's domain. While it ran them itself, because
// its own deque was full of them, the other domain had nothing at home: 85 % more time.
TEST(Limits, ACreatorDoesNotStayWithItsOwnDomainsTasks) {
  const std::string workload = "jacobi:ni=1200,nj=300,limit=0";
  for (const char* preset : {"nehalem-ep-2s", "westmere-2s"}) {
    const std::size_t cores = preset == std::string("nehalem-ep-2s") ? 8 : 12;
    const auto shared =
        seconds_of(workload, preset, cores, "distribution=cyclic,push=writer-domain,steal=nearest");
    const auto own = seconds_of(workload, preset, cores,
                                "distribution=cyclic,push=writer-domain-or-local,steal=nearest");
    EXPECT_LT(own, 1.1 * shared) << preset;
  }
}

}  // namespace
}  // namespace lares::simulate

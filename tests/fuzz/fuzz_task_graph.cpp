// Any bytes given to the parser of task graphs: a workload whose dependences can be found, or a
// sentence. Run: fuzz_task_graph -max_total_time=60
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "graph_support.hpp"
#include "simulate/graph_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace lares::simulate;
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const auto parsed = parse_graph(text, 5);
  if (!parsed) {
    if (parsed.error().sentence.empty()) std::abort();
    return 0;
  }
  const Workload& workload = parsed.value();
  for (const Phase& phase : workload.phases) {
    if (test::reachable(workload, phase) != phase.end - phase.first) std::abort();  // a cycle
  }
  return 0;
}

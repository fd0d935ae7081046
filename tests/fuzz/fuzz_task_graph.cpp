// Any bytes given to the parser of task graphs: a workload whose dependences can be found, or a
// sentence. Run: fuzz_task_graph -max_total_time=60
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "simulate/graph.hpp"
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
    const Graph graph(workload, phase);
    std::vector<std::uint32_t> missing;
    std::vector<std::uint32_t> ready;
    for (std::uint32_t i = 0; i < phase.end - phase.first; ++i) {
      missing.push_back(graph.predecessors(i));
      if (missing.back() == 0) ready.push_back(i);
    }
    std::size_t done = 0;
    for (; !ready.empty(); ++done) {
      const std::uint32_t node = ready.back();
      ready.pop_back();
      for_each_released(graph, node, missing, [&](std::uint32_t next) { ready.push_back(next); });
    }
    if (done != phase.end - phase.first) std::abort();  // a cycle
  }
  return 0;
}

// Any bytes given as what a recorded thread wrote: a sentence, or a stream whose task graph the
// simulator reads. Run: fuzz_record -max_total_time=60 CORPUS tests/fuzz/record
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>

#include "analysis/record_file.hpp"
#include "analysis/task_graph.hpp"
#include "simulate/graph_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace lares;
  const auto parsed = analysis::parse_record(std::as_bytes(std::span(bytes, size)));
  if (!parsed) {
    if (parsed.error().sentence.empty()) std::abort();
    return 0;
  }
  const analysis::TaskGraph graph = analysis::write_task_graph({parsed.value()}, "fuzz");
  if (graph.tasks + graph.loops == 0) return 0;
  const auto workload = simulate::parse_graph(graph.text, 64);
  if (workload) return 0;
  std::fprintf(stderr, "%s\n%s\n", workload.error().sentence.c_str(), graph.text.c_str());
  std::abort();
}

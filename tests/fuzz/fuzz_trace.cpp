// Any bytes given as what the threads of a traced run wrote down: a sentence, or a trace that keeps
// its invariants and of which something can be said. The bytes are one thread's file, and a second
// time another's, so that they tell of each other's tasks. Run: fuzz_trace -max_total_time=60
// CORPUS tests/fuzz/record
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <source_location>
#include <span>
#include <vector>

#include "trace/assemble.hpp"
#include "trace/findings/findings.hpp"
#include "trace/homes.hpp"

namespace {

using namespace lares::trace;

void demand(bool holds, std::source_location at = std::source_location::current()) {
  if (holds) return;
  std::fprintf(stderr, "line %u does not hold\n", static_cast<unsigned>(at.line()));
  std::abort();
}

void check_grain(const Trace& trace, const Grain& grain) {
  demand(grain.created <= grain.ready);
  demand(grain.ready <= grain.begin);
  demand(grain.begin <= grain.end);
  demand(grain.end <= trace.duration);
  demand(grain.self <= grain.length());
  demand(grain.construct == none || grain.construct < trace.constructs.size());
  demand(grain.region == none || grain.region < trace.regions.size());
  demand(grain.first_access + std::size_t{grain.accesses} <= trace.accesses.size() ||
         grain.accesses == 0);
  for (const Index earlier : {grain.creator, grain.released_by}) {
    if (earlier == none) continue;
    demand(earlier < trace.grains.size() && trace.grains[earlier].begin <= grain.begin);
  }
}

void check(const Trace& trace) {
  demand(trace.grains_of.size() == trace.threads.size() + 1);
  demand(trace.grains_of.back() == trace.grains.size());
  for (std::size_t t = 0; t < trace.threads.size(); ++t) {
    for (std::size_t i = trace.grains_of[t]; i < trace.grains_of[t + 1]; ++i) {
      demand(trace.grains[i].thread == t);
      demand(i == trace.grains_of[t] || trace.grains[i - 1].begin <= trace.grains[i].begin);
      check_grain(trace, trace.grains[i]);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  std::vector<std::byte> first(size);
  if (size != 0) std::memcpy(first.data(), bytes, size);
  std::vector<std::byte> second = first;
  const std::uint32_t other = 1;
  const std::size_t at = offsetof(lares::runtime::RecordFileHead, stream);
  if (size >= at + sizeof(other)) std::memcpy(second.data() + at, &other, sizeof(other));
  Assembler assembler;
  if (assembler.add(first)) return 0;
  if (assembler.add(second)) return 0;
  Trace trace = assembler.finish();
  complete_homes(trace);
  check(trace);
  const Findings findings = find(trace);
  demand(!findings.verdict[0].empty());
  return 0;
}

// Writes a made-up trace in every format: make_exports FOLDER [GRAINS_PER_THREAD]
//
// Prints what a reader has to find in them, as lines "NAME NUMBER", and how long each took, in
// milliseconds, as "ms.FORMAT".
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <string>

#include "trace/exports/exports.hpp"
#include "trace_sample.hpp"

namespace {

using namespace lares::trace;

/// What the sample has not: odd names, a task of two parts, one that the trace cuts off, a loop,
/// and who created what.
Trace made_up(std::uint32_t grains_per_thread) {
  Trace trace = sample_trace({.grains_per_thread = grains_per_thread});
  trace.constructs[1].place = "a \"quoted\", <b>odd</b>\nname \x1B[31m \xFF";
  trace.notes = {"a note with a \"quote\""};
  trace.about.environment = {{"OMP_NUM_THREADS", "4"}};
  for (Grain& grain : trace.grains) grain.created_on = 0;
  const auto is_task = [&](std::size_t i) { return !trace.grains[i].has(grain_flag::is_chunk); };
  std::size_t first = 0;
  while (!is_task(first)) ++first;
  std::size_t later = trace.grains_of[1];
  while (!is_task(later) || trace.grains[later].begin < trace.grains[first].end) ++later;
  trace.grains[later].part_of = static_cast<Index>(first);
  trace.grains[later].flags |= grain_flag::goes_on;
  std::size_t last = trace.grains.size() - 1;
  while (!is_task(last) || last == later) --last;
  trace.grains[last].flags |= grain_flag::unfinished;
  trace.loops = {{.begin = trace.grains[0].begin - 10,
                  .end = trace.grains[0].end + 10,
                  .iterations = 16,
                  .thread = 0,
                  .construct = 2,
                  .region = 0}};
  return trace;
}

void print_expectations(const Trace& trace) {
  std::size_t chunks = 0;
  std::size_t flows = 0;
  for (const Grain& grain : trace.grains) {
    if (grain.has(grain_flag::is_chunk)) ++chunks;
    if (grain.creator != none) ++flows;
    if (grain.released_by != none) ++flows;
  }
  fmt::print("grains {}\nchunks {}\nflows {}\nthreads {}\nwaits {}\nloops {}\nregions {}\n",
             trace.grains.size(), chunks, flows, trace.threads.size(), trace.waits.size(),
             trace.loops.size(), trace.regions.size());
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) return 2;
  const std::string folder = words[1];
  const Trace trace = made_up(count > 2 ? static_cast<std::uint32_t>(std::atoi(words[2])) : 100);
  print_expectations(trace);
  for (const ExportKind& kind : export_kinds()) {
    if (const std::string why = why_not(kind.format); !why.empty()) {
      fmt::print(stderr, "{}: {}\n", kind.name, why);
      continue;
    }
    const auto begin = std::chrono::steady_clock::now();
    const auto written = write_export(trace, kind.format, folder + "/sample" + kind.suffix);
    if (!written) {
      fmt::print(stderr, "{}: {}\n", kind.name, written.error().sentence);
      return 1;
    }
    const auto time = std::chrono::steady_clock::now() - begin;
    fmt::print("ms.{} {}\n", kind.name,
               std::chrono::duration_cast<std::chrono::milliseconds>(time).count());
  }
  return 0;
}

// Any bytes given as what the kernel told of page faults: as its ring, as the file of touches that
// is made of it, and as that file beside a small trace; and as the file of moves. A sentence, or
// findings whose sums agree. Run: fuzz_touches -max_total_time=60 CORPUS tests/fuzz/touches
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <source_location>
#include <span>
#include <vector>

#include "analysis/moves_file.hpp"
#include "analysis/touches_file.hpp"
#include "memory/touches/perf_ring.hpp"
#include "trace/assemble.hpp"
#include "trace/findings/findings.hpp"

namespace {

using namespace lares;

void demand(bool holds, std::source_location at = std::source_location::current()) {
  if (holds) return;
  std::fprintf(stderr, "line %u does not hold\n", static_cast<unsigned>(at.line()));
  std::abort();
}

// The first 16 bytes are positions in the rest.
void read_as_ring(std::span<const std::byte> bytes) {
  std::array<std::uint64_t, 2> positions{};
  if (bytes.size() <= sizeof(positions)) return;
  std::memcpy(positions.data(), bytes.data(), sizeof(positions));
  const auto ring = bytes.subspan(sizeof(positions));
  memory::PerfRing records(ring.first(std::bit_floor(ring.size())), positions[0], positions[1]);
  analysis::TouchRuns runs(12);
  std::size_t touches = 0;
  while (const auto touch = records.next()) {
    if (const auto run = runs.add(*touch, 0)) demand(run->pages > 0);
    ++touches;
  }
  demand(touches <= ring.size() / 40);
}

/// Process 7, whose thread 9 runs one task that names a megabyte.
std::vector<std::byte> small_record() {
  using runtime::RecordKind;
  runtime::RecordFileHead head{};
  head.magic = runtime::RecordFileHead::expected_magic;
  head.pid = 7;
  head.window_bytes = 4096;
  head.ticks_per_microsecond = 1000;
  const auto word = [](RecordKind kind, std::uint64_t small, std::uint64_t elapsed) {
    return static_cast<std::uint64_t>(kind) | small << 8U | elapsed << 32U;
  };
  const std::uint64_t task = std::uint64_t{1} << runtime::record_stream_shift | 2U;
  const std::vector<std::uint64_t> words = {word(RecordKind::clock, 9, 0),
                                            1000,
                                            1000,
                                            0,
                                            0,
                                            word(RecordKind::enter, 1, 0),
                                            1000,
                                            1,
                                            0,
                                            0,
                                            word(RecordKind::create_with, 0, 10),
                                            1,
                                            0x10000,
                                            std::uint64_t{1} << 25U,
                                            word(RecordKind::resume, 0, 10),
                                            word(RecordKind::begin, 0, 10),
                                            task,
                                            word(RecordKind::end, 0, 100),
                                            word(RecordKind::leave, 0, 10),
                                            1140};
  std::vector<std::byte> bytes(head.window_bytes);
  std::memcpy(bytes.data(), &head, sizeof(head));
  std::memcpy(bytes.data() + sizeof(head), words.data(), words.size() * sizeof(std::uint64_t));
  return bytes;
}

void check(const trace::PageFindings& pages) {
  std::uint64_t columns = 0;
  std::uint64_t rows = 0;
  std::uint64_t areas = 0;
  for (const auto& column : pages.columns) columns += trace::all_bytes(column.bytes);
  for (const auto& row : pages.rows) {
    demand(row.begin < row.end && row.cells.size() == pages.columns.size());
    for (const auto& cell : row.cells) rows += trace::all_bytes(cell);
  }
  for (const auto& area : pages.areas) areas += trace::all_bytes(area.bytes);
  demand(columns == trace::all_bytes(pages.bytes) && rows == columns && areas == columns);
}

// There are no areas of samples.
void check_samples(trace::PageFindings samples) {
  demand(samples.areas.empty());
  samples.areas.push_back({.bytes = samples.bytes});
  check(samples);
}

// Of any bytes: sums that hold.
void read_as_moves(std::span<const std::byte> bytes) {
  const auto moves = analysis::parse_moves(bytes);
  if (!moves) return demand(!moves.error().sentence.empty());
  demand(moves.value().events.size() <= bytes.size() / sizeof(memory::MoveEvent));
  trace::Assembler assembler;
  demand(!assembler.add(small_record()));
  assembler.add(moves.value());
  const trace::Trace trace = assembler.finish();
  const auto& events = moves.value().events;
  const auto of_threads =
      static_cast<std::size_t>(std::count_if(events.begin(), events.end(), [](const auto& event) {
        return event.kind == memory::MoveKind::thread;
      }));
  demand(trace.moves.list.size() == events.size() - of_threads);
  demand(trace.moves.threads.size() <= of_threads);
  const trace::Findings findings = trace::find(trace);
  const trace::MoveFindings& found = findings.moves;
  demand(found.marks.times + found.fetches.times + found.calls.times + found.samples.times ==
         trace.moves.list.size());
  check_samples(findings.sampled);
  std::uint64_t went = 0;
  for (const trace::ThreadMoveSums& each : found.threads) went += each.times;
  demand(went == trace.moves.threads.size());
  std::uint64_t into = 0;
  for (const trace::MoveSums& each : found.fetches_into) into += each.bytes;
  demand(into <= found.fetches.bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  read_as_ring(bytes);
  read_as_moves(bytes);
  const auto touches = analysis::parse_touches(bytes);
  if (!touches) {
    demand(!touches.error().sentence.empty());
    return 0;
  }
  trace::Assembler assembler;
  demand(!assembler.add(small_record()));
  assembler.add(touches.value());
  const trace::Trace trace = assembler.finish();
  demand(trace.grains.size() == 1);
  for (std::size_t i = 1; i < trace.touches.list.size(); ++i) {
    demand(trace.touches.list[i - 1].at <= trace.touches.list[i].at);
  }
  check(trace::find(trace).pages);
  return 0;
}

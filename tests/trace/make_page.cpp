// Writes a page of a made-up run: make_page OUT THREADS GRAINS_PER_THREAD [DOMAINS [RUNS
// [hostile]]]
//
// "hostile" gives a construct and a machine names that would be markup and commands of a terminal.
// Its findings are simple sums, and made-up sentences where only a reader of traces would know any.
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "trace/findings/moves.hpp"
#include "trace/findings/pages.hpp"
#include "trace/findings/samples.hpp"
#include "trace/model/least_times.hpp"
#include "trace/page/page.hpp"
#include "trace_sample.hpp"

namespace {

using namespace lares::trace;

constexpr std::size_t slices = 200;
constexpr const char* hostile = "</script><img src=x onerror=alert(1)>\n\x1b[31m";

void add(Sums& sums, const Grain& grain) {
  const auto by = static_cast<std::size_t>(grain.locality);
  ++sums.grains;
  ++sums.grains_by[by];
  sums.time += grain.self;
  sums.time_by[by] += grain.self;
  sums.bytes_by[by] += grain.bytes;
}

void count_grain(const Trace& trace, const Grain& grain, Findings& found) {
  add(found.all, grain);
  add(found.constructs[grain.construct].sums, grain);
  add(found.domains[grain.domain].sums, grain);
  found.threads[grain.thread].work += grain.self;
  const auto log2 = static_cast<std::size_t>(std::bit_width(std::max<Time>(1, grain.self)) - 1);
  ++found.lengths[log2].grains_by[static_cast<std::size_t>(grain.locality)];
  found.lengths[log2].time_by[static_cast<std::size_t>(grain.locality)] += grain.self;
  const std::size_t cell = std::size_t{grain.home} * trace.domains + grain.domain;
  found.bytes[cell] += grain.bytes;
  ++found.grains[cell];
  const auto slice = std::min<std::size_t>(slices - 1, grain.begin / found.slice);
  found.traffic[slice][cell] += grain.bytes;
  found.parallelism[slice].running +=
      static_cast<double>(grain.self) / static_cast<double>(found.slice);
  found.parallelism[slice].waiting += 0.1;
  found.work += grain.self;
}

Findings empty_findings(const Trace& trace) {
  Findings found;
  const std::size_t cells = std::size_t{trace.domains} * trace.domains;
  found.constructs.resize(trace.constructs.size());
  for (Index i = 0; i < trace.constructs.size(); ++i) found.constructs[i].construct = i;
  found.domains.resize(trace.domains);
  for (std::uint16_t i = 0; i < trace.domains; ++i) found.domains[i].domain = i;
  found.threads.resize(trace.threads.size());
  for (Index i = 0; i < trace.threads.size(); ++i) found.threads[i].thread = i;
  found.lengths.resize(40);
  for (std::uint32_t i = 0; i < 40; ++i) found.lengths[i].log2 = i;
  found.bytes.resize(cells);
  found.grains.resize(cells);
  found.traffic.assign(slices, std::vector<std::uint64_t>(cells));
  found.parallelism.resize(slices);
  found.slice = found.traffic_slice = trace.duration / slices + 1;
  return found;
}

void make_diagnoses(const Trace& trace, Findings& found) {
  found.diagnoses.push_back(
      {.id = "remote-data",
       .severity = Severity::problem,
       .title = "exchange<int> runs away from its data",
       .evidence = "12.4 % of its time is in grains whose data was in another domain; these took "
                   "1.31 times as long, byte for byte.",
       .threshold = "Said from 10 % of a construct's time on: below that the gain is in the noise.",
       .remedy = "lares run --policy push=most-bytes,steal=patient -- ./sample --size 1000",
       .gain = 0.082,
       .gain_how = "if remote grains took as long as local ones",
       .construct = 1,
       .from = trace.duration / 4,
       .to = trace.duration / 2,
       .grains = {static_cast<Index>(trace.grains.size() / 3)}});
  found.diagnoses.push_back({.id = "too-fine",
                             .severity = Severity::warning,
                             .title = "Grains of sweep are shorter than what making them costs",
                             .evidence = "Half of them take less than 10.1 us.",
                             .threshold = "Said below 20 us, a hundred times the cost.",
                             .remedy = "#pragma omp taskloop grainsize(64)",
                             .gain = 0,
                             .gain_how = "not known: the work between them was not traced",
                             .construct = 0,
                             .from = 0,
                             .to = 0,
                             .grains = {}});
}

Findings sums_of(const Trace& trace) {
  Findings found = empty_findings(trace);
  for (const Grain& grain : trace.grains) count_grain(trace, grain, found);
  for (ConstructRow& row : found.constructs) {
    row.shortest = 5'000;
    row.median = 10'100;
    row.longest = 15'000;
    row.inflation = 1.31;
    row.with_home = row.sums.grains;
    row.stolen = row.sums.grains_by[2];
    row.critical = trace.duration / 5;
  }
  for (DomainRow& row : found.domains) row.threads = trace.about.cores_of_domain[row.domain];
  for (ThreadRow& row : found.threads) row.idle = 500;
  for (std::size_t i = trace.grains_of[0]; i < trace.grains_of[1]; i += 2) {
    found.critical_path.push_back(static_cast<Index>(i));
  }
  found.critical = trace.duration * 3 / 5;
  found.in_regions = trace.duration;
  found.verdict = {"12 % of the time in grains was spent away from their data.",
                   "Threads were busy 96 % of the time in regions.",
                   "The critical path is 60 % of the run: more threads would help little."};
  make_diagnoses(trace, found);
  return found;
}

// Thread 0 came first to all that domain 0 and another one use; the others to what nobody names.
void make_pages(Trace& trace) {
  constexpr std::uint64_t piece = 1 << 20;
  constexpr std::uint64_t array = 0x7f0000000000;
  trace.touches.are_known = true;
  for (Index t = 0; t < trace.threads.size(); ++t) {
    trace.touches.list.push_back({0, array + t * piece, piece, 0, 4711, 0});
    trace.touches.list.push_back(
        {0, 0x560000000000 + t * piece, piece / 4, t, 4711, trace.threads[t].domain});
  }
  using lares::memory::MoveKind;
  trace.moves.list = {{0, 1000, array, 2 * piece, 0, 0, 4711, no_domain, MoveKind::mark},
                      {10, 20'000, array, piece, piece / 2, 0, 4711, 0, MoveKind::fetch},
                      {20, 30'000, array + piece, piece, 0, 0, 4711, 0, MoveKind::fetch}};
  const std::uint64_t page = 4096;
  trace.moves.list.push_back(
      {trace.duration / 2, 5'000, array, page, page, 0, 4711, 0, MoveKind::sample});
  trace.moves.list.push_back(
      {trace.duration / 2, 5'000, array + page, page, 0, 1, 4711, 0, MoveKind::sample});
  trace.moves.threads = {{trace.duration / 2, 0, 1, 1}};
  for (Grain& grain : trace.grains) {
    grain.first_access = static_cast<Index>(trace.accesses.size());
    grain.accesses = 1;
    trace.accesses.push_back({array + grain.thread * piece, piece, grain.home, true});
  }
}

// The first construct waits for memory, the second names no bytes, the others do something else.
LeastTimes make_model(const Trace& trace) {
  LeastTimes times{"measured here", {"Made-up figures."}, {}};
  for (Index i = 0; i < trace.constructs.size(); ++i) {
    LeastRow row{i, 0, 0, {}};
    row.least.measured = row.least.if_local = {0.02 / (i + 1)};
    if (i != 1) {
      row.bytes = 1e6;
      row.least.efficiency = i == 0 ? 0.75 : 0.1;
      row.least.memory = {row.least.measured * row.least.efficiency, lares::model::Bottleneck::pair,
                          lares::DomainId{0}, lares::DomainId{trace.domains - std::size_t{1}}};
      row.least.verdict =
          i == 0 ? lares::model::Verdict::memory_bound : lares::model::Verdict::not_memory_bound;
    }
    times.rows.push_back(row);
  }
  return times;
}

std::uint32_t number(int argc, char** argv, int at, std::uint32_t otherwise) {
  return at < argc ? static_cast<std::uint32_t>(std::strtoul(argv[at], nullptr, 10)) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::cerr << "usage: make_page OUT THREADS GRAINS_PER_THREAD [DOMAINS [RUNS [hostile]]]\n";
    return 2;
  }
  std::vector<Trace> traces;
  for (std::uint32_t run = 0; run < number(argc, argv, 5, 1); ++run) {
    traces.push_back(sample_trace({.threads = number(argc, argv, 2, 4),
                                   .domains = number(argc, argv, 4, 2),
                                   .grains_per_thread = number(argc, argv, 3, 100),
                                   .grain = run == 0 ? Time{10'000} : Time{8'000},
                                   .seed = run + 1}));
    traces.back().notes = {"The trace of thread 3 lacks 12 ms: its buffer was full."};
    if (run == 0 && number(argc, argv, 3, 100) > 0) make_pages(traces.back());
    if (argc > 6) traces.back().constructs[0].place = hostile;
  }
  std::vector<Findings> findings;
  for (const Trace& trace : traces) {
    findings.push_back(sums_of(trace));
    findings.back().pages = find_pages(trace);
    findings.back().sampled = find_samples(trace);
    findings.back().moves = find_moves(trace);
  }
  std::vector<LeastTimes> models;
  for (const Trace& trace : traces) {
    models.push_back(make_model(trace));
    if (argc > 6) models.back().machine = hostile;
  }
  std::vector<PageRun> runs;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    runs.push_back({traces[i], findings[i], traces[i].grains.empty() ? nullptr : &models[i]});
  }
  std::ofstream out(argv[1], std::ios::binary);
  write_page(out, runs);
  return out.flush() ? 0 : 1;
}

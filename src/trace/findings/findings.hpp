// What a trace says: figures per construct and domain, the critical path, and diagnoses.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "trace/trace.hpp"

namespace lares::trace {

inline constexpr std::size_t localities = 4;

/// Sums over grains. Times are their own time (Grain::self).
struct Sums {
  std::uint64_t grains = 0;
  Time time = 0;
  std::array<std::uint64_t, localities> grains_by{};  ///< by Locality
  std::array<Time, localities> time_by{};
  std::array<std::uint64_t, localities> bytes_by{};
};

struct ConstructRow {
  Index construct = none;  ///< none: grains whose construct is not known
  Sums sums;
  Time shortest = 0;
  Time median = 0;
  Time longest = 0;
  Time create = 0;  ///< what creating them took in sum
  std::uint64_t stolen = 0;
  std::uint64_t with_home = 0;
  double inflation = 0;  ///< mean time of remote grains over that of others, byte for byte where
                         ///< they name data; 0 if there are too few of either
  Time critical = 0;     ///< its part of the critical path
};

struct DomainRow {
  std::uint16_t domain = 0;
  std::uint32_t threads = 0;
  Sums sums;      ///< of what ran there
  Time idle = 0;  ///< its threads' waits without grains
};

struct ThreadRow {
  Index thread = 0;
  Time work = 0;    ///< in grains
  Time create = 0;  ///< creating them
  Time idle = 0;    ///< waiting without a grain
  Time other = 0;   ///< in regions: the region's own code
};

/// A step of the length histogram: grains with 2^k <= self < 2^(k+1) nanoseconds.
struct LengthBin {
  std::uint32_t log2 = 0;
  std::array<std::uint64_t, localities> grains_by{};
  std::array<Time, localities> time_by{};
};

/// How many grains ran, and how many could have, in slices of equal length.
struct ParallelismSlice {
  double running = 0;  ///< grains at a time, mean
  double waiting = 0;  ///< ready ones that no thread had taken yet, mean
};

enum class Severity : std::uint8_t { note, warning, problem };

/// Something that costs time, and what to do about it.
struct Diagnosis {
  std::string id;  ///< "too-fine", "one-creator", ... stable
  Severity severity = Severity::note;
  std::string title;      ///< one short sentence
  std::string evidence;   ///< figures of this run
  std::string threshold;  ///< from when on it is said, and why
  std::string remedy;     ///< a command, or a line to change
  double gain = 0;  ///< share of the run's time that the remedy would save at most; 0: not known
  std::string gain_how;    ///< how that was found
  Index construct = none;  ///< that it is about
  Time from = 0;           ///< where in the run to look; 0, 0: everywhere
  Time to = 0;
  std::vector<Index> grains;  ///< a few examples, the worst first
};

/// A byte of memory by who came to its page first, and by which domain's grains use it.
enum class PageUse : std::uint8_t {
  local,     ///< most from the domain of the thread that came first
  shared,    ///< no domain has two thirds of the uses
  remote,    ///< most from another domain
  not_named  ///< no grain names it
};
inline constexpr std::size_t page_uses = 4;
using BytesByUse = std::array<std::uint64_t, page_uses>;

inline std::uint64_t bytes_of(const BytesByUse& bytes, PageUse use) noexcept {
  return bytes[static_cast<std::size_t>(use)];
}
inline std::uint64_t all_bytes(const BytesByUse& bytes) noexcept {
  return std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0});
}
inline std::uint64_t named_bytes(const BytesByUse& bytes) noexcept {
  return all_bytes(bytes) - bytes_of(bytes, PageUse::not_named);
}
inline void add(BytesByUse& sums, const BytesByUse& more) noexcept {
  for (std::size_t use = 0; use < page_uses; ++use) sums[use] += more[use];
}

/// Neighbouring memory that one thread came to first, from one domain.
struct PageArea {
  std::uint32_t process = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  Index thread = none;               ///< of Trace::threads; none: one that was never in a team
  std::uint16_t domain = no_domain;  ///< where it ran then
  BytesByUse bytes{};
  std::uint64_t unbound = 0;       ///< of them: that it came to while it was not bound
  std::uint16_t user = no_domain;  ///< the domain that uses most of it; none: nobody names it
  double user_share = 0;           ///< its part of the uses, byte for byte
};

/// What one thread came to first.
struct PageColumn {
  Index thread = none;  ///< of Trace::threads; none: all that were never in a team
  BytesByUse bytes{};
  std::uint64_t unbound = 0;  ///< of them: that it came to while it was not bound
};

/// A stretch of addresses, by who came to it first: cells[i] is columns[i]'s part.
struct PageRow {
  std::uint32_t process = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::vector<BytesByUse> cells;
};

/// Pages by threads. Empty unless Trace::touches are known.
struct PageFindings {
  BytesByUse bytes{};
  std::uint64_t unbound = 0;  ///< of them: whose thread was not bound when it came
  /// That grains name, and nobody was seen to touch: they were there before, or a system call or
  /// another program filled them.
  std::uint64_t not_seen = 0;
  std::vector<PageColumn> columns;  ///< by thread
  std::vector<PageRow> rows;        ///< by process and address, all of about the same size
  std::vector<PageArea> areas;      ///< most named bytes first
};

/// Moves of one kind, or into one domain.
struct MoveSums {
  std::uint64_t times = 0;
  std::uint64_t bytes = 0;
  std::uint64_t arrived = 0;  ///< of them: that changed their node
  Time took = 0;              ///< of all threads together
};

/// Threads that went to a domain inside of a region.
struct ThreadMoveSums {
  std::uint16_t domain = no_domain;  ///< no_domain: several
  std::uint64_t times = 0;
  std::uint64_t threads = 0;  ///< different ones
};

/// What moved. Empty if nothing did, or nobody knows.
struct MoveFindings {
  MoveSums marks;
  MoveSums fetches;
  MoveSums calls;
  MoveSums samples;
  std::vector<ThreadMoveSums> threads;  ///< by domain, those that none went to left out
  std::vector<MoveSums> fetches_into;   ///< by domain; as many as the trace has, or none
};

struct Findings {
  std::array<std::string, 3> verdict;  ///< sentences
  Sums all;
  std::vector<ConstructRow> constructs;  ///< most time first
  std::vector<DomainRow> domains;
  std::vector<ThreadRow> threads;
  /// bytes[from][to]: named by grains that ran in domain `to`, at home in `from`. Row by row.
  std::vector<std::uint64_t> bytes;
  std::vector<std::uint64_t> written;  ///< those of them that they write, or may write
  std::vector<std::uint64_t> grains;   ///< the same in grains
  std::vector<LengthBin> lengths;
  std::vector<ParallelismSlice> parallelism;
  Time slice = 0;  ///< length of such a slice
  /// Bytes between domains over time, or grains where no length is known: traffic[slice][from *
  /// domains + to], `traffic_slice` long.
  std::vector<std::vector<std::uint64_t>> traffic;
  Time traffic_slice = 0;
  std::vector<Index> critical_path;  ///< grains, in order of time
  Time critical = 0;                 ///< their own time: no schedule is faster
  Time work = 0;                     ///< all grains' own time
  Time creation = 0;                 ///< all creating
  Time idle = 0;                     ///< all waiting without a grain, inside regions
  Time in_regions = 0;               ///< wall time
  PageFindings pages;
  PageFindings sampled;  ///< only bytes, columns and rows
  MoveFindings moves;
  std::vector<Diagnosis> diagnoses;  ///< worst first
};

/// Pure. O(grains log grains + domains * (accesses + touches) log (accesses + touches)).
Findings find(const Trace& trace);

}  // namespace lares::trace

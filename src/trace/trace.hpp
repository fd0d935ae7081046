// A traced run, put together: what every reader of a trace works on.
//
// A *grain* is a piece of a program's own work that a scheduler could have put elsewhere: a task
// (an untied task's part), or a chunk of a worksharing loop. Grains of a thread nest where a task
// waits for others and its thread runs one meanwhile; they never overlap otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/run_about.hpp"
#include "memory/moves/move_event.hpp"
#include "runtime/counters.hpp"
#include "runtime/explain_format.hpp"

namespace lares::trace {

/// Nanoseconds since the trace's first event.
using Time = std::uint64_t;
/// An index of one of the trace's lists.
using Index = std::uint32_t;
inline constexpr Index none = 0xFFFFFFFF;
inline constexpr std::uint16_t no_domain = 0xFFFF;
/// Numbers of domains from here on are damage: no machine has so many.
inline constexpr std::uint16_t most_domains = 1024;

/// A place in the program that makes tasks, or a worksharing loop.
struct Construct {
  std::string place;         ///< "solver.c:42 sweep", or what is known; printable
  std::string file;          ///< that has the code: a program or a library
  std::uint64_t offset = 0;  ///< of the code in that file's image
  bool is_loop = false;
};

/// How a grain ran relative to its data, or to its creator where no home was known.
enum class Locality : std::uint8_t { local, same_domain, remote, unknown };

/// One thread of one process: a lane of the timeline.
struct Thread {
  std::uint32_t process = 0;
  std::uint32_t number = 0;          ///< in the order in which the process's threads came
  std::uint16_t domain = no_domain;  ///< at its last region
  std::uint16_t core = no_domain;    ///< the same; logical
  bool bound = false;                ///< to less than the process may use
  bool is_cut = false;               ///< what came later is missing: the trace met its limit
};

namespace grain_flag {
inline constexpr std::uint8_t is_chunk = 1U << 0U;
inline constexpr std::uint8_t undeferred = 1U << 1U;  ///< its creator ran it before it went on
inline constexpr std::uint8_t goes_on = 1U << 2U;     ///< a later part of an untied task
inline constexpr std::uint8_t has_data = 1U << 3U;    ///< locality is by the home of its data
inline constexpr std::uint8_t unfinished = 1U << 4U;  ///< the trace ends before it does
}  // namespace grain_flag

struct Grain {
  Time begin = 0;
  Time end = 0;      ///< at least `begin`
  Time self = 0;     ///< its own time: without grains that ran inside of it, creating and waiting
  Time created = 0;  ///< when its creator began to create it; of a chunk: when it was asked for
  Time ready = 0;    ///< when nothing was in its way any more; at least `created`
  Time create_cost = 0;          ///< what creating it took its creator
  std::uint64_t bytes = 0;       ///< of the data that it names
  std::uint64_t first = 0;       ///< of a chunk: its first iteration
  Index thread = 0;              ///< of Trace::threads
  Index construct = none;        ///< of Trace::constructs
  Index creator = none;          ///< the grain that created it; none: the region's own code
  Index created_on = none;       ///< the thread that created it
  Index released_by = none;      ///< the grain whose end made it ready
  Index part_of = none;          ///< of a later part: the part before
  Index region = none;           ///< of Trace::regions
  std::uint32_t iterations = 0;  ///< of a chunk; at most 2^32 - 1
  Index first_access = 0;        ///< of Trace::accesses
  std::uint16_t accesses = 0;
  std::uint16_t home = no_domain;         ///< where its data is, or where it was meant to run
  std::uint16_t domain = no_domain;       ///< where it ran
  std::uint16_t stolen_from = no_domain;  ///< the domain of the queue that it was stolen from
  std::uint16_t depth = 0;                ///< of creation: 0 if the region's own code made it
  Locality locality = Locality::unknown;
  runtime::Located located = runtime::Located::unknown;  ///< by what its home was known
  std::uint8_t flags = 0;                                ///< of grain_flag

  [[nodiscard]] bool has(std::uint8_t flag) const noexcept { return (flags & flag) != 0; }
  [[nodiscard]] Time length() const noexcept { return end - begin; }
};

/// Data that a grain names, in an `affinity` or `depend` clause.
struct Access {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;         ///< 0: nobody knows
  std::uint16_t home = no_domain;  ///< as it was known last
  bool writes = false;             ///< or may write; an `affinity` clause does not say
};

/// What a thread waited for, or did at the engine's side.
enum class WaitKind : std::uint8_t { taskwait, depend, taskgroup, barrier, region_end, loop_end };

struct Wait {
  Time begin = 0;
  Time end = 0;
  Time idle = 0;  ///< without the grains that ran meanwhile
  Index thread = 0;
  Index region = none;
  WaitKind kind = WaitKind::taskwait;
};

/// A parallel region.
struct Region {
  Time begin = 0;  ///< when the first thread entered
  Time end = 0;    ///< when the last one left
  std::uint32_t team = 0;
  Index master = none;  ///< a thread
  Index outer = none;   ///< the region around it
};

/// A thread's visit to a worksharing loop.
struct LoopVisit {
  Time begin = 0;
  Time end = 0;
  std::uint64_t iterations = 0;  ///< of the whole loop
  std::uint64_t chunk = 0;
  Index thread = 0;
  Index construct = none;
  Index region = none;
};

/// When a thread did something, by its regions.
enum class Moment : std::uint8_t { before_regions, between_regions, in_region };

/// Neighbouring pages that a thread came to first, one after the other: the kernel provided them.
/// A page may be in several: a program gives memory back and gets it again, and a page that was
/// read first is provided once more when it is written.
struct Touch {
  Time at = 0;  ///< 0: or before the trace's first event
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  Index thread = none;               ///< of Trace::threads; none: it was never in a team
  std::uint32_t process = 0;         ///< one of the threads'
  std::uint16_t domain = no_domain;  ///< where the thread ran
  Moment moment = Moment::before_regions;

  /// Behind the last page.
  [[nodiscard]] std::uint64_t end() const noexcept { return address + bytes; }
};

/// Which thread came to which pages first, where a run was asked to note that.
struct Touches {
  bool are_known = false;
  std::vector<Touch> list;            ///< by time, also of those before the first event
  std::uint64_t lost = 0;             ///< touches that the kernel had no room for
  std::uint64_t over_limit = 0;       ///< pages that the trace had no room for
  std::uint64_t bytes_of_others = 0;  ///< that processes without any thread here touched
  bool sees_system_calls = false;     ///< also what those touched for a thread
};

/// Memory that was marked to move, or moved.
struct Move {
  Time at = 0;  ///< 0: or before the trace's first event
  Time took = 0;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint64_t arrived = 0;  ///< of them: that changed their node
  Index thread = none;        ///< that marked, touched or asked; none: it was never in a team
  std::uint32_t process = 0;  ///< its
  std::uint16_t domain = no_domain;  ///< where it went; no_domain: several, or not known
  memory::MoveKind kind = memory::MoveKind::none;
};

/// A thread goes on elsewhere inside of a region.
struct ThreadMove {
  Time at = 0;
  Index thread = none;               ///< of Trace::threads
  std::uint16_t core = no_domain;    ///< logical; no_domain: one of several
  std::uint16_t domain = no_domain;  ///< no_domain: one of several
};

struct Moves {
  std::vector<Move> list;           ///< of memory, by time
  std::vector<ThreadMove> threads;  ///< sorted by (thread, at)
  std::uint64_t over_limit = 0;     ///< events that the trace had no room for
};

/// What is known of the run besides its events.
using About = analysis::RunAbout;

/// Invariants: `grains` are sorted by (thread, begin), outer ones first; grains_of[t] to
/// grains_of[t + 1] are those of thread t. Indexes other than `none` are in range. Every creator
/// and releasing grain began before what it made or released began.
struct Trace {
  About about;
  Time duration = 0;  ///< from the first event to the last
  std::uint32_t domains = 1;
  std::vector<Construct> constructs;
  std::vector<Thread> threads;
  std::vector<Grain> grains;
  std::vector<std::size_t> grains_of;  ///< threads.size() + 1 of them
  std::vector<Access> accesses;
  std::vector<Wait> waits;       ///< sorted by (thread, begin)
  std::vector<Region> regions;   ///< sorted by begin
  std::vector<LoopVisit> loops;  ///< sorted by (thread, begin)
  Touches touches;
  Moves moves;
  std::vector<std::string> notes;  ///< what is missing or could not be read, as sentences
  std::uint64_t dropped = 0;       ///< events that could not be made sense of
  /// The program did not tell how much data it names (GCC drops that): some lengths reach to what
  /// is named next (analysis::BlockSightings).
  bool estimates_lengths = false;
};

}  // namespace lares::trace

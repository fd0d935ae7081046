// What the threads of a recorded program did, put together again: who created what, who waited
// when, and how long each computed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/record_file.hpp"

namespace lares::analysis {

/// One thing that a thread's or a task's own code does.
struct RecordedStep {
  enum class Kind : std::uint8_t { compute, create, wait, group, end_group, barrier, chunk };
  Kind kind = Kind::compute;
  std::uint64_t at = 0;           ///< when it started, nanoseconds
  std::uint64_t nanoseconds = 0;  ///< of `compute` and `chunk`, without what else ran meanwhile
  std::uint32_t child = 0;        ///< of `create`: the actor; of `chunk`: which of its chunks
  std::vector<RecordedAccess> accesses;  ///< of `wait`: as a task's; none: for all children

  /// The actor's own code, whether in a loop or not.
  [[nodiscard]] bool computes() const noexcept {
    return kind == Kind::compute || kind == Kind::chunk;
  }
};

/// A worksharing loop that a thread came to. All of a team come to the same ones, in order.
struct RecordedLoop {
  std::uint64_t iterations = 0;
  std::uint64_t chunk = 1;  ///< as the program asked
};

/// Iterations that a thread took at once: [first, first + count) of one of its loops, all inside.
struct RecordedChunk {
  std::uint32_t loop = 0;
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

/// A task, or what a thread does in a region outside of tasks.
struct RecordedActor {
  bool is_thread = false;
  bool begun = false;        ///< its body was started
  bool undeferred = false;   ///< its creator runs it before it goes on
  std::uint32_t worker = 0;  ///< of a thread: its number in the team
  std::uint32_t region = 0;  ///< of a thread: index into regions
  std::vector<RecordedAccess> accesses;
  std::vector<RecordedStep> steps;  ///< in order; one chunk may have several
  std::vector<RecordedLoop> loops;  ///< of a thread
  std::vector<RecordedChunk> chunks;
};

/// A parallel region that is in no other.
struct RecordedRegion {
  std::uint64_t first = 0;             ///< when its first thread came
  std::uint64_t serial_before = 0;     ///< nanoseconds of its master since the region before
  std::vector<std::uint32_t> threads;  ///< actors
};

/// What creating deferred tasks took their creators, without what else ran meanwhile.
struct RecordedCreation {
  std::uint64_t tasks = 0;        ///< that this is the sum of
  std::uint64_t nanoseconds = 0;  ///< inside Lares
  std::uint64_t recording = 0;    ///< nanoseconds, besides, of writing it down
};

struct RecordedProgram {
  std::vector<RecordedActor> actors;
  std::vector<RecordedRegion> regions;  ///< in the order of time
  RecordedCreation creation;
};

/// `streams` are those of one process. Any events are allowed: those that contradict others are
/// left out. O(events log events).
RecordedProgram put_together(std::span<const RecordedStream> streams);

}  // namespace lares::analysis

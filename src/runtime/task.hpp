// A task: what to run, for whom, after what, and who still needs its descriptor.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <span>

#include "base/ids.hpp"
#include "decide/limits.hpp"
#include "runtime/access.hpp"
#include "runtime/branches.hpp"
#include "runtime/edge.hpp"
#include "runtime/explain_format.hpp"
#include "runtime/task_flag.hpp"
#include "runtime/taskgroup.hpp"

namespace lares::runtime {

class Team;
struct Worker;
struct DependTable;
struct ThreadState;
struct ExclusiveSet;

/// Two words of a descriptor that only the front end which made it reads.
union HostPart {
  struct Call {
    void* function;
    void* data;
  } call = {};  ///< a function and what it is called with
  struct Bits {
    std::uint32_t flags;
    std::size_t payload;  ///< bytes
  } bits;                 ///< what a compiler says of a task that it lays out itself
};

/// The descriptor. Allocated by task_pool.hpp, followed by the front end's payload.
///
/// Invariant of `holders`: alive + tabled + references * 2^32 + pending, where
/// - `alive` is 2^62 until the task has completed,
/// - `tabled` is 2^60 while its parent's table of dependences points to it,
/// - `references` counts children that have completed but are still needed by their own children,
/// - `pending` is minus the number of children that finished on other threads while the task ran;
///   after completion it is the number of children that have not finished.
/// It is zero exactly when nobody needs the descriptor; whoever makes it zero frees it.
/// Incomplete children = local_children + pending, while the task runs.
///
/// Invariant of `parent`: an unfinished task holds the descriptor it points to, and so does a
/// completed one that unfinished ones descend from. It changes once at most, at completion, to the
/// nearest ancestor that has not completed: so a chain of tasks that make their successor and end
/// keeps no ancestors.
///
/// Descriptors are type-stable: freed ones go back to a pool and are never unmapped, so a late look
/// at an atomic field of a freed task reads an old or a foreign value, never bad memory. `life`
/// tells the two apart: it changes when a descriptor is freed that descendants may still point to.
struct alignas(64) Task {
  static constexpr std::int64_t alive = std::int64_t{1} << 62U;
  static constexpr std::int64_t tabled = std::int64_t{1} << 60U;
  static constexpr std::int64_t reference = std::int64_t{1} << 32U;

  // Written by the creator before the task is visible to others; read by the executor.
  void (*run)(Task& task, Worker& worker) = nullptr;  ///< the front end's body
  HostPart host;                                      ///< the front end's
  std::atomic<Task*> parent{nullptr};  ///< see above; who completes the task changes it
  Taskgroup* group = nullptr;
  Team* team = nullptr;
  std::atomic<std::uint32_t> depth{0};  ///< of nesting; implicit tasks are 0
  std::int32_t priority = 0;
  std::uint16_t flags = 0;
  std::uint8_t size_class = 0;
  bool holds_parent = false;  ///< written at completion, read by whoever frees it
  WorkerId creator;

  // Written and read by the thread that runs the task only.
  std::int32_t table_uses = 0;         ///< entries of the parent's table; the parent's runner's
  std::int32_t local_children = 0;     ///< created minus finished by the runner itself
  std::atomic<bool> is_branch{false};  ///< at home, and will make tasks; creator, before it is
                                       ///< queued (queues count them); read by thieves
  Branches::Kind kind = 0;             ///< where it is asked; creator, before it is queued
  Branches::Name branch = 0;           ///< of a branch, likewise
  std::atomic<std::uint32_t> jump_depth{0};  ///< of `jump`; see there
  DependTable* table = nullptr;              ///< dependences of its children
  Taskgroup* open_group = nullptr;           ///< innermost group that its body has open
  void* front_end = nullptr;                 ///< e.g. saved control variables

  // Written by the creator, read by any thread that walks up (ancestry.hpp); with `jump_depth`.
  std::atomic<Task*> jump{
      nullptr};  ///< an ancestor far up, or nullptr; it may have been freed since:
  std::atomic<std::uint64_t> jump_life{0};  ///< it has not if its `life` is this

  /// What a tool that watches knows of the task. Stays with the descriptor when that is used again;
  /// written by the first creator that needs it, read by whoever tells of the task.
  void* tool = nullptr;

  // Touched by other threads: own cache line.
  alignas(64) std::atomic<std::int64_t> holders{alive};
  std::atomic<Worker*> runner{nullptr};    ///< who runs it; nullptr before and after; runner writes
  std::atomic<Edge*> successors{nullptr};  ///< any predecessor-to-be's creator adds; runner closes
  std::atomic<std::int32_t> unfulfilled{0};    ///< dependences still open (+ a guard while created)
  std::atomic<std::uint32_t> detach_state{0};  ///< see namespace detach_state
  std::atomic<bool> waiting{false};            ///< the runner may be asleep until children finish
  std::atomic<bool> released{false};   ///< of a waiter: it may go on; who makes it ready writes
  std::atomic<std::uint8_t> told{0};   ///< see watch.hpp; the two that tell of a detachable one
  Located located = Located::unknown;  ///< by what `home` is known, if it is; written with it
  WorkerId rather_for;                 ///< in a shared queue: who shall rather run it
  ThreadState* pool = nullptr;         ///< whose memory this is; constant
  Task* next = nullptr;                ///< link of the queue or free list that holds it
  std::atomic<std::uint64_t> life{0};  ///< changes when the descriptor is freed (see above)

  // Data: what the program said, and what was found when the task became ready.
  static constexpr std::uint32_t inline_accesses = 4;
  Access* accesses = nullptr;  ///< `inline_access`, or `extra_memory` if there are more
  std::uint32_t access_count = 0;
  std::uint32_t edge_room = 0;
  Edge* edges = nullptr;         ///< room for `edge_room` edges
  void* extra_memory = nullptr;  ///< malloc'ed, freed with the descriptor
  ExclusiveSet* exclusives = nullptr;
  Bytes data_bytes;      ///< of ranges with known homes
  DomainId home;         ///< of most of its data, or of what its maker knows of it; or invalid
  CoreId last_core;      ///< the core that wrote it last, if known
  std::uint64_t record;  ///< its number under --record (record.hpp); else without meaning
  Access inline_access[inline_accesses];
  Edge inline_edge[inline_accesses];

  [[nodiscard]] bool has(std::uint16_t flag) const noexcept { return (flags & flag) != 0; }
  [[nodiscard]] std::span<Access> data_accesses() const noexcept {
    return {accesses, access_count};
  }
  /// Those that decide where the task goes.
  [[nodiscard]] std::span<Access> deciding_accesses() const noexcept {
    return {accesses, std::min(access_count, decide::limits::deciding_accesses)};
  }
  /// The front end's memory behind the descriptor.
  [[nodiscard]] void* payload() noexcept { return this + 1; }
  [[nodiscard]] const void* payload() const noexcept { return this + 1; }
  /// Children that have not finished. Called by the runner.
  [[nodiscard]] std::int32_t incomplete_children() const noexcept {
    // acquire: what the children wrote must be visible once they count as finished.
    return local_children + static_cast<std::int32_t>(holders.load(std::memory_order_acquire));
  }
};

// Seven lines of a cache: the payload, which every task's body reads, begins with the eighth.
static_assert(sizeof(Task) == 7 * 64);

}  // namespace lares::runtime

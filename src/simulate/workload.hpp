// What is simulated: tasks, the blocks of data they use, and the phases that create them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.hpp"
#include "policy/access.hpp"
#include "simulate/team_plan.hpp"

namespace lares::simulate {

using TaskIndex = std::uint32_t;
using BlockIndex = std::uint32_t;

/// One use of a block by a task. Moves `bytes`, in both directions if it reads and writes.
struct Access {
  BlockIndex block = 0;
  policy::AccessMode mode = policy::AccessMode::read;
  double bytes = 0;
  bool shared = false;  ///< of a set whose tasks may write at the same time (inoutset)
};

/// One task. Its accesses are [first_access, that of the next task).
struct Task {
  std::uint32_t first_access = 0;
  std::int32_t owner = 0;  ///< the worker that a static schedule gives it to
  double seconds = 0;      ///< of one core that never waits for memory
  std::int32_t priority = 0;
  std::uint32_t construct = 0;  ///< of the program's text: tasks of one do the same
};

/// What a program tells the runtime of the data that its tasks use.
enum class Told : std::uint8_t {
  data,      ///< all of it
  pointers,  ///< nothing, but pointers to it are among their arguments
  names,     ///< `depend` names flags, one for each block, which lie with the first thread
  nothing
};

/// A piece of data with one home.
struct Block {
  Bytes bytes;
  DomainId home;            ///< invalid: no page is there yet
  policy::Block in_area{};  ///< its place in its area, for a distribution
};

/// Tasks between two barriers.
struct Phase {
  /// Who creates the tasks, where a policy schedules them.
  enum class Creation { single, owners };

  TaskIndex first = 0;
  TaskIndex end = 0;
  Creation creation = Creation::single;
  std::vector<TaskIndex> order;  ///< of creation, if not ascending; each task once
  bool dependences = false;      ///< accesses order the tasks, as OpenMP's `depend`
  /// More queued tasks, and their creator runs one before it goes on; 0: the runtime's own rules.
  std::uint32_t queue_limit = 0;
  bool measured = true;   ///< false: initialisation, which is not part of the time
  bool migrates = false;  ///< next touch: blocks move to whoever uses them first
  /// Of a recorded worksharing loop, whose pieces are the phase's tasks: iterations of a piece. 0:
  /// the phase is none.
  std::uint64_t piece_iterations = 0;

  [[nodiscard]] bool is_loop() const noexcept { return piece_iterations != 0; }
};

/// Who creates which task, and who waits for what, in a recorded program (graph_file.hpp). What a
/// thread or a task does between two waits is a node; all nodes stand in Workload::tasks. A task
/// that creates or waits has several, its parts, which run one after another. All vectors are by
/// node.
struct Script {
  static constexpr TaskIndex none = 0xFFFFFFFFU;
  enum class Kind : std::uint8_t {
    task,      ///< a task's first part
    included,  ///< the same, of a task that its creator runs before it goes on
    piece,     ///< of a worksharing loop
    part,      ///< a later part, or what a thread computes between two tasks that it creates
    gate       ///< a thread waits here until the nodes before it are done
  };
  std::vector<Kind> kind;
  std::vector<std::int32_t> thread;   ///< the thread in whose course the node stands; -1: a task's
  std::vector<TaskIndex> created_in;  ///< the part that creates the task; none: a thread
  std::vector<TaskIndex> next;        ///< what the same worker runs after this node, or none
  std::vector<TaskIndex> last;        ///< of a task's first part: its last one; else itself
  std::vector<TaskIndex> scope;       ///< equal: created by the same thread or task
  std::vector<std::pair<TaskIndex, TaskIndex>> after;  ///< a node, and one that is done before

  [[nodiscard]] bool empty() const noexcept { return kind.empty(); }
  [[nodiscard]] bool counts(TaskIndex node) const noexcept {
    return empty() || kind[node] <= Kind::piece;
  }
};

/// A whole program. Plain data; immutable while it is simulated.
struct Workload {
  std::string name;
  std::vector<Task> tasks;
  std::vector<Access> accesses;
  std::vector<Block> blocks;
  std::vector<Phase> phases;
  bool reuses = false;   ///< blocks are used again soon enough for caches to matter
  bool written = false;  ///< blocks with a home were just written there, and caches have them
  bool packs = false;    ///< tasks fetch their data before they compute, and not meanwhile
  TeamPlan teams;        ///< whose threads the workers are, under Schedule::Kind::static_loop
  Script script;         ///< empty: the phases' creators make all tasks, in order
  Told told = Told::data;
  bool creation_told = false;  ///< what creating takes is in the parts of the script
  double amount = 0;           ///< of work, for a rate: bytes, updates or operations; 0: none
  std::string unit;            ///< of the rate: "GB/s", "GF/s", "MLUP/s"
  double unit_scale = 1e9;

  [[nodiscard]] std::span<const Access> accesses_of(TaskIndex task) const noexcept {
    const std::size_t first = tasks[task].first_access;
    const std::size_t end =
        task + 1 < tasks.size() ? tasks[task + 1].first_access : accesses.size();
    return {accesses.data() + first, end - first};
  }
  /// Tasks and pieces of loops, without the other nodes of a script.
  [[nodiscard]] std::size_t task_count() const noexcept {
    std::size_t count = 0;
    for (TaskIndex task = 0; task < tasks.size(); ++task) count += script.counts(task) ? 1 : 0;
    return count;
  }
  /// Appends a task; its accesses are added to `accesses` by the caller right after.
  Task& add_task(double seconds, std::size_t owner = 0) {
    tasks.push_back({static_cast<std::uint32_t>(accesses.size()), static_cast<std::int32_t>(owner),
                     seconds, 0});
    return tasks.back();
  }
  /// The last task uses what `task` does.
  void use_again(TaskIndex task) {
    const std::size_t first = tasks[task].first_access;
    const std::size_t count = accesses_of(task).size();
    for (std::size_t i = 0; i < count; ++i) accesses.push_back(Access(accesses[first + i]));
  }
  /// Appends a phase of all tasks since the last one.
  Phase& add_phase() {
    Phase phase;
    phase.first = phases.empty() ? 0 : phases.back().end;
    phase.end = static_cast<TaskIndex>(tasks.size());
    phases.push_back(std::move(phase));
    return phases.back();
  }
};

}  // namespace lares::simulate

// Builds the nodes of a recorded program while its lines are read: docs/task-graph.md.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "simulate/workload.hpp"

namespace lares::simulate {

/// Who creates and waits: a thread of the team, or a task.
struct Creator {
  bool is_thread = true;
  std::uint32_t number = 0;  ///< of the thread, or of the task, counted in the whole program
};

/// Makes `workload` and its script node by node, in the order of the lines. All edges go from what
/// ends earlier in any run to what begins later, so there are no cycles: a node comes after the
/// part that creates it, after earlier children of the same creator, or, for what follows a wait,
/// after descendants created before. Amortised O(1) for each node and edge.
class ScriptBuilder {
 public:
  static constexpr std::uint32_t most_threads = 4096;

  explicit ScriptBuilder(Workload& workload) : workload_(workload) {}

  [[nodiscard]] std::uint32_t task_count() const noexcept {
    return static_cast<std::uint32_t>(first_parts_.size());
  }
  /// True if `creator` is a task that may still create: of the current phase.
  [[nodiscard]] bool is_running(const Creator& creator) const noexcept;

  // What `creator` does next. Preconditions: is_running(creator), thread numbers < most_threads.
  void add_task(const Creator& creator, double seconds, bool included,
                const std::vector<Access>& accesses);
  void spend(const Creator& creator, double seconds);
  /// Waits for its children or, with accesses, for those that a task with them would wait for.
  void wait(const Creator& creator);
  void wait(const Creator& creator, const std::vector<Access>& accesses);
  void open_group(const Creator& creator);
  /// False if it has no open group.
  bool close_group(const Creator& creator);
  /// All tasks so far end before what follows.
  void barrier();
  /// A worksharing loop after a barrier; its pieces are added next, in the order of its iterations,
  /// up to the next barrier().
  void begin_loop(std::uint64_t piece_iterations);
  [[nodiscard]] bool is_in_loop() const noexcept { return piece_iterations_ != 0; }
  /// Precondition: is_in_loop(), as of no other call than barrier().
  void add_piece(double seconds, const std::vector<Access>& accesses);

 private:
  struct Actor {
    std::int32_t thread = -1;
    TaskIndex first = Script::none;    ///< of a task: its first part
    TaskIndex current = Script::none;  ///< the part it is in; of a thread: none outside of one
    bool has_created = false;          ///< the current part: then more time is a new part
    std::uint32_t inherited = Script::none;  ///< the group that it belongs to itself
    std::vector<std::uint32_t> groups;       ///< that it has open, outermost first
    std::vector<TaskIndex> children;         ///< since it last waited for them
  };

  static std::uint64_t key_of(const Creator& creator) noexcept;
  Actor& actor(const Creator& creator);
  TaskIndex add_node(Script::Kind kind, double seconds, const Actor* of);
  void add_accesses(const std::vector<Access>& accesses);
  /// The node in which `actor` goes on: a gate, or the next part. `later` if it waits for others.
  TaskIndex go_on(Actor& actor);
  void end_creators();
  void after_ends_of(TaskIndex node, std::vector<TaskIndex>& tasks);

  Workload& workload_;
  TaskIndex phase_first_ = 0;
  std::uint64_t piece_iterations_ = 0;   ///< of the loop that is the phase, or 0
  std::vector<TaskIndex> first_parts_;   ///< by task
  std::vector<std::uint32_t> group_of_;  ///< by task of the phase: innermost, or none
  std::uint32_t phase_first_task_ = 0;
  std::unordered_map<std::uint64_t, Actor> actors_;         ///< of this phase
  std::vector<std::vector<TaskIndex>> groups_;              ///< members by group of this phase
  std::vector<std::pair<TaskIndex, TaskIndex>> after_end_;  ///< a node, and a task's first part
  std::vector<std::pair<TaskIndex, TaskIndex>> next_of_;    ///< an included task, and what follows
};

}  // namespace lares::simulate

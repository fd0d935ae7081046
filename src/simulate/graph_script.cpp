#include "simulate/graph_script.hpp"

#include <algorithm>
#include <utility>

namespace lares::simulate {
namespace {

// Scopes of threads; those of tasks are their first parts, far below.
constexpr TaskIndex first_thread_scope = 0xF0000000U;

}  // namespace

std::uint64_t ScriptBuilder::key_of(const Creator& creator) noexcept {
  return std::uint64_t{creator.is_thread} << 32U | creator.number;
}

bool ScriptBuilder::is_running(const Creator& creator) const noexcept {
  return creator.is_thread ||
         (creator.number < task_count() && creator.number >= phase_first_task_);
}

ScriptBuilder::Actor& ScriptBuilder::actor(const Creator& creator) {
  const auto [at, is_new] = actors_.try_emplace(key_of(creator));
  Actor& found = at->second;
  if (!is_new) return found;
  if (creator.is_thread) {
    found.thread = static_cast<std::int32_t>(creator.number);
  } else {
    found.first = first_parts_[creator.number];
    found.current = found.first;
    found.inherited = group_of_[creator.number - phase_first_task_];
  }
  return found;
}

TaskIndex ScriptBuilder::add_node(Script::Kind kind, double seconds, const Actor* of) {
  const auto node = static_cast<TaskIndex>(workload_.tasks.size());
  const bool by_thread = of != nullptr && of->thread >= 0;
  workload_.add_task(seconds, by_thread ? static_cast<std::size_t>(of->thread) : 0);
  Script& script = workload_.script;
  script.kind.push_back(kind);
  script.thread.push_back(of != nullptr ? of->thread : -1);
  script.created_in.push_back(Script::none);
  script.next.push_back(Script::none);
  script.last.push_back(node);
  TaskIndex scope = Script::none;
  if (by_thread && of->thread > 0) {
    scope = first_thread_scope + static_cast<TaskIndex>(of->thread);
  } else if (of != nullptr && !by_thread) {
    scope = of->first;
  }
  script.scope.push_back(scope);
  return node;
}

void ScriptBuilder::add_accesses(const std::vector<Access>& accesses) {
  workload_.accesses.insert(workload_.accesses.end(), accesses.begin(), accesses.end());
}

TaskIndex ScriptBuilder::go_on(Actor& actor) {
  if (actor.thread >= 0) {
    actor.current = Script::none;
    return add_node(Script::Kind::gate, 0, &actor);
  }
  const TaskIndex node = add_node(Script::Kind::part, 0, &actor);
  Script& script = workload_.script;
  if (script.next[actor.current] == Script::none) {
    script.next[actor.current] = node;
    script.after.emplace_back(node, actor.current);
  }
  script.last[actor.first] = node;
  actor.current = node;
  actor.has_created = false;
  return node;
}

void ScriptBuilder::after_ends_of(TaskIndex node, std::vector<TaskIndex>& tasks) {
  for (const TaskIndex task : tasks) after_end_.emplace_back(node, task);
  tasks.clear();
}

void ScriptBuilder::add_task(const Creator& creator, double seconds, bool included,
                             const std::vector<Access>& accesses) {
  Actor& by = actor(creator);
  Script& script = workload_.script;
  const TaskIndex node =
      add_node(included ? Script::Kind::included : Script::Kind::task, seconds, &by);
  add_accesses(accesses);
  const std::uint32_t group = by.groups.empty() ? by.inherited : by.groups.back();
  first_parts_.push_back(node);
  group_of_.push_back(group);
  if (group != Script::none) groups_[group].push_back(node);
  by.children.push_back(node);
  if (by.thread < 0) {
    script.created_in[node] = by.current;
    script.after.emplace_back(node, by.current);
    by.has_created = true;
  } else {
    by.current = Script::none;
  }
  if (!included) return;
  if (by.thread < 0) script.next[by.current] = node;
  const TaskIndex rest = go_on(by);
  after_end_.emplace_back(rest, node);
  if (by.thread < 0) next_of_.emplace_back(node, rest);
}

void ScriptBuilder::spend(const Creator& creator, double seconds) {
  Actor& by = actor(creator);
  if (by.thread >= 0 && by.current == Script::none) {
    by.current = add_node(Script::Kind::part, 0, &by);
  } else if (by.has_created) {
    go_on(by);
  }
  workload_.tasks[by.current].seconds += seconds;
}

void ScriptBuilder::wait(const Creator& creator) {
  Actor& by = actor(creator);
  after_ends_of(go_on(by), by.children);
}

void ScriptBuilder::wait(const Creator& creator, const std::vector<Access>& accesses) {
  go_on(actor(creator));
  add_accesses(accesses);
}

void ScriptBuilder::open_group(const Creator& creator) {
  actor(creator).groups.push_back(static_cast<std::uint32_t>(groups_.size()));
  groups_.emplace_back();
}

bool ScriptBuilder::close_group(const Creator& creator) {
  Actor& by = actor(creator);
  if (by.groups.empty()) return false;
  const std::uint32_t group = by.groups.back();
  by.groups.pop_back();
  after_ends_of(go_on(by), groups_[group]);
  return true;
}

// Whoever has created something last is done when that is handed in, not before.
void ScriptBuilder::end_creators() {
  for (std::uint32_t number = phase_first_task_; number < task_count(); ++number) {
    const auto at = actors_.find(key_of({.is_thread = false, .number = number}));
    if (at != actors_.end() && at->second.has_created) go_on(at->second);
  }
}

void ScriptBuilder::begin_loop(std::uint64_t piece_iterations) {
  barrier();
  piece_iterations_ = piece_iterations;
}

void ScriptBuilder::add_piece(double seconds, const std::vector<Access>& accesses) {
  add_node(Script::Kind::piece, seconds, nullptr);
  add_accesses(accesses);
}

void ScriptBuilder::barrier() {
  const std::uint64_t piece_iterations = std::exchange(piece_iterations_, 0);
  if (workload_.tasks.size() == phase_first_) return;
  end_creators();
  Script& script = workload_.script;
  for (const auto& [node, task] : after_end_) script.after.emplace_back(node, script.last[task]);
  for (const auto& [task, rest] : next_of_) script.next[script.last[task]] = rest;
  after_end_.clear();
  next_of_.clear();
  actors_.clear();
  groups_.clear();
  group_of_.clear();
  Phase& phase = workload_.add_phase();
  phase.dependences = piece_iterations == 0;
  phase.piece_iterations = piece_iterations;
  phase_first_ = static_cast<TaskIndex>(workload_.tasks.size());
  phase_first_task_ = task_count();
}

}  // namespace lares::simulate

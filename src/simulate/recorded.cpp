#include "simulate/recorded.hpp"

namespace lares::simulate {

Recorded::Recorded(const Setup& setup, Execution& execution, Agenda& agenda, Outcome& outcome)
    : Creators(setup, execution, agenda, outcome),
      script_(setup.workload.script),
      begun_(setup.cores.size()),
      stack_of_(setup.workload.tasks.size()) {}

// What tasks create is in nobody's list: it is released by those.
void Recorded::deal() {
  for (Begun& begun : begun_) begun = {};
  for (TaskIndex node = phase().first; node < phase().end; ++node) {
    if (is_of_thread(node)) {
      threads_[thread_of(node)].list.push_back(node);
    } else {
      --missing(node);
    }
  }
}

void Recorded::next(std::uint32_t w, double clock) {
  begun_[w].stack.empty() ? follow(w, clock) : resume(w, clock);
}

// Goes on with the innermost task that it has begun: hands in children, or waits.
void Recorded::resume(std::uint32_t w, double clock) {
  std::vector<TaskIndex>& stack = begun_[w].stack;
  while (!stack.empty()) {
    const TaskIndex node = stack.back();
    const bool is_child = script_.kind[node] == Script::Kind::task;
    if (!is_child && missing(node) != 0) return search(w, clock);
    stack.pop_back();
    if (is_child) {
      if (runs_new(w, node, clock)) return;
      continue;
    }
    team_.go_on(w);
    return team_.start(w, node, clock, TaskTeam::Origin::unseen);
  }
  rest(w, clock);
}

// What comes next in the course of a thread: a task to create, something to compute, a wait.
void Recorded::follow(std::uint32_t w, double clock) {
  Thread& thread = threads_[w];
  bool& arrived = begun_[w].arrived;
  while (!thread.is_through()) {
    const TaskIndex node = thread.list[thread.next];
    const Script::Kind kind = script_.kind[node];
    if (kind == Script::Kind::task) return create(w, clock);
    if (!arrived) --missing(node);
    arrived = missing(node) != 0;
    if (arrived) return search(w, clock);
    ++thread.next;
    team_.go_on(w);
    if (kind != Script::Kind::gate) {
      team_.executor().set_creator(node, WorkerId{std::size_t{w}});
      return team_.start(w, node, clock, TaskTeam::Origin::unseen);
    }
    if (counts_down(clock)) return rest(w, Agenda::never);
  }
  search(w, clock);
}

// What it waits in forbids it to run anything but what descends from that; a barrier does not.
TaskTeam::Reach Recorded::reach(std::uint32_t w) const {
  const std::vector<TaskIndex>& stack = begun_[w].stack;
  if (!stack.empty()) return {.under = script_.scope[stack.back()]};
  return Creators::reach(w);
}

// What the worker goes on with waits on its stack.
void Recorded::release(std::uint32_t w, TaskIndex node, double& clock) {
  if (script_.kind[node] == Script::Kind::task && script_.created_in[node] == Script::none) {
    --threads_[thread_of(node)].unfinished;
  }
  const TaskIndex next = script_.next[node];
  if (next != Script::none) {
    stack_of_[next] = w;
    begun_[w].stack.push_back(next);
  }
  create_children(w, node, clock);
  // The youngest first: so the oldest child is handed in first.
  release_successors(node, [&](TaskIndex ready) {
    if (ready == next) return;
    if (script_.created_in[ready] == node) {
      begun_[w].stack.push_back(ready);
    } else {
      hand_over(w, ready, clock);
    }
  });
}

void Recorded::create_children(std::uint32_t w, TaskIndex node, double& clock) {
  for (const std::uint32_t successor : graph_.successors(node - phase().first)) {
    const TaskIndex created = phase().first + successor;
    if (script_.created_in[created] != node) continue;
    clock += create_seconds_;
    team_.executor().set_creator(created, WorkerId{std::size_t{w}});
  }
}

void Recorded::hand_over(std::uint32_t w, TaskIndex ready, double& clock) {
  if (script_.kind[ready] == Script::Kind::task) {
    team_.put(w, ready, false, clock);
  } else {
    team_.wake(
        is_of_thread(ready) ? static_cast<std::uint32_t>(thread_of(ready)) : stack_of_[ready],
        clock);
  }
}

}  // namespace lares::simulate

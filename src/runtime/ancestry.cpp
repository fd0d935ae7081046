// Jump pointers after Myers, "An applicative random-access stack", 1983: each node knows its parent
// and one ancestor further up, such that any ancestor is reached in O(log depth) steps.
//
// A pointer to a parent is always good as long as the walk's first task is (Task's invariant of
// `parent`); but it may change, and the old parent be freed, between reading the pointer and
// reading through it. So whatever is read from a node counts only if the node is found in its place
// afterwards: its `life` unchanged, and the pointer to it unchanged. Fields are read with acquire
// and written with release, so a value of a later life is never seen together with an earlier
// `life` or pointer.
#include "runtime/ancestry.hpp"

#include "base/disorder.hpp"

namespace lares::runtime {

namespace {

/// A node of the walk in the life in which it is an ancestor of the task.
struct Seen {
  const Task* task;
  std::uint64_t life;
  std::uint32_t depth;
};

Seen look_at(const Task& task) noexcept {
  const std::uint64_t life = task.life.load(std::memory_order_acquire);
  return {&task, life, task.depth.load(std::memory_order_acquire)};
}

bool lives(const Seen& seen) noexcept {
  return seen.task->life.load(std::memory_order_acquire) == seen.life;
}

enum class Step : std::uint8_t { taken, none, overtaken };

// Up by the jump pointer, unless that leads above `target` or to a descriptor that has been freed.
Step jump(Seen& at, std::uint32_t target) noexcept {
  const Task* up = at.task->jump.load(std::memory_order_acquire);
  const std::uint64_t life = at.task->jump_life.load(std::memory_order_acquire);
  const std::uint32_t depth = at.task->jump_depth.load(std::memory_order_acquire);
  disorder::pause(disorder::Point::walking);
  if (!lives(at)) return Step::overtaken;
  if (up == nullptr || depth < target || depth >= at.depth) return Step::none;
  const Seen above{up, life, depth};
  if (!lives(above)) return Step::none;
  at = above;
  return Step::taken;
}

Step step(Seen& at) noexcept {
  const Task* parent = at.task->parent.load(std::memory_order_acquire);
  if (parent == nullptr) return Step::none;
  disorder::pause(disorder::Point::walking);
  const Seen above = look_at(*parent);
  const bool in_place = at.task->parent.load(std::memory_order_acquire) == parent && lives(at);
  // Depth shrinks with every step, whatever a thief may see: no walk is without end.
  if (!in_place || above.depth >= at.depth) return Step::overtaken;
  at = above;
  return Step::taken;
}

Step walk(const Task& task, const Task& ancestor) noexcept {
  const std::uint32_t target = ancestor.depth.load(std::memory_order_relaxed);
  Seen at = look_at(task);
  while (at.depth > target) {
    Step done = jump(at, target);
    if (done == Step::none) done = step(at);
    if (done != Step::taken) return done;
  }
  return at.task == &ancestor ? Step::taken : Step::none;
}

}  // namespace

void set_jump(Task& task) noexcept {
  Task* const parent = task.parent.load(std::memory_order_relaxed);
  const std::uint32_t parent_depth = parent->depth.load(std::memory_order_relaxed);
  Task* up = parent;
  std::uint64_t life = parent->life.load(std::memory_order_relaxed);
  std::uint32_t depth = parent_depth;
  // Two jumps of the same length in a row make one of twice the length.
  if (const Task* middle = parent->jump.load(std::memory_order_relaxed); middle != nullptr) {
    const std::uint32_t middle_depth = parent->jump_depth.load(std::memory_order_relaxed);
    const std::uint64_t middle_life = parent->jump_life.load(std::memory_order_relaxed);
    Task* const far = middle->jump.load(std::memory_order_acquire);
    const std::uint64_t far_life = middle->jump_life.load(std::memory_order_acquire);
    const std::uint32_t far_depth = middle->jump_depth.load(std::memory_order_acquire);
    const bool lived = middle->life.load(std::memory_order_acquire) == middle_life;
    if (lived && far != nullptr && parent_depth - middle_depth == middle_depth - far_depth) {
      up = far;
      life = far_life;
      depth = far_depth;
    }
  }
  // release: see the head of this file. The pointer last: no walk passes here before there are
  // children.
  task.jump_life.store(life, std::memory_order_release);
  task.jump_depth.store(depth, std::memory_order_release);
  task.jump.store(up, std::memory_order_release);
}

bool descends_from(const Task& task, const Task& ancestor) noexcept {
  // A walk is overtaken when a task on its way completes; it begins anew, which is rare.
  constexpr int most_walks = 16;
  for (int i = 0; i < most_walks; ++i) {
    const Step end = walk(task, ancestor);
    if (end != Step::overtaken) return end == Step::taken;
  }
  return false;
}

}  // namespace lares::runtime

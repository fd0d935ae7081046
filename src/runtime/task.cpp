#include "runtime/task.hpp"

namespace lares::runtime {

bool descends_from(const Task& task, const Task& ancestor) noexcept {
  // Long walks only happen in very deep recursion, where the creator itself finds its children.
  constexpr int max_walk = 512;
  const Task* at = &task;
  for (int steps = 0; at != nullptr && at->depth > ancestor.depth; at = at->parent) {
    if (++steps > max_walk) return false;
  }
  return at == &ancestor;
}

}  // namespace lares::runtime

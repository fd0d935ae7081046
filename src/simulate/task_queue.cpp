#include "simulate/task_queue.hpp"

#include <algorithm>

namespace lares::simulate {

void TaskQueue::push(TaskIndex task) {
  if (size_ == ring_.size()) {
    std::rotate(ring_.begin(), ring_.begin() + first_, ring_.end());
    first_ = 0;
    ring_.resize(ring_.size() * 2);
  }
  at(size_) = task;
  ++size_;
}

void PriorityQueue::push(TaskIndex task, std::int32_t priority) {
  const auto later = std::find_if(tasks_.begin(), tasks_.end(), [priority](const Entry& entry) {
    return entry.priority < priority;
  });
  tasks_.insert(later, {task, priority});
}

}  // namespace lares::simulate

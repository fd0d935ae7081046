#include "runtime/weaving.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/clock.hpp"
#include "decide/limits.hpp"
#include "memory/new_pages.hpp"
#include "runtime/execution.hpp"
#include "runtime/task_pool.hpp"

namespace lares::runtime {

namespace {

// Loop variables come first, if not behind what a compiler has there for itself.
constexpr std::size_t most_words = 64;

std::uint32_t word_of(const Task& task, std::size_t at) noexcept {
  std::uint32_t word = 0;
  std::memcpy(&word, static_cast<const char*>(task.payload()) + at * sizeof word, sizeof word);
  return word;
}

decide::NewMemory to_memory(const memory::NewPages::Found& found) noexcept {
  return {found.begin, found.end, found.pages};
}

}  // namespace

decide::Weave weave_by_arguments(std::span<Task* const> tasks, std::size_t first) noexcept {
  std::size_t words = most_words;
  for (const Task* const task : tasks.subspan(first)) {
    words = std::min(words, TaskPool::payload_room(*task) / sizeof(std::uint32_t));
  }
  const auto word = [tasks](std::uint64_t task, std::size_t at) {
    return word_of(*tasks[task], at);
  };
  return {tasks.size(), decide::period_of(first, tasks.size(), words, word)};
}

decide::MemoryOrder try_out_weave(Worker& worker, std::span<Task*, 3> tasks) noexcept {
  const std::uint64_t limit = decide::weave_trial(worker.hold.fastest(), ticks_per_microsecond());
  worker.deque.hold(ticks() + 2 * limit);
  memory::NewPages pages(memory::real_calls(), memory::real_maps(),
                         Bytes{static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE))});
  if (!pages.can_look()) return decide::MemoryOrder::unknown;
  pages.look();
  const std::uint64_t until = ticks() + limit;
  worker.deque.hold(until);
  std::array<decide::NewMemory, 3> touched{};
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (ticks() >= until || (i > 0 && touched[0].pages == 0)) {
      return decide::MemoryOrder::unknown;
    }
    execute(worker, *std::exchange(tasks[i], nullptr));
    touched[i] = to_memory(pages.look());
  }
  return decide::memory_order(touched[0], touched[1], touched[2]);
}

}  // namespace lares::runtime

#include "runtime/weaving.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/clock.hpp"
#include "decide/limits.hpp"
#include "memory/homes.hpp"
#include "memory/migrate/migrate.hpp"
#include "memory/nodes.hpp"
#include "runtime/engine.hpp"
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

void bring_home(const Worker& worker, Tried tried, DomainId home) noexcept {
  const memory::Nodes nodes(Engine::instance().machine());
  const OsNode here = nodes.node_of(worker.domain);
  const OsNode there = nodes.node_of(home);
  if (!here.valid() || !there.valid() || here == there || !has_stack_left(moving_stack)) return;
  memory::MoveOptions options;
  options.page = Bytes{static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE))};
  options.tries = 1;  // whoever is at work there needs it now
  options.only_first_touch = true;
  if (!memory::places_by_touch(memory::real_calls())) return;
  std::erase_if(tried.pages, [&homes = *Engine::instance().homes()](std::uintptr_t page) {
    return homes.is_given(page);
  });
  memory::migrate_from(memory::real_calls(), here, there, tried.pages, options);
}

WeaveTrial::WeaveTrial(Worker& worker, bool some_taken) noexcept
    : worker_(worker),
      pages_(memory::real_calls(), memory::real_maps(),
             Bytes{static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE))}),
      some_taken_(some_taken) {
  if (!pages_.can_look() || !has_stack_left(moving_stack)) return;
  const std::uint64_t limit = decide::weave_trial(worker.hold.fastest(), ticks_per_microsecond());
  worker.deque.hold(ticks() + 2 * limit);
  pages_.look();
  until_ = ticks() + limit;
  worker.deque.hold(until_);
}

WeaveTrial::~WeaveTrial() { worker_.deque.hold(0); }

bool WeaveTrial::is_over() const noexcept {
  // What was taken has touched the first one's pages, perhaps.
  const std::size_t tells = some_taken_ ? 2 : 1;
  const bool is_vain = count_ == tells && touched_[0].pages + touched_[1].pages == 0;
  return count_ == touched_.size() || is_vain || ticks() >= until_;
}

// Looks are no part of the time that tasks may take.
std::span<const std::uintptr_t> WeaveTrial::look() noexcept {
  const std::uint64_t start = ticks();
  touched_[count_++] = to_memory(pages_.look());
  const bool is_first_found = count_ == 1 || touched_[0].pages == 0;
  if (is_first_found) pages_.stay_where_most_was_found();
  until_ += ticks() - start;
  worker_.deque.hold(until_);
  return pages_.all_found();
}

decide::MemoryOrder WeaveTrial::shown() const noexcept {
  if (count_ < touched_.size()) return decide::MemoryOrder::unknown;
  return decide::memory_order(touched_[0], touched_[1], touched_[2]);
}

}  // namespace lares::runtime

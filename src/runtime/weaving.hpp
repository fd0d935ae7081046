// Finds out whether a new series is woven (decide/weave.hpp): by its tasks' arguments, and by what
// three of them touch first.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "decide/weave.hpp"
#include "memory/new_pages.hpp"
#include "runtime/team.hpp"

namespace lares::runtime {

/// By the arguments of a series' tasks, in the order in which they were made; those before `first`
/// are not there any more. O(tasks).
decide::Weave weave_by_arguments(std::span<Task* const> tasks, std::size_t first) noexcept;

/// A task that was tried out, and the pages that nobody had touched before it, ascending.
struct Tried {
  std::size_t position = 0;  ///< in its series
  std::vector<std::uintptr_t> pages;
};

/// What a task that was tried out has touched first lies with who tried it, the worker's domain: of
/// these pages those that are there go to `home`, where the task would have run, but for what the
/// program or its user has placed. O(pages), and a call of the system for each.
void bring_home(const Worker& worker, Tried tried, DomainId home) noexcept;

/// Looks at the process's memory after each of three tasks of a series: one, the last one of its
/// period, and the one a period after it. While it lives, others leave alone what lies in the
/// worker's deque, until decide::weave_trial() has passed. One user.
class WeaveTrial {
 public:
  /// `some_taken`: tasks made before the first one that is tried run elsewhere, or have.
  WeaveTrial(Worker& worker, bool some_taken) noexcept;
  ~WeaveTrial();
  WeaveTrial(const WeaveTrial&) = delete;
  WeaveTrial& operator=(const WeaveTrial&) = delete;

  /// True if no further task is to be tried: all have been, it takes too long, nothing new was
  /// touched, or there is no memory to look at.
  [[nodiscard]] bool is_over() const noexcept;
  /// The next task has run. Answers the pages that are new.
  std::span<const std::uintptr_t> look() noexcept;
  [[nodiscard]] decide::MemoryOrder shown() const noexcept;

 private:
  Worker& worker_;
  memory::NewPages pages_;
  bool some_taken_;
  std::uint64_t until_ = 0;
  std::array<decide::NewMemory, 3> touched_{};
  std::size_t count_ = 0;
};

}  // namespace lares::runtime

// The owner's deque of a core place: Chase & Lev 2005, with the orders of Le et al. 2013, made of
// sequentially consistent operations where those use fences (ThreadSanitizer understands them).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "base/disorder.hpp"
#include "decide/limits.hpp"
#include "runtime/ancestry.hpp"
#include "runtime/task.hpp"

namespace lares::runtime {

/// The owner pushes and pops at the bottom, thieves take the oldest at the top. Bounded: a full
/// deque refuses, and the owner then runs the task itself.
/// A thief that is bound by the task scheduling constraint leaves a task that it may not run where
/// it is.
class Deque {
 public:
  static constexpr std::int64_t capacity = decide::limits::deque;  // beyond it producers run inline

  /// How many it takes.
  static std::int64_t room() noexcept { return decide::deque_room(); }

  Deque() = default;
  Deque(const Deque&) = delete;
  Deque& operator=(const Deque&) = delete;

  /// Owner only. False if full.
  [[gnu::always_inline]] bool push(Task& task) noexcept {
    const std::int64_t bottom = bottom_.load(std::memory_order_relaxed);
    const std::int64_t most = room();
    if (bottom - top_seen_ >= most) {
      top_seen_ = top_.load(std::memory_order_acquire);
      if (bottom - top_seen_ >= most) return false;
    }
    slot(bottom).store(pack(task), std::memory_order_relaxed);
    disorder::late(disorder::Point::deque_push);
    // release: a thief that sees the new bottom sees the slot and the task behind it.
    bottom_.store(bottom + 1, std::memory_order_release);
    return true;
  }

  /// Owner only. The newest task, or nullptr.
  Task* pop() noexcept {
    const std::int64_t bottom = bottom_.load(std::memory_order_relaxed) - 1;
    if (bottom < top_.load(std::memory_order_relaxed)) return nullptr;  // top only grows
    // seq_cst pair with steal(): either the thief sees the smaller bottom or we see its top.
    bottom_.store(bottom, std::memory_order_seq_cst);
    disorder::pause(disorder::Point::deque_pop);
    std::int64_t top = top_.load(std::memory_order_seq_cst);
    if (top < bottom) return unpack(slot(bottom).load(std::memory_order_relaxed));
    Task* task = nullptr;
    if (top == bottom) {  // the last one: race for it with the thieves
      task = unpack(slot(bottom).load(std::memory_order_relaxed));
      disorder::pause(disorder::Point::deque_last);
      if (!top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst,
                                        std::memory_order_relaxed)) {
        task = nullptr;
      }
    }
    bottom_.store(bottom + 1, std::memory_order_relaxed);
    return task;
  }

  /// Any thread. The oldest task if it descends from `constraint` (nullptr: in any case), or
  /// nullptr (also if it lost a race).
  Task* steal(const Task* constraint) noexcept {
    std::int64_t top = top_.load(std::memory_order_seq_cst);
    const std::int64_t bottom = bottom_.load(std::memory_order_seq_cst);
    if (top >= bottom) return nullptr;
    const std::uint64_t packed = slot(top).load(std::memory_order_relaxed);
    // Asked before the task is taken: if the exchange succeeds nobody else has taken it meanwhile,
    // so it had not started and the answer was right; if not, the answer does not matter.
    if (constraint != nullptr && !may_take(packed, *constraint)) return nullptr;
    if (disorder::fails(disorder::Point::deque_steal)) return nullptr;
    if (!top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst,
                                      std::memory_order_relaxed)) {
      return nullptr;
    }
    return unpack(packed);
  }

  /// Any thread: whether the oldest is a branch of a recursion (Task::is_branch). A guess, as it
  /// may be another one by now.
  [[nodiscard]] bool has_branch_first() noexcept {
    const std::int64_t top = top_.load(std::memory_order_relaxed);
    if (top >= bottom_.load(std::memory_order_acquire)) return false;  // with what lies there
    const Task* const oldest = unpack(slot(top).load(std::memory_order_relaxed));
    return oldest != nullptr && oldest->is_branch.load(std::memory_order_relaxed);
  }

  /// Any thread; an estimate.
  [[nodiscard]] std::uint32_t size() const noexcept {
    const std::int64_t difference =
        bottom_.load(std::memory_order_relaxed) - top_.load(std::memory_order_relaxed);
    return difference > 0 ? static_cast<std::uint32_t>(difference) : 0;
  }
  /// Owner only: an upper bound of the size from the last known top; never touches thieves' line.
  [[nodiscard]] std::int64_t size_at_most() const noexcept {
    return bottom_.load(std::memory_order_relaxed) - top_seen_;
  }
  /// Owner only: size with a fresh top.
  [[nodiscard]] std::int64_t refresh_size() noexcept {
    top_seen_ = top_.load(std::memory_order_relaxed);
    return bottom_.load(std::memory_order_relaxed) - top_seen_;
  }

  /// Owner only: what is in it is to be left alone until then (in ticks; 0: it is not), since the
  /// owner is about to give it to others itself (series.hpp).
  void hold(std::uint64_t until) noexcept { held_until_.store(until, std::memory_order_relaxed); }
  /// Any thread; a hint.
  [[nodiscard]] std::uint64_t held_until() const noexcept {
    return held_until_.load(std::memory_order_relaxed);
  }

 private:
  static constexpr unsigned depth_shift = 48;
  static constexpr std::uint64_t max_depth = 0xFFFF;

  static std::uint64_t clamped_depth(const Task& task) noexcept {
    return std::min<std::uint64_t>(task.depth.load(std::memory_order_relaxed), max_depth);
  }
  // The depth in the slot refuses most without a look at the descriptor.
  static bool may_take(std::uint64_t packed, const Task& constraint) noexcept {
    // A constraint at or beyond the last countable depth must still let deeper tasks pass.
    const std::uint64_t above = std::min(clamped_depth(constraint), max_depth - 1);
    return (packed >> depth_shift) > above && descends_from(*unpack(packed), constraint);
  }
  static std::uint64_t pack(Task& task) noexcept {
    return reinterpret_cast<std::uintptr_t>(&task) | (clamped_depth(task) << depth_shift);
  }
  static Task* unpack(std::uint64_t packed) noexcept {
    return reinterpret_cast<Task*>(packed & ((std::uint64_t{1} << depth_shift) - 1));
  }
  std::atomic<std::uint64_t>& slot(std::int64_t index) noexcept {
    return slots_[index & (capacity - 1)];
  }

  // Owner writes; thieves read.
  alignas(64) std::atomic<std::int64_t> bottom_{0};
  std::int64_t top_seen_ = 0;  // owner only: a past value of top_, so never more than it
  std::atomic<std::uint64_t> held_until_{0};
  // Thieves (and the owner at the last task) write.
  alignas(64) std::atomic<std::int64_t> top_{0};
  // Owner writes, thieves read. A slot is overwritten only when top has passed it.
  alignas(64) std::atomic<std::uint64_t> slots_[capacity]{};
};

}  // namespace lares::runtime

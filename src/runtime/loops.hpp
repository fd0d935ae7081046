// Worksharing loops of a team: who has which iterations, and who takes them from whom.
//
// Every loop has one word for each worker: the chunks [begin, end) that are that worker's. It takes
// from the front, thieves from the end, each by one compare-and-swap. The invariant: the words of a
// loop, what was taken out of them, and its last chunk are always all of its chunks, each once. A
// word is the whole truth about what may be taken from it, so a word that has come back to an
// earlier value is no trap: its owner has those chunks again. A word of an earlier loop cannot be
// met: a loop's memory is used again only after every thread of the team has gone on to a later
// one, and a thief is a thread that has not.
//
// A loop's last chunk is in no word: whoever has seen all words empty may take it, and takes
// nothing behind it. Compilers write a lastprivate variable back from the thread that ran the last
// iteration when that thread has ended the loop, so no other iteration may follow there.
//
// The loops of a region are a chain: a thread goes from each to the next, however far ahead of the
// others, since a program may let some wait in an earlier loop for iterations of a later one.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "decide/loops.hpp"
#include "runtime/spinlock.hpp"

namespace lares::runtime {

class Team;
struct Worker;

/// One worker's part of a loop. Any worker of the team may take from it, and its owner alone puts
/// something in, when it is empty. All orders are relaxed: what is passed on are numbers; the loop
/// itself is published with the chain's pointer, and what bodies write by the barrier behind it.
class alignas(128) LoopLane {
 public:
  /// By its owner when it is empty, or before the loop is published.
  void put(decide::LoopRange range, bool wide) noexcept;
  [[nodiscard]] std::uint64_t left(bool wide) const noexcept {
    if (wide) return range_of_wide().size();
    return unpack(word_.load(std::memory_order_relaxed)).size();
  }
  /// From the front, by the owner; empty if there is nothing.
  decide::LoopRange take(const decide::LoopShape& shape, bool wide) noexcept {
    if (wide) [[unlikely]]
      return take_wide(shape);
    std::uint64_t word = word_.load(std::memory_order_relaxed);
    for (;;) {
      const decide::LoopRange all = unpack(word);
      if (all.size() == 0) return {};
      const decide::LoopRange taken{all.begin, all.begin + shape.to_take(all.size())};
      if (word_.compare_exchange_weak(word, pack({taken.end, all.end}),
                                      std::memory_order_relaxed)) {
        return taken;
      }
    }
  }
  /// From the end, by anybody: one try; empty if it came to nothing.
  decide::LoopRange steal(bool wide) noexcept;

  void arrive() noexcept { arrived_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool is_late() const noexcept { return !arrived_.load(std::memory_order_relaxed); }
  void clear() noexcept { arrived_.store(false, std::memory_order_relaxed); }

 private:
  static std::uint64_t pack(decide::LoopRange range) noexcept {
    return range.begin | range.end << 32U;
  }
  static decide::LoopRange unpack(std::uint64_t word) noexcept {
    return {word & UINT32_MAX, word >> 32U};
  }
  [[nodiscard]] decide::LoopRange range_of_wide() const noexcept {
    return {begin_.load(std::memory_order_relaxed), end_.load(std::memory_order_relaxed)};
  }
  decide::LoopRange take_wide(const decide::LoopShape& shape) noexcept;

  std::atomic<std::uint64_t> word_{0};  // narrow loops: the end in the upper half
  std::atomic<bool> arrived_{false};    // its owner writes, thieves read: a hint
  // Loops of 2^32 chunks and more, which take minutes: both under the lock, read without it as a
  // hint.
  Spinlock lock_;
  std::atomic<std::uint64_t> begin_{0};
  std::atomic<std::uint64_t> end_{0};
};

/// The values that the program's variable takes: iteration i has first + i * step, in the
/// arithmetic of its type; `bound` is what the program gave as the end.
struct LoopBounds {
  std::uint64_t first = 0;
  std::uint64_t step = 0;
  std::uint64_t bound = 0;
};

/// A loop as a front end asks for it.
struct LoopRequest {
  LoopBounds bounds;
  std::uint64_t iterations = 0;
  std::uint64_t chunk = 1;
  bool guided = false;
  bool left_to_stock = false;  ///< all threads do what the first of them says
};

/// One loop of a region. Its maker writes it before the others see it; then it is constant but for
/// what is atomic.
struct Loop {
  LoopBounds bounds;
  decide::LoopShape shape;
  bool wide = false;
  bool left_to_stock = false;
  LoopLane* lanes = nullptr;  ///< by worker
  Loop* next_free = nullptr;  ///< under the lock of LoopChain
  Loop* next_made = nullptr;  ///< likewise
  /// The region's next loop; nobody's address but `making` while one thread makes it.
  alignas(64) std::atomic<Loop*> next{nullptr};
  std::atomic<bool> last_taken{false};  ///< the last chunk: whoever sets it runs it
  std::atomic<std::uint32_t> gone{0};   ///< threads that have gone on to a later loop
};

/// A team's loops.
struct LoopChain {
  std::atomic<Loop*> first{nullptr};  ///< of the region; any worker writes, the master clears
  Spinlock lock;
  Loop* free = nullptr;  ///< under the lock
  Loop* made = nullptr;  ///< all there are, under the lock
};

/// The worker comes to the next loop of its region. The loop is as its first thread described it.
Loop& enter_loop(Worker& worker, const LoopRequest& request) noexcept;
/// The worker's next iterations of the loop that it entered last; empty if there are no more, which
/// ends the loop for this worker.
decide::LoopRange next_iterations(Worker& worker) noexcept;
/// Called by the master when all have left the region.
void end_loops(Team& team) noexcept;

}  // namespace lares::runtime

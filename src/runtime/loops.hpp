// Worksharing loops of a team: who has which iterations, and who takes them from whom.
//
// Every loop has one word for each worker: the chunks [begin, end) that are that worker's. It takes
// from the front, thieves from the end, each by one compare-and-swap. The invariant: the words of a
// loop, what was taken out of them, and its last chunk are always all of its chunks, each once. A
// word is the whole truth about what may be taken from it, so a word that has come back to an
// earlier value is no trap: its owner has those chunks again.
//
// Nobody makes a loop for the others: all threads describe it alike, so each knows every worker's
// home part and puts its own into its word when it comes. Until then the word bears the stamp of an
// earlier loop, and a thief may put there what it leaves of the late worker's part.
//
// A loop's last chunk is in no word: whoever has nothing better to do (decide::find_loop_victim)
// may take it, and takes nothing behind it. Compilers write a lastprivate variable back from the
// thread that ran the last iteration when that thread has ended the loop, so no other iteration may
// follow there.
//
// The loops of a region are a chain of segments: a thread goes from each loop to the next, however
// far ahead of the others, since a program may let some wait in an earlier loop for iterations of a
// later one. A segment is used again only after every thread of the team has gone on to a later
// one, and a thief is a thread that has not: so it never meets the word of another loop.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "decide/loop_spaces.hpp"
#include "decide/loop_width.hpp"
#include "decide/loops.hpp"
#include "runtime/counters.hpp"
#include "runtime/spinlock.hpp"

namespace lares::runtime {

class Team;
struct Worker;

/// Tells the loop that a lane serves from those that it served before; never 0.
using LoopStamp = std::uint8_t;

/// How a loop uses its lanes: as all of its threads know.
struct LoopKey {
  LoopStamp stamp = 0;
  bool wide = false;  ///< more chunks than a word holds
};

/// One worker's part of a loop. Any worker of the team may take from it, and its owner alone puts
/// something in, when it is empty. All orders are relaxed where none is named: what is passed on
/// are numbers; what bodies write is published by the barrier behind the loop.
class alignas(64) LoopLane {
 public:
  /// Chunks of a loop beyond which it is wide.
  static constexpr std::uint64_t most_in_word = (std::uint64_t{1} << 28U) - 1;

  /// The owner comes with its part, of which thieves may have taken some already.
  void begin(decide::LoopRange part, LoopKey key) noexcept;
  /// From the front, by the owner; empty if there is nothing.
  decide::LoopRange take(const decide::LoopShape& shape, bool wide) noexcept {
    if (wide) [[unlikely]]
      return take_wide(shape);
    std::uint64_t word = word_.load(std::memory_order_relaxed);
    for (;;) {
      const decide::LoopRange all = unpack(word);
      if (all.size() == 0) return {};
      const std::uint64_t taken = shape.to_take(all.size());
      if (word_.compare_exchange_weak(word, word + taken, std::memory_order_relaxed)) {
        return {all.begin, all.begin + taken};
      }
    }
  }
  /// What is left, seen from outside; of a worker that has not come: of its `part`.
  [[nodiscard]] decide::LoopRange look(decide::LoopRange part, LoopKey key) const noexcept;
  /// True if neither the owner nor a thief has begun with the owner's part.
  [[nodiscard]] bool is_untouched(LoopKey key) const noexcept;
  /// True once the owner has.
  [[nodiscard]] bool has_come(LoopKey key) const noexcept {
    return come_.load(std::memory_order_relaxed) == key.stamp;
  }
  /// From the end, by anybody: one try; empty if it came to nothing.
  decide::LoopRange steal(decide::LoopRange part, LoopKey key) noexcept;
  /// By the owner when it is empty.
  void put(decide::LoopRange range, LoopKey key) noexcept;

  /// The loop's last chunk, in the lane of the worker that it is at home with.
  [[nodiscard]] bool last_is_left(LoopKey key) const noexcept {
    return last_.load(std::memory_order_relaxed) != key.stamp;
  }
  bool take_last(LoopKey key) noexcept {
    return last_is_left(key) && last_.exchange(key.stamp, std::memory_order_relaxed) != key.stamp;
  }

  /// Before stamps are used anew.
  void forget() noexcept;

 private:
  static constexpr unsigned bits = 28;
  static std::uint64_t pack(decide::LoopRange range, LoopStamp stamp) noexcept {
    return range.begin | range.end << bits | std::uint64_t{stamp} << (2 * bits);
  }
  static decide::LoopRange unpack(std::uint64_t word) noexcept {
    return {word & most_in_word, (word >> bits) & most_in_word};
  }
  static LoopStamp stamp_of(std::uint64_t word) noexcept {
    return static_cast<LoopStamp>(word >> (2 * bits));
  }
  [[nodiscard]] decide::LoopRange wide_range() const noexcept {
    return {begin_.load(std::memory_order_relaxed), end_.load(std::memory_order_relaxed)};
  }
  void set_wide(decide::LoopRange range, LoopStamp stamp) noexcept;
  decide::LoopRange take_wide(const decide::LoopShape& shape) noexcept;

  std::atomic<std::uint64_t> word_{0};  // narrow loops: begin, end, stamp from the lowest bit
  std::atomic<LoopStamp> last_{0};      // of the loop whose last chunk was taken here
  std::atomic<LoopStamp> come_{0};      // of the loop that the owner came to; the owner writes it
  // Wide loops, which take a minute and more: all under the lock, read without it as a hint.
  Spinlock lock_;
  std::atomic<LoopStamp> wide_stamp_{0};
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

/// A loop as a front end asks for it. Its threads ask alike, but for what is `by_variable`.
struct LoopRequest {
  std::uintptr_t site = 0;  ///< an address of code by which it is known when it comes again, or 0
  LoopBounds bounds;
  std::uint64_t iterations = 0;
  std::uint64_t chunk = 1;
  bool guided = false;
  bool left_to_stock = false;
  /// `chunk`, `guided` and `left_to_stock` come from a variable of the thread's task: all threads
  /// do what the first of them read there.
  bool by_variable = false;
};

/// Some consecutive loops of a region.
struct LoopSegment {
  static constexpr std::uint32_t loops = 16;

  LoopLane* lanes = nullptr;  ///< `loops` for each worker, one worker's together
  LoopStamp stamp = 0;        ///< whoever makes it, before the others see it
  /// What the first thread read from its variable, stamped; any worker.
  std::atomic<std::uint64_t> decided[loops]{};
  LoopSegment* next_free = nullptr;  ///< under the lock of LoopChain
  LoopSegment* next_made = nullptr;  ///< likewise
  std::atomic<LoopSegment*> next{nullptr};
  std::atomic<std::uint32_t> gone{0};  ///< threads that have gone on to a later segment
};

/// On how many of each domain's workers the team's loops run, under `--loops numa,moldable`. The
/// master learns; the others read what it last said of a loop, a hint that needs no order: any
/// number from 1 on is right, since the first worker of each domain takes part in all.
class LoopWidths {
 public:
  /// Any worker.
  [[nodiscard]] std::uint32_t of(const decide::LoopName& name) const noexcept {
    const Row& row = rows_[name.row(bits)];
    if (row.site.load(std::memory_order_relaxed) != name.site) return UINT32_MAX;
    return row.width.load(std::memory_order_relaxed);
  }
  /// The master, when the loop is over for it. `most`: workers of the domain that has most.
  void ran(const decide::LoopName& name, std::uint32_t most, std::uint64_t ticks) noexcept;

 private:
  static constexpr unsigned bits = 4;
  struct Row {
    std::atomic<std::uintptr_t> site{0};
    std::atomic<std::uint32_t> width{UINT32_MAX};
    decide::LoopName name;  // the master's, as is what follows
    decide::LoopWidth search{1};
  };
  std::array<Row, 1U << bits> rows_;
};

/// A team's loops.
struct LoopChain {
  std::atomic<LoopSegment*> first{nullptr};  ///< of the region; any worker, the master clears
  Spinlock lock;
  LoopSegment* free = nullptr;  ///< under the lock
  LoopSegment* made = nullptr;  ///< all there are, under the lock
  LoopWidths widths;
  /// Of earlier regions. The master writes it between regions, and all read it inside of one: so
  /// each thread finds what the others find.
  decide::LoopSpaces spaces;
};

/// Which of a region's loops are timed: the same ones by all of its threads, which come to the same
/// loops. Reading the clock five times is felt by loops of half a microsecond.
class LoopSampling {
 public:
  void restart() noexcept { count_ = 0; }
  /// For how many loops the time of the next one stands; 0: it is not timed.
  std::uint32_t next() noexcept {
    if (++count_ <= first_ones) return 1;
    return count_ % one_in == 0 ? one_in : 0;
  }

 private:
  static constexpr std::uint32_t first_ones = 64;
  static constexpr std::uint32_t one_in = 8;
  std::uint32_t count_ = 0;
};

/// The loop that a worker came to last. No other thread touches it.
struct WorkerLoop {
  LoopSegment* segment = nullptr;  ///< null: it has come to none in this region
  std::uint32_t index = 0;         ///< in the segment
  LoopKey key;
  LoopLane* lane = nullptr;
  LoopBounds bounds;
  decide::LoopShape shape;
  bool left_to_stock = false;
  bool had_last = false;    ///< it took the last chunk: the loop is over for it
  bool abstains = false;    ///< it leaves its part to the others of its domain (LoopWidth)
  bool is_over = false;     ///< for this worker
  std::uint64_t taken = 0;  ///< iterations not counted yet, of this kind:
  Locality locality = Locality::local;
  LoopSampling sampling;
  std::uint32_t weight = 0;  ///< for how many loops its time stands; 0: nobody asks for it
  std::uint64_t since = 0;   ///< ticks when the worker came, if timed
  decide::LoopName name;
  decide::LoopSpaces spaces;  ///< of this region's loops; with `segment` null: not cleared yet

  [[nodiscard]] LoopLane& lane_of(WorkerId worker) const noexcept {
    return segment->lanes[worker.index() * LoopSegment::loops + index];
  }
};

/// The worker comes to the next loop of its region.
const WorkerLoop& enter_loop(Worker& worker, const LoopRequest& request) noexcept;
/// The worker's next iterations of the loop that it entered last; empty if there are no more, which
/// ends the loop for this worker.
decide::LoopRange next_iterations(Worker& worker) noexcept;
/// Called by the master when all have left the region.
void end_loops(Team& team) noexcept;

}  // namespace lares::runtime

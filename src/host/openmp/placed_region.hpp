// A parallel region that has made no tasks so far and is known to have several threads, under a
// bubble scheduler: its threads run where that wants them. All else is the stock runtime's.
#pragma once

#include <atomic>
#include <cstddef>

#include "host/openmp/binding.hpp"
#include "host/openmp/bubbles.hpp"
#include "host/openmp/next_team.hpp"
#include "host/openmp/stock.hpp"
#include "runtime/engine.hpp"

namespace lares::omp {

/// Whether a region without tasks may be one. Where threads share a core, our barriers are the
/// better ones; and libgomp's spin for nothing then, with the few rounds that it is told.
inline bool is_placed_only(Stock& stock, const runtime::RegionHint& hint) noexcept {
  // Who watches what stable work touches hears of it from teams of the engine.
  if (next_team_waits() || g_binds_by_data || runtime::Engine::is_stable_work_awaited())
    return false;
  if (!hint.has_barriers.load(std::memory_order_relaxed)) return true;
  return stock.is_libomp() && !bubbles::g_crowded.load(std::memory_order_relaxed);
}

/// Lives on the master's stack from before the stock runtime starts its threads until they have
/// joined. The master, too, is outside of any team of the engine meanwhile: see LeftToStock.
class PlacedRegion {
 public:
  /// `body`: what it runs, for whoever has its seating.
  PlacedRegion(Stock& stock, runtime::RegionHint& hint, void* body = nullptr) noexcept;
  PlacedRegion(const PlacedRegion&) = delete;
  PlacedRegion& operator=(const PlacedRegion&) = delete;

  /// A thread's part of it: from before the program's code to behind it.
  class Part {
   public:
    /// `number`: the thread's in its team.
    Part(const Seating& seating, std::size_t number) noexcept;
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;
    ~Part();

   private:
    // Both read once: a region of one thread has the seating of those within it.
    PlacedRegion* region_;
    Stock* stock_;
    PlacedRegion* outer_;
    std::size_t number_;
    bool as_member_;  ///< it goes by the seating alone
  };

  [[nodiscard]] Seating& seating() const noexcept { return *seating_; }

  [[nodiscard]] runtime::RegionHint& hint() const noexcept { return hint_; }

 private:
  void enter(std::size_t number, std::size_t size) noexcept;
  void choose(std::size_t size) noexcept;
  static bool needs_to_meet(Stock& stock) noexcept;
  /// True if all threads have come soon; of one region all of them are told the same.
  bool meet() noexcept;

  runtime::RegionHint& hint_;
  TeamBinding binding_;
  Seating own_seating_;  ///< where the master remembers none
  Seating* seating_;     ///< constant
  /// The size of the team that `binding_` is for, or 0. Of one value all threads of the region see
  /// the same; who has read its team's size may go on.
  std::atomic<std::size_t> placed_;
  std::atomic<bool> choosing_{false};  ///< the first thread takes it, if `placed_` is another size
  /// Threads that have done their part, and `late` if one has waited for too long. Invariant: that
  /// is set while not all have come, or never.
  std::atomic<std::size_t> arrived_{0};
  static constexpr std::size_t late = std::size_t{1} << 63U;
};

/// The innermost one that the calling thread is in. Only that thread touches it.
__attribute__((tls_model(
    "initial-exec"))) inline constinit thread_local PlacedRegion* t_placed_region = nullptr;

/// While it lives, the calling thread, which is no worker, waits at a barrier of the stock runtime,
/// unless it is said that this is none.
class AtStockBarrier {
 public:
  explicit AtStockBarrier(bool is_barrier = true) noexcept
      : waits_(is_barrier && t_placed_region != nullptr) {
    if (is_barrier && t_placed_region != nullptr) [[unlikely]]
      note_barrier(t_placed_region->hint());
  }

 private:
  bubbles::AtBarrier waits_;
};

}  // namespace lares::omp

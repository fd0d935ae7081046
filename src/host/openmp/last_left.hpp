// What a thread remembers of the region that it left to the stock runtime last, so that the same
// one costs a few instructions when it comes again.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

#include "host/openmp/bubbles.hpp"
#include "host/openmp/placement.hpp"
#include "host/openmp/stock.hpp"
#include "runtime/engine.hpp"
#include "runtime/team.hpp"

namespace lares::omp {

/// Whether somebody wants to hear of each region's start.
inline bool is_start_listened_to() noexcept {
  return g_repair_looks.load(std::memory_order_relaxed) > 0 ||
         runtime::Engine::is_stable_work_awaited();
}

/// Only its own thread touches it. What was found out of the region holds until there are region
/// news; with a bubble scheduler it is asked now and then how many threads it has, since each time
/// would cost too much.
class LastLeft {
 public:
  /// Nothing is remembered while somebody listens to the start of regions.
  void note(const void* code, Stock& stock) noexcept {
    code_ = is_start_listened_to() ? nullptr : code;
    stock_ = &stock;
    news_ = runtime::g_region_news.load(std::memory_order_relaxed);
    times_ = bubbles::on() ? 48 : std::numeric_limits<std::int32_t>::max();
  }
  /// The runtime that the region goes to, if it is this one and is left to it again. Counts.
  Stock* again(const void* code) noexcept {
    if (code != code_ || times_ <= 0 ||
        news_ != runtime::g_region_news.load(std::memory_order_relaxed)) {
      return nullptr;
    }
    --times_;
    return stock_;
  }
  /// The runtime that the last region went to.
  [[nodiscard]] Stock& stock() const noexcept { return *stock_; }

 private:
  const void* code_ = nullptr;
  Stock* stock_ = nullptr;
  std::uint32_t news_ = 0;
  std::int32_t times_ = 0;
};

}  // namespace lares::omp

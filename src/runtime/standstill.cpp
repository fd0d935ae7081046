#include "runtime/standstill.hpp"

#include <cstdint>

#include "base/clock.hpp"
#include "base/disorder.hpp"
#include "base/tick_rate.hpp"

namespace lares::runtime {

namespace {

// Longer than most tasks, since a policy is followed to the letter while anything goes on; shorter
// than people wait before they believe that a program hangs.
std::uint64_t longest_standstill() noexcept {
  const auto us = disorder::limit(disorder::Limit::standstill_us, std::uint64_t{2'000'000});
  return us * ticks_per_microsecond();
}

bool looks_for_tasks(const Worker& worker) noexcept {
  const std::uint32_t waits = worker.waits_for.load(std::memory_order_relaxed) & ~wait_asleep;
  return waits == static_cast<std::uint32_t>(Wait::barrier) ||
         waits == static_cast<std::uint32_t>(Wait::region_end);
}

bool stands_still(Worker& worker, std::uint64_t now) noexcept {
  if (looks_for_tasks(worker)) return false;
  // relaxed: any older count only makes this worker seem alive once more.
  const std::uint64_t signs = worker.created.load(std::memory_order_relaxed) +
                              worker.finished.load(std::memory_order_relaxed) +
                              worker.found.load(std::memory_order_relaxed);
  // acquire: the time is that of these signs, or a later one.
  const bool seen = worker.seen_signs.load(std::memory_order_acquire) == signs;
  const std::uint64_t since = worker.seen_since.load(std::memory_order_relaxed);
  if (!seen || since == 0) {
    worker.seen_since.store(now, std::memory_order_relaxed);
    worker.seen_signs.store(signs, std::memory_order_release);
    return false;
  }
  return now > since && now - since >= longest_standstill();
}

}  // namespace

bool is_left_alone(const Team& team, PlaceId place) noexcept {
  if (disorder::is_directed()) return false;  // each look at its clock moves it
  const policy::Place& there = (*team.places)[place];
  const std::uint64_t now = ticks();
  if (there.worker.valid()) return stands_still(*team.workers[there.worker.index()], now);
  if (!there.domain.valid()) return false;  // the root's place: all look there
  bool all = true;
  for (const WorkerId worker : team.places->workers_in(there.domain)) {
    all = stands_still(*team.workers[worker.index()], now) && all;  // each one's time must begin
  }
  return all;
}

}  // namespace lares::runtime

#include "memory/next_touch/emptying.hpp"

#include <time.h>

#include <algorithm>

#include "memory/pointer.hpp"
#include "memory/residency.hpp"

namespace lares::memory {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;  // the gate and the table's lock order all

/// Processor time, not time: a process that is stopped, or frozen, gets no older.
std::int64_t process_nanoseconds() noexcept {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

constexpr std::int64_t patience = 10'000'000'000;

}  // namespace

void Emptying::note(std::uintptr_t begin, std::uintptr_t end) noexcept {
  PageSpan run{begin, begin};
  for_each_page(calls_, begin, end, page_, [&](std::uintptr_t at, bool there) {
    if (there) {
      run.end = at + page_;
      return;
    }
    if (!run.empty()) add(run.begin, run.end);
    run = {at + page_, at + page_};
  });
  if (!run.empty()) add(run.begin, run.end);
}

void Emptying::add(std::uintptr_t begin, std::uintptr_t end) noexcept {
  std::size_t free = 0;
  while (free + 1 < slots && slots_[free].end.load(relaxed) != 0) ++free;
  Slot& slot = slots_[free];
  if (slot.end.load(relaxed) != 0) {
    begin = std::min(begin, slot.begin.load(relaxed));
    end = std::max(end, slot.end.load(relaxed));
  }
  slot.begin.store(begin, relaxed);
  slot.since.store(process_nanoseconds(), relaxed);
  slot.end.store(end, relaxed);
  noted_.store(std::max(noted_.load(relaxed), free + 1), relaxed);
}

void Emptying::filled(std::uintptr_t begin, std::uintptr_t end) noexcept {
  const std::size_t noted = noted_.load(relaxed);
  // What did not fit has holes in it, so of that a filled page says nothing.
  for (std::size_t i = 0; i < std::min(noted, slots - 1); ++i) {
    Slot& slot = slots_[i];
    if (slot.begin.load(relaxed) < end && begin < slot.end.load(relaxed))
      slot.end.store(0, relaxed);
  }
}

PageSpan Emptying::first_in(std::uintptr_t begin, std::uintptr_t end) noexcept {
  PageSpan first{end, end};
  const std::size_t noted = noted_.load(relaxed);
  std::size_t taken = 0;
  for (std::size_t i = 0; i < noted; ++i) {
    Slot& slot = slots_[i];
    const PageSpan range{slot.begin.load(relaxed), slot.end.load(relaxed)};
    if (range.end == 0) continue;
    if (is_over(slot) ||
        (i + 1 < slots && has_absent_page(calls_, range.begin, range.end, page_))) {
      slot.end.store(0, relaxed);
      continue;
    }
    taken = i + 1;
    const PageSpan part{std::max(begin, range.begin), std::min(end, range.end)};
    if (!part.empty() && part.begin < first.begin) first = part;
  }
  noted_.store(taken, relaxed);
  return first;
}

bool Emptying::is_over(const Slot& slot) const noexcept {
  return process_nanoseconds() - slot.since.load(relaxed) > patience;
}

void Emptying::clear() noexcept {
  for (Slot& slot : slots_) slot.end.store(0, relaxed);
  noted_.store(0, relaxed);
}

}  // namespace lares::memory

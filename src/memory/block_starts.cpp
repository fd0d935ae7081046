#include "memory/block_starts.hpp"

#include <algorithm>

#include "memory/word.hpp"

namespace lares::memory {

void BlockStarts::note(std::uintptr_t address) noexcept {
  auto& seen = seen_[slot_of(address, seen_slots - 1).index];
  // relaxed: the slot is a filter, nothing is read on its strength.
  if (address == 0 || seen.load(std::memory_order_relaxed) == address) return;
  const TryLock::Guard lock(lock_);
  if (!lock) return;
  seen.store(address, std::memory_order_relaxed);
  waiting_[waiting_count_++] = address;
  // A merge copies all starts: waiting for an eighth as many keeps the copies per start constant.
  const std::size_t enough = std::clamp<std::size_t>(starts_.current().size() / 8, 4, most_waiting);
  if (waiting_count_ >= enough) merge();
}

void BlockStarts::merge() noexcept {
  const auto first = waiting_.begin();
  auto last = first + static_cast<std::ptrdiff_t>(waiting_count_);
  std::sort(first, last);
  last = std::unique(first, last);
  const auto old = starts_.current();
  starts_.begin();
  auto fresh = first;
  for (std::size_t i = 0; i < old.size(); ++i) {
    const std::uint64_t known = old.word(i, 0);
    for (; fresh != last && *fresh < known; ++fresh) starts_.append(*fresh);
    if (fresh != last && *fresh == known) ++fresh;
    starts_.append(known);
  }
  for (; fresh != last; ++fresh) starts_.append(*fresh);
  starts_.publish();
  waiting_count_ = 0;
}

Bytes BlockStarts::length(std::uintptr_t address, std::uintptr_t begin,
                          std::uintptr_t end) const noexcept {
  if (address < begin || address >= end) return {};
  std::uint64_t length = 0;
  const bool read = starts_.read([&](const Published<1>::Rows& rows) {
    length = 0;
    const std::size_t after = rows.upper_bound(address);
    const std::uint64_t next = after < rows.size() ? rows.word(after, 0) : end;
    if (next < end) {
      length = next - address;
      return;
    }
    std::size_t before = after;
    if (before > 0 && rows.word(before - 1, 0) == address) --before;
    const std::uint64_t previous = before > 0 ? rows.word(before - 1, 0) : 0;
    if (previous >= begin && previous < address)
      length = std::min(address - previous, end - address);
  });
  return {read ? length : 0};
}

}  // namespace lares::memory

#include "memory/extent.hpp"

#include <algorithm>

namespace lares::memory {

Extent Extents::around(std::uintptr_t address) noexcept {
  if (const Extent known = look_up(address); known.known()) return known;
  if (!may_read()) return {};
  {
    const TryLock::Guard lock(lock_);
    if (!lock) return {};
    read_list();
  }
  const Extent found = look_up(address);
  // An address that is in no mapping must not make every call read the list.
  const std::uint32_t patience = patience_.load(std::memory_order_relaxed);
  patience_.store(found.known() ? 1 : std::min(patience * 2, most_patience),
                  std::memory_order_relaxed);  // relaxed, also above: a lost update is harmless
  return found;
}

Bytes Extents::length_of(std::uintptr_t address) noexcept {
  starts_.note(address);
  const Extent extent = around(address);
  return extent.known() ? starts_.length(address, extent.begin, extent.end) : Bytes{};
}

policy::Block Extents::block_of(std::uintptr_t address, Bytes length) noexcept {
  const Bytes block = length.count == 0 ? length_of(address) : length;
  if (block.count == 0) return {};
  const Extent extent = around(address);
  if (!extent.known()) return {};
  const std::uint64_t whole = extent.length().count / block.count;
  const std::uint64_t rest = extent.length().count % block.count == 0 ? 0 : 1;
  return {(address - extent.begin) / block.count, whole + rest};
}

void Extents::refresh() noexcept {
  const TryLock::Guard lock(lock_);
  if (!lock) return;  // another thread reads it anew at this moment
  mappings_.begin();
  mappings_.publish();
  patience_.store(1, std::memory_order_relaxed);
}

Extent Extents::look_up(std::uintptr_t address) const noexcept {
  Extent result;
  const bool read = mappings_.read([&](const Published<2>::Rows& rows) {
    result = Extent{};
    const std::size_t after = rows.upper_bound(address);
    if (after == 0 || rows.word(after - 1, 1) <= address) return;
    result = {rows.word(after - 1, 0), rows.word(after - 1, 1)};
  });
  return read ? result : Extent{};
}

bool Extents::may_read() noexcept {
  // relaxed: the numbers only space out the reads of the list.
  const std::uint32_t misses = misses_.fetch_add(1, std::memory_order_relaxed) + 1;
  if (misses < patience_.load(std::memory_order_relaxed)) return false;
  misses_.store(0, std::memory_order_relaxed);
  return true;
}

void Extents::read_list() noexcept {
  const int descriptor = source_.open();
  if (descriptor < 0) return;
  mappings_.begin();
  MapsParser parser;
  for (;;) {
    const long got = source_.read(descriptor, buffer_);
    if (got <= 0) break;
    for (const char c : std::span(buffer_).first(static_cast<std::size_t>(got))) {
      if (parser.feed(c)) take(parser.mapping());
    }
  }
  source_.close(descriptor);
  mappings_.publish();
}

void Extents::take(const Mapping& mapping) noexcept {
  // The kernel lists mappings in address order. Those that do not fit are not known.
  if (mapping.data) mappings_.append(mapping.begin, mapping.end);
}

}  // namespace lares::memory

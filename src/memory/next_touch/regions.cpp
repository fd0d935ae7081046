#include "memory/next_touch/regions.hpp"

#include <algorithm>
#include <array>
#include <new>

namespace lares::memory {
namespace {

std::size_t chunk_bytes(std::uint32_t count) noexcept {
  return count * sizeof(std::atomic<std::uint32_t>);
}

}  // namespace

Regions::Regions(const SystemCalls& calls) noexcept
    : calls_(calls),
      memory_(capacity * sizeof(Region)),
      slots_(static_cast<Region*>(memory_.data())),
      table_(capacity) {}

Region* Regions::find(std::uintptr_t address) const noexcept {
  Region* result = nullptr;
  bool read = false;
  while (!read) {  // overtaken only while areas are marked at the same moment, so it ends
    read = table_.read([&](const Published<3>::Rows& rows) {
      result = nullptr;
      const std::size_t after = rows.upper_bound(address);
      if (after == 0 || rows.word(after - 1, 1) <= address) return;
      result = slots_ + rows.word(after - 1, 2);
    });
  }
  return result;
}

Region* Regions::add(std::uintptr_t begin, std::uintptr_t end, std::uint64_t chunk, Way way,
                     Purpose purpose) noexcept {
  if (slots_ == nullptr || table_.capacity() == 0) return nullptr;
  std::size_t slot = 0;
  while (slot < used_ && slots_[slot].state.load(std::memory_order_relaxed) != Region::empty)
    ++slot;
  const std::uint64_t count = (end - begin + chunk - 1) / chunk;
  if (slot == capacity || count > UINT32_MAX) return nullptr;
  const long chunks = calls_.map(chunk_bytes(static_cast<std::uint32_t>(count)));
  if (chunks < 0) return nullptr;
  if (slot == used_) new (slots_ + used_++) Region;
  Region& region = slots_[slot];
  region.begin = begin;
  region.end = end;
  region.alias = 0;
  region.chunk = chunk;
  region.count = static_cast<std::uint32_t>(count);
  region.way = way;
  region.purpose = purpose;
  region.chunks = reinterpret_cast<std::atomic<std::uint32_t>*>(chunks);
  region.waiting.store(region.count, std::memory_order_relaxed);  // relaxed: published below
  region.state.store(Region::marking, std::memory_order_release);
  publish();
  return &region;
}

void Regions::retire(Region& region) noexcept {
  region.state.store(Region::retired, std::memory_order_relaxed);  // relaxed: lock's holder reads
  publish();
}

void Regions::recycle() noexcept {
  // seq_cst: comes after the table without the retired regions, see Visit.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (visitors_.load(std::memory_order_seq_cst) != 0) return;
  for (std::size_t i = 0; i < used_; ++i) {
    if (slots_[i].state.load(std::memory_order_relaxed) == Region::retired) free_chunks(slots_[i]);
  }
}

void Regions::clear() noexcept {
  for (std::size_t i = 0; i < used_; ++i) {
    if (slots_[i].state.load(std::memory_order_relaxed) != Region::empty) free_chunks(slots_[i]);
  }
  visitors_.store(0, std::memory_order_relaxed);  // relaxed: the child has one thread
  publish();
}

void Regions::free_chunks(Region& region) noexcept {
  calls_.unmap(region.chunks, chunk_bytes(region.count));
  region.chunks = nullptr;
  region.state.store(Region::empty, std::memory_order_relaxed);
}

void Regions::publish() noexcept {
  std::array<std::uint16_t, capacity> order;
  std::size_t count = 0;
  for (std::size_t i = 0; i < used_; ++i) {
    const std::uint32_t state = slots_[i].state.load(std::memory_order_relaxed);
    if (state != Region::empty && state != Region::retired) {
      order[count++] = static_cast<std::uint16_t>(i);
    }
  }
  const auto end = order.begin() + static_cast<std::ptrdiff_t>(count);
  std::sort(order.begin(), end,
            [this](std::uint16_t a, std::uint16_t b) { return slots_[a].begin < slots_[b].begin; });
  table_.begin();
  for (auto slot = order.begin(); slot != end; ++slot) {
    table_.append(std::uint64_t{slots_[*slot].begin}, std::uint64_t{slots_[*slot].end},
                  std::uint64_t{*slot});
  }
  table_.publish();
  version_.fetch_add(1, std::memory_order_release);  // release: the table first
}

}  // namespace lares::memory

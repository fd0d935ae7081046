#include "memory/next_touch/regions.hpp"

#include <algorithm>
#include <array>
#include <new>

#include "memory/far.hpp"

namespace lares::memory {
namespace {

/// Slots that markers leave for the parts of what the program moves and unmaps.
constexpr std::size_t for_parts = Regions::capacity / 4;

std::size_t chunk_bytes(std::uint32_t count) noexcept {
  return count * sizeof(std::atomic<std::uint32_t>);
}

long map_chunks(const SystemCalls& calls, std::uint32_t count) noexcept {
  const std::size_t bytes = chunk_bytes(count);
  return calls.map_at(far_place(bytes), bytes);
}

/// What is known of the chunks of `whole` that overlap [from, until).
std::uint32_t word_for(const Region& whole, std::uintptr_t from, std::uintptr_t until) noexcept {
  std::uint32_t word = Chunk::aside;
  for (std::uint32_t i = whole.index_of(from); i <= whole.index_of(until - 1); ++i) {
    word = whole.chunks[i].load(std::memory_order_acquire);  // acquire: settled pages are there
    if (Chunk::state(word) != Chunk::settled) return Chunk::aside;
  }
  return word;
}

}  // namespace

Regions::Regions(const SystemCalls& calls) noexcept
    : calls_(calls),
      memory_(capacity * sizeof(Region)),
      slots_(static_cast<Region*>(memory_.data())),
      table_(capacity) {}

Region* Regions::search(std::uintptr_t address, bool or_above) const noexcept {
  Region* result = nullptr;
  bool read = false;
  while (!read) {  // overtaken only while areas are marked at the same moment, so it ends
    read = table_.read([&](const Published<3>::Rows& rows) {
      result = nullptr;
      std::size_t row = rows.upper_bound(address);
      const bool holds = row > 0 && rows.word(row - 1, 1) > address;
      if (holds) --row;
      if ((holds || or_above) && row < rows.size()) result = slots_ + rows.word(row, 2);
    });
  }
  return result;
}

/// The slot is found, then used, then found again: if recycle() did not see the user, that one sees
/// the table without the retired region. A slot's own memory is never given back, so that a user
/// too many does no harm.
Regions::Found Regions::use(std::uintptr_t address, bool or_above) noexcept {
  for (;;) {
    Region* const region = search(address, or_above);
    if (region == nullptr) return {};
    // seq_cst: one of this and recycle() comes first.
    region->users.fetch_add(1, std::memory_order_seq_cst);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (search(address, or_above) == region) return Found(region);
    region->users.fetch_sub(1, std::memory_order_relaxed);  // relaxed: nothing was read
  }
}

Regions::Found Regions::find(std::uintptr_t address) noexcept { return use(address, false); }
Regions::Found Regions::next(std::uintptr_t address) noexcept { return use(address, true); }

bool Regions::may_hold(std::uintptr_t address) const noexcept {
  // relaxed: an area that is marked at this moment is told by version().
  return lowest_.load(std::memory_order_relaxed) <= address &&
         address < highest_.load(std::memory_order_relaxed);
}

/// Slots from `most` on are not used. Without memory for its chunks, the region is one chunk if it
/// is to be made in any case.
Region* Regions::take_slot(const Wanted& wanted, std::size_t most, bool always) noexcept {
  if (slots_ == nullptr || table_.capacity() == 0) return nullptr;
  std::size_t slot = 0;
  while (slot < used_ && slots_[slot].state.load(std::memory_order_relaxed) != Region::empty) {
    ++slot;
  }
  const std::uint64_t count = (wanted.end - wanted.begin + wanted.chunk - 1) / wanted.chunk;
  if (slot >= most || count > UINT32_MAX) return nullptr;
  const long chunks = map_chunks(calls_, static_cast<std::uint32_t>(count));
  const bool coarse = chunks < 0 && chunks > -4096;
  if (coarse && !always) return nullptr;
  if (slot == used_) new (slots_ + used_++) Region;
  Region& region = slots_[slot];
  region.begin = wanted.begin;
  region.end = wanted.end;
  region.alias = wanted.alias;
  region.chunk = coarse ? wanted.end - wanted.begin : wanted.chunk;
  region.count = coarse ? 1 : static_cast<std::uint32_t>(count);
  region.way = wanted.way;
  region.purpose = wanted.purpose;
  region.putting = wanted.putting;
  region.chunks =
      coarse ? &region.only_chunk : reinterpret_cast<std::atomic<std::uint32_t>*>(chunks);
  // relaxed, all of them: published with the table.
  constexpr auto relaxed = std::memory_order_relaxed;
  region.only_chunk.store(Chunk::aside, relaxed);
  region.waiting.store(region.count, relaxed);
  region.disturbed.store(false, relaxed);
  region.alias_watched.store(wanted.alias != 0, relaxed);
  region.keeps_alias.store(false, relaxed);
  lowest_.store(std::min(lowest_.load(relaxed), region.begin), relaxed);
  highest_.store(std::max(highest_.load(relaxed), region.end), relaxed);
  return &region;
}

Regions::Found Regions::add(const Wanted& wanted) noexcept {
  Region* const region = take_slot(wanted, capacity - for_parts, false);
  if (region == nullptr) return {};
  region->users.fetch_add(1, std::memory_order_relaxed);  // relaxed: published with the state
  region->state.store(Region::marking, std::memory_order_release);  // release: all of the above
  publish();
  return Found(region);
}

Region* Regions::part_of(const Region& whole, std::uintptr_t from, std::uintptr_t until,
                         std::uintptr_t now_at) noexcept {
  Region* const part = take_slot({now_at, now_at + (until - from), whole.chunk, whole.way,
                                  whole.purpose, whole.putting, whole.aside(from)},
                                 capacity, true);
  if (part == nullptr) return nullptr;
  constexpr auto relaxed = std::memory_order_relaxed;  // published with the table
  part->alias_watched.store(whole.alias_watched.load(relaxed), relaxed);
  part->keeps_alias.store(whole.keeps_alias.load(relaxed), relaxed);
  std::uint32_t waiting = 0;
  for (std::uint32_t i = 0; i < part->count; ++i) {
    const std::uint32_t word = word_for(whole, from + (part->chunk_begin(i) - now_at),
                                        from + (part->chunk_end(i) - now_at));
    part->chunks[i].store(word, relaxed);
    waiting += Chunk::state(word) == Chunk::settled ? 0 : 1;
  }
  part->waiting.store(waiting, relaxed);
  part->state.store(Region::live, std::memory_order_release);  // release: all of the above
  return part;
}

void Regions::retire(Region& region) noexcept {
  // release: whoever sees it finds what is in its place after it.
  region.state.store(Region::retired, std::memory_order_release);
  publish();
}

void Regions::recycle() noexcept {
  // seq_cst: comes after the table without the retired regions, see use().
  std::atomic_thread_fence(std::memory_order_seq_cst);
  for (std::size_t i = 0; i < used_; ++i) {
    const bool retired = slots_[i].state.load(std::memory_order_relaxed) == Region::retired;
    // seq_cst: as above; also acquire, for what users have read.
    if (retired && slots_[i].users.load(std::memory_order_seq_cst) == 0) free_chunks(slots_[i]);
  }
}

void Regions::clear() noexcept {
  for (std::size_t i = 0; i < used_; ++i) {
    slots_[i].users.store(0, std::memory_order_relaxed);  // relaxed: the child has one thread
    if (slots_[i].state.load(std::memory_order_relaxed) != Region::empty) free_chunks(slots_[i]);
  }
  publish();
}

void Regions::free_chunks(Region& region) noexcept {
  if (region.chunks != &region.only_chunk) calls_.unmap(region.chunks, chunk_bytes(region.count));
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

#include "memory/last_touch.hpp"

#include <algorithm>

namespace lares::memory {
namespace {

// A word of the table: the last use of one range. A zero word is an empty slot.
// DomainField (bits 0-11)           of the worker
using CoreField = Field<12, 16>;       // of the worker; all ones: not known
using WrittenField = Field<28, 1>;     // whether it wrote
using ValidField = Field<29, 1>;       // 0: empty slot
using GenerationField = Field<32, 6>;  // of its area when it was recorded
// TagField (bits 38-63)             which range it is about
static_assert(GenerationField::max == Generations::max);

// Everything that says which range a word is about, and that it still holds.
constexpr std::uint64_t identity = TagField::put(0, TagField::max) |
                                   GenerationField::put(0, GenerationField::max) |
                                   ValidField::put(0, 1);

std::uint64_t core_field(CoreId core) noexcept {
  const bool fits = core.valid() && core.index() < CoreField::max;
  return fits ? static_cast<std::uint64_t>(core.value()) : CoreField::max;
}

CoreId core_of(std::uint64_t word) noexcept {
  const std::uint64_t value = CoreField::get(word);
  return value == CoreField::max ? CoreId{} : CoreId{static_cast<CoreId::Rep>(value)};
}

std::uint64_t identity_of(std::uint64_t tag, std::uint64_t generation) noexcept {
  return TagField::put(GenerationField::put(ValidField::put(0, 1), generation), tag);
}

}  // namespace

LastTouch::LastTouch(unsigned table_bits) noexcept
    : mask_((std::size_t{1} << std::clamp(table_bits, 4U, 24U)) - 1),
      memory_((mask_ + 1) * sizeof(Word)),
      table_(static_cast<Word*>(memory_.data())) {}

void LastTouch::record(std::uintptr_t address, const Touch& touch) noexcept {
  if (table_ == nullptr) return;
  const Slot slot = slot_of(address, mask_);
  const std::uint64_t self = identity_of(slot.tag, generations_.of(address));
  std::uint64_t next = DomainField::put(self, to_field(touch.domain));
  next = CoreField::put(next, core_field(touch.core));
  next = WrittenField::put(next, touch.written ? 1 : 0);
  Word& word = table_[slot.index];
  // relaxed, in all accesses to the table: a word is a whole fact by itself.
  const std::uint64_t old = word.load(std::memory_order_relaxed);
  // Data that many read and nobody writes keeps its cache line shared: no store without news.
  if (old == next) return;
  if (!touch.written && (old & identity) == self && WrittenField::get(old) != 0) return;
  if (old == 0) memory_.populate();
  word.store(next, std::memory_order_relaxed);
}

/// The word about `address`, or an empty one.
inline std::uint64_t LastTouch::word_of(std::uintptr_t address) const noexcept {
  if (table_ == nullptr) return 0;
  const Slot slot = slot_of(address, mask_);
  const std::uint64_t word = table_[slot.index].load(std::memory_order_relaxed);
  if (word == 0) memory_.populate();
  return (word & identity) == identity_of(slot.tag, generations_.of(address)) ? word : 0;
}

Touch LastTouch::find(std::uintptr_t address) const noexcept {
  const std::uint64_t word = word_of(address);
  if (word == 0) return {};
  return {domain_of(word), core_of(word), WrittenField::get(word) != 0};
}

void LastTouch::forget(std::uintptr_t address, Bytes length) noexcept {
  if (table_ == nullptr) return;
  const Slot slot = slot_of(address, mask_);
  Word& word = table_[slot.index];
  if (TagField::get(word.load(std::memory_order_relaxed)) == slot.tag) {
    word.store(0, std::memory_order_relaxed);
  }
  generations_.bump_inside(address, length);
}

}  // namespace lares::memory

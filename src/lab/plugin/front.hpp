// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
// What a vCPU's accesses pass before they reach the cache model: two small memories that answer
// most of them at little cost, without changing what is counted.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "lab/plugin/address_map.hpp"
#include "lab/plugin/cache_model.hpp"
#include "lab/plugin/directory.hpp"
#include "lab/plugin/line.hpp"
#include "lab/plugin/turns.hpp"

namespace lares::lab::counting {

/// One vCPU's front.
///
/// The line filter remembers the last line that was used at each of the 64 places of a page. Such a
/// line is the most recent one of its set in every cache (the number of sets is a multiple of 64),
/// so using it again does not change the caches' order; and whether the vCPU still holds it, and
/// may write it, is asked of the directory each time. So the filter's answer is the model's.
///
/// The page memory, like a processor's, keeps where virtual pages are. The guest's kernel changes a
/// mapping that this vCPU may have used only after it has run on this vCPU; so it is enough to
/// forget everything whenever the vCPU returns to a program (forget()).
///
/// Thread safety: one thread at a time.
class Front {
 public:
  /// `model` and `map` must outlive it.
  Front(CacheModel& model, const AddressMap& map, Vcpu vcpu)
      : model_(&model), map_(&map), vcpu_(vcpu), copy_(Directory::copy_of(vcpu)) {
    forget();
  }

  /// True if the access, within one line, changes nothing and may be left out. `is_store()` answers
  /// whether it is a store, and is asked only if that matters.
  template <class IsStore>
  [[nodiscard]] bool is_settled(std::uint64_t address, IsStore is_store) const noexcept {
    const std::uint64_t tag = address / line_bytes;
    const Remembered& last = lines_[tag % lines_.size()];
    if (last.tag != tag) return false;
    const std::uint64_t word = Directory::peek(last.word);
    if ((word & copy_.writable) == copy_.writable) return true;
    return (word & copy_.held) != 0 && !is_store();
  }

  /// An access within one line. `is_store()` answers whether it is a store; `locate()` answers the
  /// address for AddressMap, or AddressMap's "nowhere" (UINT64_MAX). Each is asked only if needed.
  template <class IsStore, class Locate>
  void access(std::uint64_t address, IsStore is_store, Locate locate) noexcept {
    if (!is_settled(address, is_store)) pass_on(address, is_store(), locate);
  }

  /// The vCPU's own.
  [[nodiscard]] Turn& turn() noexcept { return turn_; }

  /// The vCPU is about to run a program again.
  void forget() noexcept {
    for (Remembered& line : lines_) line.tag = nothing;
    for (Page& page : pages_) page.tag = nothing;
  }

  /// Accesses to what is no node's memory: devices, ROM.
  [[nodiscard]] std::uint64_t elsewhere() const noexcept {
    return elsewhere_.load(std::memory_order_relaxed);
  }

 private:
  struct Remembered {
    std::uint64_t tag;
    std::uint64_t* word;
  };
  struct Page {
    std::uint64_t tag;
    Line first;
  };
  static constexpr std::uint64_t nothing = UINT64_MAX;

  template <class Locate>
  void pass_on(std::uint64_t address, bool store, Locate& locate) noexcept {
    const std::uint64_t number = address / page_bytes;
    Page& page = pages_[number % pages_.size()];
    if (page.tag != number) {
      const Line line = map_->line_of(locate());
      if (line == no_line) {
        elsewhere_.store(elsewhere() + 1, std::memory_order_relaxed);
        return;
      }
      page = {number, static_cast<Line>(line / lines_per_page * lines_per_page)};
    }
    const Line line = page.first + static_cast<Line>(address % page_bytes / line_bytes);
    model_->access(vcpu_, line, store);
    const std::uint64_t tag = address / line_bytes;
    lines_[tag % lines_.size()] = {tag, model_->directory().word(line, copy_.word)};
  }

  Turn turn_;
  CacheModel* model_;
  const AddressMap* map_;
  Vcpu vcpu_;
  Directory::Copy copy_;
  std::array<Remembered, lines_per_page> lines_{};
  std::array<Page, 256> pages_{};
  std::atomic<std::uint64_t> elsewhere_{0};  // written by the vCPU's thread, read by any
};

}  // namespace lares::lab::counting

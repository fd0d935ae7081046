// A sorted array of rows that many threads search without a lock while one thread replaces it.
//
// Two buffers take turns: the writer fills the one that is not current and then makes it current.
// A reader that was overtaken by a second write notices it by the version and reads again.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/disorder.hpp"
#include "memory/reserve.hpp"

namespace lares::memory {

/// Rows of `Words` 64-bit words. The caller sorts them and gives them their meaning.
/// Thread safety: read() from any number of threads at any time; begin(), append(), publish() and
/// current() from one thread at a time (the caller serialises writers). Memory: fixed, taken from
/// the kernel as rows are used.
template <std::size_t Words>
class Published {
 public:
  using Word = std::atomic<std::uint64_t>;

  /// One state of the array. Only valid inside read(), or for the writer.
  class Rows {
   public:
    Rows(const Word* words, std::size_t size) noexcept : words_(words), size_(size) {}
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] std::uint64_t word(std::size_t row, std::size_t column) const noexcept {
      // acquire: pairs with append(); a reader that meets a word of a later version must then see
      // that version's number too, and so discard what it read.
      return words_[row * Words + column].load(std::memory_order_acquire);
    }
    /// How many rows have a first word <= `key`: the row before it is the last such. O(log n).
    [[nodiscard]] std::size_t upper_bound(std::uint64_t key) const noexcept {
      std::size_t low = 0;
      std::size_t high = size_;
      while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (word(middle, 0) <= key) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low;
    }

   private:
    const Word* words_;
    std::size_t size_;
  };

  /// Capacity 0 (nothing is ever stored) if the kernel refuses the memory.
  explicit Published(std::size_t capacity) noexcept
      : memory_(2 * capacity * Words * sizeof(Word)),
        words_(static_cast<Word*>(memory_.data())),
        capacity_(words_ == nullptr ? 0 : capacity) {}

  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

  /// Calls `use(rows)`, again if a writer overtook it; `use` must bear a mixture of two states and
  /// start afresh each time. False if it was overtaken every time: nothing is known then.
  template <class Use>
  bool read(Use&& use) const noexcept {
    constexpr int tries = 4;  // a bound: a reader never waits for a writer
    for (int i = 0; i < tries; ++i) {
      // acquire: pairs with publish(), so the rows of this version are complete.
      const std::uint64_t version = version_.load(std::memory_order_acquire);
      disorder::pause(disorder::Point::reading_table);
      use(rows(version));
      // relaxed: the acquire loads of the words come before it and cannot sink below it.
      if (version_.load(std::memory_order_relaxed) == version) return true;
    }
    return false;
  }

  /// The writer's view of the current rows.
  [[nodiscard]] Rows current() const noexcept {
    return rows(version_.load(std::memory_order_relaxed));  // relaxed: written by this thread only
  }

  /// Starts the next state, empty.
  void begin() noexcept { filled_ = 0; }

  /// Adds a row to the next state; false if it is full.
  template <class... Values>
  bool append(Values... values) noexcept {
    static_assert(sizeof...(Values) == Words);
    if (filled_ == capacity_) return false;
    Word* word = words_ + (spare() * capacity_ + filled_) * Words;
    // release: whoever reads this word also sees the version that made its buffer the spare one.
    (word++->store(values, std::memory_order_release), ...);
    ++filled_;
    return true;
  }

  /// Makes the next state the current one.
  void publish() noexcept {
    const std::uint64_t next = version_.load(std::memory_order_relaxed) + 1;
    sizes_[next & 1U].store(filled_, std::memory_order_release);  // as in append()
    disorder::late(disorder::Point::publishing);
    version_.store(next, std::memory_order_release);  // release: the rows come first
  }

 private:
  [[nodiscard]] std::size_t spare() const noexcept {
    return (version_.load(std::memory_order_relaxed) + 1) & 1U;
  }
  [[nodiscard]] Rows rows(std::uint64_t version) const noexcept {
    const std::size_t buffer = version & 1U;
    // acquire: as in word().
    return {words_ + buffer * capacity_ * Words, sizes_[buffer].load(std::memory_order_acquire)};
  }

  Reserve memory_;
  Word* words_;                              ///< two buffers of capacity_ rows
  std::size_t capacity_;                     ///< rows per buffer; never changes
  std::atomic<std::uint64_t> version_{0};    ///< writer; readers. Its parity is the current buffer
  std::atomic<std::size_t> sizes_[2]{0, 0};  ///< writer; readers. Never above capacity_
  std::size_t filled_ = 0;                   ///< writer only: rows of the next state
};

}  // namespace lares::memory

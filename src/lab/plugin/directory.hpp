// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
// Which caches hold each line of memory, and which of them owes memory its newest content.
//
// One entry per line. It is the truth: a cache's own list of lines only remembers an order, and an
// item of it counts only while the directory lists the cache as a holder. So whoever invalidates a
// copy clears one bit here and never touches another thread's list.
//
// Invariants, true whenever no LockedLine for the line exists:
//   I1  dirty() implies that owner() is a holder.
//   I2  a holder's word carries `alone` only if the line is dirty, the holder is its owner, and no
//       other cache holds the line: it may write without asking.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "lab/plugin/line.hpp"

namespace lares::lab::counting {

/// The entries of all lines. Only peek() may be called without a LockedLine.
class Directory {
 public:
  static constexpr unsigned agents_per_word = 48;
  /// More vCPUs than QEMU's q35 machine has, each with a shared cache of its own.
  static constexpr unsigned max_agents = 512;

  /// `lines` entries for `agents` caches, all empty. The memory (8 bytes per line and 48 agents) is
  /// taken from the system when it is first touched. ok() is false if the system refused.
  /// Precondition: agents <= max_agents.
  Directory(std::size_t lines, unsigned agents);
  ~Directory();
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;

  [[nodiscard]] bool ok() const noexcept { return words_ != nullptr; }
  [[nodiscard]] std::size_t lines() const noexcept { return lines_; }
  [[nodiscard]] unsigned words_per_line() const noexcept { return words_per_line_; }

  /// What one cache must know to judge its own copy from one word, without a lock.
  struct Copy {
    unsigned word = 0;           ///< which of an entry's words lists the cache
    std::uint64_t held = 0;      ///< the bits that say that it holds the line
    std::uint64_t writable = 0;  ///< the bits that say that it may write
  };
  [[nodiscard]] static constexpr Copy copy_of(Agent agent) noexcept {
    const std::uint64_t bit = std::uint64_t{1} << (agent % agents_per_word);
    return {agent / agents_per_word, bit, bit | alone};
  }

  /// The word that lists an agent, to be compared with its Copy: true at some moment during the
  /// call, and it may change right after. Thread safety: any thread.
  [[nodiscard]] std::uint64_t* word(Line line, unsigned index) const noexcept {
    return words_ + std::size_t{line} * words_per_line_ + index;
  }
  [[nodiscard]] static std::uint64_t peek(std::uint64_t* word) noexcept {
    // Nothing else is read on the strength of this word, so nothing has to be ordered after it.
    return std::atomic_ref(*word).load(std::memory_order_relaxed);
  }

 private:
  friend class LockedLine;
  // Of an entry's words, each has 48 holders; the flags of the first also speak for the others.
  static constexpr std::uint64_t holders = (std::uint64_t{1} << agents_per_word) - 1;
  static constexpr unsigned owner_shift = agents_per_word;  // first word: 9 bits
  static constexpr std::uint64_t owner_mask = std::uint64_t{0x1ff} << owner_shift;
  static constexpr std::uint64_t stale_memory = std::uint64_t{1} << 61;  // first word: dirty
  static constexpr std::uint64_t alone = std::uint64_t{1} << 62;         // any word
  static constexpr std::uint64_t lock = std::uint64_t{1} << 63;          // first word

  std::size_t lines_;
  unsigned words_per_line_;
  std::uint64_t* words_;
};

/// Holds one line's entry for itself from construction to destruction. Nobody holds two, so nobody
/// waits in a circle.
class LockedLine {
 public:
  LockedLine(Directory& directory, Line line) noexcept;
  ~LockedLine();
  LockedLine(const LockedLine&) = delete;
  LockedLine& operator=(const LockedLine&) = delete;

  [[nodiscard]] bool held_by(Agent agent) const noexcept {
    const auto copy = Directory::copy_of(agent);
    return (get(copy.word) & copy.held) != 0;
  }
  /// True if any agent of the mask (words_per_line() words of holders) holds the line.
  [[nodiscard]] bool held_by_any(const std::uint64_t* mask) const noexcept;
  /// True if an agent that is neither `one` nor `other` holds the line.
  [[nodiscard]] bool held_by_others(Agent one, Agent other) const noexcept;
  /// Memory's content is older than the owner's.
  [[nodiscard]] bool dirty() const noexcept { return (first_ & Directory::stale_memory) != 0; }
  /// Precondition: dirty().
  [[nodiscard]] Agent owner() const noexcept {
    return static_cast<Agent>((first_ & Directory::owner_mask) >> Directory::owner_shift);
  }

  /// One more holder, of a copy to read.
  void add(Agent agent) noexcept;
  /// The only holder, and the line's owner: it writes.
  void take_alone(Agent agent) noexcept;
  /// A holder gives its copy, and what it owes memory, to another cache.
  void hand_over(Agent from, Agent to) noexcept;
  /// A holder lets go. True if it was the owner, so the line must be written to memory.
  [[nodiscard]] bool drop(Agent agent) noexcept;

 private:
  [[nodiscard]] std::uint64_t get(unsigned word) const noexcept {
    return word == 0 ? first_ : Directory::peek(words_ + word);
  }
  void put(unsigned word, std::uint64_t value) noexcept;
  void forget_alone() noexcept;
  void clear(Agent agent) noexcept;
  void set_owner(Agent agent) noexcept;

  std::uint64_t* words_;
  unsigned count_;
  std::uint64_t first_ = 0;  // the first word without the lock; written back by the destructor
};

}  // namespace lares::lab::counting

// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#include "lab/plugin/directory.hpp"

#include <sys/mman.h>

#include "lab/plugin/spin.hpp"

namespace lares::lab::counting {

Directory::Directory(std::size_t lines, unsigned agents)
    : lines_(lines), words_per_line_((agents + agents_per_word - 1) / agents_per_word) {
  // Zero pages that cost nothing until they are touched; too large for a container's new[].
  void* memory = mmap(nullptr, lines_ * words_per_line_ * sizeof(std::uint64_t),
                      PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  words_ = memory == MAP_FAILED ? nullptr : static_cast<std::uint64_t*>(memory);
}

Directory::~Directory() {
  if (words_ != nullptr) munmap(words_, lines_ * words_per_line_ * sizeof(std::uint64_t));
}

LockedLine::LockedLine(Directory& directory, Line line) noexcept
    : words_(directory.word(line, 0)), count_(directory.words_per_line()) {
  std::atomic_ref word(*words_);
  Backoff backoff;
  for (;;) {
    std::uint64_t seen = word.load(std::memory_order_relaxed) & ~Directory::lock;
    // Acquire: the entry's other words, as the one who held it before left them.
    if (word.compare_exchange_weak(seen, seen | Directory::lock, std::memory_order_acquire,
                                   std::memory_order_relaxed)) {
      first_ = seen;
      return;
    }
    if ((seen & Directory::lock) != 0) backoff.wait();
  }
}

LockedLine::~LockedLine() {
  // Release: the entry's other words, for the next one who holds it.
  std::atomic_ref(*words_).store(first_, std::memory_order_release);
}

void LockedLine::put(unsigned word, std::uint64_t value) noexcept {
  if (word == 0) {
    first_ = value;
  } else {
    // Relaxed: the lock orders it for those who hold it; others only peek.
    std::atomic_ref(words_[word]).store(value, std::memory_order_relaxed);
  }
}

bool LockedLine::held_by_any(const std::uint64_t* mask) const noexcept {
  for (unsigned word = 0; word < count_; ++word) {
    if ((get(word) & mask[word]) != 0) return true;
  }
  return false;
}

bool LockedLine::held_by_others(Agent one, Agent other) const noexcept {
  const auto first = Directory::copy_of(one);
  const auto second = Directory::copy_of(other);
  for (unsigned word = 0; word < count_; ++word) {
    std::uint64_t rest = get(word) & Directory::holders;
    if (word == first.word) rest &= ~first.held;
    if (word == second.word) rest &= ~second.held;
    if (rest != 0) return true;
  }
  return false;
}

void LockedLine::forget_alone() noexcept {
  if (!dirty()) return;
  const unsigned word = Directory::copy_of(owner()).word;
  put(word, get(word) & ~Directory::alone);
}

void LockedLine::clear(Agent agent) noexcept {
  const auto copy = Directory::copy_of(agent);
  put(copy.word, get(copy.word) & ~copy.held);
}

void LockedLine::set_owner(Agent agent) noexcept {
  first_ = (first_ & ~Directory::owner_mask) | Directory::stale_memory |
           (std::uint64_t{agent} << Directory::owner_shift);
}

void LockedLine::add(Agent agent) noexcept {
  forget_alone();
  const auto copy = Directory::copy_of(agent);
  put(copy.word, get(copy.word) | copy.held);
}

void LockedLine::take_alone(Agent agent) noexcept {
  const auto copy = Directory::copy_of(agent);
  // The others first: nobody may see this one alone while another copy is listed.
  for (unsigned word = 0; word < count_; ++word) {
    put(word, get(word) & ~(Directory::holders | Directory::alone));
  }
  set_owner(agent);
  put(copy.word, get(copy.word) | copy.writable);
}

void LockedLine::hand_over(Agent from, Agent to) noexcept {
  forget_alone();
  const bool owed = dirty() && owner() == from;
  clear(from);
  add(to);
  if (owed) set_owner(to);
}

bool LockedLine::drop(Agent agent) noexcept {
  const bool owed = dirty() && owner() == agent;
  if (owed) {
    forget_alone();
    first_ &= ~(Directory::stale_memory | Directory::owner_mask);
  }
  clear(agent);
  return owed;
}

}  // namespace lares::lab::counting

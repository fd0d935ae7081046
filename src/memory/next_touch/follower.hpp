// Who follows what the program did to marked memory; see the table in region.hpp.
#pragma once

#include <cstdint>

#include "memory/next_touch/carrier.hpp"
#include "memory/next_touch/shared.hpp"

namespace lares::memory {

/// The functions run on the thread that reads the messages, with the gate of the way closed from
/// before the message was read. They only change the books and the alias, so they need no message
/// to be read. 0; or EAGAIN: not yet, a marker is at work in the area.
class Follower {
 public:
  Follower(Shared& shared, Carrier& carrier) noexcept : shared_(shared), carrier_(carrier) {}

  /// Pages [begin, end) are mapped no more.
  int unmapped(Way way, std::uintptr_t begin, std::uintptr_t end) noexcept;
  /// Pages [begin, end) are about to be emptied: they read as zeros from then on.
  int emptied(Way way, std::uintptr_t begin, std::uintptr_t end) noexcept;
  /// What was at [begin, end) is now at `to`, perhaps with more behind it.
  int moved(Way way, std::uintptr_t begin, std::uintptr_t end, std::uintptr_t to) noexcept;

  /// Of the mappings that hold a byte of [begin, end), what is in no region is watched no more: it
  /// went with marked pages, or these have grown by it. Inside the gate; or with it closed and the
  /// table held. While a change is under way that nobody has read, its pages may be there already,
  /// without their region.
  void unwatch_strays(Way way, std::uintptr_t begin, std::uintptr_t end) noexcept;

 private:
  int follow(Way way, std::uintptr_t begin, std::uintptr_t end, const std::uintptr_t* to) noexcept;
  bool has_to_wait(Way way, std::uintptr_t begin, std::uintptr_t end) noexcept;
  bool is_own(std::uintptr_t from, std::uintptr_t to) noexcept;
  int cut(Region& region, std::uintptr_t begin, std::uintptr_t end,
          const std::uintptr_t* to) noexcept;
  void empty_alias(Region& region, std::uintptr_t from, std::uintptr_t until) noexcept;

  Shared& shared_;
  Carrier& carrier_;
};

}  // namespace lares::memory

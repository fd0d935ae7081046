// Who puts pages aside, or closes them; see the table in region.hpp.
#pragma once

#include <cstdint>

#include "base/ids.hpp"
#include "memory/next_touch/carrier.hpp"
#include "memory/next_touch/opener.hpp"
#include "memory/next_touch/shared.hpp"

namespace lares::memory {

/// A range of whole pages that is to be marked.
struct Area {
  std::uintptr_t begin = 0, end = 0;
  std::uint64_t chunk = 0;
  Purpose purpose = Purpose::migrate;
};

/// Why an area cannot be marked in any way; 0: it can.
int refusal_of(const Shared& shared, std::uintptr_t begin, std::uintptr_t end) noexcept;

/// Thread safety: mark() from one thread at a time, the caller's, with all signals blocked and
/// without the table.
class Marker {
 public:
  Marker(Shared& shared, Carrier& carrier) noexcept
      : shared_(shared), carrier_(carrier), opener_(shared) {}

  /// True if nothing of it is marked. No other thread can mark it then, but the program can move
  /// marked memory to it.
  bool is_free(std::uintptr_t begin, std::uintptr_t end) noexcept;

  /// Marks the area by `way`, whole or not at all. `left` grows by the bytes that stay where they
  /// are: pinned, shared with a child of the process, being emptied, or changed by the program
  /// meanwhile. 0 or an errno; EALREADY: a part of it is marked meanwhile, settle it first.
  int mark(const Area& area, Way way, std::uint64_t& left) noexcept;

 private:
  int mark_once(const Area& area, Way way, std::uint64_t& left, PageSpan& stays) noexcept;
  int mark_around(const Area& area, PageSpan gap, Way way, std::uint64_t& left) noexcept;
  int close(const Area& area) noexcept;
  int map_alias(Regions::Wanted& wanted) noexcept;
  void enter_gates() noexcept;
  void finish_settled() noexcept;
  Regions::Found add_inside(const Regions::Wanted& wanted, int& error, PageSpan& stays) noexcept;
  Regions::Found add(const Regions::Wanted& wanted, int& error, PageSpan* stays) noexcept;
  PageSpan still_emptied(std::uintptr_t begin, std::uintptr_t end) noexcept;
  bool let_go_of_alias(Region& region) noexcept;
  void go_live(Region& region) noexcept;
  void forget(Region& region) noexcept;
  void end_watch(Way way, PageSpan area) noexcept;
  // `aside`: from then on a page may be.
  int put_aside_by_move(Region& region, bool& aside, std::uint64_t& left) noexcept;
  int move_all(Region& region, std::uint64_t& stays) noexcept;
  int put_aside_by_remap(Region& region, bool& aside) noexcept;

  Shared& shared_;
  Carrier& carrier_;
  Opener opener_;
};

}  // namespace lares::memory

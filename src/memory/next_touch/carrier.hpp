// Who brings pages back to where they can be used; see the table in region.hpp.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "base/clock.hpp"
#include "base/ids.hpp"
#include "memory/next_touch/opener.hpp"
#include "memory/next_touch/quiet.hpp"
#include "memory/next_touch/shared.hpp"

namespace lares::memory {

/// For whom a chunk is brought.
struct Toucher {
  DomainId domain;       ///< invalid: unknown, or nobody
  bool fetches = false;  ///< to its own node; false: the chunk is only put back where it lay
  bool waits = true;     ///< for other threads and for messages to be read; else EAGAIN
  pid_t thread = 0;      ///< the system's number; 0: this one
  OsCpu cpu{};           ///< where it runs; invalid: nobody asked
  OsNode lies{};         ///< of what stays: the node where it lies; invalid: nobody asked
};

/// Thread safety: any thread, also in a signal handler, with all signals blocked, of regions that
/// it uses (Regions::Found). Takes no lock.
class Carrier {
 public:
  explicit Carrier(Shared& shared) noexcept : shared_(shared), opener_(shared) {}

  /// 0: the chunk is settled. ESTALE: the region is retired, look anew. EAGAIN: as above. Any other
  /// errno is the kernel's refusal: what could not be brought lies aside as before.
  int bring(Region& region, std::uint32_t index, const Toucher& toucher) noexcept;
  /// Every chunk of what is marked in [begin, end), of the whole areas if `whole`, for nobody. 0 or
  /// the first refusal.
  int settle(std::uintptr_t begin, std::uintptr_t end, bool whole) noexcept;
  /// Only of areas of Way::protect, of whose end nobody tells.
  void open_closed(std::uintptr_t begin, std::uintptr_t end) noexcept;
  /// Ends a region of which every chunk is settled. False if that has to wait for a change of the
  /// program to be followed; settle() of any part does it then. Inside the gate, or with it closed.
  bool finish(Region& region) noexcept;
  /// Ends a region of which nothing is aside, and leaves the watch of its area as it is.
  void give_up(Region& region) noexcept;
  /// The kernel tells nothing of the alias any more. False: it still does, so its pages may not be
  /// unmapped nor emptied by whoever reads the messages.
  bool let_go_of_alias(Region& region) noexcept;

 private:
  int carry(Region& region, std::uint32_t index, const Toucher& toucher) noexcept;
  int enter(Region& region, const Toucher& toucher, Patience& patience) noexcept;
  Userfault::Done request(Region& region, std::uintptr_t at, std::uint64_t bytes,
                          bool fetches) noexcept;
  Userfault::Done request_page(Region& region, std::uintptr_t at, bool fetches) noexcept;
  int make_readable(Region& region, std::uintptr_t at) noexcept;
  Userfault::Done copy(Region& region, std::uintptr_t at, std::uint64_t bytes,
                       bool fetches) noexcept;
  bool end_watch(const Region& region) noexcept;
  int finish_late(Region& region) noexcept;
  int settle_region(Region& region, std::uintptr_t from, std::uintptr_t until) noexcept;
  /// What became of a chunk so far.
  struct Carried {
    Nanoseconds start;  ///< when it was begun with
    Bytes arrived;      ///< on the toucher's node, that were elsewhere
  };
  int give_back(Region& region, std::uint32_t index, const Toucher& toucher,
                const Carried& carried) noexcept;
  Bytes to_node_of(const Toucher& toucher, const Region& region, std::uint32_t index) noexcept;
  void count(const Region& region, std::uint32_t index, const Toucher& toucher,
             const Carried& carried) noexcept;

  Shared& shared_;
  Opener opener_;
};

}  // namespace lares::memory

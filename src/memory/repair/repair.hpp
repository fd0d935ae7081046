// Finds data that one thread has put on one node before anybody else could use it, and lets it go
// to whoever touches it next: the repair of serial initialisation (Schmidl 2016, 3.3.2 and 3.3.3).
#pragma once

#include <cstdint>

#include "base/ids.hpp"
#include "machine/machine.hpp"
#include "memory/calls.hpp"
#include "memory/next_touch/next_touch.hpp"
#include "memory/nodes.hpp"
#include "memory/repair/large_area.hpp"

namespace lares::memory {

/// What a sample of an area's pages says.
struct AreaSurvey {
  std::uint64_t asked = 0;    ///< pages in the sample
  std::uint64_t present = 0;  ///< of those, pages that exist
  std::uint64_t at_home = 0;  ///< of those, pages on `home`
  OsNode home;                ///< the node that has most of them; invalid if none exists

  /// A good part of it exists (arrays are often larger than what is used of them), and nearly all
  /// of that is on one node.
  [[nodiscard]] bool from_one_thread() const noexcept {
    return asked > 0 && 8 * present >= asked && 20 * at_home >= 19 * present;
  }
  /// The bytes of an area of `whole` that exist.
  [[nodiscard]] Bytes present_of(Bytes whole) const noexcept {
    return Bytes{asked == 0 ? 0 : whole.count / asked * present};
  }
};

/// Asks the kernel for at most 256 pages, evenly spread. asked = 0 if it refuses.
AreaSurvey survey(const SystemCalls& calls, const LargeArea& area, Bytes page) noexcept;

/// What repairing an area costs and gains, in nanoseconds of the whole team.
struct RepairPrice {
  double overhead = 0;      ///< fetching every page once
  double sweep_before = 0;  ///< all cores read it from one node
  double sweep_after = 0;   ///< each domain reads its own share
};

/// Bandwidths are those of the machine file, else 10 bytes a nanosecond for a domain's memory; a
/// fetched page costs `page_ns`, one after the other: the monitor's thread fetches for all.
RepairPrice price(const machine::Machine& machine, DomainId home, Bytes bytes, Bytes page,
                  double page_ns) noexcept;

/// What is usual for a page in a chunk of 64, where nothing was measured.
inline constexpr double usual_page_ns = 2000;

/// What repair() did.
struct Repaired {
  std::uint64_t areas = 0;       ///< that were marked
  Bytes bytes;                   ///< in them
  std::uint64_t too_dear = 0;    ///< areas on one node that do not pay within the sweeps
  double pays_after = 0;         ///< sweeps, of the marked area that takes longest
  double gain_per_sweep_ns = 0;  ///< of all marked areas
  int error = 0;                 ///< the first errno with which an area could not be marked
};

/// Everything that is needed for it; refers to what the caller keeps alive.
struct RepairContext {
  const SystemCalls& calls;
  const Nodes& nodes;
  const machine::Machine& machine;
  NextTouch& next_touch;
  Bytes page;
};

/// Looks at one area and marks it if it comes from one thread and pays within `sweeps`. Only with a
/// way of next touch under which system calls on marked memory work. Thread safety: one at a time.
void repair(const RepairContext& context, const LargeArea& area, double sweeps,
            Repaired& so_far) noexcept;

}  // namespace lares::memory

// A plan in pages: stretches of whole pages with one home.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/ids.hpp"
#include "memory/place/plan.hpp"

namespace lares::memory {

/// Pages [begin, end), as addresses, for one domain; invalid: for nobody in particular.
struct Run {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  DomainId domain;
};

/// Calls `use(run)` for the pages that hold a byte of the plan's range at `address`, in ascending
/// order, neighbours with the same home joined. A page at either end that lies partly outside is
/// judged by the part inside. `page` is a power of two. O(pages + blocks).
template <class Use>
void for_each_run(const Plan& plan, std::uintptr_t address, Bytes page, Use&& use) {
  const std::uintptr_t end = address + plan.length().count;
  Run run;
  for (std::uintptr_t first = address & ~(page.count - 1); first < end;) {
    const std::uint64_t from = std::max(first, address) - address;
    const std::uint64_t to = std::min<std::uint64_t>(first + page.count, end) - address;
    const Plan::Piece piece = plan.at(from);
    std::uintptr_t next = first + page.count;
    DomainId domain = piece.domain;
    if (piece.end < to) {
      domain = plan.owner_of(from, to);
    } else {
      // The block's other whole pages need no look.
      next = std::max(next, (address + piece.end) & ~(page.count - 1));
    }
    if (run.begin != run.end && run.domain == domain) {
      run.end = next;
    } else {
      if (run.begin != run.end) use(run);
      run = {first, next, domain};
    }
    first = next;
  }
  if (run.begin != run.end) use(run);
}

}  // namespace lares::memory

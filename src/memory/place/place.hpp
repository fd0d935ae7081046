// Carries a plan out on memory that nobody has touched yet.
#pragma once

#include "base/ids.hpp"
#include "memory/calls.hpp"
#include "memory/nodes.hpp"
#include "memory/place/plan.hpp"

namespace lares::memory {

/// What became of a plan. The memory is usable in any case.
struct Placed {
  int error = 0;           ///< 0, or the errno with which the kernel refused: then the first touch
                           ///< decides, for all pages or for those that remain
  bool populated = false;  ///< the pages exist already (there were too many pieces to keep apart)
};

/// So many pieces of a range become mappings of their own, which the kernel places when they are
/// touched; of more, each page is touched here, with the calling thread's policy set for it, and
/// the policy it had is then restored. (A process may have 65,530 mappings.)
inline constexpr std::size_t most_mappings_of_range = 512;

/// `address` is aligned to `page`. On a full node the kernel takes the next one. Where all domains
/// share one memory nothing is done. Thread safety: any thread, ranges that do not overlap.
Placed place(const SystemCalls& calls, const Nodes& nodes, const Plan& plan, std::uintptr_t address,
             Bytes page) noexcept;

}  // namespace lares::memory

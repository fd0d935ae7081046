// Carries a plan out on pages that do not exist yet; those that do keep their place and contents.
#pragma once

#include "base/ids.hpp"
#include "memory/calls.hpp"
#include "memory/nodes.hpp"
#include "memory/place/mapping_budget.hpp"
#include "memory/place/plan.hpp"

namespace lares::memory {

/// What became of a plan. The memory is usable in any case, and holds what it held.
struct Placed {
  int error = 0;           ///< 0, or the errno with which the kernel refused: then the first touch
                           ///< decides, for all pages or for those that remain
  bool populated = false;  ///< the pages exist already (there were too many pieces to keep apart)
  std::size_t mappings = 0;  ///< taken from the budget: give them back when the memory goes
};

/// So many pieces of a range become mappings of their own, which the kernel places when they are
/// touched, if the budget has them.
inline constexpr std::size_t most_mappings_of_range = 512;

/// To the letter: of more pieces each page is made here, with the calling thread's policy set for
/// it, and the policy it had is then restored. For memory that the caller asked to be placed, which
/// it means to use. `address` is aligned to `page`. On a full node the kernel takes the next one.
/// Where all domains share one memory nothing is done. Thread safety: any thread, ranges that do
/// not overlap.
Placed place(const SystemCalls& calls, const Nodes& nodes, const Plan& plan, std::uintptr_t address,
             Bytes page, MappingBudget& budget = mapping_budget()) noexcept;

/// As well as mappings allow, for memory of a program that knows nothing of it: no page is touched,
/// since it may stay empty for good. Blocks become larger until a range takes at most half of what
/// the budget has; where not even that is enough, its pages are interleaved over the same domains.
Placed place_untouched(const SystemCalls& calls, const Nodes& nodes, const Plan& plan,
                       std::uintptr_t address, Bytes page,
                       MappingBudget& budget = mapping_budget()) noexcept;

/// The end of what place() or place_untouched() made of a range that somebody else will use: it is
/// one mapping again, and what was taken is given back.
void unplace(const SystemCalls& calls, std::uintptr_t address, Bytes length, std::size_t mappings,
             MappingBudget& budget = mapping_budget()) noexcept;

}  // namespace lares::memory

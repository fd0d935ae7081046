// Memory whose every page is where it shall be, or that does not come to be.
#pragma once

#include <cstdint>

#include "base/ids.hpp"
#include "memory/calls.hpp"
#include "memory/nodes.hpp"
#include "memory/place/plan.hpp"

namespace lares::memory {

/// Makes all pages of a range that place() has just prepared, and asks the kernel for each. 0;
/// ENOMEM if one is elsewhere, since its node is full; or the errno with which the kernel refuses
/// to make or to tell. (A policy that binds would not do: the kernel then ends the program.) Where
/// the kernel interleaves by itself, any node of the plan is right. Where all domains share one
/// memory, or the first touch decides, nothing is done.
int make_strictly(const SystemCalls& calls, const Nodes& nodes, const Plan& plan,
                  std::uintptr_t address, Bytes page) noexcept;

}  // namespace lares::memory

// A guest out of a machine: its shape, and how a large machine is made small enough to boot.
#pragma once

#include <string>
#include <vector>

#include "lab/guest.hpp"
#include "lab/guest_request.hpp"
#include "machine/machine.hpp"

namespace lares::lab {

/// The machine as a guest of full size: as many cpus as cores, all its memory. Nodes are in the
/// operating system's order; domains that share a node become one node. Distances are the machine's
/// own, not yet fitted. Packages that firmware could not describe (of different size, or with their
/// nodes mixed) are left out; `notes` says so.
Guest shape_of(const machine::Machine& machine, std::vector<std::string>& notes);

/// Makes the guest of full size in `plan` as small as `request` says, or as make_guest() says where
/// it does not. What was made smaller is added to the notes.
void reduce(GuestPlan& plan, const GuestRequest& request, Bytes host_memory);

}  // namespace lares::lab

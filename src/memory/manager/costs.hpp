// What it costs to use memory from afar, to bring it near, and when the second pays.
#pragma once

#include <string>

#include "base/ids.hpp"
#include "machine/machine.hpp"

namespace lares::memory {

enum class Use : std::uint8_t { read, write };

/// Nanoseconds that one core of `from` takes to go once over `bytes` whose home is `home`, as MaMI
/// tells (ForestGOMP 3.3). From the machine's bandwidth between the two, else from its latency, one
/// line after the other, else (`estimated`) from the distance, with ten bytes a nanosecond for
/// local memory. A write counts twice: the line is fetched before it is written back.
struct AccessCost {
  double nanoseconds = 0;
  bool estimated = false;
};
AccessCost access_cost(const machine::Machine& machine, DomainId from, DomainId home, Bytes bytes,
                       Use use);

/// After how many sweeps does an overhead pay that makes each sweep cost `after` instead of
/// `before`? T = O + x A, equal on both sides (Schmidl 2016, 3.3.3). Infinite if it never does.
/// All in the same unit.
double break_even(double overhead, double before, double after) noexcept;

/// One sentence: "moving 64 MiB from domain 1 to domain 0 costs 12.1 ms and pays after 13 sweeps".
std::string migration_advice(Bytes bytes, DomainId home, DomainId to, double overhead_ns,
                             double before_ns, double after_ns);

}  // namespace lares::memory

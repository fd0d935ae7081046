// Which domain comes first: where thread 0 of the program's teams runs, and where arrays that are
// cut into one piece per domain begin.
//
// A program's first thread has often written its data before the first region. What it goes on with
// then, as thread 0, should be near: so the domain in which it runs by then comes first, and the
// others follow in a circle.
#pragma once

#include "base/ids.hpp"

namespace lares::runtime {

/// The one in which the first caller of this function ran. Constant from then on. Thread safe.
DomainId first_domain() noexcept;

/// Domain 0 comes first, because data is cut into pieces by somebody who counts from there. Before
/// the first call of first_domain().
void count_domains_from_zero() noexcept;

}  // namespace lares::runtime

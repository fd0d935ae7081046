// The policies that exist, one line each, in the order in which they are listed to users.
//
// To add one: write src/policy/<kind>/<name>.cpp, which defines the function of that name, and put
// the name into the list below. docs/policies.md shows how.
#pragma once

#include <memory>

#include "policy/registry.hpp"

#define LARES_DISTRIBUTIONS(POLICY) \
  POLICY(first_touch)               \
  POLICY(cyclic)                    \
  POLICY(random)                    \
  POLICY(blocked)                   \
  POLICY(interleave)

#define LARES_PUSHES(POLICY)     \
  POLICY(local)                  \
  POLICY(local_domain)           \
  POLICY(writer_domain)          \
  POLICY(writer_domain_or_local) \
  POLICY(writer_domain_dealt)    \
  POLICY(most_bytes)             \
  POLICY(root)

#define LARES_STEALS(POLICY)   \
  POLICY(random)               \
  POLICY(random_domain)        \
  POLICY(core_first)           \
  POLICY(domain_first)         \
  POLICY(cores_only)           \
  POLICY(domains_only)         \
  POLICY(nearest)              \
  POLICY(nearest_then_longest) \
  POLICY(near)                 \
  POLICY(patient)              \
  POLICY(most_loaded)          \
  POLICY(break_even)           \
  POLICY(cyclic)               \
  POLICY(central)

namespace lares::policy {

/// Makes an object of a concrete policy; what `Entry::make` points to.
template <class Policy, class Concrete>
std::unique_ptr<Policy> make() {
  return std::make_unique<Concrete>();
}

namespace distribution {
#define LARES_DECLARE(name) Entry<Distribution> name() noexcept;
LARES_DISTRIBUTIONS(LARES_DECLARE)
#undef LARES_DECLARE
}  // namespace distribution

namespace push {
#define LARES_DECLARE(name) Entry<Push> name() noexcept;
LARES_PUSHES(LARES_DECLARE)
#undef LARES_DECLARE
}  // namespace push

namespace steal {
#define LARES_DECLARE(name) Entry<Steal> name() noexcept;
LARES_STEALS(LARES_DECLARE)
#undef LARES_DECLARE
}  // namespace steal

}  // namespace lares::policy

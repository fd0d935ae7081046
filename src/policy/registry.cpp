#include "policy/registry.hpp"

#include <array>

#include "policy/catalogue.hpp"

namespace lares::policy {

// The tables hold no pointers into each other and are made on first use, so they are ready
// whenever a program's own initialisers need them.
#define LARES_ENTRY(name) name(),

std::span<const Entry<Distribution>> distributions() noexcept {
  using namespace distribution;
  static const std::array table{LARES_DISTRIBUTIONS(LARES_ENTRY)};
  return table;
}

std::span<const Entry<Push>> pushes() noexcept {
  using namespace push;
  static const std::array table{LARES_PUSHES(LARES_ENTRY)};
  return table;
}

std::span<const Entry<Steal>> steals() noexcept {
  using namespace steal;
  static const std::array table{LARES_STEALS(LARES_ENTRY)};
  return table;
}

#undef LARES_ENTRY

std::span<const Preset> presets() noexcept {
  static constexpr std::array<Preset, 5> table{{
      {.name = "auto",
       .source = "Lares",
       .summary = "the default; on one domain: first-touch, local, nearest",
       .distribution = "cyclic",
       .push = "writer-domain-dealt",
       .steal = "nearest-then-longest"},
      {.name = "locality-queues",
       .source = "Wittmann & Hager 2010, 2.2",
       .summary = "one queue per domain, chosen by the home of the data, scanned in turn",
       .distribution = "cyclic",
       .push = "writer-domain",
       .steal = "cyclic"},
      {.name = "virouleau",
       .source = "Virouleau 2016, 4.3",
       .summary = "that paper's best: sNumaProc + pNumaWLoc on cyclicnuma",
       .distribution = "cyclic",
       .push = "writer-domain-or-local",
       .steal = "domain-first"},
      {.name = "stock-like",
       .source = "Virouleau 2016, 4.2 (strategy 1)",
       .summary = "one queue per thread and random thieves: no locality",
       .distribution = "first-touch",
       .push = "local",
       .steal = "random"},
      {.name = "central",
       .source = "Schmidl 2016, 4.3.1",
       .summary = "one queue for all, for comparison",
       .distribution = "first-touch",
       .push = "root",
       .steal = "central"},
  }};
  return table;
}

}  // namespace lares::policy

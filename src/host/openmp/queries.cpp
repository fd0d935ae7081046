// What liblares (include/lares/lares.h) asks of the runtime in its process.
#include "host/openmp/stock.hpp"
#include "runtime/engine.hpp"

namespace {

/// Valid without a lock: the machine is made before the program's first instruction and stays.
const lares::machine::Machine& machine() noexcept {
  return lares::runtime::Engine::instance().machine();
}

}  // namespace

/// 0 if one of the domains does not exist.
LARES_EXPORT int lares_runtime_distance(int from, int to) {
  const lares::machine::Distances& distances = machine().distances;
  const auto exists = [&](int domain) {
    return domain >= 0 && static_cast<std::size_t>(domain) < distances.size;
  };
  if (!exists(from) || !exists(to)) return 0;
  return static_cast<int>(distances.at(lares::DomainId{from}, lares::DomainId{to}));
}

// What tasks ask of the memories: where their data is by now, and what the caches spare them.
#pragma once

#include <cstddef>
#include <vector>

#include "simulate/cache.hpp"
#include "simulate/hardware.hpp"
#include "simulate/parameters.hpp"
#include "simulate/workload.hpp"

namespace lares::simulate {

/// Bytes read, by where they came from.
struct Fetched {
  double local = 0;   ///< the memory of the core's own domain
  double remote = 0;  ///< another domain's memory
  /// The cache of the domain that wrote them last, newer than memory. In time they take the way
  /// from their home, too.
  double from_caches = 0;
};

/// What tasks do to the homes of blocks and to the contents of caches.
class Demand {
 public:
  /// `homes` by block, where an invalid one has no page yet; read and written by every call. All
  /// must outlive this.
  Demand(const Workload& workload, const Parameters& parameters, std::size_t domains,
         std::vector<DomainId>& homes);
  Demand(const Demand&) = delete;
  Demand& operator=(const Demand&) = delete;

  /// Of the runs that were `measured`.
  [[nodiscard]] const Fetched& fetched() const noexcept { return fetched_; }

  /// The task's blocks move to `to`; empty if all are there. Valid until the next call.
  const std::vector<Traffic>& migrate(TaskIndex task, DomainId to);
  /// The task runs on a core of `where`; blocks without a home get theirs there. Empty if it moves
  /// nothing. Valid until the next call.
  const std::vector<Traffic>& run(TaskIndex task, DomainId where, bool measured);

 private:
  Caches::Source look_up(const Access& access, DomainId where);
  void add(DomainId home, double read, double written);
  void count(Caches::Source source, bool local, double bytes);
  void bound(double seconds);

  const Workload& workload_;
  const Parameters& parameters_;
  Caches caches_;
  std::vector<DomainId>& homes_;
  std::vector<Traffic> traffic_;  // of the last call
  Fetched fetched_;
};

}  // namespace lares::simulate

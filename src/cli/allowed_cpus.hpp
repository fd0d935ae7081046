// The hardware threads that this process may use, for machines that a file describes.
#pragma once

#include <sched.h>

#include <vector>

#include "base/ids.hpp"

namespace lares::cli {

/// The caller's affinity mask when the object was made. Immutable.
class AllowedCpus {
 public:
  AllowedCpus();

  /// True also if the kernel does not say: whoever binds will then find out.
  [[nodiscard]] bool contains(OsCpu cpu) const;

  /// True if the system lets this process choose processors; tried with those that it has.
  [[nodiscard]] bool may_be_set() const;

 private:
  std::vector<cpu_set_t> masks_;
  bool known_ = false;
};

}  // namespace lares::cli

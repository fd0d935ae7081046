// The `depend` clauses of a task as GCC passes them.
#pragma once

#include "host/openmp/dependence_list.hpp"

namespace lares::omp::gomp {

/// Reads the compiler's array: [0] count, [1] outs, addresses; or, if [0] is 0: [1] count, [2]
/// outs, [3] mutexinoutsets, [4] ins, addresses, then pointers to omp_depend_t. Lengths are not
/// told.
class Dependences : public DependenceList {
 public:
  explicit Dependences(void** depend) noexcept;
};

}  // namespace lares::omp::gomp

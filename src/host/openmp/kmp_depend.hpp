// The `depend` clauses of a task as Clang passes them.
#pragma once

#include <cstdint>

#include "host/openmp/dependence_list.hpp"
#include "host/openmp/kmp_abi.hpp"

namespace lares::omp::kmp {

/// Reads the compiler's two lists: items that may name the same address, and items that do not.
class Dependences : public DependenceList {
 public:
  Dependences(std::int32_t count, const DependInfo* list, std::int32_t noalias_count,
              const DependInfo* noalias_list) noexcept;
};

}  // namespace lares::omp::kmp

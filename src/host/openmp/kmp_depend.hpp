// The `depend` clauses of a task as Clang passes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "host/openmp/kmp_abi.hpp"
#include "runtime/engine.hpp"

namespace lares::omp::kmp {

/// Reads the compiler's two lists: items that may name the same address, and items that do not.
class Dependences {
 public:
  Dependences(std::int32_t count, const DependInfo* list, std::int32_t noalias_count,
              const DependInfo* noalias_list) noexcept;
  Dependences(const Dependences&) = delete;
  Dependences& operator=(const Dependences&) = delete;
  ~Dependences();
  [[nodiscard]] std::span<const runtime::Dependence> list() const noexcept {
    return {items_, count_};
  }

 private:
  static constexpr std::size_t room = 16;
  void add(const DependInfo& item) noexcept;

  // Raw memory: most tasks have a few items, and clearing room for the rest takes longer than they
  // do.
  alignas(runtime::Dependence) std::byte inline_[room * sizeof(runtime::Dependence)];
  runtime::Dependence* items_;  // in `inline_`, or from malloc if there are more than fit
  std::size_t count_ = 0;
};

}  // namespace lares::omp::kmp

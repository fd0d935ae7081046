// What is computed while a core's floating-point rate is measured: no memory, no waiting for what
// came before, but in the chain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lares::measure {

enum class Operations : std::uint8_t {
  fma,         ///< multiply-adds of the widest vectors that the processor has, 2 operations each
  add,         ///< additions of such vectors
  scalar_fma,  ///< multiply-adds of single numbers, 2 operations each
  scalar_add,  ///< additions of single numbers
  chain        ///< products of single numbers, each added to the sum of all before: 2 operations
};
inline constexpr Operations all_operations[] = {Operations::fma, Operations::add,
                                                Operations::scalar_fma, Operations::scalar_add,
                                                Operations::chain};

/// As machine files name it: "scalar-fma".
std::string_view operations_name(Operations kind) noexcept;

/// What a run has done. The sum depends on every operation, so none can be left out.
struct Computed {
  std::uint64_t operations = 0;
  double sum = 0;
};

/// `rounds` times a few dozens of operations.
Computed compute(Operations kind, std::uint64_t rounds) noexcept;

/// The two halves of `compute`: by vectors, and of single numbers.
Computed compute_vectors(bool multiply, std::uint64_t rounds) noexcept;
Computed compute_scalars(Operations kind, std::uint64_t rounds) noexcept;

}  // namespace lares::measure

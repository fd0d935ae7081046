// Single numbers. This file is compiled without vectorisers, which would make vectors of them, and
// for the oldest processor, as most programs are: where that has no multiply-add, it is two
// instructions.
#include "measure/compute_kernels.hpp"

namespace lares::measure {
namespace {

constexpr std::size_t independent_numbers = 12;

template <bool multiply>
Computed run_scalars(std::uint64_t rounds) noexcept {
  double sums[independent_numbers];
  double factor = 0.999999;
  double term = 1e-6;
  asm volatile("" : "+m"(factor), "+m"(term));
  for (double& sum : sums) {
    sum = term;
    asm volatile("" : "+m"(sum));  // not known to begin alike
  }
  for (std::uint64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
    for (std::size_t i = 0; i < independent_numbers; ++i) {
      sums[i] = multiply ? sums[i] * factor + term : sums[i] + term;
    }
  }
  Computed done{rounds * independent_numbers * (multiply ? 2 : 1), 0};
  for (const double sum : sums) done.sum += sum;
  return done;
}

/// A dot product of what the first cache holds.
Computed run_chain(std::uint64_t rounds) noexcept {
  double left[independent_numbers];
  double right[independent_numbers];
  for (std::size_t i = 0; i < independent_numbers; ++i) left[i] = right[i] = 1e-3;
  double sum = 0;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    asm volatile("" : : "r"(left), "r"(right) : "memory");  // they may have changed
#pragma GCC unroll 12
    for (std::size_t i = 0; i < independent_numbers; ++i) sum += left[i] * right[i];
  }
  return {2 * rounds * independent_numbers, sum};
}

}  // namespace

std::string_view operations_name(Operations kind) noexcept {
  constexpr std::string_view names[] = {"fma", "add", "scalar-fma", "scalar-add", "chain"};
  return names[static_cast<std::size_t>(kind)];
}

Computed compute_scalars(Operations kind, std::uint64_t rounds) noexcept {
  if (kind == Operations::chain) return run_chain(rounds);
  return kind == Operations::scalar_fma ? run_scalars<true>(rounds) : run_scalars<false>(rounds);
}

Computed compute(Operations kind, std::uint64_t rounds) noexcept {
  switch (kind) {
    case Operations::fma:
      return compute_vectors(true, rounds);
    case Operations::add:
      return compute_vectors(false, rounds);
    default:
      return compute_scalars(kind, rounds);
  }
}

}  // namespace lares::measure

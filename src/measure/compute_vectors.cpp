// Vectors are as wide as the processor has them, which the command finds when it runs: it is built
// for the oldest. Enough of them are independent that the units' latency does not show (a dozen is
// more than 4 cycles on 2 units), and so few that none leaves its register.
#include "measure/compute_kernels.hpp"

namespace lares::measure {
namespace {

constexpr std::size_t independent = 12;

template <std::size_t bytes>
struct Wide {
  using Vector [[gnu::vector_size(bytes)]] = double;
};

/// Inlined into a function for each width, which says what instructions it may have.
template <std::size_t bytes, bool multiply>
[[gnu::always_inline]] inline Computed run_vectors(std::uint64_t rounds) noexcept {
  using Vector = typename Wide<bytes>::Vector;
  constexpr std::size_t lanes = bytes / sizeof(double);
  Vector sums[independent];
  Vector factor{};
  Vector term{};
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    factor[lane] = 0.999999;  // nothing grows, and nothing becomes denormal
    term[lane] = 1e-6;
  }
  asm volatile("" : "+m"(factor), "+m"(term));  // they are not known when this is compiled
  for (Vector& sum : sums) {
    sum = term;
    asm volatile("" : "+m"(sum));  // nor that all begin alike
  }
  for (std::uint64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
    for (std::size_t i = 0; i < independent; ++i) {
      sums[i] = multiply ? sums[i] * factor + term : sums[i] + term;
    }
  }
  Computed done{rounds * independent * lanes * (multiply ? 2 : 1), 0};
  for (const Vector& sum : sums) {
    for (std::size_t lane = 0; lane < lanes; ++lane) done.sum += sum[lane];
  }
  return done;
}

template <std::size_t bytes>
[[gnu::always_inline]] inline Computed run_either(bool multiply, std::uint64_t rounds) noexcept {
  return multiply ? run_vectors<bytes, true>(rounds) : run_vectors<bytes, false>(rounds);
}

#if defined(__x86_64__)
[[gnu::target("avx512f")]] Computed by_512_bits(bool multiply, std::uint64_t rounds) noexcept {
  return run_either<64>(multiply, rounds);
}
[[gnu::target("avx2,fma")]] Computed by_256_bits(bool multiply, std::uint64_t rounds) noexcept {
  return run_either<32>(multiply, rounds);
}
#endif

}  // namespace

Computed compute_vectors(bool multiply, std::uint64_t rounds) noexcept {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return by_512_bits(multiply, rounds);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    return by_256_bits(multiply, rounds);
  }
#endif
  return run_either<16>(multiply, rounds);
}

}  // namespace lares::measure

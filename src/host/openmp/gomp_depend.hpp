// The `depend` clauses of a task as GCC passes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/engine.hpp"

namespace lares::omp::gomp {

/// Reads the compiler's array: [0] count, [1] outs, addresses; or, if [0] is 0: [1] count, [2]
/// outs, [3] mutexinoutsets, [4] ins, addresses, then pointers to omp_depend_t. Lengths are not
/// told.
class Dependences {
 public:
  explicit Dependences(void** depend) noexcept;
  Dependences(const Dependences&) = delete;
  Dependences& operator=(const Dependences&) = delete;
  ~Dependences();
  [[nodiscard]] std::span<const runtime::Dependence> list() const noexcept {
    return {items_, count_};
  }

 private:
  static constexpr std::size_t room = 16;
  void add(void* address, runtime::DependKind kind) noexcept;

  runtime::Dependence inline_[room];
  runtime::Dependence* items_ = inline_;  // from malloc if there are more than fit
  std::size_t count_ = 0;
};

}  // namespace lares::omp::gomp

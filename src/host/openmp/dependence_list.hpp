// Where a front end puts what it reads of a `depend` clause.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <span>

#include "base/raw_memory.hpp"
#include "runtime/engine.hpp"

namespace lares::omp {

/// Raw memory with room for as many as it is made for: most tasks have a few, and clearing room for
/// the rest takes longer than they do.
class DependenceList {
 public:
  explicit DependenceList(std::size_t most) noexcept {
    if (most > room) {
      items_ = static_cast<runtime::Dependence*>(need_memory(most * sizeof(runtime::Dependence)));
    }
  }
  DependenceList(const DependenceList&) = delete;
  DependenceList& operator=(const DependenceList&) = delete;
  ~DependenceList() {
    if (static_cast<void*>(items_) != few_) std::free(items_);
  }
  /// Precondition: fewer are in it than it was made for.
  void add(const runtime::Dependence& item) noexcept {
    new (&items_[count_++]) runtime::Dependence(item);
  }
  [[nodiscard]] std::span<const runtime::Dependence> list() const noexcept {
    return {items_, count_};
  }

 private:
  static constexpr std::size_t room = 16;
  alignas(runtime::Dependence) std::byte few_[room * sizeof(runtime::Dependence)];
  runtime::Dependence* items_ = reinterpret_cast<runtime::Dependence*>(few_);
  std::size_t count_ = 0;
};

}  // namespace lares::omp

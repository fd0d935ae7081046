// Simulated workers that look for tasks and find none.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "base/ids.hpp"

namespace lares::simulate {

/// By domain, those that are idle for longest first.
class IdleWorkers {
 public:
  explicit IdleWorkers(std::size_t domains) : by_domain_(domains) {}

  void clear() {
    for (auto& list : by_domain_) list.clear();
    count_ = 0;
  }
  void add(DomainId domain, std::uint32_t worker) {
    by_domain_[domain.index()].push_back(worker);
    ++count_;
  }
  /// Precondition: it was added.
  void remove(DomainId domain, std::uint32_t worker) {
    auto& list = by_domain_[domain.index()];
    list.erase(std::find(list.begin(), list.end(), worker));
    --count_;
  }
  /// Of the first of `domains` that has any: the one that is idle for longest.
  template <class Domains>
  [[nodiscard]] std::optional<std::uint32_t> first_of(const Domains& domains) const {
    if (count_ == 0) return std::nullopt;
    for (const DomainId domain : domains) {
      const auto& list = by_domain_[domain.index()];
      if (!list.empty()) return list.front();
    }
    return std::nullopt;
  }

 private:
  std::vector<std::deque<std::uint32_t>> by_domain_;
  std::size_t count_ = 0;
};

}  // namespace lares::simulate

// Places sorted by how much they deserve a visit, and samples of them: reading the length of a
// queue costs about as much as visiting an empty one, so large teams are not read in whole.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "policy/order.hpp"
#include "policy/policy.hpp"

namespace lares::policy::steal {

/// The most places of one kind that a round looks at.
inline constexpr std::uint32_t sampled_per_kind = 16;

/// Places with the highest score first; equals keep the order in which they came.
class Ranking {
 public:
  static constexpr std::size_t capacity = 1 + 3 * sampled_per_kind;

  /// Precondition: fewer than `capacity` places so far.
  void add(PlaceId place, std::int32_t score) noexcept {
    std::size_t i = size_++;
    for (; i > 0 && score_[i - 1] < score; --i) {
      place_[i] = place_[i - 1];
      score_[i] = score_[i - 1];
    }
    place_[i] = place.value();
    score_[i] = score;
  }
  void list(Victims& victims) const noexcept {
    for (std::size_t i = 0; i < size_; ++i) victims.add(PlaceId{place_[i]});
  }

 private:
  std::array<PlaceId::Rep, capacity> place_;  // the first size_ are set
  std::array<std::int32_t, capacity> score_;
  std::size_t size_ = 0;
};

/// Calls `use(worker)` for a sample of the workers of `own`, without the asking one.
template <class Use>
void sample_neighbours(const View& view, DomainId own, Use&& use) noexcept {
  const auto workers = view.places.workers_in(own);
  Sweep sweep(view.random, static_cast<std::uint32_t>(workers.size()), sampled_per_kind);
  for (std::uint32_t i = 0; i < sweep.size(); ++i) {
    const WorkerId worker = workers[sweep.next()];
    if (worker != view.self) use(worker);
  }
}

/// Calls `use(domain)` for a sample of the domains with workers, without `own`.
template <class Use>
void sample_other_domains(const View& view, DomainId own, Use&& use) noexcept {
  const auto domains = view.places.domains_with_workers();
  Sweep sweep(view.random, static_cast<std::uint32_t>(domains.size()), sampled_per_kind);
  for (std::uint32_t i = 0; i < sweep.size(); ++i) {
    const DomainId domain = domains[sweep.next()];
    if (domain != own) use(domain);
  }
}

/// Calls `use(worker)` for a sample of the workers outside of `own`.
template <class Use>
void sample_distant_workers(const View& view, DomainId own, Use&& use) noexcept {
  Sweep sweep(view.random, static_cast<std::uint32_t>(view.places.worker_count()),
              sampled_per_kind);
  for (std::uint32_t i = 0; i < sweep.size(); ++i) {
    const WorkerId worker{std::size_t{sweep.next()}};
    if (view.places.domain_of(worker) != own) use(worker);
  }
}

}  // namespace lares::policy::steal

// Cuts an area into as many runs of neighbouring blocks as there are domains.
#include <algorithm>
#include <limits>

#include "policy/catalogue.hpp"

namespace lares::policy::distribution {
namespace {

/// floor(index * parts / count), at most parts - 1, without overflow.
std::size_t part_of(const Block& block, std::uint64_t parts) noexcept {
  const bool exact = block.index <= std::numeric_limits<std::uint64_t>::max() / parts;
  const std::uint64_t part = exact ? block.index * parts / block.count
                                   : block.index / std::max<std::uint64_t>(1, block.count / parts);
  return static_cast<std::size_t>(std::min(part, parts - 1));
}

class Blocked final : public Distribution {
 public:
  DomainId on_place(const View& view, const Block& block) noexcept override {
    const auto domains = view.places.domains_with_workers();
    // How long the runs should be is unknown without a count: deal the blocks out one by one.
    if (block.count == 0) return domains[block.index % domains.size()];
    return domains[part_of(block, domains.size())];
  }
};

}  // namespace

Entry<Distribution> blocked() noexcept {
  return {.name = "blocked",
          .paper = "",
          .source = "Lares",
          .summary = "an area is cut into one run of neighbouring blocks per domain",
          .make = &make<Distribution, Blocked>};
}

}  // namespace lares::policy::distribution

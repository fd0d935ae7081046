#include "lab/guest_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lab/sizes.hpp"

namespace lares::lab {
namespace {

constexpr Bytes step{16 * mebibyte.count};
constexpr Bytes least_with_cpus{128 * mebibyte.count};
constexpr Bytes least_without_cpus{64 * mebibyte.count};

/// What the rest of this host keeps: QEMU's own memory, and everybody else.
Bytes share_of(Bytes host_memory) { return {host_memory.count / 4 * 3}; }

}  // namespace

Bytes proportion(Bytes size, std::uint64_t numerator, std::uint64_t denominator, bool has_cpus) {
  if (size.count == 0 || numerator == 0) return {};
  const double exact = static_cast<double>(size.count) * static_cast<double>(numerator) /
                       static_cast<double>(denominator);
  const auto steps =
      static_cast<std::uint64_t>(std::llround(exact / static_cast<double>(step.count)));
  return std::max(Bytes{steps * step.count}, has_cpus ? least_with_cpus : least_without_cpus);
}

void set_memory(std::vector<GuestNode>& nodes, const std::vector<Bytes>& asked,
                const std::vector<Bytes>& usual, Bytes host_memory,
                std::vector<std::string>& notes) {
  const std::vector<Bytes>& chosen = asked.empty() ? usual : asked;
  for (std::size_t n = 0; n < nodes.size(); ++n)
    nodes[n].memory = chosen[chosen.size() > 1 ? n : 0];
  const Bytes sum = std::accumulate(nodes.begin(), nodes.end(), Bytes{},
                                    [](Bytes all, const GuestNode& n) { return all + n.memory; });
  const Bytes share = share_of(host_memory);
  if (!asked.empty() || sum <= share) return;
  Bytes largest;
  for (GuestNode& node : nodes) {
    node.memory = proportion(node.memory, share.count, sum.count, node.cpus > 0);
    largest = std::max(largest, node.memory);
  }
  notes.push_back(fmt::format("nodes have up to {} of memory, because this host has {} available",
                              size_text(largest), size_text(host_memory)));
}

}  // namespace lares::lab

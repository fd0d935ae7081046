#include "memory/place/plan.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/random.hpp"

namespace lares::memory {
namespace {

using Kind = Distribution::Kind;

std::vector<DomainId> with_memory(const Nodes& nodes) {
  std::vector<DomainId> all;
  for (std::size_t d = 0; d < nodes.domains(); ++d) {
    // Where nothing is known of nodes (a machine file), every domain counts.
    if (nodes.node_of(DomainId{d}).valid() || !nodes.several()) all.emplace_back(d);
  }
  return all;
}

std::optional<Error> check_domains(std::span<const DomainId> domains, const Nodes& nodes) {
  for (const DomainId domain : domains) {
    if (!nodes.has(domain)) {
      return Error{"domain " + std::to_string(domain.value()) +
                   " does not exist, accepted are 0 to " + std::to_string(nodes.domains() - 1)};
    }
    if (nodes.several() && !nodes.node_of(domain).valid()) {
      return Error{"domain " + std::to_string(domain.value()) + " has no memory"};
    }
  }
  return std::nullopt;
}

std::optional<Error> check(const Distribution& wanted, std::size_t domains) {
  if (domains == 0) return Error{"the distribution names no domain"};
  if (domains > Plan::most_turns) {
    return Error{"the distribution names " + std::to_string(domains) +
                 " domains, accepted are at most " + std::to_string(Plan::most_turns)};
  }
  if (wanted.kind == Kind::blocked && wanted.row.count == 0) {
    return Error{"the array has no elements, or more bytes than 64 bits can count"};
  }
  if (wanted.weights.empty()) return std::nullopt;
  if (wanted.weights.size() != domains) {
    return Error{"the distribution has " + std::to_string(wanted.weights.size()) + " weights for " +
                 std::to_string(domains) + " domains"};
  }
  const auto& weights = wanted.weights;
  if (std::all_of(weights.begin(), weights.end(), [](std::uint32_t w) { return w == 0; })) {
    return Error{"all weights of the distribution are 0"};
  }
  return std::nullopt;
}

/// The turns by which weights are kept, or some for each domain if there are many.
std::size_t most_shares(std::size_t domains) noexcept {
  return std::max<std::size_t>(512, 4 * domains);
}

/// Shares with the same proportions, as nearly as a sum of most_shares() allows; none that was
/// above 0 vanishes.
std::vector<std::uint32_t> scaled(std::span<const std::uint32_t> weights) {
  std::uint64_t divisor = 0;
  std::uint64_t sum = 0;
  for (const std::uint32_t weight : weights) {
    divisor = std::gcd(divisor, std::uint64_t{weight});
    sum += weight;
  }
  const std::uint64_t room = most_shares(weights.size()) - weights.size();
  std::vector<std::uint32_t> result;
  for (const std::uint32_t weight : weights) {
    const std::uint64_t share =
        sum / divisor <= room ? weight / divisor : (weight * room + sum / 2) / sum;
    result.push_back(
        static_cast<std::uint32_t>(weight == 0 ? 0 : std::max<std::uint64_t>(share, 1)));
  }
  return result;
}

}  // namespace

/// Turns are dealt so that each domain's are spread evenly: the one that is most behind is next.
void Plan::fill_turns(std::span<const DomainId> domains, std::span<const std::uint32_t> weights) {
  turns_.assign(domains.begin(), domains.end());
  if (weights.empty()) return;
  turns_.clear();
  const std::vector<std::uint32_t> shares = scaled(weights);
  std::int64_t total = 0;
  for (const std::uint32_t share : shares) total += share;
  std::vector<std::int64_t> behind(shares.size(), 0);
  for (std::int64_t turn = 0; turn < total; ++turn) {
    for (std::size_t i = 0; i < shares.size(); ++i) behind[i] += shares[i];
    const auto next = std::max_element(behind.begin(), behind.end()) - behind.begin();
    behind[static_cast<std::size_t>(next)] -= total;
    turns_.push_back(domains[static_cast<std::size_t>(next)]);
  }
}

Result<Plan> Plan::make(const Distribution& wanted, Bytes length, const Nodes& nodes, Bytes page) {
  if (length.count == 0) return Error{"the range is empty"};
  Plan plan;
  plan.kind_ = wanted.kind;
  plan.length_ = length;
  if (wanted.kind == Kind::first_touch) return plan;
  // Weights without a list are one for each domain with memory.
  const std::vector<DomainId> all = wanted.domains.empty() && !wanted.weights.empty()
                                        ? with_memory(nodes)
                                        : std::vector<DomainId>{};
  const std::span<const DomainId> usual = all.empty() ? nodes.usual() : std::span(all);
  const std::span<const DomainId> domains = wanted.domains.empty() ? usual : wanted.domains;
  if (auto error = check_domains(domains, nodes)) return std::move(*error);
  if (auto error = check(wanted, domains.size())) return std::move(*error);
  const bool weighted = wanted.kind == Kind::interleave || wanted.kind == Kind::cyclic;
  plan.fill_turns(domains, weighted ? wanted.weights : std::span<const std::uint32_t>{});
  plan.seed_ = wanted.seed;
  plan.plain_ = wanted.kind == Kind::interleave && wanted.weights.empty();
  switch (wanted.kind) {
    case Kind::interleave:
      plan.block_ = page.count;
      break;
    case Kind::blocked:
      plan.block_ = wanted.row.count;
      break;
    case Kind::listed:
      plan.block_ = std::max<std::uint64_t>(wanted.block.count, 1);
      break;
    default:
      plan.block_ = std::max(wanted.block.count, page.count);
  }
  return plan;
}

bool Plan::coarsen() noexcept {
  const bool dealt = kind_ == Kind::interleave || kind_ == Kind::cyclic || kind_ == Kind::random;
  if (!dealt || block_ >= length_.count || block_ > UINT64_MAX / 2) return false;
  block_ *= 2;
  return true;
}

Plan::Piece Plan::piece_of_rows(std::uint64_t offset) const noexcept {
  const std::uint64_t rows = length_.count / block_;
  if (rows == 0) return {turns_[0], length_.count};
  const std::uint64_t each = rows / turns_.size();
  const std::uint64_t longer = rows % turns_.size();  // the first so many have a row more
  const std::uint64_t row = std::min(offset / block_, rows - 1);
  const std::uint64_t in_longer = longer * (each + 1);
  const std::uint64_t index =
      row < in_longer ? row / (each + 1) : longer + (row - in_longer) / each;
  const std::uint64_t end_row = index * each + std::min(index + 1, longer) + each;
  // Bytes behind the last row belong to it.
  const std::uint64_t end = end_row >= rows ? length_.count : end_row * block_;
  return {turns_[index], end};
}

Plan::Piece Plan::at(std::uint64_t offset) const noexcept {
  if (kind_ == Kind::first_touch) return {DomainId{}, length_.count};
  if (kind_ == Kind::domain) return {turns_[0], length_.count};
  if (kind_ == Kind::blocked) return piece_of_rows(offset);
  const std::uint64_t block = offset / block_;
  const std::uint64_t left = length_.count - offset;
  const std::uint64_t end = offset + std::min(left, block_ - offset % block_);
  if (kind_ == Kind::listed) {
    if (block >= turns_.size()) return {DomainId{}, length_.count};
    return {turns_[block], end};
  }
  if (kind_ == Kind::random) {
    Random lot(seed_ ^ (block + 1) * 0xBF58476D1CE4E5B9ULL);
    return {turns_[lot.below(static_cast<std::uint32_t>(turns_.size()))], end};
  }
  return {turns_[block % turns_.size()], end};
}

DomainId Plan::owner_of(std::uint64_t begin, std::uint64_t end) const noexcept {
  DomainId owner;
  std::uint64_t most = 0;
  while (begin < end) {
    const Piece piece = at(begin);
    const std::uint64_t until = std::min(piece.end, end);
    if (until - begin > most) {
      most = until - begin;
      owner = piece.domain;
    }
    begin = until;
  }
  return owner;
}

}  // namespace lares::memory

#include "policy/bubbles/deal.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace lares::policy {
namespace {

// Sums of loads in another order differ by less.
constexpr double rounding = 1e-9;

class Dealer {
 public:
  Dealer(std::span<DealPiece> pieces, std::span<DealPart> parts) : pieces_(pieces), parts_(parts) {
    for (const DealPiece& piece : pieces_) {
      if (piece.stays) first_ = piece.home;
    }
    rank_parts();
  }

  void deal_to_homes() {
    for (DealPiece& piece : pieces_) {
      if (piece.stays) give(piece, piece.home);
    }
    double load = 0;
    double cores = 0;
    for (const DealPart& part : parts_) {
      load += part.load;
      cores += part.cores;
    }
    for (const DealPiece& piece : pieces_) load += piece.stays ? 0 : piece.load;
    for (DealPiece& piece : pieces_) {
      if (is_given(piece) || piece.home == DealPiece::nowhere) continue;
      const double filled = parts_[piece.home].load_with(piece.load);
      if (piece.load > 0 && filled <= load / cores * (1 + rounding)) give(piece, piece.home);
    }
  }

  void deal_by_load() {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      if (!is_given(pieces_[i])) order.push_back(i);
    }
    std::ranges::sort(order, {}, [&](std::size_t i) {
      return std::tuple(-pieces_[i].load, pieces_[i].home == DealPiece::nowhere, i);
    });
    for (const std::size_t i : order) give(pieces_[i], least_loaded(pieces_[i]));
    free_ = std::move(order);
  }

  // Equal pieces that nothing binds change places, so that neighbours come to lie together.
  void join_neighbours() {
    std::erase_if(free_, [&](std::size_t i) { return pieces_[i].part == pieces_[i].home; });
    std::ranges::sort(free_);
    while (!free_.empty()) {
      std::vector<std::size_t> equal;
      const DealPiece like = pieces_[free_.front()];
      std::erase_if(free_, [&](std::size_t i) {
        const DealPiece& piece = pieces_[i];
        const bool is_equal =
            piece.parent == like.parent && piece.load == like.load && piece.threads == like.threads;
        if (is_equal) equal.push_back(i);
        return is_equal;
      });
      std::vector<std::size_t> given;
      for (const std::size_t i : equal) given.push_back(pieces_[i].part);
      std::ranges::sort(given, {}, [&](std::size_t part) { return turn(part); });
      for (std::size_t i = 0; i < equal.size(); ++i) pieces_[equal[i]].part = given[i];
    }
  }

 private:
  static bool is_given(const DealPiece& piece) { return piece.part != DealPiece::nowhere; }

  [[nodiscard]] std::size_t turn(std::size_t part) const {
    return (part + parts_.size() - first_) % parts_.size();
  }

  // Where all are alike, those that get one more lie as far from each other as they can, so that
  // each has a share of those without.
  void rank_parts() {
    const std::size_t size = parts_.size();
    const std::size_t more = pieces_.size() % size;
    rank_.assign(size, size);
    std::size_t next = 0;
    for (std::size_t i = 0; i < more; ++i) rank_[(first_ + i * size / more) % size] = next++;
    for (std::size_t i = 0; i < size; ++i) {
      std::size_t& rank = rank_[(first_ + i) % size];
      if (rank == size) rank = next++;
    }
  }

  void give(DealPiece& piece, std::size_t part) {
    piece.part = part;
    parts_[part].load += piece.load;
    parts_[part].threads += piece.threads;
  }

  [[nodiscard]] std::size_t least_loaded(const DealPiece& piece) const {
    std::size_t best = 0;
    for (std::size_t i = 1; i < parts_.size(); ++i) {
      if (is_before(piece, i, best)) best = i;
    }
    return best;
  }
  [[nodiscard]] bool is_before(const DealPiece& piece, std::size_t a, std::size_t b) const {
    const double difference = parts_[a].load_with(piece.load) - parts_[b].load_with(piece.load);
    const double limit = rounding * (1 + parts_[b].load_with(piece.load));
    if (difference < -limit || difference > limit) return difference < 0;
    const auto key = [&](std::size_t part) {
      return std::tuple(parts_[part].threads_with(piece.threads), part != piece.home, rank_[part]);
    };
    return key(a) < key(b);
  }

  std::span<DealPiece> pieces_;
  std::span<DealPart> parts_;
  std::vector<std::size_t> rank_;  // by part: which is taken first if all else is equal
  std::vector<std::size_t> free_;  // pieces that went to wherever there was least
  std::size_t first_ = 0;          // the part of the one that stays
};

}  // namespace

void deal(std::span<DealPiece> pieces, std::span<DealPart> parts, Neighbours neighbours) {
  Dealer dealer(pieces, parts);
  dealer.deal_to_homes();
  dealer.deal_by_load();
  if (neighbours == Neighbours::together) dealer.join_neighbours();
}

}  // namespace lares::policy

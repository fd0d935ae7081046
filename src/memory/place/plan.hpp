// Which domain each byte of a range is for: distributions as a pure function, without pages.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "memory/nodes.hpp"

namespace lares::memory {

/// How a range is dealt out to domains. A plain value that refers to the caller's lists.
struct Distribution {
  enum class Kind : std::uint8_t {
    first_touch,  ///< whoever touches a page first has it: the system's own way
    domain,       ///< all to `domains[0]`
    interleave,   ///< a page each in turn, by `weights` if given (OMPX interleaved_alloc,
                  ///< Schmidl 2016, 3.3.1)
    cyclic,       ///< a block each in turn, by `weights` if given (Virouleau 2016, 3.3)
    random,       ///< a domain by lot for each block (Virouleau 2016, 3.3)
    blocked,      ///< one piece each, as `schedule(static)` divides rows (Virouleau 2016, 3.3)
    listed,       ///< block i to `domains[i]`; what is beyond the list is nobody's
  };
  Kind kind = Kind::first_touch;
  /// Those that take part, in this order; a domain may appear twice. Empty: those with cores and
  /// memory, or, with weights, all that have memory.
  std::span<const DomainId> domains;
  /// interleave, cyclic: shares, one per domain, for instance bandwidths; empty: equal ones.
  std::span<const std::uint32_t> weights;
  /// cyclic, random, listed: bytes of a block. 0, and less than a page for cyclic and random,
  /// means a page, since a page has one home.
  Bytes block;
  std::uint64_t seed = 0;  ///< random: same seed, same answer
  Bytes row{1};            ///< blocked: pieces are cut between rows of so many bytes
};

/// A distribution that was checked and made ready for one range.
/// Thread safety: immutable after make().
class Plan {
 public:
  /// Domains that may be named: members of a team, for instance.
  static constexpr std::size_t most_turns = 65536;

  /// Errors: an empty range, a domain that does not exist or has no memory, weights that do not fit
  /// the domains or are all 0, too many domains.
  static Result<Plan> make(const Distribution& distribution, Bytes length, const Nodes& nodes,
                           Bytes page);

  /// Bytes up to `end` (an offset in the range) are for `domain`; invalid: nobody in particular.
  struct Piece {
    DomainId domain;
    std::uint64_t end = 0;
  };
  /// Precondition: offset < length(). O(1).
  [[nodiscard]] Piece at(std::uint64_t offset) const noexcept;
  /// A page has one home: the domain of the block that has the greatest part of [begin, end), of
  /// equal parts the first. Precondition: begin < end <= length(). O(blocks in it).
  [[nodiscard]] DomainId owner_of(std::uint64_t begin, std::uint64_t end) const noexcept;

  /// Makes blocks that are dealt in turn or by lot twice as large. False, and nothing changes,
  /// where there are none, or one has it all.
  bool coarsen() noexcept;

  [[nodiscard]] Bytes length() const noexcept { return length_; }
  [[nodiscard]] Distribution::Kind kind() const noexcept { return kind_; }
  /// One page each in turn with equal shares: what the kernel can do by itself.
  [[nodiscard]] bool plain_interleave() const noexcept { return plain_; }
  /// The domains in turn, as often as their weights say.
  [[nodiscard]] std::span<const DomainId> turns() const noexcept { return turns_; }

 private:
  Plan() = default;
  void fill_turns(std::span<const DomainId> domains, std::span<const std::uint32_t> weights);
  [[nodiscard]] Piece piece_of_rows(std::uint64_t offset) const noexcept;

  Distribution::Kind kind_ = Distribution::Kind::first_touch;
  bool plain_ = false;
  Bytes length_;
  std::uint64_t block_ = 1;
  std::uint64_t seed_ = 0;
  std::vector<DomainId> turns_;
};

}  // namespace lares::memory

// The table of homes: in which domain does this piece of data live?
//
// A home is *given* (Lares placed the memory, or the user said so) or *found* (Wittmann & Hager
// 2010, 2.2; Virouleau 2016, 2.3 and 3.3). How it is found depends on what makes the domains:
//  - each domain has a NUMA node of its own: by the node of the pages, asked from the kernel;
//  - the domains share one memory (l2, l3 or group levels): by who wrote the data last, else who
//    read it last, as its caches are the likeliest to hold it;
//  - both (several nodes, several domains in a node): the last user's domain if it lies in the
//    node of the pages, else the first domain of that node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.hpp"
#include "machine/machine.hpp"
#include "memory/calls.hpp"
#include "memory/given.hpp"
#include "memory/last_touch.hpp"
#include "memory/page_homes.hpp"
#include "policy/access.hpp"

namespace lares::memory {

/// How homes are looked for.
struct Options {
  PageHomesOptions pages;              ///< the cache of what the kernel said
  unsigned touch_bits = 16;            ///< 2^bits words remember who used what, from 4 to 24
  std::size_t given_capacity = 65536;  ///< ranges that can be given
};

/// A home, and who used the data last.
struct FoundHome {
  policy::DataHome home;
  CoreId last_core;  ///< of the last writer, or of the last reader if no writer is known; may be
                     ///< invalid. Tells a task on the same core from one in the same domain
};

/// One per process. Memory: about 1 MiB, taken from the kernel as it is used; never from malloc
/// after construction.
/// Thread safety: every function from any thread. None but give() and forget() waits for another
/// thread.
/// Everything it says is a hint: memory moves, is freed and reused, and the table follows within
/// PageHomesOptions::first_recheck uses of a range, later (up to 256 times that) for a range that
/// long proved right, at once for neighbours of one that was caught.
class Homes {
 public:
  /// How the homes of this machine are found.
  enum class Kind : std::uint8_t {
    single,  ///< one domain (or more than 4094): nothing to find
    nodes,   ///< each domain has its own node
    caches,  ///< all domains share one node
    mixed,   ///< several nodes, one of them with several domains
  };

  explicit Homes(const machine::Machine& machine, const Options& options = {},
                 const SystemCalls& calls = real_calls());
  Homes(const Homes&) = delete;
  Homes& operator=(const Homes&) = delete;

  [[nodiscard]] Kind kind() const noexcept { return kind_; }
  /// True if pages have a say in where data is.
  [[nodiscard]] bool are_of_pages() const noexcept {
    return kind_ == Kind::nodes || kind_ == Kind::mixed;
  }

  /// The home of [address, address + length); length 0 (unknown, as from GCC) means the page that
  /// holds `address`. `unplaced` if no page exists yet or, where caches make the domains, nobody is
  /// known to have used it: a distribution may choose. With one domain it is always the home.
  /// A known range costs nanoseconds, an unknown one a system call of microseconds.
  policy::DataHome find(std::uintptr_t address, Bytes length, policy::AccessMode mode) noexcept;
  /// The same together with the last user's core.
  FoundHome find_with_core(std::uintptr_t address, Bytes length, policy::AccessMode mode) noexcept;
  /// The core part alone. O(1).
  [[nodiscard]] CoreId last_core(std::uintptr_t address) const noexcept;

  /// A worker of `domain` on `core` has used the range so. O(1), one load and at most one store.
  /// Ranges are told apart by `address` alone. A read never hides a known write.
  void touched(std::uintptr_t address, Bytes length, policy::AccessMode mode, DomainId domain,
               CoreId core) noexcept;

  /// A distribution chose `domain` for a range that find() called unplaced: the home until the
  /// kernel, asked at the next find(), or the next touch says otherwise.
  void assume(std::uintptr_t address, Bytes length, DomainId domain) noexcept;

  /// The range lives in `domain` for certain: overrides everything found. False if the table of
  /// given ranges is full (the home is then found as for any memory). O(given ranges), may wait for
  /// another writer.
  bool give(std::uintptr_t address, Bytes length, DomainId domain) noexcept;
  /// The same for many, in ascending order. O(ranges + given ranges).
  bool give_all(std::span<const GivenRange> ranges) noexcept;
  /// Whether the byte has a given home. O(log given ranges).
  [[nodiscard]] bool is_given(std::uintptr_t address) const noexcept {
    return given_.any() && given_.find(address).valid();
  }
  /// Nothing is known of the range any more (it was freed). False if it cuts a hole into a given
  /// range and the table is full. O(given ranges), may wait for another writer.
  bool forget(std::uintptr_t address, Bytes length) noexcept;

  /// The errno with which move_pages was refused, or 0; see describe_refusal().
  [[nodiscard]] int refused() const noexcept { return pages_.refused(); }
  /// How often the kernel was asked.
  [[nodiscard]] std::uint64_t queries() const noexcept { return pages_.queries(); }

 private:
  /// Of several domains. `toucher`: whose the last known use was, or invalid.
  PageHome home_of(std::uintptr_t address, Bytes length, DomainId toucher) noexcept;
  [[nodiscard]] DomainId representative(DomainId domain) const noexcept;

  // Never change after construction; any thread reads.
  const Kind kind_;
  /// By DomainId: the first domain of the same node, itself if it has no node. It stands for the
  /// node in pages_.
  const std::vector<DomainId> representative_;

  // Shared by all threads, see each.
  GivenHomes given_;
  PageHomes pages_;    ///< unused where `caches` make the domains
  LastTouch touches_;  ///< decides where caches make domains; tells the core everywhere
};

}  // namespace lares::memory

// The homes that are found: asked from the kernel, cached, and checked again now and then.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/ids.hpp"
#include "memory/calls.hpp"
#include "memory/generations.hpp"
#include "memory/page_query.hpp"
#include "memory/reserve.hpp"
#include "memory/word.hpp"

namespace lares::memory {

/// What is known of a range's pages.
struct PageHome {
  DomainId domain;        ///< invalid if unknown or unplaced
  bool unplaced = false;  ///< the pages do not exist yet
};

/// How the pages' homes are cached and refreshed.
struct PageHomesOptions {
  unsigned table_bits = 16;     ///< 2^bits words of 8 bytes, from 4 to 24
  std::size_t samples = 16;     ///< pages per question, 1 to max_sampled_pages
  unsigned first_recheck = 64;  ///< uses until an answer is checked, 1 to 127; then 4, 16, 64, 256
                                ///< times as many as long as it proves right
  unsigned count_every = 8;     ///< a power of two: uses are counted by a sample of one in so many,
                                ///< so that threads that read one entry rarely write it; 1 is exact
  unsigned page_shift = 0;      ///< log2 of the page size; 0 asks the system
};

/// The home of ranges by the NUMA node of their pages (Virouleau 2016, 2.3 and 3.3: the runtime
/// asks where a task's data is). Direct-mapped, lossy, of fixed size: a range that loses its entry
/// is asked about again. Ranges within one page share its entry. Thread safety: every function from
/// any thread, none waits. A known range costs one load and a few arithmetic instructions; an
/// unknown one a system call of microseconds.
class PageHomes {
 public:
  /// `domain_of_node[n]` is the domain of OS node n, or invalid.
  PageHomes(std::vector<DomainId> domain_of_node, const SystemCalls& calls,
            const PageHomesOptions& options);

  PageHome find(std::uintptr_t address, Bytes length) noexcept;
  /// A distribution chose `home` for pages that do not exist yet. find() answers it, asks the
  /// kernel at its next call, and, while the pages still do not exist, at ever rarer calls after.
  void assume(std::uintptr_t address, Bytes length, DomainId home) noexcept;
  /// Drops the entry of exactly this range, and makes those in the 32 MiB areas that it holds
  /// entirely be checked at their next use. Others are found out by their own checks.
  void forget(std::uintptr_t address, Bytes length) noexcept;

  /// The errno with which the kernel refused to tell, or 0. After the first refusal it is never
  /// asked again and find() knows nothing.
  [[nodiscard]] int refused() const noexcept {
    return refused_.load(std::memory_order_relaxed);  // relaxed: late readers ask once more
  }
  /// How often the kernel was asked.
  [[nodiscard]] std::uint64_t queries() const noexcept {
    return queries_.load(std::memory_order_relaxed);  // relaxed: a statistic
  }

 private:
  using Word = std::atomic<std::uint64_t>;
  struct Entry {
    Word& word;
    std::uint64_t tag;
    PageRange range;
    std::uintptr_t address;
  };

  [[nodiscard]] Entry entry_of(std::uintptr_t address, Bytes length) noexcept;
  [[nodiscard]] std::uint64_t make(const Entry& entry, std::uint64_t state, std::uint64_t exponent,
                                   DomainId domain) const noexcept;
  [[nodiscard]] std::uint64_t interval(std::uint64_t state, std::uint64_t exponent) const noexcept;
  bool due(Word& word, std::uint64_t seen, std::uint64_t generation) noexcept;
  bool claim(Word& word, std::uint64_t seen, std::uint64_t generation) noexcept;
  // Apart from find(), so that a hit pays for nothing but a hit.
  [[gnu::noinline]] PageHome learn(std::uintptr_t address, Bytes length) noexcept;
  [[gnu::noinline]] PageHome check(std::uintptr_t address, Bytes length, std::uint64_t old,
                                   bool was_fresh) noexcept;
  PageHome keep_assumption(const Entry& entry, std::uint64_t old) noexcept;
  PageAnswer ask(const PageRange& range) noexcept;
  [[nodiscard]] DomainId domain_of_node(OsNode node) const noexcept;

  // Never change after construction; any thread reads.
  const std::vector<DomainId> domain_of_node_;
  const SystemCalls calls_;
  const PageHomesOptions options_;
  const std::size_t mask_;  ///< words in the table - 1
  Reserve memory_;
  Word* const table_;  ///< null if the kernel gave no memory: then every find() asks

  std::atomic<int> refused_{0};  ///< any thread; 0 until the first refusal, then never changes
  Generations generations_;      ///< any thread, see there
  /// Any thread, on the slow path only: on a line apart from what every find() reads.
  alignas(64) std::atomic<std::uint64_t> queries_{0};
};

}  // namespace lares::memory

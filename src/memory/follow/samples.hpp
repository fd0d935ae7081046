// Samples of the program's data: where they lie, and who touches them in two turns of its work.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/ids.hpp"
#include "memory/calls.hpp"
#include "memory/next_touch/next_touch.hpp"
#include "memory/nodes.hpp"
#include "memory/repair/large_area.hpp"

namespace lares::memory {

/// A page of a sample. Ids are invalid for what is not known.
struct SampledPage {
  DomainId home;                    ///< whose memory it lay in before anything was looked at
  std::array<DomainId, 2> toucher;  ///< by turn
  std::array<OsCpu, 2> cpu;         ///< where the toucher ran, by turn
};

/// At most 32 runs of 16 pages, evenly over the areas. The pages themselves stay where they lie.
/// Thread safety: one user at a time; others may do with the memory what they like.
class Samples {
 public:
  static constexpr std::size_t most_runs = 32;
  static constexpr std::size_t run_pages = 16;

  /// Chooses runs, at most one for `pages_per_run` pages, and asks where their pages are.
  /// `areas` stays the caller's, constant as long as this is used. Of four choices in a row each is
  /// of other pages.
  void choose(const SystemCalls& calls, const Nodes& nodes, std::span<const LargeArea> areas,
              Bytes page) noexcept;
  /// Lets all runs wait for their next touch. 0, or the first errno if none can be.
  int mark(NextTouch& next_touch) noexcept;
  /// Learns who has touched what since mark(). `turn`: 0 or 1.
  void collect(NextTouch& next_touch, std::size_t turn) noexcept;
  /// The share of that in what exists of the samples.
  [[nodiscard]] double touched(std::size_t turn) const noexcept;
  /// Until the next choice there are none.
  void forget() noexcept { count_ = 0; }
  /// Nothing of them waits any more.
  void settle(NextTouch& next_touch) noexcept;

  /// Calls `use(area, page, next)` for each page that existed, with its area's number and the page
  /// behind it in the run, or null.
  template <class Use>
  void for_each(Use&& use) const noexcept {
    for (std::size_t r = 0; r < count_; ++r) {
      for (std::size_t i = 0; i < runs_[r].pages; ++i) {
        const SampledPage& page = pages_[r][i];
        if (!page.home.valid()) continue;
        use(runs_[r].area, page, i + 1 < runs_[r].pages ? &pages_[r][i + 1] : nullptr);
      }
    }
  }
  /// Calls `use(area, run, address, page)` for the same pages, in their order in each area.
  template <class Use>
  void for_each_place(Use&& use) const noexcept {
    for (std::size_t r = 0; r < count_; ++r) {
      for (std::size_t i = 0; i < runs_[r].pages; ++i) {
        if (!pages_[r][i].home.valid()) continue;
        use(runs_[r].area, r, runs_[r].begin + i * page_, pages_[r][i]);
      }
    }
  }
  /// Calls `use(run, page)` for the same pages, with the number of the run that each is in.
  template <class Use>
  void for_each_by_run(Use&& use) const noexcept {
    for (std::size_t r = 0; r < count_; ++r) {
      for (std::size_t i = 0; i < runs_[r].pages; ++i) {
        if (pages_[r][i].home.valid()) use(r, pages_[r][i]);
      }
    }
  }
  [[nodiscard]] std::size_t runs() const noexcept { return count_; }

  /// For data of fewer pages than that nothing is done.
  static constexpr std::uint64_t pages_per_run = 64;

 private:
  struct Run {
    std::uintptr_t begin = 0;
    std::size_t pages = 0;
    std::size_t area = 0;
  };
  void note(std::size_t turn, const NextTouch::Touched& touched) noexcept;
  bool ask(const SystemCalls& calls, const Nodes& nodes, std::size_t run) noexcept;

  std::array<Run, most_runs> runs_{};
  std::array<std::array<SampledPage, run_pages>, most_runs> pages_{};
  std::size_t count_ = 0;
  std::size_t chosen_ = 0;  ///< how often
  std::uint64_t page_ = 4096;
};

}  // namespace lares::memory

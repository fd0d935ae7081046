// Whose all of an array is, by who was seen to use some of its pages.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.hpp"
#include "decide/parts.hpp"

namespace lares::decide {

/// A page of a sample that one domain used. Pages that lie side by side are of one sample.
struct SeenUse {
  std::uintptr_t at = 0;
  std::size_t sample = 0;
  DomainId by;
};

/// Of an array that domains have shares of.
struct SeenShares {
  PartsByHome known;          ///< by domain
  std::vector<Part> unknown;  ///< what lies where one share ends and another begins, somewhere
};

/// True if the uses, in the order of memory, are of few pieces, each seen in several samples. Of an
/// array that is dealt out in small pieces nobody can tell whose the rest is. Where each of two
/// domains may use any page, eight samples of such an array look like shares in one case of 16, and
/// with four domains in one of 46 (all cases counted); fewer samples say nothing.
inline bool are_shares(std::span<const SeenUse> uses) noexcept {
  constexpr std::size_t enough = 8;         // samples
  constexpr std::size_t in_each = 2;        // where each domain has one piece
  constexpr std::size_t in_each_again = 3;  // where one has several
  std::vector<bool> seen;
  std::size_t pieces = 0;
  std::size_t samples = 0;
  bool again = false;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    samples += i == 0 || uses[i].sample != uses[i - 1].sample ? 1 : 0;
    if (i != 0 && uses[i].by == uses[i - 1].by) continue;
    ++pieces;
    const std::size_t domain = uses[i].by.index();
    if (domain >= seen.size()) seen.resize(domain + 1);
    again = again || seen[domain];
    seen[domain] = true;
  }
  return samples >= std::max(enough, (again ? in_each_again : in_each) * pieces);
}

/// The uses of all arrays as large as `arrays[index]`, `uses` by array, as if they were uses of
/// that one: most programs with several arrays of one size deal them out alike. Pages on which two
/// shares meet may have one user here and the other there, and are left out. Empty if that is so of
/// more than an eighth. What lies side by side then is of one sample, as far as samples reach
/// (`pages` of `page` bytes).
inline std::vector<SeenUse> uses_of_alike(std::span<const Part> arrays, std::size_t index,
                                          std::span<const std::vector<SeenUse>> uses,
                                          std::uint64_t page, std::size_t pages) {
  const Part& here = arrays[index];
  std::vector<SeenUse> all;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    if (arrays[i].end - arrays[i].begin != here.end - here.begin) continue;
    for (const SeenUse& use : uses[i]) {
      all.push_back({here.begin + (use.at - arrays[i].begin), use.sample, use.by});
    }
  }
  std::ranges::sort(all, {}, &SeenUse::at);
  std::vector<SeenUse> merged;
  std::size_t contradictions = 0;
  std::size_t in_sample = 0;
  for (auto use = all.begin(); use != all.end();) {
    const auto next =
        std::find_if(use, all.end(), [&](const SeenUse& other) { return other.at != use->at; });
    const bool agree =
        std::all_of(use, next, [&](const SeenUse& other) { return other.by == use->by; });
    contradictions += agree ? 0 : 1;
    if (agree) {
      const bool joins = !merged.empty() && use->at - merged.back().at <= page && in_sample < pages;
      in_sample = joins ? in_sample + 1 : 1;
      const std::size_t sample = merged.empty() ? 0 : merged.back().sample + (joins ? 0 : 1);
      merged.push_back({use->at, sample, use->by});
    }
    use = next;
  }
  if (8 * contradictions > merged.size()) merged.clear();
  return merged;
}

/// Where are_shares(): what lies between two uses by one domain is that domain's, and so is what
/// lies before the first use or behind the last one.
inline void share_out(const Part& array, std::span<const SeenUse> uses, SeenShares& shares) {
  const auto give = [&shares](DomainId to, std::uintptr_t begin, std::uintptr_t end) {
    if (begin >= end) return;
    if (to.index() >= shares.known.size()) shares.known.resize(to.index() + 1);
    std::vector<Part>& parts = shares.known[to.index()];
    if (!parts.empty() && parts.back().end == begin) {
      parts.back().end = end;
    } else {
      parts.push_back({begin, end});
    }
  };
  if (uses.empty()) return;
  std::uintptr_t done = array.begin;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const bool is_last = i + 1 == uses.size();
    const std::uintptr_t next = is_last ? array.end : uses[i + 1].at;
    if (is_last || uses[i + 1].by == uses[i].by) {
      give(uses[i].by, done, next);
    } else {
      give(uses[i].by, done, uses[i].at);
      shares.unknown.push_back({uses[i].at, next});
    }
    done = next;
  }
}

}  // namespace lares::decide

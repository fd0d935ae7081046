// Cuts a program's memory into pieces in which each byte was touched and is used alike.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/findings/findings.hpp"

namespace lares::trace {

/// How often grains of each domain use a byte.
using UsesByDomain = std::vector<std::uint64_t>;

struct PagePiece {
  std::uint32_t process = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  Index touch = none;  ///< of Trace::touches.list: whose page it was when grains used it first;
                       ///< none: nobody was seen
  PageUse use = PageUse::not_named;
  UsesByDomain uses;  ///< empty: nobody names it

  [[nodiscard]] std::uint64_t bytes() const noexcept { return end - begin; }
};

/// Where the thread ran that touched; no_domain: nobody knows.
std::uint16_t touched_from(const Trace& trace, const Touch& touch) noexcept;

/// What was touched or is named, by process and address, without overlaps. A page that was touched
/// several times is that of the last touch before the first grain that names it has ended; what
/// comes later (a read-only page that is written, a page that is copied) changes nothing.
/// O(n log n + pieces * domains) for n touches and distinct accesses.
std::vector<PagePiece> page_pieces(const Trace& trace);

}  // namespace lares::trace

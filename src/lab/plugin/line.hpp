// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
// The counter's numbers: lines of memory, caches, vCPUs and nodes.
#pragma once

#include <cstdint>

namespace lares::lab::counting {

inline constexpr std::uint64_t line_bytes = 64;
inline constexpr std::uint64_t page_bytes = 4096;
inline constexpr std::uint64_t lines_per_page = page_bytes / line_bytes;

/// A line of the guest's memory, numbered without the gaps between the nodes' memories. Lines of
/// one page are neighbours, and a page's first line is a multiple of lines_per_page.
using Line = std::uint32_t;
/// No line has this number; a cache's way that holds nothing does.
inline constexpr Line no_line = ~Line{0};

using Vcpu = std::uint32_t;  ///< as QEMU numbers them: node by node
using Agent =
    std::uint32_t;  ///< a cache that can hold lines: the vCPUs' own first, then shared ones
using Node = std::uint32_t;

}  // namespace lares::lab::counting

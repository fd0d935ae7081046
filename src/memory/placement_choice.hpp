// Where the large allocations of an unmodified program go: what users write for it.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/ids.hpp"
#include "base/result.hpp"

namespace lares::memory {

enum class PlacementKind : std::uint8_t {
  first_touch,  ///< as the program does it
  bring,        ///< so, but what tasks name or point to goes once to them
  interleave,   ///< pages in turn over the domains (Schmidl 2016, 3.3.1)
  cyclic,       ///< blocks in turn (Virouleau 2016, 3.3)
  blocked,      ///< one piece for each domain (Virouleau 2016, 3.3)
  repair,       ///< what one thread wrote before the first region goes to its next users
  follow,       ///< what the same domains use again and again goes to them
};

struct PlacementChoice {
  PlacementKind kind = PlacementKind::first_touch;
  Bytes block;         ///< cyclic: bytes of a block
  double sweeps = 10;  ///< repair: how often the program is expected to go over its data
  double turns = 0;    ///< follow: how often the user says that the work comes; 0: not said
};

/// Reads `first-touch`, `bring`, `interleave`, `cyclic:SIZE`, `blocked`, `repair`, `repair:SWEEPS`,
/// `follow` or `follow:TURNS`. SIZE is bytes, or has K, M or G (of 1024) behind it. An error names
/// the wrong word and the accepted ones.
Result<PlacementChoice> parse_placement(std::string_view text);

}  // namespace lares::memory

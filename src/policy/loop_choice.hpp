// Who hands out the iterations of dynamic and guided loops, and how: what `--loops` chooses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace lares::policy {

/// Whom a worker robs whose whole domain has nothing left (Schmidl 2016, 4.2).
enum class LoopSteal : std::uint8_t { nearest, most_loaded, random };

struct LoopChoice {
  bool numa = false;  ///< false: the stock runtime
  LoopSteal steal = LoopSteal::nearest;
  bool moldable = false;    ///< a loop that comes again may run on fewer threads (ILAN)
  std::uint64_t chunk = 0;  ///< smaller chunks than this are not handed out; 0: as the program asks
};

/// "stock", "auto" or "numa", the latter two with ",steal=NAME", ",chunk=N" and
/// ",moldable" behind. `auto` is
/// resolved for a machine of so many domains. An error is one sentence that names the word.
Result<LoopChoice> parse_loops(std::string_view text, std::size_t domains);

/// The choice as parse_loops reads it, without `auto`.
std::string to_string(const LoopChoice& choice);

}  // namespace lares::policy

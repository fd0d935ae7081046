// The mark with which the files of a trace begin.
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.hpp"

namespace lares::analysis {

/// What is wrong with a file's mark: it is not Lares', or that of another version, which differs in
/// the last character only. Nothing if it is as expected.
inline std::optional<Error> wrong_mark(std::uint64_t mark, std::uint64_t expected) {
  constexpr std::uint64_t without_version = 0x00FFFFFF'FFFFFFFFULL;
  if (mark == expected) return std::nullopt;
  if ((mark & without_version) == (expected & without_version)) {
    return Error{"it comes from another version of Lares"};
  }
  return Error{"it does not start with Lares' mark"};
}

}  // namespace lares::analysis

// Amounts of memory as users of the lab write them.
#pragma once

#include <string>
#include <string_view>

#include "base/ids.hpp"
#include "base/result.hpp"

namespace lares::lab {

/// Reads "512K", "256M", "1G", "2T" or a plain number of bytes; powers of 1024, either case, and
/// "MB", "MiB" mean the same. No sign, no fraction. The error names the text and what is accepted.
Result<Bytes> parse_size(std::string_view text);

/// The shortest text that parse_size reads back to the same value: "256M", "1536K", "1000".
std::string size_text(Bytes size);

}  // namespace lares::lab

// Bytes as text that a browser unpacks without a library.
#pragma once

#include <string>
#include <string_view>

namespace lares::trace::page {

/// As gzip does; throws std::bad_alloc where memory does not suffice.
std::string gzip(std::string_view bytes);

/// RFC 4648, with padding, on one line.
std::string base64(std::string_view bytes);

}  // namespace lares::trace::page

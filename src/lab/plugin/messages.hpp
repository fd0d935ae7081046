// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
// Puts together what programs say through lares/lab.h, byte by byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace lares::lab::counting {

struct Message {
  char what = 0;  ///< LARES_LAB_REGION_BEGIN and so on; anything else is to be ignored
  std::string name;
};

/// Thread safety: one thread at a time.
class Messages {
 public:
  /// One more byte of the message that comes from `sender`, a table's place in memory. Returns the
  /// message if that was its last byte. A sender that never ends its message is forgotten when
  /// there are max_senders others; a name is cut at LARES_LAB_NAME_BYTES.
  std::optional<Message> take(std::uint64_t sender, unsigned char byte);

  static constexpr std::size_t max_senders = 1024;

 private:
  std::map<std::uint64_t, Message> unfinished_;
};

}  // namespace lares::lab::counting

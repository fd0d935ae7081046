// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#include "lab/plugin/messages.hpp"

#include <utility>

#include "lares/lab.h"

namespace lares::lab::counting {

std::optional<Message> Messages::take(std::uint64_t sender, unsigned char byte) {
  const auto at = unfinished_.find(sender);
  if (at == unfinished_.end()) {
    if (unfinished_.size() == max_senders) unfinished_.clear();
    unfinished_[sender].what = static_cast<char>(byte);
    return std::nullopt;
  }
  Message& message = at->second;
  if (byte != 0) {
    if (message.name.size() < LARES_LAB_NAME_BYTES) message.name += static_cast<char>(byte);
    return std::nullopt;
  }
  Message whole = std::move(message);
  unfinished_.erase(at);
  return whole;
}

}  // namespace lares::lab::counting

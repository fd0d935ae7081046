// Archives in the form that Linux unpacks at its start: cpio, "newc".
#pragma once

#include <cstdint>
#include <string_view>

#include "base/ids.hpp"

namespace lares::lab {}  // namespace lares::lab

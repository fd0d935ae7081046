// Addresses as the kernel takes them.
#pragma once

#include <cstdint>

namespace lares::memory {

inline void* pointer(std::uintptr_t address) noexcept { return reinterpret_cast<void*>(address); }

}  // namespace lares::memory

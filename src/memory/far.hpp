// Places for what Lares maps beside the program's memory: far from where the kernel puts mappings.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lares::memory {

/// An address to ask the kernel for, so that `bytes` from there lie in a part of the address space
/// that it hands out to nobody who does not ask. A place that the kernel chooses may be a hole that
/// the program has just made, and a program that unmaps it once more would unmap ours.
///
/// It is congruent to `like` modulo 2 MiB, from 1 GiB on modulo that: pages then go between the two
/// with their tables, and huge ones stay whole. Each call gives another place. A wish only: where
/// the address space is smaller or the place is taken, the kernel chooses.
///
/// Thread safety: any thread.
std::uintptr_t far_place(std::size_t bytes, std::uintptr_t like = 0) noexcept;

}  // namespace lares::memory

// Locks that a whole process shares, and what a fork does about them: another thread may hold one
// at that moment, and in the child nobody would ever release it.
#pragma once

#include "runtime/spinlock.hpp"

namespace lares::runtime {

/// Every spinlock at namespace scope is one of these, declared by LARES_PROCESS_LOCK, which notes
/// it in a list that the linker makes; tests/house/locks.py finds any other.
class alignas(64) ProcessLock : public Spinlock {};
static_assert(sizeof(ProcessLock) == 64, "the list is an array of them");

/// Defines the lock `name`.
#define LARES_PROCESS_LOCK(name) \
  __attribute__((section("lares_process_locks"), used)) constinit ::lares::runtime::ProcessLock name

/// Before a fork: waits until nobody holds a lock, so that the child finds whole data behind each.
/// Gives up on one that is held for long: locks may be nested, and a fork must not wait for ever.
void hold_process_locks() noexcept;
/// After it, in the parent: for those that `hold_process_locks` has got.
void release_process_locks() noexcept;
/// After it, in the child, which has one thread: all of them are free.
void renew_process_locks() noexcept;

}  // namespace lares::runtime

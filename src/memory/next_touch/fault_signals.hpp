// SIGSEGV and SIGBUS for this floor, with whatever handlers the program has behind it.
#pragma once

#include <cstdint>

namespace lares::memory {

/// An access that the kernel has refused.
struct Fault {
  int signal = 0;
  std::uintptr_t address = 0;
  bool writes = true;    ///< true, too, if that is not known
  bool fetches = false;  ///< of an instruction
  bool stray = false;    ///< everybody was asked, and nobody has marked the page
};

/// A fault of the calling thread; true if it was dealt with, so that the access can be repeated.
/// Runs in a signal handler, with all signals blocked. Asked first of its own pages only; if nobody
/// knows the page, all are asked again, with `stray`, for one may have known it until a moment ago.
using OnFault = bool (*)(void* self, const Fault& fault) noexcept;

/// From now on `on_fault(self, ...)` is asked first; a fault that nobody here knows goes to the
/// handler that the program had, or ends the program as it would have. If the program has set
/// another handler in the meantime, that one moves behind; if it then hands a fault back to ours,
/// the fault goes to what was there before ours, and at last to the kernel. Signals that were sent
/// and are no faults are passed on unseen. Repeating it with the same `self` is harmless. 0 or an
/// errno (ENOSPC: too many different ones). Thread safety: any thread, with all signals blocked.
int watch_faults(int signal, OnFault on_fault, void* self) noexcept;
/// `self` is asked no more.
void forget_faults(void* self) noexcept;

}  // namespace lares::memory

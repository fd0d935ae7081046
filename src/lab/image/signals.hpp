// Keeps Ctrl-C from ending the process while something half-made must still be removed.
#pragma once

#include <csignal>

namespace lares::lab {

/// From construction to destruction SIGINT, SIGTERM and SIGHUP wait; what came meanwhile arrives
/// at the end. Holds for the calling thread only; may be nested.
class HeldSignals {
 public:
  HeldSignals() noexcept;
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  ~HeldSignals();

  /// True if one of them has come and waits: whoever can stop, stops.
  static bool any_waiting() noexcept;
  /// For a child between fork and exec, which inherits what its parent blocks.
  static void unblock_all() noexcept;

 private:
  sigset_t before_;
};

}  // namespace lares::lab

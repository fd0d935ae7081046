// Who brings pages back and who follows a change of the program keep out of each other's way.
#pragma once

#include <atomic>
#include <cstdint>

#include "memory/next_touch/quiet.hpp"

namespace lares::memory {

/// Many may be inside, for a request of the kernel each; whoever closes it waits until nobody is.
/// Invariant: between the end of close() and open(), nobody is inside.
/// Thread safety: every function from any thread, enter() and leave() also in a signal handler.
/// Whoever is inside has all signals blocked, and waits for nobody but the table's holder.
class Gate {
 public:
  /// False while it is closed.
  [[nodiscard]] bool enter() noexcept {
    // seq_cst, here and in close(): of one who enters and one who closes, one sees the other.
    inside_.fetch_add(1, std::memory_order_seq_cst);
    if (closers_.load(std::memory_order_seq_cst) == 0) return true;
    leave();
    return false;
  }
  // release: what was done inside is seen by whoever finds nobody there.
  void leave() noexcept { inside_.fetch_sub(1, std::memory_order_release); }

  void close() noexcept {
    closers_.fetch_add(1, std::memory_order_seq_cst);
    for (Patience patience; inside_.load(std::memory_order_seq_cst) != 0;) patience.wait();
  }
  // seq_cst: whoever enters after it sees what was done meanwhile.
  void open() noexcept { closers_.fetch_sub(1, std::memory_order_seq_cst); }

  /// In the child of a fork, where all others are gone.
  void reset() noexcept {
    inside_.store(0, std::memory_order_relaxed);  // relaxed: one thread
    closers_.store(0, std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint32_t> inside_{0};   ///< any thread
  std::atomic<std::uint32_t> closers_{0};  ///< monitor, marker, forking thread
};

}  // namespace lares::memory

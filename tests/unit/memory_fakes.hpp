// A kernel whose pages are where a test puts them, and machines with any domains and nodes.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "machine/machine.hpp"
#include "memory/calls.hpp"

namespace lares::memory {

inline constexpr std::uint64_t page = 4096;
inline constexpr unsigned page_shift = 12;

/// The state is one for all tests of a process, as the kernel's interface is a plain function;
/// each test begins with a fresh one. Thread safety: every function from any thread.
class FakeKernel {
 public:
  FakeKernel() {
    const std::lock_guard lock(mutex());
    state() = State{};
  }

  /// Only where pages are is played.
  [[nodiscard]] SystemCalls kernel() const {
    SystemCalls calls = real_calls();
    calls.move = &where;
    return calls;
  }

  /// Pages [first, first + count) are in `node`, or have the status -errno.
  void put(std::uint64_t first, std::uint64_t count, int node) const {
    const std::lock_guard lock(mutex());
    for (std::uint64_t i = first; i < first + count; ++i) state().pages[i] = node;
  }
  /// Every call fails with this errno, 0 for none.
  void fail_with(int error) const {
    const std::lock_guard lock(mutex());
    state().error = error;
  }
  /// Only the first `count` statuses of a call are written.
  void write_only(std::size_t count) const {
    const std::lock_guard lock(mutex());
    state().written = count;
  }
  [[nodiscard]] std::uint64_t calls() const {
    const std::lock_guard lock(mutex());
    return state().calls;
  }
  /// The page numbers that the last call asked for.
  [[nodiscard]] std::vector<std::uint64_t> last_pages() const {
    const std::lock_guard lock(mutex());
    return state().last_pages;
  }

 private:
  struct State {
    std::map<std::uint64_t, int> pages;  ///< those not listed are not mapped
    int error = 0;
    std::size_t written = SIZE_MAX;
    std::uint64_t calls = 0;
    std::vector<std::uint64_t> last_pages;
  };

  static State& state() {
    static State instance;
    return instance;
  }
  static std::mutex& mutex() {
    static std::mutex instance;
    return instance;
  }
  static long where(std::size_t count, void** pages, const int*, int* status) noexcept {
    const std::lock_guard lock(mutex());
    State& now = state();
    ++now.calls;
    now.last_pages.clear();
    if (now.error != 0) return -now.error;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t number = reinterpret_cast<std::uintptr_t>(pages[i]) >> page_shift;
      now.last_pages.push_back(number);
      const auto found = now.pages.find(number);
      if (i < now.written) status[i] = found == now.pages.end() ? -EFAULT : found->second;
    }
    return 0;
  }
};

/// A machine with one domain per entry, each with one core and the node given; -1 for no node.
inline machine::Machine machine_of_nodes(const std::vector<int>& nodes) {
  machine::Machine machine;
  for (const int node : nodes) {
    const DomainId self{machine.domains.size()};
    const CoreId core{machine.cores.size()};
    machine.cores.push_back({{OsCpu{core.value()}}, self});
    machine.domains.push_back({{core}, OsNode{node}, Bytes{}, "domain"});
  }
  return machine;
}

}  // namespace lares::memory

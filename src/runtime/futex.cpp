#include "runtime/futex.hpp"

#include "base/disorder.hpp"

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <ctime>

namespace lares::runtime {

namespace {
#if defined(__SANITIZE_THREAD__)
constexpr bool may_use_membarrier = false;  // ThreadSanitizer does not know membarrier
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
constexpr bool may_use_membarrier = false;
#else
constexpr bool may_use_membarrier = true;
#endif
#else
constexpr bool may_use_membarrier = true;
#endif

std::uint32_t* raw(std::atomic<std::uint32_t>& word) noexcept {
  static_assert(sizeof(word) == sizeof(std::uint32_t));
  return reinterpret_cast<std::uint32_t*>(&word);
}

}  // namespace

std::atomic<bool> membarrier_works{false};

void full_fence() noexcept {
  if constexpr (may_use_membarrier) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
  } else {
    // ThreadSanitizer does not know fences either; where it runs, a read-modify-write is one.
    static thread_local std::atomic<std::uint32_t> dummy{0};
    dummy.fetch_add(1, std::memory_order_seq_cst);
  }
}

void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                Nanoseconds limit) noexcept {
#if LARES_DISORDER
  if (disorder::is_directed()) return disorder::director->sleep(word, expected);
#endif
  if (disorder::wakes(disorder::Point::sleeping)) return;
  timespec timeout{};
  timeout.tv_sec = limit.count / 1'000'000'000;
  timeout.tv_nsec = limit.count % 1'000'000'000;
  syscall(SYS_futex, raw(word), FUTEX_WAIT_PRIVATE, expected, &timeout, nullptr, 0);
}

std::uint32_t futex_wake(std::atomic<std::uint32_t>& word, std::uint32_t count) noexcept {
#if LARES_DISORDER
  if (disorder::is_directed()) return disorder::director->wake(word, count);
#endif
  const int limit = count > INT_MAX ? INT_MAX : static_cast<int>(count);
  const long woken = syscall(SYS_futex, raw(word), FUTEX_WAKE_PRIVATE, limit, nullptr, nullptr, 0);
  return woken > 0 ? static_cast<std::uint32_t>(woken) : 0;
}

void prepare_fences() noexcept {
  if constexpr (may_use_membarrier) {
    const long answer = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
    membarrier_works.store(answer == 0, std::memory_order_relaxed);
  }
}

void heavy_fence() noexcept {
  full_fence();
  if (membarrier_works.load(std::memory_order_relaxed)) {
    syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
  }
}

}  // namespace lares::runtime

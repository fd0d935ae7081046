#include "host/openmp/kept_threads.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "base/clock.hpp"
#include "base/raw_memory.hpp"
#include "base/tick_rate.hpp"
#include "runtime/futex.hpp"
#include "runtime/spinlock.hpp"

namespace lares::omp {

namespace {

// Counts that decide what costs less; nothing else follows from them, so all are relaxed.
std::atomic<std::size_t> g_processors{1};
std::atomic<std::size_t> g_kept{0};
std::atomic<std::size_t> g_masters{0};
std::atomic<std::size_t> g_waiting{0};  // of those that are kept

/// How many different threads have begun work in this millisecond or the one before, about: what
/// two count at the moment when a millisecond ends may be lost. A clock that wakes sleepers would
/// tell it exactly, and cost as much as a short region.
class Lately {
 public:
  /// `last`: when the thread began the last time, in our milliseconds. Only that thread's maker
  /// touches it.
  void note(std::uint32_t& last) noexcept {
    const std::uint32_t now = milliseconds();
    if (last == now) return;
    last = now;
    std::uint32_t before = newest_.load(std::memory_order_relaxed);
    if (before != now && newest_.compare_exchange_strong(before, now, std::memory_order_relaxed)) {
      if (now - before > 1) counts_[(now - 1) % 2].store(0, std::memory_order_relaxed);
      counts_[now % 2].store(0, std::memory_order_relaxed);
    }
    counts_[now % 2].fetch_add(1, std::memory_order_relaxed);
  }
  [[nodiscard]] std::size_t count() const noexcept {
    if (milliseconds() - newest_.load(std::memory_order_relaxed) > 1) return 0;
    return std::max(counts_[0].load(std::memory_order_relaxed),
                    counts_[1].load(std::memory_order_relaxed));
  }

 private:
  // Right within a factor of two.
  static std::uint32_t milliseconds() noexcept {
    return static_cast<std::uint32_t>(ticks() / (1000 * ticks_per_microsecond()));
  }
  std::atomic<std::uint32_t> newest_{0};  ///< that was counted
  std::atomic<std::uint32_t> counts_[2]{};
};
constinit Lately g_lately;

// More than that wait for nothing.
std::size_t most_waiting() noexcept {
  return std::max<std::size_t>(64, 4 * g_processors.load(std::memory_order_relaxed));
}

// Threads that look for work take processors from others then.
bool is_crowded() noexcept { return KeptThreads::sharing() > 1; }

// Some times what sleep and waking cost.
std::uint64_t while_to_look() noexcept { return 50 * ticks_per_microsecond(); }

pthread_key_t g_key;
pthread_once_t g_key_once = PTHREAD_ONCE_INIT;

}  // namespace

StackShape StackShape::of(const pthread_attr_t* attributes) noexcept {
  StackShape shape;
  if (attributes == nullptr) return shape;
  pthread_attr_getstacksize(attributes, &shape.bytes);
  pthread_attr_getguardsize(attributes, &shape.guard);
  return shape;
}

// --- the thread

void KeptThread::live(void (*after_work)()) {
  do {
    work_.routine(work_.argument);
    after_work();
  } while (wait_for_work());
}

void KeptThread::free(KeptThread* kept) noexcept {
  kept->~KeptThread();
  std::free(kept);
}

bool KeptThread::wait_for_work() noexcept {
  // In the child of a fork nobody gives it work, and nobody counts it.
  if (process_ != g_forks.load(std::memory_order_relaxed)) return false;
  std::uint32_t state = busy;
  const bool is_one_too_many = g_waiting.fetch_add(1, std::memory_order_relaxed) >= most_waiting();
  // release: whoever gives it work, or frees this, sees that the last has been done.
  const bool stays = state_.compare_exchange_strong(state, is_one_too_many ? ended : waiting,
                                                    std::memory_order_acq_rel);
  if (stays && !is_one_too_many) {
    look_for_a_while();
    state = waiting;
    state_.compare_exchange_strong(state, sleeping, std::memory_order_acquire);
    // acquire: what it was given.
    for (state = state_.load(std::memory_order_acquire); state == sleeping;
         state = state_.load(std::memory_order_acquire)) {
      runtime::futex_wait(state_, sleeping, Nanoseconds{3'600'000'000'000});
    }
  }
  g_waiting.fetch_sub(1, std::memory_order_relaxed);
  if (state == given) {
    state_.store(busy, std::memory_order_relaxed);
    return true;
  }
  g_kept.fetch_sub(1, std::memory_order_relaxed);
  if (state == unwanted) free(this);
  return false;
}

void KeptThread::look_for_a_while() noexcept {
  if (is_crowded()) return;
  const std::uint64_t start = ticks();
  for (unsigned looks = 1; state_.load(std::memory_order_relaxed) == waiting; ++looks) {
    runtime::relax();
    if (looks % 16 == 0 && (ticks() - start > while_to_look() || is_crowded())) return;
  }
}

// --- its maker

bool KeptThread::has_ended() const noexcept {
  return state_.load(std::memory_order_acquire) == ended;  // acquire: it touches nothing any more
}

bool KeptThread::comes_soon() const noexcept {
  const std::uint64_t start = ticks();
  for (unsigned looks = 0;; ++looks) {
    const std::uint32_t state = state_.load(std::memory_order_acquire);
    if (state == waiting || state == sleeping) return true;
    if (state == ended || ticks() - start > while_to_look()) return false;
    if (looks < 64 && !is_crowded()) {
      runtime::relax();
    } else {
      runtime::give_way();
    }
  }
}

pthread_t KeptThread::give(Work work) noexcept {
  const pthread_t thread = thread_;
  g_lately.note(last_);
  work_ = work;
  // release: the work first. acquire: what it did before.
  if (state_.exchange(given, std::memory_order_acq_rel) == sleeping) {
    runtime::futex_wake(state_, 1);
  }
  return thread;
}

void KeptThread::do_without() noexcept {
  const std::uint32_t before = state_.exchange(unwanted, std::memory_order_acq_rel);
  if (before == ended) free(this);
  // It may be gone by then: the kernel is told an address, which nobody reads.
  if (before == sleeping) runtime::futex_wake(state_, 1);
}

KeptThreads& KeptThreads::of_this_thread() noexcept {
  if (t_own != nullptr) return *t_own;
  pthread_once(&g_key_once, [] { pthread_key_create(&g_key, end_with_thread); });
  t_own = new (need_memory(sizeof(KeptThreads))) KeptThreads;
  pthread_setspecific(g_key, t_own);
  g_masters.fetch_add(1, std::memory_order_relaxed);
  return *t_own;
}

KeptThread* KeptThreads::find(std::size_t depth, StackShape stack) noexcept {
  clear_away();
  for (KeptThread* const kept : threads_) {
    const bool is_in_team = kept->depth_ < depth || kept->team_ == t_teams;  // around it, or in it
    if (is_in_team || kept->stack_ != stack || !kept->comes_soon()) continue;
    kept->depth_ = depth;
    kept->team_ = t_teams;
    return kept;
  }
  return nullptr;
}

KeptThread& KeptThreads::add(Work first, std::size_t depth, StackShape stack) noexcept {
  auto* const kept = new (need_memory(sizeof(KeptThread))) KeptThread(first, stack);
  kept->depth_ = depth;
  kept->team_ = t_teams;
  g_kept.fetch_add(1, std::memory_order_relaxed);
  threads_.push_back(kept);
  return *kept;
}

void KeptThreads::note_made(KeptThread& kept, bool made, pthread_t thread) noexcept {
  kept.thread_ = thread;
  if (made) return;
  threads_.pop_back();  // the one that add() has added last
  g_kept.fetch_sub(1, std::memory_order_relaxed);
  KeptThread::free(&kept);
}

void KeptThreads::clear_away() noexcept {
  std::erase_if(threads_, [](KeptThread* kept) {
    const bool has_ended = kept->has_ended();
    if (has_ended) KeptThread::free(kept);
    return has_ended;
  });
}

KeptThreads::~KeptThreads() {
  for (KeptThread* const kept : threads_) kept->do_without();
  g_masters.fetch_sub(1, std::memory_order_relaxed);
}

void KeptThreads::end_with_thread(void* kept) noexcept {
  t_own = nullptr;
  auto* const own = static_cast<KeptThreads*>(kept);
  own->~KeptThreads();
  std::free(own);
}

void KeptThreads::set_processors(std::size_t count) noexcept {
  g_processors.store(count, std::memory_order_relaxed);
}

// What there was is of threads that are not here: it is left as it is.
void KeptThreads::forget_after_fork() noexcept {
  KeptThread::g_forks.fetch_add(1, std::memory_order_relaxed);
  g_kept.store(0, std::memory_order_relaxed);
  g_masters.store(0, std::memory_order_relaxed);
  g_waiting.store(0, std::memory_order_relaxed);
  if (t_own == nullptr) return;
  t_own = nullptr;
  pthread_setspecific(g_key, nullptr);
}

std::size_t KeptThreads::sharing() noexcept {
  const std::size_t processors = g_processors.load(std::memory_order_relaxed);
  const std::size_t kept = g_kept.load(std::memory_order_relaxed);
  const std::size_t now = kept - std::min(kept, g_waiting.load(std::memory_order_relaxed));
  const std::size_t working = std::max(now, g_lately.count());
  // Each team has a master besides.
  const std::size_t all = working + std::min(working, g_masters.load(std::memory_order_relaxed));
  return (all + processors - 1) / processors;
}

std::size_t KeptThreads::waiting() noexcept { return g_waiting.load(std::memory_order_relaxed); }

}  // namespace lares::omp

#include "measure/crew.hpp"

#include <sched.h>

#include <algorithm>

#include "base/clock.hpp"

namespace lares::measure {
namespace {

/// Looks before a thread gives way: some ten microseconds. Where other programs compete, who gives
/// way loses milliseconds, so it should not happen while teammates run.
constexpr int looks = 20'000;

bool bind_to(OsCpu cpu) {
  constexpr std::size_t bits = 8 * sizeof(cpu_set_t);
  std::vector<cpu_set_t> masks(cpu.index() / bits + 1);
  const std::size_t bytes = masks.size() * sizeof(cpu_set_t);
  CPU_ZERO_S(bytes, masks.data());
  CPU_SET_S(cpu.index(), bytes, masks.data());
  return sched_setaffinity(0, bytes, masks.data()) == 0;
}

}  // namespace

void Barrier::wait() noexcept {
  const std::size_t generation = generation_.load(std::memory_order_relaxed);
  // acq_rel: the last one takes over what all others did before, and hands it on below.
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == count_) {
    arrived_.store(0, std::memory_order_relaxed);  // published by the store below
    generation_.store(generation + 1, std::memory_order_release);
    return;
  }
  for (int i = 1; generation_.load(std::memory_order_acquire) == generation; ++i) {
    if (i % looks == 0) sched_yield();
  }
}

Crew::Crew(std::vector<OsCpu> cpus)
    : times_(cpus.size()), start_(cpus.size()), inside_(cpus.size()) {
  for (std::size_t i = 0; i < cpus.size(); ++i) {
    threads_.emplace_back([this, i, cpu = cpus[i]] { work(i, cpu); });
  }
  run([](std::size_t) {});  // now every thread has tried to bind itself
}

Crew::~Crew() {
  {
    const std::lock_guard lock(mutex_);
    job_ = nullptr;
    ++round_;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

Nanoseconds Crew::run(const Job& job) {
  std::unique_lock lock(mutex_);
  job_ = &job;
  finished_ = 0;
  ++round_;
  changed_.notify_all();
  changed_.wait(lock, [&] { return finished_ == threads_.size(); });
  Nanoseconds first = times_[0].start;
  Nanoseconds last = times_[0].end;
  for (const Times& times : times_) {
    first = std::min(first, times.start);
    last = std::max(last, times.end);
  }
  return last - first;
}

void Crew::work(std::size_t member, OsCpu cpu) {
  if (!bind_to(cpu)) bound_.store(false, std::memory_order_relaxed);
  for (std::size_t round = 1;; ++round) {
    const Job* job = nullptr;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return round_ >= round; });
      job = job_;
    }
    if (job == nullptr) return;
    start_.wait();
    times_[member].start = now();
    (*job)(member);
    times_[member].end = now();
    const std::lock_guard lock(mutex_);
    if (++finished_ == threads_.size()) changed_.notify_all();
  }
}

}  // namespace lares::measure

// Threads that are bound to cpus and run the same function at the same time.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/ids.hpp"

namespace lares::measure {

/// A barrier for as many threads as cores: waiting threads look, and give way now and then.
/// Thread safety: `wait` by exactly `count` threads.
class Barrier {
 public:
  explicit Barrier(std::size_t count) : count_(count) {}
  void wait() noexcept;

 private:
  const std::size_t count_;
  std::atomic<std::size_t> arrived_{0};     // written by everybody, reset by the last
  std::atomic<std::size_t> generation_{0};  // written by the last, read by those who wait
};

/// One thread per cpu. Not thread safe: one caller.
class Crew {
 public:
  using Job = std::function<void(std::size_t member)>;

  /// Binds each thread to its cpu; where the kernel refuses that, `bound` is false.
  explicit Crew(std::vector<OsCpu> cpus);
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  ~Crew();

  [[nodiscard]] std::size_t size() const noexcept { return threads_.size(); }
  [[nodiscard]] bool bound() const noexcept { return bound_.load(std::memory_order_relaxed); }

  /// Runs `job(member)` in every thread, between two meetings of all: the time from the first start
  /// to the last end. `job` must not throw.
  Nanoseconds run(const Job& job);

  /// Called by every member inside a job: waits for all of them.
  void meet() noexcept { inside_.wait(); }

 private:
  struct alignas(64) Times {  // each written by its own thread, read by the caller after `run`
    Nanoseconds start;
    Nanoseconds end;
  };

  void work(std::size_t member, OsCpu cpu);

  std::vector<Times> times_;
  Barrier start_;
  Barrier inside_;
  std::mutex mutex_;  // guards the fields below
  std::condition_variable changed_;
  const Job* job_ = nullptr;  // null: the end
  std::size_t round_ = 0;
  std::size_t finished_ = 0;
  std::atomic<bool> bound_{true};  // cleared by any thread while it starts
  std::vector<std::thread> threads_;
};

}  // namespace lares::measure

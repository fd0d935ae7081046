// A parallel region of the program: the stock runtime's threads, each with its worker of our team.
#pragma once

#include <atomic>

#include "host/openmp/binding.hpp"
#include "host/openmp/next_team.hpp"
#include "host/openmp/stock.hpp"
#include "host/openmp/task_makers.hpp"
#include "host/openmp/tools/finding.hpp"
#include "runtime/engine.hpp"
#include "runtime/record.hpp"
#include "runtime/watch.hpp"

namespace lares::omp {

/// Lives on the master's stack (or heap, for compilers that split the construct) from before the
/// stock runtime starts its threads until they have joined.
class Region {
 public:
  /// `hint` is that of the outlined function: it tells the region apart from others.
  Region(Stock& stock, runtime::RegionHint& hint) noexcept;
  Region(Stock& stock, const void* code) noexcept : Region(stock, *runtime::hint_for(code)) {}
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;
  /// After the join: the team goes back to its master.
  ~Region();

  /// Called by each thread of the region before and after the program's code. The first one makes
  /// the team. nullptr (for all of them) if the region has so many threads that it is left to the
  /// stock runtime; the thread then has no worker, and `leave` gets nullptr.
  runtime::Worker* enter() noexcept;
  void leave(runtime::Worker* worker) noexcept;

  [[nodiscard]] Stock& stock() const noexcept { return stock_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// A place for the construct `reduction` with task modifier: see gomp_reductions. Set by the
  /// first thread; `once` is called by it before any other thread goes on.
  void (*once)(Region& region, std::size_t size) = nullptr;
  void* once_data = nullptr;

  /// Threads beyond which scheduling by places has lost its meaning and only costs memory.
  static constexpr std::size_t most_threads = 2048;

 private:
  runtime::Team* make_team(std::size_t size) noexcept;
  void tell_of_start(const runtime::Team& team) noexcept;

  Stock& stock_;
  runtime::RegionHint* hint_;
  runtime::ThreadState& master_;
  runtime::Worker* outer_;  ///< of the master
  TeamBinding binding_;     // of master_; chosen by the first thread, before team_ is set
  std::atomic<runtime::Team*> team_{nullptr};  // set by the first thread, read by all
  std::atomic<bool> making_{false};            // the first thread takes it
  std::size_t size_ = 0;                       // before team_ is set
  TeamStarts starts_ = nullptr;                // before team_ is set; null: nobody waits for us
  std::atomic<bool> telling_{false};           // the first thread that has met the others takes it
  std::atomic<bool> told_{false};              // then it is set, and the others go on
};

/// While it lives, the calling thread's OpenMP calls go to the stock runtime: around a region or a
/// target construct that is not ours.
class LeftToStock {
 public:
  LeftToStock() noexcept : worker_(runtime::this_worker()) { runtime::set_this_worker(nullptr); }
  LeftToStock(const LeftToStock&) = delete;
  LeftToStock& operator=(const LeftToStock&) = delete;
  ~LeftToStock() { runtime::set_this_worker(worker_); }

 private:
  runtime::Worker* worker_;
};

/// Whether the worker has nothing to do while it waits for its team: not if tasks were left for
/// later, of which it may get some, or if the team is itself alone.
inline bool idles_when_waiting(const runtime::Worker& worker) noexcept {
  return worker.team->size() > 1 && !worker.team->deferred_seen.load(std::memory_order_relaxed);
}

/// Whether a barrier of the worker's team is nothing: it is alone, has no tasks and cannot be
/// cancelled, and nobody listens to it.
inline bool meets_nobody(const runtime::Worker& worker) noexcept {
  const runtime::Team& team = *worker.team;
  return team.size() == 1 && !team.deferred_seen.load(std::memory_order_relaxed) &&
         !team.cancellable && !runtime::record::is_on(worker) && !runtime::watch::is_on(worker) &&
         !runtime::Engine::is_barrier_awaited();
}

/// The worker is about to wait for its team at a barrier that stands in its region. True if it has
/// nothing to do there.
inline bool idles_at_barrier(const runtime::Worker& worker) noexcept {
  if ((bubbles::on() || g_binds_by_data) && worker.team->hint != nullptr) [[unlikely]]
    note_barrier(*worker.team->hint);
  return idles_when_waiting(worker);
}

/// The stock runtime of the calling worker's team, or of a task's.
inline Stock& stock_of(const runtime::Worker& worker) noexcept {
  return *static_cast<Stock*>(const_cast<void*>(worker.host));
}
inline Stock& stock_of(const runtime::Task& task) noexcept {
  return *static_cast<Stock*>(const_cast<void*>(task.team->host));
}

/// True if `address` is code of this library. It calls the bodies of regions and tasks, and what
/// such a body calls last may return to us.
bool is_own_code(const void* address) noexcept;

/// The program's own code, which is never unloaded, and the runtime that it reaches by each ABI
/// once that is known. Written once for each, read by any thread.
struct ProgramCode {
  std::atomic<std::uintptr_t> begin{0};
  std::atomic<std::uintptr_t> bytes{0};
  std::atomic<const Stock*> reaches[3]{};
};
extern ProgramCode g_program;

/// True if the worker knows that a call from the code at `caller` is for its team: what the code of
/// the program itself means it always means.
inline bool is_known_to_mean(const runtime::Worker& worker, const void* caller, Abi abi) noexcept {
  // The reach is 0 until it is known. relaxed: the worker has seen where the code begins when it
  // wrote its reach.
  const auto at = reinterpret_cast<std::uintptr_t>(caller);
  return at - g_program.begin.load(std::memory_order_relaxed) <
         worker.host_reach[static_cast<std::size_t>(abi)];
}

/// The part of own_worker() for calls that the worker does not know yet to be for its team.
runtime::Worker* own_worker_if_meant(runtime::Worker& worker, const void* caller, Abi abi) noexcept;

/// The calling thread's worker if the call from the code at `caller` is for its team. Otherwise
/// nullptr: the call is to be forwarded. For the code of another runtime's user the thread is
/// outside of any team of ours; and a runtime that calls its own entry points through the symbol
/// table means itself.
inline runtime::Worker* own_worker(const void* caller, Abi abi) noexcept {
  runtime::Worker* const worker = runtime::this_worker();
  if (worker == nullptr) return nullptr;
  if (is_known_to_mean(*worker, caller, abi)) [[likely]]
    return worker;
  return own_worker_if_meant(*worker, caller, abi);
}

/// The same where that is known at once, else nullptr: for entry points whose arguments would have
/// to be kept while it is found out. They then begin anew in a function of their own.
inline runtime::Worker* own_worker_at_once(const void* caller, Abi abi) noexcept {
  runtime::Worker* const worker = runtime::this_worker();
  const bool known = worker != nullptr && is_known_to_mean(*worker, caller, abi);
  return known ? worker : nullptr;
}

/// Declares `worker`, or forwards the call of the interposed function `name` and returns.
#define LARES_OWN_WORKER_OR_FORWARD(name, ...)                                            \
  ::lares::runtime::Worker* const worker =                                                \
      ::lares::omp::own_worker(__builtin_return_address(0), ::lares::omp::abi_of(#name)); \
  if (worker == nullptr) {                                                                \
    LARES_REAL_BY_CALLER(name);                                                           \
    return name##_real(__VA_ARGS__);                                                      \
  }                                                                                       \
  static_assert(true)

/// The handle of a detachable task's event: its descriptor's address, marked by the lowest bit,
/// which no handle of a stock runtime has set.
inline std::uintptr_t event_of(runtime::Task& task) noexcept {
  return reinterpret_cast<std::uintptr_t>(&task) | 1U;
}
inline bool owns_event(std::uintptr_t event) noexcept { return (event & 1U) != 0; }
inline runtime::Task& task_of_event(std::uintptr_t event) noexcept {
  return *reinterpret_cast<runtime::Task*>(event & ~std::uintptr_t{1});
}

/// True if Lares schedules in this process; false forwards everything.
inline bool active() noexcept { return runtime::Engine::active(); }
/// True for libomp; the user is told why.
bool is_left_to_tool(Stock& stock) noexcept;
/// True if regions of this runtime are ours. A tool that watches libomp would see no tasks of ours.
inline bool schedules(Stock& stock) noexcept {
  return active() && (!tools::is_named() || !is_left_to_tool(stock));
}

/// A task goes to the stock runtime. In a parallel region of several threads that means that the
/// region was wrongly taken for one without tasks.
inline void note_stock_task(Stock& stock) noexcept {
  if (!active() || stock.num_threads() <= 1) return;
  note_task_maker();
  runtime::distrust_hints();
}

}  // namespace lares::omp

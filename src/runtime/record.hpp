// Writing down what a program's tasks are, for `lares run --record`: one file per thread, written
// without locks. Where nothing is recorded, all of it costs one look at a pointer per call.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/ids.hpp"
#include "runtime/engine.hpp"
#include "runtime/record_format.hpp"
#include "runtime/task.hpp"
#include "runtime/team.hpp"

namespace lares::runtime {

/// One thread's file. Only that thread writes; its memory is never unmapped at the end, so that it
/// is whole whenever the process ends. No descriptor is kept.
class RecordStream {
 public:
  static constexpr std::size_t window_bytes = std::size_t{256} * 1024;

  /// A new file `record.<pid>.<number>` in `folder`, which lives for ever, or nullptr if there is
  /// no room for one; the user is told.
  static RecordStream* open(const char* folder, std::uint32_t number) noexcept;

  /// A number that no other task of the process has. Owner only.
  std::uint64_t new_task() noexcept { return ((number_ + std::uint64_t{1}) << 40U) | ++tasks_; }

  /// Room for an event of `words` words, or nullptr if the file cannot grow: from then on nothing
  /// is written. Precondition: words * 8 < window_bytes - sizeof(RecordFileHead). Owner only.
  std::uint64_t* reserve(std::size_t words) noexcept;
  /// The event at `event`, whose other words are filled in, is complete.
  static void commit(std::uint64_t* event, RecordKind kind, std::size_t count,
                     std::uint32_t argument) noexcept;

  /// True if this thread has not told of `address` lately, and from then on false.
  bool is_new(std::uintptr_t address) noexcept;

 private:
  RecordStream() noexcept = default;
  /// `flags` for open().
  RecordEnd map_next(int flags) noexcept;
  void give_up(RecordEnd end) noexcept;

  const char* folder_ = nullptr;
  bool has_ended_ = false;
  std::uint64_t number_ = 0;
  std::uint64_t tasks_ = 0;
  std::uint64_t mapped_bytes_ = 0;  ///< end of the current window in the file
  RecordFileHead* head_ = nullptr;  ///< stays mapped
  char* window_ = nullptr;
  std::uint64_t* next_ = nullptr;
  std::uint64_t* end_ = nullptr;
  std::array<std::uintptr_t, 4096> told_{};  ///< lossy: a lost address is told again
};

namespace record {

/// The calling thread enters `worker`'s team. Gives the worker its stream.
void enter_team(Worker& worker) noexcept;
/// What all files together may have; nullptr, the default, is without bound. Before the first team.
void set_budget(RecordBudget* budget) noexcept;
/// A team is made by the thread whose state is `master`.
void make_team(Team& team, const ThreadState& master) noexcept;
/// After a fork, in the child: its part is not recorded.
void stop_after_fork() noexcept;

// The events, for a worker with a stream. See RecordKind.
void write_create(Worker& worker, Task& task, std::span<const Dependence> dependences,
                  std::uint32_t flags) noexcept;
void write_wait(Worker& worker, RecordWait kind, std::span<const Dependence> dependences) noexcept;
void write_of_task(Worker& worker, RecordKind kind, std::uint64_t task) noexcept;
void write_resume(Worker& worker) noexcept;
void write_loop(Worker& worker) noexcept;
/// No iterations: the loop is over for the worker.
void write_chunk(Worker& worker, decide::LoopRange iterations, Nanoseconds asked_at) noexcept;

inline bool is_on(const Worker& worker) noexcept { return worker.record != nullptr; }

/// `task` was created by the current task, with these clauses and what affinity it has already.
inline void created(Worker& worker, Task& task, std::span<const Dependence> dependences,
                    std::uint32_t flags) noexcept {
  if (is_on(worker)) [[unlikely]]
    write_create(worker, task, dependences, flags);
}
/// The engine goes back to the program, after `created` or `waits`.
inline void resumed(Worker& worker) noexcept {
  if (is_on(worker)) [[unlikely]]
    write_resume(worker);
}
inline void begun(Worker& worker, const Task& task) noexcept {
  if (is_on(worker)) [[unlikely]]
    write_of_task(worker, RecordKind::begin, task.record);
}
inline void ended(Worker& worker, const Task& task) noexcept {
  if (is_on(worker)) [[unlikely]]
    write_of_task(worker, RecordKind::end, task.record);
}
inline void waits(Worker& worker, RecordWait kind,
                  std::span<const Dependence> dependences = {}) noexcept {
  if (is_on(worker)) [[unlikely]]
    write_wait(worker, kind, dependences);
}
inline void opens_group(Worker& worker) noexcept {
  if (is_on(worker)) [[unlikely]]
    write_of_task(worker, RecordKind::group, worker.current->record);
}
/// The worker has come to the loop that it has entered.
inline void comes_to_loop(Worker& worker) noexcept {
  if (is_on(worker)) [[unlikely]]
    write_loop(worker);
}
inline void leaves_team(Worker& worker) noexcept {
  if (is_on(worker)) [[unlikely]] {
    write_of_task(worker, RecordKind::leave, worker.implicit_task.record);
  }
}

}  // namespace record
}  // namespace lares::runtime

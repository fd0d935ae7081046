// Writing down what a program's tasks are and where they run, for `lares run --record` and
// `--trace`: one file per thread, written without locks. Where nothing is recorded, all of it costs
// one look at a pointer per call.
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
  std::uint64_t new_task() noexcept {
    return ((number_ + std::uint64_t{1}) << record_stream_shift) | ++tasks_;
  }

  /// Room for an event of `words` words that happens when ticks() is `at`, or nullptr if the file
  /// cannot grow: from then on nothing is written. Precondition: words * 8 < window_bytes / 2.
  /// Owner only.
  std::uint64_t* reserve(std::size_t words, std::uint64_t at) noexcept;
  /// The event that was reserved last, at the same `at`, is complete but for its first word.
  void commit(std::uint64_t* event, RecordKind kind, std::uint32_t small,
              std::uint64_t at) noexcept;
  /// An event of one word that happens now.
  void write(RecordKind kind, std::uint32_t small) noexcept;
  /// Goes on to the file's next window if this one is nearly full: called where the time that it
  /// takes is nobody's.
  void look_ahead() noexcept;

  /// The number under which this file knows the construct whose code is at `code`.
  std::uint32_t construct(std::uintptr_t code) noexcept;

  /// Another thread of the system goes on with the file, under this number. Owner only.
  void go_on_as(std::uint32_t system_thread) noexcept;

  /// True if this thread has not told of `address` lately, and from then on false.
  bool is_new(std::uintptr_t address) noexcept;

 private:
  RecordStream() noexcept = default;
  /// `flags` for open().
  RecordEnd map_next(int flags) noexcept;
  void give_up(RecordEnd end) noexcept;
  bool go_to_next_window() noexcept;
  void write_clock() noexcept;
  std::uint32_t name_construct(std::uintptr_t code) noexcept;

  struct KnownConstruct {
    std::uintptr_t code = 0;
    std::uint32_t number = 0;
  };

  const char* folder_ = nullptr;
  bool has_ended_ = false;
  std::uint64_t number_ = 0;
  std::uint32_t system_thread_ = 0;  ///< the owner's, as the file tells it
  std::uint64_t tasks_ = 0;
  std::uint64_t last_ticks_ = 0;  ///< of the event before
  std::uint32_t constructs_ = 0;
  std::uint64_t mapped_bytes_ = 0;  ///< end of the current window in the file
  RecordFileHead* head_ = nullptr;  ///< stays mapped
  char* window_ = nullptr;
  std::uint64_t* next_ = nullptr;
  std::uint64_t* end_ = nullptr;
  std::array<std::uintptr_t, 4096> told_{};          ///< lossy: a lost address is told again
  std::array<KnownConstruct, 256> constructs_at_{};  ///< lossy: a lost one gets a number again
};

namespace record {

/// The calling thread enters `worker`'s team. Gives the worker its stream.
void enter_team(Worker& worker) noexcept;
/// What all files together may have; nullptr, the default, is without bound. Before the first team.
void set_budget(RecordBudget* budget) noexcept;
/// How the code of a task's body is found; nullptr, the default: nobody knows. Before the first
/// team.
void set_code_of(std::uintptr_t (*code_of)(const Task& task) noexcept) noexcept;
/// A team is made by the thread whose state is `master`.
void make_team(Team& team, const ThreadState& master) noexcept;
/// After a fork, in the child: its part is not recorded.
void stop_after_fork() noexcept;

// The events, for a worker with a stream. See RecordKind.
void write_create(Worker& worker, Task& task, std::span<const Dependence> dependences,
                  std::uint32_t flags) noexcept;
void write_wait(Worker& worker, RecordWait kind, std::span<const Dependence> dependences) noexcept;
void write_begin(Worker& worker, const Task& task, Locality locality) noexcept;
void write_plain(Worker& worker, RecordKind kind) noexcept;
void write_leave(Worker& worker) noexcept;
void write_ready(Worker& worker, const Task& task) noexcept;
void write_loop(Worker& worker, std::uintptr_t site) noexcept;
/// No iterations: the loop is over for the worker.
void write_chunk(Worker& worker, decide::LoopRange iterations) noexcept;

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
    write_plain(worker, RecordKind::resume);
}
inline void begun(Worker& worker, const Task& task, Locality locality) noexcept {
  if (is_on(worker)) [[unlikely]]
    write_begin(worker, task, locality);
}
inline void ended(Worker& worker) noexcept {
  if (is_on(worker)) [[unlikely]]
    write_plain(worker, RecordKind::end);
}
inline void waits(Worker& worker, RecordWait kind,
                  std::span<const Dependence> dependences = {}) noexcept {
  if (is_on(worker)) [[unlikely]]
    write_wait(worker, kind, dependences);
}
inline void opens_group(Worker& worker) noexcept {
  if (is_on(worker)) [[unlikely]]
    write_plain(worker, RecordKind::group);
}
/// What the worker has found was in a queue of that domain that is not its own.
inline void stolen(Worker& worker, DomainId from) noexcept {
  if (is_on(worker)) [[unlikely]]
    worker.stolen_from = from;
}
/// The task that has just ended on the worker was the last one to keep `task` from running.
inline void released(Worker* worker, const Task& task) noexcept {
  if (worker != nullptr && is_on(*worker)) [[unlikely]]
    write_ready(*worker, task);
}
/// The worker has come to the loop that it has entered.
inline void comes_to_loop(Worker& worker, std::uintptr_t site) noexcept {
  if (is_on(worker)) [[unlikely]]
    write_loop(worker, site);
}
inline void leaves_team(Worker& worker) noexcept {
  if (is_on(worker)) [[unlikely]]
    write_leave(worker);
}

}  // namespace record
}  // namespace lares::runtime

// Writing down what a program's tasks are and where they run, for `lares run --record` and
// `--trace`: one file per thread, written without locks. Where nothing is recorded, all of it costs
// one look at a pointer per call.
#pragma once

#include <cstdint>
#include <span>

#include "base/ids.hpp"
#include "runtime/engine.hpp"
#include "runtime/record_format.hpp"
#include "runtime/record_stream.hpp"
#include "runtime/task.hpp"
#include "runtime/team.hpp"

namespace lares::runtime {

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
void write_resume(Worker& worker) noexcept;
void write_resume_at_end(Worker& worker) noexcept;
void write_end(Worker& worker) noexcept;
void write_group(Worker& worker) noexcept;
void write_asked(Worker& worker) noexcept;
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
    write_resume(worker);
}
/// The same where hardly anything was done since a task ended.
inline void resumed_at_end(Worker& worker) noexcept {
  if (is_on(worker)) [[unlikely]]
    write_resume_at_end(worker);
}
inline void begun(Worker& worker, const Task& task, Locality locality) noexcept {
  if (is_on(worker)) [[unlikely]]
    write_begin(worker, task, locality);
}
inline void ended(Worker& worker) noexcept {
  if (is_on(worker)) [[unlikely]]
    write_end(worker);
}
inline void waits(Worker& worker, RecordWait kind,
                  std::span<const Dependence> dependences = {}) noexcept {
  if (is_on(worker)) [[unlikely]]
    write_wait(worker, kind, dependences);
}
inline void opens_group(Worker& worker) noexcept {
  if (is_on(worker)) [[unlikely]]
    write_group(worker);
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

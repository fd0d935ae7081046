// Compiling this file is the test: what tools/ompt_abi.hpp says is what a tool's header says.
#include <omp-tools.h>

#include <cstddef>
#include <type_traits>

#include "host/openmp/tools/ompt_abi.hpp"

namespace {

namespace ompt = lares::omp::tools::ompt;

template <class Ours, class Theirs>
constexpr bool is(Ours ours, Theirs theirs) {
  return static_cast<unsigned>(ours) == static_cast<unsigned>(theirs);
}

// --- layouts
static_assert(sizeof(ompt::Data) == sizeof(ompt_data_t));
static_assert(sizeof(ompt::Frame) == sizeof(ompt_frame_t));
static_assert(offsetof(ompt::Frame, exit) == offsetof(ompt_frame_t, exit_frame));
static_assert(offsetof(ompt::Frame, enter) == offsetof(ompt_frame_t, enter_frame));
static_assert(offsetof(ompt::Frame, exit_flags) == offsetof(ompt_frame_t, exit_frame_flags));
static_assert(offsetof(ompt::Frame, enter_flags) == offsetof(ompt_frame_t, enter_frame_flags));
static_assert(sizeof(ompt::DependenceRecord) == sizeof(ompt_dependence_t));
static_assert(offsetof(ompt::DependenceRecord, variable) == offsetof(ompt_dependence_t, variable));
static_assert(offsetof(ompt::DependenceRecord, type) ==
              offsetof(ompt_dependence_t, dependence_type));
static_assert(sizeof(ompt::StartResult) == sizeof(ompt_start_tool_result_t));
static_assert(offsetof(ompt::StartResult, initialize) ==
              offsetof(ompt_start_tool_result_t, initialize));
static_assert(offsetof(ompt::StartResult, finalize) ==
              offsetof(ompt_start_tool_result_t, finalize));
static_assert(offsetof(ompt::StartResult, tool_data) ==
              offsetof(ompt_start_tool_result_t, tool_data));

// --- numbers
static_assert(is(ompt::frame_of_runtime, ompt_frame_runtime | ompt_frame_framepointer));
static_assert(is(ompt::Event::thread_begin, ompt_callback_thread_begin));
static_assert(is(ompt::Event::thread_end, ompt_callback_thread_end));
static_assert(is(ompt::Event::parallel_begin, ompt_callback_parallel_begin));
static_assert(is(ompt::Event::parallel_end, ompt_callback_parallel_end));
static_assert(is(ompt::Event::task_create, ompt_callback_task_create));
static_assert(is(ompt::Event::task_schedule, ompt_callback_task_schedule));
static_assert(is(ompt::Event::implicit_task, ompt_callback_implicit_task));
static_assert(is(ompt::Event::sync_region_wait, ompt_callback_sync_region_wait));
static_assert(is(ompt::Event::mutex_released, ompt_callback_mutex_released));
static_assert(is(ompt::Event::dependences, ompt_callback_dependences));
static_assert(is(ompt::Event::task_dependence, ompt_callback_task_dependence));
static_assert(is(ompt::Event::work, ompt_callback_work));
static_assert(is(ompt::Event::sync_region, ompt_callback_sync_region));
static_assert(is(ompt::Event::mutex_acquire, ompt_callback_mutex_acquire));
static_assert(is(ompt::Event::mutex_acquired, ompt_callback_mutex_acquired));
static_assert(is(ompt::Event::lock_init, ompt_callback_lock_init));
static_assert(is(ompt::Event::lock_destroy, ompt_callback_lock_destroy));
static_assert(is(ompt::Event::nest_lock, ompt_callback_nest_lock));
static_assert(is(ompt::Event::cancel, ompt_callback_cancel));
static_assert(is(ompt::last_event, ompt_callback_error));
static_assert(is(ompt::SetResult::error, ompt_set_error));
static_assert(is(ompt::SetResult::never, ompt_set_never));
static_assert(is(ompt::SetResult::sometimes, ompt_set_sometimes));
static_assert(is(ompt::SetResult::sometimes_paired, ompt_set_sometimes_paired));
static_assert(is(ompt::SetResult::always, ompt_set_always));
static_assert(is(ompt::Thread::initial, ompt_thread_initial));
static_assert(is(ompt::Thread::worker, ompt_thread_worker));
static_assert(is(ompt::Endpoint::begin, ompt_scope_begin));
static_assert(is(ompt::Endpoint::end, ompt_scope_end));
static_assert(is(ompt::Endpoint::begin_and_end, ompt_scope_beginend));
static_assert(is(ompt::SyncRegion::barrier_explicit, ompt_sync_region_barrier_explicit));
static_assert(is(ompt::SyncRegion::barrier_implementation,
                 ompt_sync_region_barrier_implementation));
static_assert(is(ompt::SyncRegion::taskwait, ompt_sync_region_taskwait));
static_assert(is(ompt::SyncRegion::taskgroup, ompt_sync_region_taskgroup));
static_assert(is(ompt::SyncRegion::barrier_implicit_workshare,
                 ompt_sync_region_barrier_implicit_workshare));
static_assert(is(ompt::SyncRegion::barrier_implicit_parallel,
                 ompt_sync_region_barrier_implicit_parallel));
static_assert(is(ompt::Work::loop, ompt_work_loop));
static_assert(is(ompt::Work::sections, ompt_work_sections));
static_assert(is(ompt::Work::single_executor, ompt_work_single_executor));
static_assert(is(ompt::Work::single_other, ompt_work_single_other));
static_assert(is(ompt::Work::taskloop, ompt_work_taskloop));
static_assert(is(ompt::Work::scope, ompt_work_scope));
static_assert(is(ompt::Mutex::lock, ompt_mutex_lock));
static_assert(is(ompt::Mutex::test_lock, ompt_mutex_test_lock));
static_assert(is(ompt::Mutex::nest_lock, ompt_mutex_nest_lock));
static_assert(is(ompt::Mutex::test_nest_lock, ompt_mutex_test_nest_lock));
static_assert(is(ompt::Mutex::critical, ompt_mutex_critical));
static_assert(is(ompt::Mutex::atomic, ompt_mutex_atomic));
static_assert(is(ompt::Mutex::ordered, ompt_mutex_ordered));
static_assert(is(ompt::TaskStatus::complete, ompt_task_complete));
static_assert(is(ompt::TaskStatus::yield, ompt_task_yield));
static_assert(is(ompt::TaskStatus::cancel, ompt_task_cancel));
static_assert(is(ompt::TaskStatus::detach, ompt_task_detach));
static_assert(is(ompt::TaskStatus::early_fulfil, ompt_task_early_fulfill));
static_assert(is(ompt::TaskStatus::late_fulfil, ompt_task_late_fulfill));
static_assert(is(ompt::TaskStatus::change, ompt_task_switch));
static_assert(is(ompt::TaskStatus::taskwait_complete, ompt_taskwait_complete));
static_assert(is(ompt::task_flag::initial, ompt_task_initial));
static_assert(is(ompt::task_flag::implicit, ompt_task_implicit));
static_assert(is(ompt::task_flag::explicit_task, ompt_task_explicit));
static_assert(is(ompt::task_flag::taskwait, ompt_task_taskwait));
static_assert(is(ompt::task_flag::undeferred, ompt_task_undeferred));
static_assert(is(ompt::task_flag::untied, ompt_task_untied));
static_assert(is(ompt::task_flag::final, ompt_task_final));
static_assert(is(ompt::task_flag::mergeable, ompt_task_mergeable));
static_assert(is(ompt::parallel_by_runtime, ompt_parallel_invoker_runtime));
static_assert(is(ompt::parallel_by_program, ompt_parallel_invoker_program));
static_assert(is(ompt::parallel_team, ompt_parallel_team));
static_assert(is(ompt::cancel_flag::parallel, ompt_cancel_parallel));
static_assert(is(ompt::cancel_flag::sections, ompt_cancel_sections));
static_assert(is(ompt::cancel_flag::loop, ompt_cancel_loop));
static_assert(is(ompt::cancel_flag::taskgroup, ompt_cancel_taskgroup));
static_assert(is(ompt::cancel_flag::activated, ompt_cancel_activated));
static_assert(is(ompt::cancel_flag::detected, ompt_cancel_detected));
static_assert(is(ompt::cancel_flag::discarded_task, ompt_cancel_discarded_task));
static_assert(is(ompt::DependenceType::in, ompt_dependence_type_in));
static_assert(is(ompt::DependenceType::inout, ompt_dependence_type_inout));
static_assert(is(ompt::DependenceType::mutexinoutset, ompt_dependence_type_mutexinoutset));
static_assert(is(ompt::DependenceType::inoutset, ompt_dependence_type_inoutset));
static_assert(is(ompt::DependenceType::inout_all_memory, ompt_dependence_type_inout_all_memory));
static_assert(is(ompt::State::work_serial, ompt_state_work_serial));
static_assert(is(ompt::State::work_parallel, ompt_state_work_parallel));
static_assert(is(ompt::State::wait_barrier_implicit_parallel,
                 ompt_state_wait_barrier_implicit_parallel));
static_assert(is(ompt::State::wait_barrier_implicit_workshare,
                 ompt_state_wait_barrier_implicit_workshare));
static_assert(is(ompt::State::wait_barrier_explicit, ompt_state_wait_barrier_explicit));
static_assert(is(ompt::State::wait_barrier_implementation, ompt_state_wait_barrier_implementation));
static_assert(is(ompt::State::wait_taskwait, ompt_state_wait_taskwait));
static_assert(is(ompt::State::wait_taskgroup, ompt_state_wait_taskgroup));
static_assert(is(ompt::State::wait_lock, ompt_state_wait_lock));
static_assert(is(ompt::State::wait_critical, ompt_state_wait_critical));
static_assert(is(ompt::State::wait_atomic, ompt_state_wait_atomic));
static_assert(is(ompt::State::wait_ordered, ompt_state_wait_ordered));
static_assert(is(ompt::State::idle, ompt_state_idle));
static_assert(is(ompt::State::overhead, ompt_state_overhead));
static_assert(is(ompt::State::undefined, ompt_state_undefined));

}  // namespace

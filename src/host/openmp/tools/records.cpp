#include "host/openmp/tools/records.hpp"

#include <pthread.h>

#include <cstdlib>

#include "base/raw_memory.hpp"
#include "host/openmp/tools/callbacks.hpp"

namespace lares::omp::tools {

namespace {

// The only word of a thread's own storage that tools need: where libgomp's part of it begins
// follows from how large ours is, and empty regions cost a fifth more where that is not a line of
// the cache.
__attribute__((tls_model("initial-exec"))) constinit thread_local ThreadRecord* t_record = nullptr;

// Its destructor tells of a thread's end. A thread_local with one would need the C++ library's
// help, which other threads' exits may outlive.
pthread_key_t g_key;
bool g_has_key = false;  // written once, before any record is made
pthread_once_t g_key_once = PTHREAD_ONCE_INIT;

void leave_thread() noexcept {
  tell_thread_end();
  t_record = nullptr;  // not freed: a region of another thread may have been opened by its task
}

void make_key() {
  g_has_key = pthread_key_create(&g_key, [](void*) { leave_thread(); }) == 0;
}

void make_record() noexcept {
  pthread_once(&g_key_once, make_key);
  t_record = make_raw<ThreadRecord>();
  if (g_has_key) pthread_setspecific(g_key, t_record);
}

// The task of a thread that the program started, and the region around it.
void begin_initial_task(ThreadRecord& thread) noexcept {
  thread.is_initial = true;
  thread.initial_region.size = 1;
  thread.initial_task.flags = ompt::task_flag::initial;
  thread.initial_task.parallel = &thread.initial_region;
  thread.current = &thread.initial_task;
  tell(ompt::Event::implicit_task, ompt::Endpoint::begin, thread.initial_region.data(),
       thread.initial_task.data(), 1U, 1U, ompt::task_flag::initial);
}

}  // namespace

ThreadRecord* this_thread() noexcept { return t_record; }

ThreadRecord& adopt_thread() noexcept {
  if (t_record != nullptr) return *t_record;
  make_record();
  t_record->has_ended = true;  // of its end, too
  return *t_record;
}

ThreadRecord& need_thread(ompt::Thread type) noexcept {
  if (t_record != nullptr) return *t_record;
  make_record();
  if (type == ompt::Thread::worker) t_record->state = ompt::State::idle;
  tell(ompt::Event::thread_begin, type, &t_record->data);
  if (type == ompt::Thread::initial) begin_initial_task(*t_record);
  return *t_record;
}

void tell_thread_end() noexcept {
  ThreadRecord* const thread = t_record;
  if (thread == nullptr || thread->has_ended) return;
  thread->has_ended = true;
  if (thread->is_initial) {
    tell(ompt::Event::implicit_task, ompt::Endpoint::end, static_cast<ompt::Data*>(nullptr),
         thread->initial_task.data(), 0U, 1U, ompt::task_flag::initial);
  }
  tell(ompt::Event::thread_end, &thread->data);
}

TaskRecord& record_of(runtime::Task& task) noexcept {
  if (task.tool == nullptr) task.tool = make_raw<TaskRecord>();
  return *static_cast<TaskRecord*>(task.tool);
}

}  // namespace lares::omp::tools

// A tool for any OpenMP program: how many tasks each construct made, how long they ran, and how
// many of them on another thread than the one that made them.
//
//     gcc -shared -fPIC -idirafter FOLDER histogram.c -o libhistogram.so
//     OMP_TOOL_LIBRARIES=./libhistogram.so lares run ./app
//
// FOLDER is that of omp-tools.h: find /usr/lib -name omp-tools.h
// A construct is known by the address behind the call that made the task; addr2line knows its line.
// The table appears on standard error when the program ends. docs/ompt.md says what else there is.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp-tools.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { most_constructs = 1024 };

/// A row of the table. Rows are taken in order and never given back; any thread adds.
struct construct {
  _Atomic(const void*) code;
  atomic_ulong tasks, elsewhere, nanoseconds;
};
static struct construct table[most_constructs];

/// What a task's word points to. Only the thread that runs the task writes it, one after another.
struct task {
  struct construct* construct;
  const void* maker;  ///< of the thread that made it
  uint64_t since;     ///< when it last began to run
  uint64_t ran;       ///< nanoseconds before that
};

static ompt_get_thread_data_t get_thread_data;

static uint64_t now(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return (uint64_t)at.tv_sec * 1000000000U + (uint64_t)at.tv_nsec;
}

static struct construct* find(const void* code) {
  for (int i = 0; i < most_constructs; ++i) {
    const void* there = NULL;
    // Whoever finds the row empty takes it, unless another thread was faster.
    if (atomic_compare_exchange_strong(&table[i].code, &there, code) || there == code) {
      return &table[i];
    }
  }
  return &table[most_constructs - 1];
}

static void on_task_create(ompt_data_t* from, const ompt_frame_t* frame, ompt_data_t* made,
                           int flags, int has_dependences, const void* code) {
  (void)from, (void)frame, (void)has_dependences;
  if ((flags & ompt_task_explicit) == 0) return;
  struct task* task = calloc(1, sizeof(*task));
  if (task == NULL) return;
  task->construct = find(code);
  task->maker = get_thread_data();
  made->ptr = task;
}

static void pause_task(const ompt_data_t* data) {
  struct task* task = data == NULL ? NULL : data->ptr;
  if (task != NULL) task->ran += now() - task->since;
}

static void resume_task(const ompt_data_t* data) {
  struct task* task = data == NULL ? NULL : data->ptr;
  if (task != NULL) task->since = now();
}

static void end_task(ompt_data_t* data) {
  struct task* task = data->ptr;
  if (task == NULL) return;
  atomic_fetch_add(&task->construct->tasks, 1);
  atomic_fetch_add(&task->construct->nanoseconds, task->ran);
  if (task->maker != get_thread_data()) atomic_fetch_add(&task->construct->elsewhere, 1);
  free(task);
  data->ptr = NULL;
}

static void on_task_schedule(ompt_data_t* prior, ompt_task_status_t status, ompt_data_t* next) {
  // An event that is fulfilled happens to a task, not to the thread.
  if (status == ompt_task_early_fulfill) return;
  if (status == ompt_task_late_fulfill) {
    end_task(prior);
    return;
  }
  pause_task(prior);
  if (status == ompt_task_complete || status == ompt_task_cancel) end_task(prior);
  resume_task(next);
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t* tool) {
  (void)device, (void)tool;
  get_thread_data = (ompt_get_thread_data_t)lookup("ompt_get_thread_data");
  const ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
  const int tasks = set(ompt_callback_task_create, (ompt_callback_t)on_task_create);
  const int schedule = set(ompt_callback_task_schedule, (ompt_callback_t)on_task_schedule);
  return tasks == ompt_set_always && schedule == ompt_set_always;
}

static void finalize(ompt_data_t* tool) {
  (void)tool;
  fprintf(stderr, "%10s %10s %12s  %s\n", "tasks", "elsewhere", "us each", "construct");
  for (int i = 0; i < most_constructs; ++i) {
    const void* code = atomic_load(&table[i].code);
    const unsigned long tasks = atomic_load(&table[i].tasks);
    if (code == NULL || tasks == 0) continue;
    Dl_info where = {0};
    const int known = dladdr(code, &where) != 0 && where.dli_fname != NULL;
    fprintf(stderr, "%10lu %10lu %12.3f  %s+0x%lx\n", tasks, atomic_load(&table[i].elsewhere),
            (double)atomic_load(&table[i].nanoseconds) / (double)tasks / 1e3,
            known ? where.dli_fname : "?",
            (unsigned long)((const char*)code - (known ? (const char*)where.dli_fbase : NULL)));
  }
}

ompt_start_tool_result_t* ompt_start_tool(unsigned version, const char* runtime) {
  (void)version, (void)runtime;
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  return &result;
}

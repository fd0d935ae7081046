// A tool that writes each event as a line into the file LINES_FILE: "THREAD EVENT KEY=VALUE...".
// It gives tasks, regions and threads numbers in their ompt_data_t and adds nothing of its own, so
// that what is wrong in the file is wrong in the runtime. Linked into a program, or a library.
#define _GNU_SOURCE  // dladdr
#include <dlfcn.h>
#include <omp-tools.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

static FILE* file;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ompt_get_unique_id_t get_unique_id;
static ompt_get_thread_data_t get_thread_data;
static ompt_get_task_info_t get_task_info;
static ompt_get_parallel_info_t get_parallel_info;
static ompt_get_state_t get_state;
static ompt_finalize_tool_t finalize_tool;

__attribute__((format(printf, 1, 2))) static void say(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  ompt_data_t* thread = get_thread_data();
  pthread_mutex_lock(&lock);
  fprintf(file, "%llu ", thread == NULL ? 0ULL : (unsigned long long)thread->value);
  vfprintf(file, format, arguments);
  fputc('\n', file);
  fflush(file);
  pthread_mutex_unlock(&lock);
  va_end(arguments);
}

static unsigned long long id(const ompt_data_t* data) { return data == NULL ? 0 : data->value; }

static void on_thread_begin(ompt_thread_t type, ompt_data_t* thread) {
  thread->value = get_unique_id();
  say("thread_begin id=%llu type=%d", id(thread), (int)type);
}
static void on_thread_end(ompt_data_t* thread) { say("thread_end id=%llu", id(thread)); }

static void on_parallel_begin(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* parallel,
                              unsigned requested, int flags, const void* code) {
  parallel->value = get_unique_id();
  say("parallel_begin id=%llu task=%llu enter=%d requested=%u flags=%u code=%d", id(parallel),
      id(task), frame->enter_frame.ptr != NULL, requested, (unsigned)flags, code != NULL);
}
static void on_parallel_end(ompt_data_t* parallel, ompt_data_t* task, int flags, const void* code) {
  say("parallel_end id=%llu task=%llu flags=%u code=%d", id(parallel), id(task), (unsigned)flags,
      code != NULL);
}

static void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t* parallel,
                             ompt_data_t* task, unsigned size, unsigned index, int flags) {
  if (endpoint == ompt_scope_begin) task->value = get_unique_id();
  say("implicit_task endpoint=%d parallel=%llu id=%llu size=%u index=%u flags=%u", (int)endpoint,
      id(parallel), id(task), size, index, (unsigned)flags);
}

static void on_task_create(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* made,
                           int flags, int has_dependences, const void* code) {
  made->value = get_unique_id();
  say("task_create id=%llu task=%llu enter=%d flags=%u depends=%d code=%p", id(made), id(task),
      frame->enter_frame.ptr != NULL, (unsigned)flags, has_dependences, code);
}
static void on_task_schedule(ompt_data_t* prior, ompt_task_status_t status, ompt_data_t* next) {
  say("task_schedule prior=%llu status=%d next=%llu", id(prior), (int)status, id(next));
}

static void on_dependences(ompt_data_t* task, const ompt_dependence_t* list, int count) {
  char text[512] = "";
  for (int i = 0; i < count; ++i) {
    char one[48];
    snprintf(one, sizeof(one), "%s%p:%d", i == 0 ? "" : ",", list[i].variable.ptr,
             (int)list[i].dependence_type);
    strncat(text, one, sizeof(text) - strlen(text) - 1);
  }
  say("dependences id=%llu count=%d list=%s", id(task), count, text);
}
static void on_task_dependence(ompt_data_t* before, ompt_data_t* after) {
  say("task_dependence before=%llu after=%llu", id(before), id(after));
}

// 1: of the program, 2: of a library, 0: none.
static int place_of(const void* code) {
  Dl_info at = {0}, program = {0};
  if (code == NULL) return 0;
  dladdr((const void*)getauxval(AT_PHDR), &program);
  return dladdr(code, &at) != 0 && at.dli_fbase == program.dli_fbase ? 1 : 2;
}
static void sync_line(const char* name, ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
                      const ompt_data_t* parallel, const ompt_data_t* task, const void* code) {
  say("%s kind=%d endpoint=%d parallel=%llu id=%llu code=%d", name, (int)kind, (int)endpoint,
      id(parallel), id(task), place_of(code));
}
static void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
                           ompt_data_t* parallel, ompt_data_t* task, const void* code) {
  sync_line("sync_region", kind, endpoint, parallel, task, code);
}
static void on_sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
                                ompt_data_t* parallel, ompt_data_t* task, const void* code) {
  sync_line("sync_region_wait", kind, endpoint, parallel, task, code);
}

static void on_work(ompt_work_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t* parallel,
                    ompt_data_t* task, uint64_t count, const void* code) {
  say("work kind=%d endpoint=%d parallel=%llu id=%llu count=%llu code=%d", (int)kind, (int)endpoint,
      id(parallel), id(task), (unsigned long long)count, code != NULL);
}
static void on_cancel(ompt_data_t* task, int flags, const void* code) {
  say("cancel id=%llu flags=%u code=%d", id(task), (unsigned)flags, code != NULL);
}

static void on_lock_init(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait,
                         const void* code) {
  say("lock_init kind=%d hint=%u impl=%u wait=%llu code=%d", (int)kind, hint, impl,
      (unsigned long long)wait, place_of(code));
}
static void on_lock_destroy(ompt_mutex_t kind, ompt_wait_id_t wait, const void* code) {
  say("lock_destroy kind=%d wait=%llu code=%d", (int)kind, (unsigned long long)wait,
      place_of(code));
}
static void on_nest_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t wait, const void* code) {
  say("nest_lock endpoint=%d wait=%llu code=%d", (int)endpoint, (unsigned long long)wait,
      place_of(code));
}
static void on_mutex_acquire(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait,
                             const void* code) {
  say("mutex_acquire kind=%d hint=%u impl=%u wait=%llu code=%d", (int)kind, hint, impl,
      (unsigned long long)wait, place_of(code));
}
static void on_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t wait, const void* code) {
  say("mutex_acquired kind=%d wait=%llu code=%d", (int)kind, (unsigned long long)wait,
      place_of(code));
}
static void on_mutex_released(ompt_mutex_t kind, ompt_wait_id_t wait, const void* code) {
  say("mutex_released kind=%d wait=%llu code=%d", (int)kind, (unsigned long long)wait,
      place_of(code));
}

/// For programs that the tool is linked into: which task the runtime says they are in, and what
/// encloses it.
void lines_here(const char* name) {
  if (file == NULL) return;
  ompt_data_t *task = NULL, *parallel = NULL, *of_task = NULL;
  ompt_frame_t* frame = NULL;
  int flags = 0, thread_num = -1, size = -1;
  const int found = get_task_info(0, &flags, &task, &frame, &of_task, &thread_num);
  get_parallel_info(0, &parallel, &size);
  ompt_wait_id_t wait = 0;
  const int state = get_state(&wait);
  char chain[256] = "";
  for (int level = 1; level < 12; ++level) {
    ompt_data_t* above = NULL;
    if (get_task_info(level, NULL, &above, NULL, NULL, NULL) != 2) break;
    char one[24];
    snprintf(one, sizeof(one), "%s%llu", level == 1 ? "" : ",", id(above));
    strncat(chain, one, sizeof(chain) - strlen(chain) - 1);
  }
  // The body's own frame lies below where the runtime called it from.
  const char* const here = __builtin_frame_address(0);
  const int below =
      frame != NULL && frame->exit_frame.ptr != NULL && here < (const char*)frame->exit_frame.ptr;
  say("here name=%s found=%d id=%llu flags=%u parallel=%llu of_task=%llu size=%d thread_num=%d "
      "state=%d wait=%llu exit=%d enter=%d above=%s",
      name, found, id(task), (unsigned)flags, id(parallel), id(of_task), size, thread_num, state,
      (unsigned long long)wait, below, frame != NULL && frame->enter_frame.ptr != NULL, chain);
}

/// Ends the tool from inside of the program.
void lines_finalize(void) {
  if (finalize_tool != NULL) finalize_tool();
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t* tool) {
  get_unique_id = (ompt_get_unique_id_t)lookup("ompt_get_unique_id");
  get_thread_data = (ompt_get_thread_data_t)lookup("ompt_get_thread_data");
  get_task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
  get_parallel_info = (ompt_get_parallel_info_t)lookup("ompt_get_parallel_info");
  get_state = (ompt_get_state_t)lookup("ompt_get_state");
  finalize_tool = (ompt_finalize_tool_t)lookup("ompt_finalize_tool");
  const ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
  tool->value = 4711;
  say("initialize device=%d", device);
#define ASK(name) \
  say("set name=" #name " result=%d", (int)set(ompt_callback_##name, (ompt_callback_t)on_##name))
  ASK(thread_begin);
  ASK(thread_end);
  ASK(parallel_begin);
  ASK(parallel_end);
  ASK(implicit_task);
  ASK(task_create);
  ASK(task_schedule);
  ASK(dependences);
  ASK(task_dependence);
  ASK(sync_region);
  ASK(sync_region_wait);
  ASK(work);
  ASK(cancel);
  ASK(mutex_acquire);
  ASK(mutex_acquired);
  ASK(mutex_released);
  ASK(lock_init);
  ASK(lock_destroy);
  ASK(nest_lock);
  say("set name=flush result=%d", (int)set(ompt_callback_flush, (ompt_callback_t)on_thread_end));
  say("set name=nonsense result=%d", (int)set((ompt_callbacks_t)999, (ompt_callback_t)on_cancel));
  ompt_callback_t got = NULL;
  const ompt_get_callback_t get = (ompt_get_callback_t)lookup("ompt_get_callback");
  say("get same=%d unset=%d",
      get(ompt_callback_task_create, &got) == 1 && got == (ompt_callback_t)on_task_create,
      get(ompt_callback_flush, &got));
  int state = ompt_state_undefined, states = 0;
  const char* text = NULL;
  const ompt_enumerate_states_t next = (ompt_enumerate_states_t)lookup("ompt_enumerate_states");
  while (next(state, &state, &text) && states < 100) ++states;
  say("states count=%d last=%s", states, text == NULL ? "-" : text);
  const ompt_get_num_procs_t procs = (ompt_get_num_procs_t)lookup("ompt_get_num_procs");
  const ompt_get_proc_id_t proc = (ompt_get_proc_id_t)lookup("ompt_get_proc_id");
  const ompt_get_num_devices_t devices = (ompt_get_num_devices_t)lookup("ompt_get_num_devices");
  const ompt_get_num_places_t places = (ompt_get_num_places_t)lookup("ompt_get_num_places");
  say("system procs=%d proc=%d devices=%d places=%d unknown=%d", procs(), proc(), devices(),
      places(), lookup("ompt_no_such_entry_point") != NULL);
  return getenv("LINES_REFUSES") == NULL;
}

static void finalize(ompt_data_t* tool) { say("finalize tool=%llu", id(tool)); }

ompt_start_tool_result_t* ompt_start_tool(unsigned omp_version, const char* runtime_version) {
  const char* name = getenv("LINES_FILE");
  if (name == NULL || (file = fopen(name, "a")) == NULL) return NULL;
  fprintf(file, "0 start version=%u runtime=%s\n", omp_version,
          strtok(strdup(runtime_version), " "));
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  return &result;
}

/* A libgomp with one fault, which the environment's WRONG names; preloaded by generated_test.py to
 * see that generated programs find it.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { has_depend = 8, most_items = 16, leak = 4 << 20 };

typedef void make_task(void (*)(void*), void*, void (*)(void*, void*), long, long, bool, unsigned,
                       void**, int, void*);

static int wrong(const char* fault) {
  const char* chosen = getenv("WRONG");
  return chosen && strcmp(chosen, fault) == 0;
}

/* Turns the members of mutexinoutset into readers: {0, all, out, mutexinoutset, in, addresses...}
 * becomes {all, out, addresses...}. The compiler passes the addresses in this order.
 */
static void** as_readers(void** depend, void** copy) {
  uintptr_t all = (uintptr_t)depend[1];
  if (depend[0] || all > most_items || (uintptr_t)depend[3] == 0) return depend;
  copy[0] = depend[1];
  copy[1] = depend[2];
  memcpy(copy + 2, depend + 5, all * sizeof *copy);
  return copy;
}

void GOMP_task(void (*body)(void*), void* data, void (*copy)(void*, void*), long size, long align,
               bool deferred, unsigned flags, void** depend, int priority, void* detach) {
  static make_task* next;
  static int made;
  static void* volatile leaked;
  void* readers[most_items + 2];
  if (!next) next = (make_task*)dlsym(RTLD_NEXT, "GOMP_task");
  int number = __atomic_add_fetch(&made, 1, __ATOMIC_RELAXED);
  if (wrong("crash-late") && number > 20) abort();
  if (wrong("lost-task") && number % 20 == 0) return;
  if (wrong("dropped-dependences")) flags &= ~(unsigned)has_depend;
  if (wrong("shared-mutexinoutset") && flags & has_depend) depend = as_readers(depend, readers);
  if (wrong("growth")) memset(leaked = malloc(leak), 1, leak);
  if (wrong("task-twice") && number % 20 == 0)
    next(body, data, copy, size, align, deferred, flags, depend, priority, detach);
  next(body, data, copy, size, align, deferred, flags, depend, priority, detach);
}

static void forward(const char* name) {
  void (*next)(void) = (void (*)(void))dlsym(RTLD_NEXT, name);
  next();
}

void GOMP_taskwait(void) {
  if (!wrong("skipped-taskwait")) forward("GOMP_taskwait");
}

void GOMP_taskgroup_end(void) {
  forward("GOMP_taskgroup_end");
  if (wrong("crash")) abort();
  while (wrong("hang")) pause();
}

void GOMP_barrier(void) {
  if (!wrong("skipped-barrier")) forward("GOMP_barrier");
}

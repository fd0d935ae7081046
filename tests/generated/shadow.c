/* See shadow.h. All counters are changed by whichever thread runs the task; sequential consistency
 * keeps the checks simple, and the checks are not what is timed.
 */
#include "shadow.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ADD(field, amount) __atomic_add_fetch(&(field), amount, __ATOMIC_SEQ_CST)
#define GET(field) __atomic_load_n(&(field), __ATOMIC_SEQ_CST)

enum { max_accesses = 8, max_phases = 64, max_slots = 64, block_size = 1 << 20 };

/* What a wait waits for. Where tasks may be cancelled, `open` is not kept: only what runs counts.
 */
struct scope {
  int exact;
  int open;    /* created and not completed */
  int running; /* begun and not completed */
  struct scope* outer;
};

/* Consecutive accesses of one kind to one cell. `size` is final once there is a next set. */
struct set {
  struct set* before;
  int kind;
  int size;
  int done;
  int running;
};

struct cell {
  struct set* last;
  int inside; /* members of a mutexinoutset that run */
  long value; /* plain on purpose: only the dependences protect it */
  long expected;
};

struct domain {
  struct task* owner;
  int count;
  struct cell* cells;
  char* addresses;
};

struct access {
  struct cell* cell;
  struct set* set;
  long before; /* the value that a reader or the only writer finds */
};

struct team {
  struct task* creator;
  int exact;
  int members;
  int ended;
  int in_critical;
  struct scope phases[max_phases];
  struct {
    int* hits;
    long count;
    long next;
    int may_miss; /* the loop may be cancelled */
  } slots[max_slots];
};

struct task {
  struct task* parent;
  struct scope* scope;  /* where its children are counted now */
  struct scope* counts; /* where it is counted itself; none for those that no one creates */
  struct team* team;    /* of an implicit task */
  int phase;
  int site;
  int exact;
  int begun;
  int parts; /* 2 while both the body and the event are outstanding */
  int open_children;
  int running_children;
  pthread_t thread;
  int tied;
  int accesses;
  struct access access[max_accesses];
  struct loop* loop;
};

struct loop {
  struct task* self;
  struct scope own;
  struct scope* scope;
  int grouped;
  long count;
  int* hits;
  struct loop* next; /* of those that are checked at the end of the case */
};

struct reduction {
  int operation;
  int exact;
  long expected;
};

static int current_case;
static int* progress;

static void fail(const char* format, ...) {
  static int failed;
  char text[256];
  va_list arguments;
  if (__atomic_exchange_n(&failed, 1, __ATOMIC_SEQ_CST)) return;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  printf("case %d: %s\n", current_case, text);
  fflush(stdout);
  _exit(1);
}

/* Memory of the case: zeroed blocks that are kept for the next one. */
struct block {
  struct block* next;
  size_t used;
  char bytes[];
};
static struct block* blocks;
static struct block* spare;
static struct loop* loops;
static pthread_mutex_t memory_lock = PTHREAD_MUTEX_INITIALIZER;

static void* take(size_t bytes) {
  bytes = (bytes + 15) & ~(size_t)15;
  if (bytes > block_size) return calloc(1, bytes);
  pthread_mutex_lock(&memory_lock);
  if (!blocks || blocks->used + bytes > block_size) {
    struct block* fresh = spare;
    if (fresh)
      spare = fresh->next;
    else
      fresh = malloc(sizeof *fresh + block_size + 16);
    if (!fresh) fail("the shadow has no memory");
    fresh->next = blocks;
    fresh->used = 0;
    blocks = fresh;
  }
  void* memory = blocks->bytes + blocks->used;
  blocks->used += bytes;
  pthread_mutex_unlock(&memory_lock);
  return memset(memory, 0, bytes);
}

static void give_back_all(void) {
  while (blocks) {
    struct block* next = blocks->next;
    blocks->next = spare;
    spare = blocks;
    blocks = next;
  }
  loops = NULL;
}

static struct task* task_of(handle self) { return (struct task*)self; }

static void check_scope(const struct scope* scope, const char* what, const struct task* self) {
  int left = scope->exact ? GET(scope->open) : GET(scope->running);
  if (left) fail("%d tasks left after %s of task %d", left, what, self->site);
}

/* Tasks */

handle sh_task(handle creator, int site) {
  struct task* self = task_of(creator);
  struct task* task = take(sizeof *task);
  task->parent = self;
  task->site = site;
  task->scope = task->counts = self->scope;
  task->exact = self->scope->exact;
  task->parts = 1;
  if (task->exact) {
    ADD(task->counts->open, 1);
    ADD(self->open_children, 1);
  }
  return (handle)task;
}

static int joins(const struct set* set, int kind) {
  return set && set->kind == kind && kind != SH_OUT;
}

/* By the creator, in the order of creation: the sets and values that the clauses ask for. */
void sh_access(handle child, handle where, int index, int kind) {
  struct task* task = task_of(child);
  struct cell* cell = &((struct domain*)where)->cells[index];
  struct access* access = &task->access[task->accesses++];
  if (!joins(cell->last, kind)) {
    struct set* set = take(sizeof *set);
    set->before = cell->last;
    set->kind = kind;
    cell->last = set;
  }
  access->cell = cell;
  access->set = cell->last;
  access->before = cell->expected;
  if (task->exact) cell->last->size++;
  if (kind == SH_OUT) cell->expected = cell->expected * 3 + task->site;
  if (kind == SH_MUTEX) cell->expected += task->site;
}

static void begin_access(struct task* task, struct access* access) {
  struct set* before = access->set->before;
  struct cell* cell = access->cell;
  int kind = access->set->kind;
  ADD(access->set->running, 1);
  if (before && (GET(before->running) || (task->exact && GET(before->done) != before->size)))
    fail("task %d began before what it depends on was done", task->site);
  if (kind == SH_MUTEX && ADD(cell->inside, 1) != 1)
    fail("task %d is inside a mutexinoutset together with another", task->site);
  if (!task->exact) return;
  if ((kind == SH_IN || kind == SH_OUT) && cell->value != access->before)
    fail("task %d finds the value %ld, not %ld", task->site, cell->value, access->before);
  if (kind == SH_OUT) cell->value = cell->value * 3 + task->site;
}

static void end_access(struct task* task, struct access* access) {
  struct cell* cell = access->cell;
  int kind = access->set->kind;
  if (task->exact && kind == SH_MUTEX) cell->value += task->site;
  if (task->exact && kind == SH_IN && cell->value != access->before)
    fail("the value that task %d reads has changed meanwhile", task->site);
  if (kind == SH_MUTEX) ADD(cell->inside, -1);
  ADD(access->set->done, 1);
  ADD(access->set->running, -1);
}

void sh_begin(handle child, int tied) {
  struct task* task = task_of(child);
  if (ADD(task->begun, 1) != 1) fail("task %d ran twice", task->site);
  ADD(task->counts->running, 1);
  ADD(task->parent->running_children, 1);
  task->tied = tied;
  task->thread = pthread_self();
  for (int i = 0; i < task->accesses; i++) begin_access(task, &task->access[i]);
}

void sh_detach(handle child) { task_of(child)->parts = 2; }

void sh_drop(handle child) {
  struct task* task = task_of(child);
  if (ADD(task->parts, -1) != 0) return;
  for (int i = 0; i < task->accesses; i++) end_access(task, &task->access[i]);
  if (task->exact) {
    ADD(task->counts->open, -1);
    ADD(task->parent->open_children, -1);
  }
  ADD(task->parent->running_children, -1);
  ADD(task->counts->running, -1);
}

void sh_end(handle child) {
  struct task* task = task_of(child);
  if (task->tied && !pthread_equal(task->thread, pthread_self()))
    fail("tied task %d ended on another thread", task->site);
  sh_drop(child);
}

void sh_leave(handle child) {
  struct task* task = task_of(child);
  for (int i = 0; i < task->accesses; i++) {
    if (task->access[i].set->kind == SH_MUTEX) ADD(task->access[i].cell->inside, -1);
    ADD(task->access[i].set->running, -1);
  }
  ADD(task->parent->running_children, -1);
  ADD(task->counts->running, -1);
}

void sh_return(handle child) {
  struct task* task = task_of(child);
  ADD(task->counts->running, 1);
  ADD(task->parent->running_children, 1);
  for (int i = 0; i < task->accesses; i++) {
    ADD(task->access[i].set->running, 1);
    if (task->access[i].set->kind == SH_MUTEX && ADD(task->access[i].cell->inside, 1) != 1)
      fail("another task was let into the mutexinoutset of task %d", task->site);
  }
}

handle sh_guest(handle self) {
  struct task* guest = take(sizeof *guest);
  guest->parent = task_of(self);
  guest->scope = task_of(self)->scope;
  guest->exact = task_of(self)->exact;
  guest->site = task_of(self)->site;
  return (handle)guest;
}

/* One helper thread fulfils events, in the order in which they were handed over. */
struct promise {
  struct promise* next;
  handle task;
  unsigned long event;
  void (*fulfill)(unsigned long);
};
static struct promise* promised;
static struct promise** promised_end = &promised;
static pthread_mutex_t promise_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t promise_made = PTHREAD_COND_INITIALIZER;
static pthread_once_t helper_once = PTHREAD_ONCE_INIT;

__attribute__((noreturn)) static void* keep_promises(void* unused) {
  (void)unused;
  pthread_mutex_lock(&promise_lock);
  for (;;) {
    while (!promised) pthread_cond_wait(&promise_made, &promise_lock);
    struct promise* kept = promised;
    promised = kept->next;
    if (!promised) promised_end = &promised;
    pthread_mutex_unlock(&promise_lock);
    sched_yield();
    sh_drop(kept->task);
    kept->fulfill(kept->event);
    free(kept);
    pthread_mutex_lock(&promise_lock);
  }
}

static void start_helper(void) {
  pthread_t helper;
  if (pthread_create(&helper, NULL, keep_promises, NULL)) fail("the shadow has no thread");
  pthread_detach(helper);
}

void sh_drop_elsewhere(handle task, unsigned long event, void (*fulfill)(unsigned long)) {
  struct promise* made = malloc(sizeof *made);
  pthread_once(&helper_once, start_helper);
  *made = (struct promise){NULL, task, event, fulfill};
  pthread_mutex_lock(&promise_lock);
  *promised_end = made;
  promised_end = &made->next;
  pthread_cond_signal(&promise_made);
  pthread_mutex_unlock(&promise_lock);
}

/* Dependences */

handle sh_domain(handle self, int cells) {
  struct domain* domain = take(sizeof *domain);
  domain->owner = task_of(self);
  domain->count = cells;
  domain->cells = take((size_t)cells * sizeof *domain->cells);
  domain->addresses = take((size_t)cells);
  return (handle)domain;
}

char* sh_cells(handle domain) { return ((struct domain*)domain)->addresses; }

/* Waits */

void sh_taskwait(handle waiting) {
  struct task* self = task_of(waiting);
  int left = self->exact ? GET(self->open_children) : GET(self->running_children);
  if (left) fail("%d children left after taskwait of task %d", left, self->site);
}

static void open_scope(struct task* self, struct scope* scope, int may_cancel) {
  scope->exact = self->scope->exact && !may_cancel;
  scope->outer = self->scope;
  self->scope = scope;
}

void sh_group(handle waiting, int may_cancel) {
  open_scope(task_of(waiting), take(sizeof(struct scope)), may_cancel);
}

void sh_group_end(handle waiting) {
  struct task* self = task_of(waiting);
  check_scope(self->scope, "taskgroup", self);
  self->scope = self->scope->outer;
}

/* Teams */

handle sh_team(handle creator, int may_cancel) {
  struct team* team = take(sizeof *team);
  team->creator = task_of(creator);
  team->exact = team->creator->scope->exact && !may_cancel;
  for (int i = 0; i < max_phases; i++) team->phases[i].exact = team->exact;
  return (handle)team;
}

handle sh_member(handle where) {
  struct team* team = (struct team*)where;
  struct task* self = take(sizeof *self);
  self->parent = team->creator;
  self->site = team->creator->site;
  self->team = team;
  self->scope = &team->phases[0];
  self->exact = team->exact;
  self->thread = pthread_self();
  ADD(team->members, 1);
  return (handle)self;
}

void sh_member_end(handle member) {
  struct task* self = task_of(member);
  if (!pthread_equal(self->thread, pthread_self())) fail("a region ended on another thread");
  ADD(self->team->ended, 1);
}

static void check_hits(const struct team* team, int slot) {
  if (!team->exact || GET(team->slots[slot].may_miss)) return;
  for (long i = 0; i < team->slots[slot].count; i++)
    if (GET(team->slots[slot].hits[i]) != 1)
      fail("iteration %ld of construct %d ran %d times", i, slot, team->slots[slot].hits[i]);
}

void sh_team_end(handle where) {
  struct team* team = (struct team*)where;
  if (team->exact && team->ended != team->members)
    fail("%d of %d threads came to the end of a region", team->ended, team->members);
  for (int i = 0; i < max_phases; i++) check_scope(&team->phases[i], "region", team->creator);
  for (int i = 0; i < max_slots; i++)
    if (team->slots[i].hits) check_hits(team, i);
}

void sh_barrier(handle member) {
  struct task* self = task_of(member);
  check_scope(&self->team->phases[self->phase], "barrier", self);
  if (++self->phase == max_phases) fail("the shadow keeps %d barriers of a region", max_phases);
  self->scope = &self->team->phases[self->phase];
}

handle sh_hit(handle member, int slot, long index, long count) {
  struct task* self = task_of(member);
  struct team* team = self->team;
  struct task* iteration = take(sizeof *iteration);
  int* expected = NULL;
  if (!__atomic_load_n(&team->slots[slot].hits, __ATOMIC_SEQ_CST)) {
    int* fresh = take((size_t)count * sizeof *fresh);
    __atomic_store_n(&team->slots[slot].count, count, __ATOMIC_SEQ_CST);
    __atomic_compare_exchange_n(&team->slots[slot].hits, &expected, fresh, 0, __ATOMIC_SEQ_CST,
                                __ATOMIC_SEQ_CST);
  }
  if (index < 0 || index >= count) fail("construct %d has no iteration %ld", slot, index);
  if (ADD(team->slots[slot].hits[index], 1) != 1)
    fail("iteration %ld of construct %d ran twice", index, slot);
  iteration->parent = self;
  iteration->scope = self->scope;
  iteration->exact = self->exact;
  iteration->site = self->site;
  ADD(self->scope->running, 1);
  return (handle)iteration;
}

void sh_hit_end(handle done) { ADD(task_of(done)->parent->scope->running, -1); }

void sh_may_miss(handle member, int slot, int may) {
  __atomic_store_n(&task_of(member)->team->slots[slot].may_miss, may, __ATOMIC_SEQ_CST);
}

void sh_all_hit(handle member, int slot) {
  if (!task_of(member)->team->slots[slot].hits && task_of(member)->exact)
    fail("nobody ran construct %d", slot);
  check_hits(task_of(member)->team, slot);
}

void sh_ordered(handle member, int slot, long index) {
  long* next = &task_of(member)->team->slots[slot].next;
  if (*next != index) fail("iteration %ld of an ordered loop came when %ld was due", index, *next);
  *next = index + 1;
}

void sh_critical(handle member, int enter) {
  int* inside = &task_of(member)->team->in_critical;
  if (ADD(*inside, enter ? 1 : -1) != (enter ? 1 : 0))
    fail("two threads are in a critical section");
}

/* Loops of tasks */

handle sh_loop(handle creator, long count, int grouped) {
  struct task* self = task_of(creator);
  struct loop* loop = take(sizeof *loop);
  loop->self = self;
  loop->grouped = grouped;
  loop->count = count;
  loop->hits = take((size_t)(count + 1) * sizeof *loop->hits);
  if (grouped) open_scope(self, &loop->own, 0);
  loop->scope = self->scope;
  if (loop->scope->exact) {
    ADD(loop->scope->open, (int)count);
    ADD(self->open_children, (int)count);
    pthread_mutex_lock(&memory_lock);
    loop->next = loops;
    loops = loop;
    pthread_mutex_unlock(&memory_lock);
  }
  return (handle)loop;
}

handle sh_iteration(handle where, long index) {
  struct loop* loop = (struct loop*)where;
  struct task* iteration = take(sizeof *iteration);
  if (index < 0 || index >= loop->count) fail("a taskloop has no iteration %ld", index);
  if (ADD(loop->hits[index], 1) != 1) fail("iteration %ld of a taskloop ran twice", index);
  iteration->parent = loop->self;
  iteration->scope = loop->scope;
  iteration->exact = loop->scope->exact;
  iteration->site = loop->self->site;
  iteration->loop = loop;
  ADD(loop->scope->running, 1);
  return (handle)iteration;
}

void sh_iteration_end(handle done) {
  struct task* iteration = task_of(done);
  struct loop* loop = iteration->loop;
  if (loop->scope->exact) {
    ADD(loop->self->open_children, -1);
    ADD(loop->scope->open, -1);
  }
  ADD(loop->scope->running, -1);
}

static void check_loop(const struct loop* loop) {
  for (long i = 0; i < loop->count; i++)
    if (GET(loop->hits[i]) != 1)
      fail("iteration %ld of a taskloop ran %d times", i, GET(loop->hits[i]));
}

void sh_loop_end(handle where) {
  struct loop* loop = (struct loop*)where;
  if (!loop->grouped) return;
  check_scope(loop->scope, "taskloop", loop->self);
  if (loop->scope->exact) check_loop(loop);
  loop->self->scope = loop->own.outer;
}

/* Reductions */

handle sh_reduction(handle self, int operation, long initial) {
  struct reduction* reduction = take(sizeof *reduction);
  reduction->operation = operation;
  reduction->exact = task_of(self)->scope->exact;
  reduction->expected = initial;
  return (handle)reduction;
}

long sh_amount(handle where, int site) {
  struct reduction* reduction = (struct reduction*)where;
  long amount = (site * 37 + 11) % 4096;
  switch (reduction->operation) {
    case SH_ADD:
      __atomic_fetch_add(&reduction->expected, amount, __ATOMIC_SEQ_CST);
      break;
    case SH_XOR:
      __atomic_fetch_xor(&reduction->expected, amount, __ATOMIC_SEQ_CST);
      break;
    case SH_OR:
      __atomic_fetch_or(&reduction->expected, amount, __ATOMIC_SEQ_CST);
      break;
    default: {
      long seen = GET(reduction->expected);
      while (seen < amount && !__atomic_compare_exchange_n(&reduction->expected, &seen, amount, 0,
                                                           __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
      }
    }
  }
  return amount;
}

void sh_reduced(handle where, long result) {
  struct reduction* reduction = (struct reduction*)where;
  if (reduction->exact && GET(reduction->expected) != result)
    fail("a reduction gives %ld, not %ld", result, reduction->expected);
}

/* The rest */

struct counter {
  long value;
  int exact;
};

handle sh_counter(handle self) {
  struct counter* counter = take(sizeof *counter);
  counter->exact = task_of(self)->scope->exact;
  return (handle)counter;
}

void sh_count(handle counter) { ADD(((struct counter*)counter)->value, 1); }

void sh_counted(handle where, long expected) {
  struct counter* counter = (struct counter*)where;
  if (counter->exact && GET(counter->value) != expected)
    fail("%ld of %ld tasks ran before the end of their wait", GET(counter->value), expected);
}

void sh_fill(int* data, int count, int site) {
  for (int i = 0; i < count; i++) data[i] = site * 1000 + i;
}

void sh_filled(const int* data, int count, int site) {
  for (int i = 0; i < count; i++)
    if (data[i] != site * 1000 + i)
      fail("task %d finds other private data than it was given", site);
}

static int objects;
void sh_object(int change) {
  if (ADD(objects, change) < 0) fail("an object was destroyed twice");
}

void sh_expect(long actual, long expected, const char* what) {
  if (actual != expected) fail("%s is %ld, not %ld", what, actual, expected);
}

void sh_work(int units) {
  for (volatile int left = units * 100; left > 0;) left = left - 1;
}

/* Cases */

static void* run_body(void* argument) {
  const struct sh_case* one = argument;
  struct scope* scope = take(sizeof *scope);
  struct task* root = take(sizeof *root);
  scope->exact = root->exact = 1;
  root->scope = scope;
  one->body((handle)root);
  if (scope->open || scope->running) fail("tasks are left at the end");
  return NULL;
}

static void run_copies(const struct sh_case* one) {
  pthread_t threads[16];
  pthread_attr_t attributes;
  int copies = one->copies < 16 ? one->copies : 16;
  pthread_attr_init(&attributes);
  if (one->stack_kib) pthread_attr_setstacksize(&attributes, (size_t)one->stack_kib * 1024);
  for (int i = 0; i < copies; i++)
    if (pthread_create(&threads[i], &attributes, run_body, (void*)one)) fail("no thread");
  for (int i = 0; i < copies; i++) pthread_join(threads[i], NULL);
  pthread_attr_destroy(&attributes);
}

static void run_case(const struct sh_case* one) {
  current_case = one->number;
  if (progress) *progress = one->number;
  give_back_all();
  if (one->stack_kib || one->copies > 1)
    run_copies(one);
  else
    run_body((void*)one);
  for (struct loop* loop = loops; loop; loop = loop->next) check_loop(loop);
  if (GET(objects)) fail("%d objects were not destroyed", objects);
}

static int* map_progress(const char* path) {
  int file = open(path, O_RDWR | O_CREAT, 0600);
  if (file < 0 || ftruncate(file, sizeof(int))) return NULL;
  void* memory = mmap(NULL, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  return memory == MAP_FAILED ? NULL : memory;
}

static int wanted(int number, int argc, char** argv, int first) {
  for (int i = first; i < argc; i++)
    if (atoi(argv[i]) == number) return 1;
  return first == argc;
}

/* The index of the first argument that is a number. */
static int begin_run(int argc, char** argv) {
  if (argc <= 2 || strcmp(argv[1], "--progress") != 0) return 1;
  progress = map_progress(argv[2]);
  return 3;
}

static int end_run(int ran) {
  if (progress) *progress = 0;
  printf("ok %d cases\n", ran);
  return 0;
}

int sh_main(int argc, char** argv, const struct sh_case* cases, int count) {
  int first = begin_run(argc, argv), ran = 0;
  for (int i = 0; i < count; i++) {
    if (!wanted(cases[i].number, argc, argv, first)) continue;
    run_case(&cases[i]);
    ran++;
  }
  return end_run(ran);
}

int sh_main_of(int argc, char** argv, void (*make)(struct sh_case*)) {
  int first = begin_run(argc, argv);
  for (int i = first; i < argc; i++) {
    struct sh_case one = {.number = atoi(argv[i])};
    make(&one);
    run_case(&one);
  }
  return end_run(argc - first);
}

// Small programs for the tests of OMPT: programs CASE. Each prints "ok" if its own result is right.
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef WITH_TOOL
void lines_here(const char* name);
void lines_finalize(void);
#else
static void lines_here(const char* name) { (void)name; }
static void lines_finalize(void) {}
#endif

static int sum;

static void add(int what) {
#pragma omp atomic
  sum += what;
}

static int expect(int wanted) {
  if (sum != wanted) fprintf(stderr, "sum %d, expected %d\n", sum, wanted);
  return sum == wanted;
}

static int tasks(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 100; ++i) {
#pragma omp task
    {
      lines_here("task");
      add(1);
    }
  }
  return expect(100);
}

static void visit(int depth) {
  add(1);
  if (depth == 0) return;
#pragma omp task
  visit(depth - 1);
#pragma omp task
  {
    visit(depth - 1);
    lines_here("visit");
  }
#pragma omp taskwait
}

static int nested_tasks(void) {
#pragma omp parallel
#pragma omp master
  visit(6);
  return expect(127);
}

static int depend(void) {
  int a = 0, b = 0, seen = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 10; ++i) {
#pragma omp task depend(out : a) shared(a)
      a = i;
#pragma omp task depend(in : a) depend(out : b) shared(a, b)
      b = a;
#pragma omp task depend(in : b) shared(b, seen)
      seen += b == i;
#pragma omp task depend(inout : b) shared(b)
      b += 1;
    }
#pragma omp task depend(mutexinoutset : a)
    add(1);
#pragma omp task depend(mutexinoutset : a)
    add(1);
#pragma omp taskwait depend(in : a)
    lines_here("after");
  }
  sum += seen;
  return expect(12);
}

static int regions(void) {
  omp_set_max_active_levels(3);
  for (int i = 0; i < 40; ++i) {
#pragma omp parallel num_threads(2)
    {
      lines_here("outer");
#pragma omp parallel num_threads(3) if (i % 4 == 0)
      {
        lines_here("inner");
#pragma omp task
        add(1);
      }
    }
  }
  // Ten times two teams of three, thirty times two of one.
  return expect(60 + 60);
}

static int waits(void) {
#pragma omp parallel
#pragma omp single
  {
    int inside = 0;
#pragma omp taskgroup
    {
      for (int i = 0; i < 10; ++i) {
#pragma omp task shared(inside)
        {
#pragma omp task shared(inside)
#pragma omp atomic
          inside += 1;
        }
      }
    }
    add(inside);
#pragma omp task
    add(1);
#pragma omp taskwait
    lines_here("waited");
#pragma omp taskyield
  }
#pragma omp parallel
  {
    add(1);
#pragma omp barrier
    lines_here("behind");
  }
  return expect(11 + omp_get_max_threads());
}

static int taskloop(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop num_tasks(12)
    for (int i = 0; i < 120; ++i) add(1);
#pragma omp taskloop grainsize(7) nogroup
    for (int i = 0; i < 70; ++i) add(1);
  }
  return expect(190);
}

// Makes a task whose event is left to the caller.
static omp_event_handle_t make_detached(void) {
  omp_event_handle_t event = 0;
#pragma omp task detach(event)
  add(1);
  return event;
}

static int detach(void) {
  omp_event_handle_t late[20], early = 0, now = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 20; ++i) late[i] = make_detached();
#pragma omp task detach(early)
    {
      omp_fulfill_event(early);
      add(1);
    }
#pragma omp task detach(now) if (0)
    {
      omp_fulfill_event(now);
      add(1);
    }
    for (int i = 0; i < 20; ++i) {
#pragma omp task firstprivate(i) shared(late)
      omp_fulfill_event(late[i]);
    }
#pragma omp taskwait
    lines_here("complete");
  }
  return expect(22);
}

static int cancel(void) {
  // Needs OMP_CANCELLATION=true.
  int after = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
  {
    for (int i = 0; i < 200; ++i) {
#pragma omp task shared(after)
      {
        add(1);
#pragma omp cancel taskgroup
#pragma omp atomic
        after += 1;
      }
    }
  }
  return sum >= 1 && sum <= 200 && after == 0;
}

static int kinds(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task untied
    {
      add(1);
#pragma omp task
      add(1);
#pragma omp taskwait
      lines_here("untied");
    }
#pragma omp task final(1)
    {
      lines_here("final");
#pragma omp task
      {
        lines_here("included");
        add(1);
      }
    }
#pragma omp task if (0)
    {
      lines_here("undeferred");
      add(1);
    }
#pragma omp task mergeable
    add(1);
#pragma omp task priority(3)
    add(1);
    int x = 0;
#pragma omp task depend(out : x)
    x = 1;
#pragma omp task depend(in : x) if (0) shared(x)
    add(x);
  }
  return expect(7 - 1);
}

static int loops(void) {
#pragma omp parallel for schedule(dynamic, 3)
  for (int i = 0; i < 100; ++i) add(1);
#pragma omp parallel
  {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 50; ++i) add(1);
#pragma omp for schedule(guided) nowait
    for (int i = 0; i < 50; ++i) add(1);
#pragma omp sections
    {
#pragma omp section
      add(1);
#pragma omp section
      add(1);
    }
#pragma omp single
    {
      lines_here("single");
      add(1);
    }
    int copied = 0;
#pragma omp single copyprivate(copied)
    copied = 5;
    if (copied == 5) add(1);
#pragma omp critical
    add(1);
  }
  return expect(100 + 50 + 50 + 2 + 1 + 2 * omp_get_max_threads());
}

static int lone(void) {
  lines_here("initial");
#pragma omp task
  {
    lines_here("lone");
#pragma omp task
    add(1);
#pragma omp taskloop num_tasks(4)
    for (int i = 0; i < 8; ++i) add(1);
  }
#pragma omp taskwait
#pragma omp taskgroup
  add(1);
#pragma omp barrier
  return expect(10);
}

static int locks(void) {
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(4)
  {
    for (int i = 0; i < 25; ++i) {
      omp_set_lock(&lock);
      ++sum;
      omp_unset_lock(&lock);
    }
#pragma omp barrier
#pragma omp single
    for (int i = 0; i < 20; ++i) {
#pragma omp task
      {
        omp_set_lock(&lock);
        ++sum;
        omp_unset_lock(&lock);
        add(0);  // a call that is the last becomes a jump, which leaves no address
      }
    }
    // One holds it while the others test.
#pragma omp master
    omp_set_lock(&lock);
#pragma omp barrier
    if (omp_get_thread_num() != 0) add(omp_test_lock(&lock));
#pragma omp barrier
#pragma omp master
    omp_unset_lock(&lock);
    add(0);
  }
  sum += omp_test_lock(&lock);
  omp_unset_lock(&lock);
  omp_destroy_lock(&lock);
  return expect(121);
}

// Sets it thrice, within a task that does nothing else.
static void nest(omp_nest_lock_t* lock) {
  omp_set_nest_lock(lock);
  omp_set_nest_lock(lock);
  sum += omp_test_nest_lock(lock) == 3;
  for (int i = 0; i < 3; ++i) omp_unset_nest_lock(lock);
  add(0);
}

static int nest_locks(void) {
  omp_nest_lock_t lock;
  omp_init_nest_lock(&lock);
#pragma omp parallel num_threads(4)
  {
    for (int i = 0; i < 10; ++i) nest(&lock);
#pragma omp barrier
#pragma omp single
    for (int i = 0; i < 20; ++i) {
#pragma omp task
      nest(&lock);
    }
#pragma omp master
    omp_set_nest_lock(&lock);
#pragma omp barrier
    if (omp_get_thread_num() != 0) add(omp_test_nest_lock(&lock));
#pragma omp barrier
#pragma omp master
    omp_unset_nest_lock(&lock);
    add(0);
  }
  sum += omp_test_nest_lock(&lock);
  omp_unset_nest_lock(&lock);
  omp_destroy_nest_lock(&lock);
  return expect(61);
}

// A thread that waits for a lock is asked what it does, by a signal.
static volatile int was_asked;
static void say_where(int unused) {
  (void)unused;
  lines_here("waiting");
  __atomic_store_n(&was_asked, 1, __ATOMIC_RELEASE);
}

static int waiting(void) {
  omp_lock_t lock;
  omp_init_lock(&lock);
  signal(SIGUSR1, say_where);
  pthread_t waiter = 0;
  int comes = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp master
    omp_set_lock(&lock);
#pragma omp barrier
    if (omp_get_thread_num() == 1) {
      waiter = pthread_self();
      __atomic_store_n(&comes, 1, __ATOMIC_RELEASE);
      omp_set_lock(&lock);
      ++sum;
      omp_unset_lock(&lock);
    } else {
      while (!__atomic_load_n(&comes, __ATOMIC_ACQUIRE)) usleep(100);
      usleep(200000);  // until it sleeps
      pthread_kill(waiter, SIGUSR1);
      while (!__atomic_load_n(&was_asked, __ATOMIC_ACQUIRE)) usleep(100);
      omp_unset_lock(&lock);
    }
  }
  omp_destroy_lock(&lock);
  return expect(1);
}

// GCC has a call for an atomic construct of what no instruction can change.
#ifdef __clang__
typedef double wide_number;  // else it wants a library of its own
#else
typedef long double wide_number;
#endif

static int atomics(void) {
  wide_number wide = 0;
#pragma omp parallel num_threads(3)
  for (int i = 0; i < 10; ++i) {
#pragma omp atomic
    wide += 1;
  }
  sum = (int)wide;
  return expect(30);
}

static void* open_region(void* unused) {
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp task
  {
    lines_here("region");
    add(1);
  }
  return unused;
}

// Threads of the program that open regions, at the same time.
static int masters(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, open_region, NULL);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  open_region(NULL);
  return expect(4);
}

static int finalized(void) {
#pragma omp parallel
#pragma omp single
#pragma omp task
  add(1);
  lines_finalize();
#pragma omp parallel
#pragma omp single
#pragma omp task
  add(1);
  return expect(2);
}

// Everything at once, for long.
static void storm_from(int depth) {
  add(1);
  if (depth == 0) return;
#pragma omp taskgroup
  {
    for (int i = 0; i < 3; ++i) {
#pragma omp task untied if (i != 1)
      storm_from(depth - 1);
    }
  }
  omp_event_handle_t event = 0;
#pragma omp task detach(event)
  add(1);
  omp_fulfill_event(event);
#pragma omp taskwait
}

static int storm(void) {
  for (int round = 0; round < 4; ++round) {
#pragma omp parallel
    {
#pragma omp single nowait
      storm_from(4);
#pragma omp task
      add(1);
#pragma omp barrier
#pragma omp single
#pragma omp taskloop
      for (int i = 0; i < 64; ++i) add(1);
    }
  }
  return expect(4 * (121 + 40 + omp_get_max_threads() + 64));
}

int main(int count, char** words) {
  static const struct {
    const char* name;
    int (*run)(void);
  } cases[] = {{"tasks", tasks},     {"nested_tasks", nested_tasks},
               {"depend", depend},   {"regions", regions},
               {"waits", waits},     {"taskloop", taskloop},
               {"detach", detach},   {"cancel", cancel},
               {"kinds", kinds},     {"loops", loops},
               {"lone", lone},       {"finalized", finalized},
               {"masters", masters}, {"storm", storm},
               {"locks", locks},     {"nest_locks", nest_locks},
               {"waiting", waiting}, {"atomics", atomics}};
  for (unsigned i = 0; count == 2 && i < sizeof(cases) / sizeof(cases[0]); ++i) {
    if (strcmp(words[1], cases[i].name) != 0) continue;
    const int right = cases[i].run();
    puts(right ? "ok" : "wrong");
    return right ? 0 : 1;
  }
  fprintf(stderr, "programs: unknown case\n");
  return 2;
}

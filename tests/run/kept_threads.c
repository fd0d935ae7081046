// What a program sees of the threads of its inner teams, which Lares keeps where libgomp would make
// them anew.
//
//   kept_threads count OUTER INNER REGIONS   how many threads the inner teams had, without masters
//   kept_threads pairs OUTER INNER REGIONS   how many pairs of a master and a thread of its teams
//                                            there were in so many regions around them
//   kept_threads inherit                     what they have of their master, region after region
//   kept_threads places                      where each thread of teams of two sizes may run
//   kept_threads sizes                       teams of all sizes, three deep, whose sums are right
//   kept_threads masters                     threads that are there when many masters have ended
//   kept_threads fork                        processes made within and between regions
//   kept_threads end                         ends in the middle of a region, with status 3
#include <fenv.h>
#include <locale.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void fail(const char* what) {
  printf("%s\n", what);
  exit(1);
}

static int count_pairs(int outer, int inner, int regions) {
  enum { most = 4096 };
  static long seen[most][2];
  int count = 0;
  for (int r = 0; r < regions; ++r) {
#pragma omp parallel num_threads(outer)
    {
      const long master = syscall(SYS_gettid);
#pragma omp parallel num_threads(inner)
      if (omp_get_thread_num() != 0) {
        const long self = syscall(SYS_gettid);
#pragma omp critical
        {
          int at = 0;
          while (at < count && (seen[at][0] != master || seen[at][1] != self)) ++at;
          if (at == count && count < most) {
            seen[count][0] = master;
            seen[count++][1] = self;
          }
        }
      }
    }
  }
  return count;
}

static int count_threads(int outer, int inner, int regions) {
  enum { most = 4096 };
  static long seen[most];
  int count = 0;
#pragma omp parallel num_threads(outer)
  for (int r = 0; r < regions; ++r) {
#pragma omp parallel num_threads(inner)
    if (omp_get_thread_num() != 0) {
      const long self = syscall(SYS_gettid);
#pragma omp critical
      {
        int at = 0;
        while (at < count && seen[at] != self) ++at;
        if (at == count && count < most) seen[count++] = self;
      }
    }
  }
  return count;
}

// --- what they inherit

struct Found {
  int rounding;
  int is_blocked;  // SIGUSR1
  int has_own_locale;
  int has_stack;  // for signals
  int cancel;
  int processors;
  cpu_set_t kernels;
};

static int is_within(const cpu_set_t* some, const cpu_set_t* all) {
  cpu_set_t both;
  CPU_AND(&both, some, all);
  return CPU_EQUAL(&both, some);
}

static struct Found look(void) {
  struct Found found;
  sigset_t signals;
  stack_t stack;
  cpu_set_t cpus;
  found.rounding = fegetround();
  pthread_sigmask(SIG_SETMASK, NULL, &signals);
  found.is_blocked = sigismember(&signals, SIGUSR1);
  found.has_own_locale = uselocale((locale_t)0) != LC_GLOBAL_LOCALE;
  sigaltstack(NULL, &stack);
  found.has_stack = (stack.ss_flags & SS_DISABLE) == 0;
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &found.cancel);
  CPU_ZERO(&cpus);
  pthread_getaffinity_np(pthread_self(), sizeof cpus, &cpus);
  found.processors = CPU_COUNT(&cpus);
  CPU_ZERO(&found.kernels);
  syscall(SYS_sched_getaffinity, 0, sizeof found.kernels, &found.kernels);
  return found;
}

static void block(int how) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  pthread_sigmask(how, &signals, NULL);
}

// All that a thread may do to itself.
static void spoil(void) {
  static char stack_memory[65536];
  stack_t stack = {.ss_sp = stack_memory, .ss_size = sizeof stack_memory};
  cpu_set_t one;
  cpu_set_t all;
  fesetround(FE_TOWARDZERO);
  block(SIG_BLOCK);
  sigaltstack(&stack, NULL);
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
  uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
  pthread_getaffinity_np(pthread_self(), sizeof all, &all);
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu) {
    if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &one);
  }
  pthread_setaffinity_np(pthread_self(), sizeof one, &one);
}

static void inherit(void) {
  cpu_set_t all;
  pthread_getaffinity_np(pthread_self(), sizeof all, &all);
#pragma omp parallel num_threads(1)
  for (int r = 0; r < 60; ++r) {
    struct Found found = {0};
    cpu_set_t own = all;
    for (int cpu = 0; r >= 40 && cpu < CPU_SETSIZE && CPU_COUNT(&own) > 1; ++cpu) {
      CPU_CLR((cpu + r) % CPU_SETSIZE, &own);
    }
    if (r >= 30) pthread_setaffinity_np(pthread_self(), sizeof own, &own);
    if (r % 3 == 1) fesetround(FE_UPWARD);
    if (r % 3 == 2) {
      fesetround(FE_TONEAREST);
      block(SIG_BLOCK);
    }
    if (r % 3 == 0) block(SIG_UNBLOCK);
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1) {
      found = look();
      spoil();
    }
    // Where the thread may run, by the kernel.
    if (!is_within(&found.kernels, &own)) fail("out of bounds");
    printf("rounding=%d blocked=%d locale=%d stack=%d cancel=%d processors=%d\n",
           found.rounding == FE_UPWARD      ? 1
           : found.rounding == FE_TONEAREST ? 0
                                            : -1,
           found.is_blocked, found.has_own_locale, found.has_stack,
           found.cancel == PTHREAD_CANCEL_ENABLE, found.processors);
  }
}

// --- where the program's runtime binds them

static void print_places(void) {
  for (int r = 0; r < 20; ++r) {
    cpu_set_t found[2][3];
    memset(found, 0, sizeof found);
#pragma omp parallel num_threads(2)
    {
      cpu_set_t* const team = found[omp_get_thread_num()];
#pragma omp parallel num_threads(2 + r % 2)
      syscall(SYS_sched_getaffinity, 0, sizeof team[0], &team[omp_get_thread_num()]);
    }
    for (int i = 0; i < 6; ++i) {
      for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (CPU_ISSET(cpu, &found[i / 3][i % 3])) printf("%d ", cpu);
      }
      printf(";");
    }
    printf("\n");
  }
}

// --- teams of all sizes

static long sum_below(int depth, unsigned seed) {
  long sum = 0;
  const int size = 1 + (int)(seed % 4);
#pragma omp parallel num_threads(size) reduction(+ : sum)
  {
    if (omp_get_num_threads() != size) fail("a team of another size");
    sum += 1;
#pragma omp barrier
#pragma omp single
    for (int i = 0; i < 3; ++i) {
#pragma omp task firstprivate(i) shared(sum)
      __atomic_add_fetch(&sum, 0 * i, __ATOMIC_RELAXED);
    }
    if (depth > 1) {
      sum += sum_below(depth - 1, seed / 4 + 7 * (unsigned)omp_get_thread_num());
    }
  }
  return sum;
}

static long expected_below(int depth, unsigned seed) {
  const int size = 1 + (int)(seed % 4);
  long sum = size;
  for (int i = 0; depth > 1 && i < size; ++i) {
    sum += expected_below(depth - 1, seed / 4 + 7 * (unsigned)i);
  }
  return sum;
}

static void sizes(void) {
  unsigned seed = 12345;
  for (int r = 0; r < 150; ++r) {
    seed = seed * 1103515245 + 12345;
    if (sum_below(3, seed >> 16) != expected_below(3, seed >> 16)) fail("a wrong sum");
  }
}

// --- masters, processes and the end

static void* be_master(void* unused) {
  omp_set_max_active_levels(3);
  if (count_threads(2, 3, 3) < 4) fail("too few threads");
  return unused;
}

static int threads_here(void) {
  char line[256];
  int count = 0;
  FILE* status = fopen("/proc/self/status", "r");
  while (status != NULL && fgets(line, sizeof line, status) != NULL) {
    if (strncmp(line, "Threads:", 8) == 0) count = atoi(line + 8);
  }
  if (status != NULL) fclose(status);
  return count;
}

static void masters(void) {
  for (int r = 0; r < 30; ++r) {
    pthread_t master;
    if (pthread_create(&master, NULL, be_master, NULL) != 0) fail("no thread");
    pthread_join(master, NULL);
  }
  int count = threads_here();
  for (int r = 0; r < 100 && count > 2; ++r) {
    usleep(20000);
    count = threads_here();
  }
  printf("%d\n", count);
}

static void wait_for(pid_t child) {
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0) fail("a child has failed");
}

static void make_processes(void) {
#pragma omp parallel num_threads(2)
  for (int r = 0; r < 5; ++r) {
#pragma omp parallel num_threads(2)
    {
      const pid_t child = fork();
      if (child == 0) _exit(0);
      wait_for(child);
    }
#pragma omp critical
    {
      const pid_t child = fork();
      if (child == 0) _exit(0);
      wait_for(child);
    }
  }
  // libgomp's own teams do not live in the child of a process with threads, but inner ones are
  // made.
  const pid_t child = fork();
  if (child == 0) {
    int sum = 0;
#pragma omp parallel num_threads(1)
    for (int r = 0; r < 5; ++r) {
#pragma omp parallel num_threads(3) reduction(+ : sum)
      sum += 1;
    }
    _exit(sum == 15 ? 0 : 1);
  }
  wait_for(child);
}

static void end_inside(void) {
#pragma omp parallel num_threads(1)
  for (int r = 0; r < 10; ++r) {
#pragma omp parallel num_threads(3)
    if (r == 7 && omp_get_thread_num() == 2) exit(3);
  }
}

int main(int count, char** words) {
  if (count < 2) return 2;
  omp_set_dynamic(0);
  omp_set_max_active_levels(3);
  if (strcmp(words[1], "count") == 0 && count == 5) {
    printf("%d\n", count_threads(atoi(words[2]), atoi(words[3]), atoi(words[4])));
    return 0;
  }
  if (strcmp(words[1], "pairs") == 0 && count == 5) {
    printf("%d\n", count_pairs(atoi(words[2]), atoi(words[3]), atoi(words[4])));
    return 0;
  }
  const struct {
    const char* name;
    void (*run)(void);
  } modes[] = {{"inherit", inherit}, {"places", print_places}, {"sizes", sizes},
               {"masters", masters}, {"fork", make_processes}, {"end", end_inside}};
  for (size_t i = 0; i < sizeof modes / sizeof modes[0]; ++i) {
    if (strcmp(words[1], modes[i].name) != 0) continue;
    modes[i].run();
    return 0;
  }
  return 2;
}

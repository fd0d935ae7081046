// Prints which processors each thread of several teams may use while all of them are in a region,
// as the kernel has it. Usage: binding TEAMS OUTER INNER: TEAMS threads of the program's own open a
// region of OUTER threads each, and each of those one of INNER (1: none). A line for each thread.
//
//        binding REGIONS: so many regions of two threads and thirty milliseconds, one right
// after the other. Prints after how many of them the master may use more processors than in the
// region.
//
//        binding from CPU: the program's first thread is on CPU, and free to leave it, when a
// region of two threads begins. Prints the processors that it may use in there.
//
//        binding within OUTER INNER LEVELS: regions of INNER threads in one of OUTER, where LEVELS
// may be active. Prints in how many of the last 100 of 300 the inner masters may use as many
// processors as the program when it began.
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

// GCC leaves out a task that does nothing.
static void some_task(void) { __asm__ volatile(""); }

static int teams, outer, inner;
static pthread_barrier_t all_are_here;

static void print_processors(int team) {
  char line[4096];
  FILE* status = fopen("/proc/thread-self/status", "r");
  if (status == NULL) exit(1);
  pthread_barrier_wait(&all_are_here);
  while (fgets(line, sizeof line, status) != NULL) {
    if (strncmp(line, "Cpus_allowed_list:", 18) == 0) {
#pragma omp critical
      printf("%d %s", team, line + 18);
    }
  }
  fclose(status);
  pthread_barrier_wait(&all_are_here);
}

static void* run_team(void* number) {
  const int team = (int)(long)number;
  omp_set_max_active_levels(2);
  omp_set_dynamic(0);
#pragma omp parallel num_threads(outer)
  {
    if (inner > 1) {
#pragma omp parallel num_threads(inner)
      {
#pragma omp single
#pragma omp task
        some_task();
        print_processors(team);
      }
    } else {
#pragma omp single
#pragma omp task
      some_task();
      print_processors(team);
    }
  }
  return NULL;
}

// As the kernel has it, not as the program is told.
static int processors(void) {
  unsigned long words[128] = {0};
  const long bytes = syscall(SYS_sched_getaffinity, 0, sizeof words, words);
  int found = 0;
  for (long i = 0; i < bytes / (long)sizeof *words; ++i) found += __builtin_popcountl(words[i]);
  return found;
}

static void follow_each_other(int regions) {
  int free = 0;
  for (int r = 0; r < regions; ++r) {
    int inside = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp single
#pragma omp task
      some_task();
      const double end = omp_get_wtime() + 0.03;
      while (omp_get_wtime() < end) {
      }
#pragma omp master
      inside = processors();
    }
    free += processors() > inside;
  }
  printf("%d\n", free);
}

static void begin_on(int cpu) {
  unsigned long before[128] = {0};
  unsigned long there[128] = {0};
  const long bytes = syscall(SYS_sched_getaffinity, 0, sizeof before, before);
  const int bits = 8 * (int)sizeof *there;
  there[cpu / bits] = 1UL << (cpu % bits);
  if (bytes < 0 || syscall(SYS_sched_setaffinity, 0, bytes, there) != 0) exit(1);
  if (syscall(SYS_sched_setaffinity, 0, bytes, before) != 0) exit(1);
  pthread_barrier_init(&all_are_here, NULL, 1);
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) print_processors(0);
}

static void within(int around, int in_there, int levels) {
  const int all = processors();
  int as_many = 0;
  omp_set_max_active_levels(levels);
#pragma omp parallel num_threads(around)
  for (int r = 0; r < 300; ++r) {
#pragma omp parallel num_threads(in_there)
    if (omp_get_thread_num() == 0 && r >= 200 && processors() == all) {
#pragma omp atomic
      ++as_many;
    }
  }
  printf("%d\n", as_many);
}

int main(int count, char** words) {
  if (count == 5 && strcmp(words[1], "within") == 0) {
    within(atoi(words[2]), atoi(words[3]), atoi(words[4]));
    return 0;
  }
  if (count == 3 && strcmp(words[1], "from") == 0) {
    begin_on(atoi(words[2]));
    return 0;
  }
  if (count == 2) {
    follow_each_other(atoi(words[1]));
    return 0;
  }
  if (count != 4) return 2;
  teams = atoi(words[1]);
  outer = atoi(words[2]);
  inner = atoi(words[3]);
  pthread_barrier_init(&all_are_here, NULL, (unsigned)(teams * outer * inner));
  pthread_t* threads = malloc(sizeof(pthread_t) * (size_t)teams);
  for (int i = 0; i < teams; i++) pthread_create(&threads[i], NULL, run_team, (void*)(long)i);
  for (int i = 0; i < teams; i++) pthread_join(threads[i], NULL);
  free(threads);
  return 0;
}

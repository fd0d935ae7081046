// What a program starts may use all processors that the program may, wherever OpenMP's threads are:
// inside of a parallel region, after it, and whatever starts it. The program is told the same.
// conformance: stock-fails clang a_thread_that_narrows_itself: libomp gives a new master all processors
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

#include "check.h"

extern char** environ;

static int processors_of_the_parent(void) {
  cpu_set_t all;
  CHECK_EQUAL(sched_getaffinity(getppid(), sizeof all, &all), 0);
  return CPU_COUNT(&all);
}

static int my_processors(void) {
  cpu_set_t mine;
  return sched_getaffinity(0, sizeof mine, &mine) == 0 ? CPU_COUNT(&mine) : -1;
}

// From the kernel, which no library stands in front of.
static int processors_in(FILE* status) {
  char line[4096];
  int count = 0;
  while (fgets(line, sizeof line, status) != NULL) {
    if (strncmp(line, "Cpus_allowed:", 13) != 0) continue;
    for (const char* c = line + 13; *c != '\0'; c++) {
      if (*c >= '0' && *c <= '9') count += __builtin_popcount((unsigned)(*c - '0'));
      if (*c >= 'a' && *c <= 'f') count += __builtin_popcount((unsigned)(*c - 'a' + 10));
    }
  }
  return count;
}

static int processors_of_this_thread(void) {
  FILE* status = fopen("/proc/thread-self/status", "r");
  const int count = status == NULL ? -1 : processors_in(status);
  if (status != NULL) fclose(status);
  return count;
}

static void* count_processors(void* argument) {
  *(int*)argument = processors_of_this_thread();
  return NULL;
}

static int count_processors_c11(void* argument) {
  *(int*)argument = processors_of_this_thread();
  return 0;
}

static int of_a_pthread(void) {
  int processors = 0;
  pthread_t handle;
  CHECK_EQUAL(pthread_create(&handle, NULL, count_processors, &processors), 0);
  pthread_join(handle, NULL);
  return processors;
}

static int of_a_c11_thread(void) {
  int processors = 0;
  thrd_t handle;
  CHECK_EQUAL(thrd_create(&handle, count_processors_c11, &processors), thrd_success);
  thrd_join(handle, NULL);
  return processors;
}

static int status_of(pid_t child) {
  int status = 0;
  CHECK_EQUAL(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int of_a_fork(void) {
  const pid_t child = fork();
  if (child == 0) _exit(processors_of_this_thread());
  return status_of(child);
}

static const char count_command[] = "exit $(env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc)";

static int of_a_system(void) {
  const int status = system(count_command);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int of_a_popen(void) {
  FILE* pipe = popen("grep Cpus_allowed: /proc/self/status", "r");
  const int count = pipe == NULL ? -1 : processors_in(pipe);
  if (pipe != NULL) pclose(pipe);
  return count;
}

static int of_a_spawn(void) {
  char* words[] = {"sh", "-c", (char*)count_command, NULL};
  pid_t child = 0;
  CHECK_EQUAL(posix_spawn(&child, "/bin/sh", NULL, NULL, words, environ), 0);
  return status_of(child);
}

static int of_an_exec_after_vfork(void) {
  const pid_t child = vfork();
  if (child == 0) {
    execl("/nowhere", "nowhere", (char*)NULL);
    execlp("sh", "sh", "-c", count_command, (char*)NULL);
    _exit(99);
  }
  return status_of(child);
}

static int (*const ways[])(void) = {my_processors,   omp_get_num_procs, of_a_pthread,
                                    of_a_c11_thread, of_a_fork,         of_a_system,
                                    of_a_popen,      of_a_spawn,        of_an_exec_after_vfork};
enum { way_count = sizeof ways / sizeof ways[0] };

static void before_any_region(void) {
  for (int i = 0; i < way_count; i++) CHECK_EQUAL(ways[i](), processors_of_the_parent());
}

static void in_a_region(void) {
  const int all = processors_of_the_parent();
  int found[way_count] = {0};
#pragma omp parallel shared(found)
#pragma omp single
  for (int i = 0; i < way_count; i++) {
#pragma omp task shared(found) firstprivate(i)
    found[i] = ways[i]();
  }
  for (int i = 0; i < way_count; i++) CHECK_EQUAL(found[i], all);
}

static void after_regions(void) {
  int tasks = 0;
  for (int i = 0; i < 10; i++) {
#pragma omp parallel
#pragma omp single
    for (int j = 0; j < 10; j++) {
#pragma omp task shared(tasks)
      bump(&tasks);
    }
  }
  CHECK_EQUAL(tasks, 100);
  for (int i = 0; i < way_count; i++) CHECK_EQUAL(ways[i](), processors_of_the_parent());
}

static cpu_set_t first_processor(void) {
  cpu_set_t all;
  CHECK_EQUAL(sched_getaffinity(getppid(), sizeof all, &all), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
    if (CPU_ISSET(i, &all)) CPU_SET(i, &one);
  return one;
}

static void a_thread_that_asks_for_one_processor(void) {
  const cpu_set_t one = first_processor();
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setaffinity_np(&attributes, sizeof one, &one);
  int processors = 0;
  pthread_t handle;
  CHECK_EQUAL(pthread_create(&handle, &attributes, count_processors, &processors), 0);
  pthread_join(handle, NULL);
  pthread_attr_destroy(&attributes);
  CHECK_EQUAL(processors, 1);
}

// Each thread of a team gives itself one processor, and keeps it.
static void threads_that_bind_themselves(void) {
  const cpu_set_t one = first_processor();
  int wrong = 0;
  for (int round = 0; round < 3; round++) {
#pragma omp parallel reduction(+ : wrong)
    {
      if (round == 0) sched_setaffinity(0, sizeof one, &one);
      cpu_set_t mine;
      if (sched_getaffinity(0, sizeof mine, &mine) != 0 || !CPU_EQUAL(&mine, &one)) wrong++;
#pragma omp single
      {
#pragma omp task
        {
        }
      }
    }
    cpu_set_t mine;
    CHECK_EQUAL(pthread_getaffinity_np(pthread_self(), sizeof mine, &mine), 0);
    if (!CPU_EQUAL(&mine, &one)) wrong++;
  }
  CHECK_EQUAL(wrong, 0);
}

// What the main thread narrows itself to, the threads that it makes later get and keep.
static void* narrow(void* unused) {
  const cpu_set_t one = first_processor();
  CHECK_EQUAL(sched_setaffinity(0, sizeof one, &one), 0);
  CHECK_EQUAL(of_a_pthread(), 1);
  CHECK_EQUAL(of_a_fork(), 1);
  int tasks = 0;
#pragma omp parallel
#pragma omp single
#pragma omp task shared(tasks)
  bump(&tasks);
  CHECK_EQUAL(tasks, 1);
  CHECK_EQUAL(of_a_pthread(), 1);
  CHECK_EQUAL(of_a_fork(), 1);
  CHECK_EQUAL(my_processors(), 1);
  return unused;
}

static void a_thread_that_narrows_itself(void) {
  pthread_t handle;
  CHECK_EQUAL(pthread_create(&handle, NULL, narrow, NULL), 0);
  pthread_join(handle, NULL);
}

CASES(CASE(before_any_region), CASE(in_a_region), CASE(after_regions),
      CASE(a_thread_that_asks_for_one_processor), CASE(a_thread_that_narrows_itself),
      CASE(threads_that_bind_themselves))

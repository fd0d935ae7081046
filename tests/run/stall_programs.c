// Programs that do not go on, each for its own reason: stall_test.py. Usage: stall_programs CASE
//
// They end when their standard input does: what they miss comes then.
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static omp_event_handle_t event;
static volatile int done;

static void say(const char* word) {
  printf("%s\n", word);
  fflush(stdout);
}

static void wait_for_input(void) {
  char byte;
  while (read(STDIN_FILENO, &byte, 1) > 0) {
  }
}

static void* fulfil(void* unused) {
  (void)unused;
  wait_for_input();
  omp_fulfill_event(event);
  return NULL;
}

static void* unlock(void* unused) {
  (void)unused;
  pthread_mutex_lock(&mutex);
  say("locked");
  wait_for_input();
  pthread_mutex_unlock(&mutex);
  return NULL;
}

// A task that waits for one whose event is not fulfilled, and three behind it.
static void event_case(void) {
  pthread_t thread;
  int data = 0;
  omp_event_handle_t handle = (omp_event_handle_t)0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task detach(handle) depend(out : data)
    {
      event = handle;
      data = 1;
    }
    for (int i = 0; i < 3; ++i) {
#pragma omp task depend(in : data)
      done = data;
    }
    pthread_create(&thread, NULL, fulfil, NULL);
    say("waits");
#pragma omp taskwait
  }
  pthread_join(thread, NULL);
}

// A task blocks on a lock of the program's; its creator waits in a taskgroup, others at the end.
static void mutex_case(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, unlock, NULL);
  while (pthread_mutex_trylock(&mutex) == 0) {
    pthread_mutex_unlock(&mutex);
    usleep(1000);
  }
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
  {
#pragma omp task
    {
      pthread_mutex_lock(&mutex);
      pthread_mutex_unlock(&mutex);
    }
  }
  pthread_join(thread, NULL);
}

// One task computes until it is told to end.
static void* tell(void* unused) {
  (void)unused;
  wait_for_input();
  done = 1;
  return NULL;
}

static void long_case(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, tell, NULL);
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    {
      say("computes");
      while (!done) {
      }
    }
  }
  pthread_join(thread, NULL);
}

// mutexinoutset: one holds, two lack it.
static void exclusive_case(void) {
  pthread_t thread;
  int data = 0;
  pthread_create(&thread, NULL, tell, NULL);
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 3; ++i) {
#pragma omp task depend(mutexinoutset : data)
    {
      if (i == 0) say("holds");
      while (!done) usleep(1000);
      ++data;
    }
  }
  pthread_join(thread, NULL);
}

// Tasks end all the time, and between them the program does for long what is no task.
static void healthy_case(void) {
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 60; ++i) {
#pragma omp parallel
#pragma omp single
      for (int t = 0; t < 10; ++t) {
#pragma omp task
        usleep(1000);
      }
    }
#pragma omp parallel
    usleep(2500000);
  }
}

// A child of a fork stalls, after its parent has made teams; all files but three are closed.
static void fork_case(void) {
#pragma omp parallel
#pragma omp single
#pragma omp task
  done = 0;
  for (int file = 3; file < 256; ++file) close(file);
  const pid_t child = fork();
  if (child == 0) {
    pthread_t thread;
    pthread_create(&thread, NULL, tell, NULL);
#pragma omp parallel num_threads(1)
#pragma omp task
    while (!done) usleep(1000);
    pthread_join(thread, NULL);
    _exit(0);
  }
  waitpid(child, NULL, 0);
}

// How many threads the process has once it has had a team of one: those that are not its own.
static void count_case(void) {
#pragma omp parallel num_threads(1)
#pragma omp task
  done = 1;
  char line[256];
  FILE* status = fopen("/proc/self/status", "r");
  while (status != NULL && fgets(line, sizeof(line), status) != NULL) {
    if (strncmp(line, "Threads:", 8) == 0) fputs(line, stdout);
  }
  if (status != NULL) fclose(status);
}

// The first thread ends, and then all others: so must the process.
static void* ends(void* unused) {
  (void)unused;
#pragma omp parallel num_threads(1)
#pragma omp task
  done = 1;
  say("ended");
  return NULL;
}

static void pthread_exit_case(void) {
  pthread_t thread;
#pragma omp parallel num_threads(1)
#pragma omp task
  done = 1;
  pthread_create(&thread, NULL, ends, NULL);
  pthread_detach(thread);
  pthread_exit(NULL);
}

int main(int argc, char** argv) {
  const char* name = argc > 1 ? argv[1] : "";
  if (strcmp(name, "event") == 0) {
    event_case();
  } else if (strcmp(name, "mutex") == 0) {
    mutex_case();
  } else if (strcmp(name, "long") == 0) {
    long_case();
  } else if (strcmp(name, "exclusive") == 0) {
    exclusive_case();
  } else if (strcmp(name, "healthy") == 0) {
    healthy_case();
  } else if (strcmp(name, "fork") == 0) {
    fork_case();
  } else if (strcmp(name, "count") == 0) {
    count_case();
  } else if (strcmp(name, "pthread_exit") == 0) {
    pthread_exit_case();
  } else {
    fprintf(stderr, "stall_programs: unknown case '%s'\n", name);
    return 2;
  }
  say("over");
  return 7;
}

// Prints which processors each thread of several teams may use while all of them are in a region,
// as the kernel has it. Usage: binding TEAMS OUTER INNER: TEAMS threads of the program's own open a
// region of OUTER threads each, and each of those one of INNER (1: none). A line for each thread.
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
        {
        }
        print_processors(team);
      }
    } else {
#pragma omp single
#pragma omp task
      {
      }
      print_processors(team);
    }
  }
  return NULL;
}

int main(int count, char** words) {
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

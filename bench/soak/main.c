// Runs random phases, or one kind of phase only: soak SEED PHASES [NAME]. Exit status 1 after the
// first wrong result.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "soak.h"

typedef struct {
  const char* name;
  int (*run)(Random* random);
} Phase;

static const Phase phases[] = {
    {"graph", phase_graph},         {"graph-each", phase_graph_each},
    {"tree", phase_tree},           {"yield", phase_yield},
    {"taskloop", phase_taskloop},   {"task-reduction", phase_task_reduction},
    {"loops", phase_loops},         {"flood", phase_flood},
    {"nested", phase_nested},       {"cancel", phase_cancel},
    {"elsewhere", phase_elsewhere},
};

enum { phase_count = sizeof phases / sizeof phases[0] };

static unsigned long read_number(const char* name, const char* text) {
  char* end = NULL;
  const unsigned long value = strtoul(text, &end, 10);
  if (*text < '0' || *text > '9' || *end != '\0') {
    fprintf(stderr, "soak: %s '%s' is not a whole number\n", name, text);
    exit(2);
  }
  return value;
}

static const Phase* find_phase(const char* name) {
  for (int k = 0; k < phase_count; ++k) {
    if (strcmp(phases[k].name, name) == 0) return &phases[k];
  }
  fprintf(stderr, "soak: unknown phase '%s', accepted are", name);
  for (int k = 0; k < phase_count; ++k) fprintf(stderr, " %s", phases[k].name);
  fputc('\n', stderr);
  exit(2);
}

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) {
    fputs("soak: SEED and PHASES are needed, a phase's name may follow: soak 1 20 graph\n", stderr);
    return 2;
  }
  const unsigned long seed = read_number("SEED", argv[1]), count = read_number("PHASES", argv[2]);
  const Phase* only = argc == 4 ? find_phase(argv[3]) : NULL;
  Random random = {mix(seed)};
  for (unsigned long k = 0; k < count; ++k) {
    const Phase* phase = only ? only : &phases[random_below(&random, phase_count)];
    if (!phase->run(&random)) {
      printf("soak seed=%lu phase=%lu name=%s result=wrong\n", seed, k, phase->name);
      return 1;
    }
  }
  printf("soak seed=%lu phases=%lu result=ok\n", seed, count);
  return 0;
}

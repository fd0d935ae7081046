// Runs random phases: soak SEED PHASES. Exit status 1 after the first wrong result.
#include <stdio.h>
#include <stdlib.h>

#include "soak.h"

typedef struct {
  const char* name;
  int (*run)(Random* random);
} Phase;

static const Phase phases[] = {
    {"graph", phase_graph},
    {"graph-each", phase_graph_each},
    {"tree", phase_tree},
    {"taskloop", phase_taskloop},
    {"task-reduction", phase_task_reduction},
    {"loops", phase_loops},
    {"flood", phase_flood},
    {"nested", phase_nested},
    {"cancel", phase_cancel},
};

static unsigned long read_number(const char* name, const char* text) {
  char* end = NULL;
  const unsigned long value = strtoul(text, &end, 10);
  if (*text < '0' || *text > '9' || *end != '\0') {
    fprintf(stderr, "soak: %s '%s' is not a whole number\n", name, text);
    exit(2);
  }
  return value;
}

int main(int argc, char** argv) {
  if (argc != 3) {
    fputs("soak: two arguments are needed, SEED and PHASES, for example: soak 1 20\n", stderr);
    return 2;
  }
  const unsigned long seed = read_number("SEED", argv[1]), count = read_number("PHASES", argv[2]);
  Random random = {mix(seed)};
  for (unsigned long k = 0; k < count; ++k) {
    const Phase* phase = &phases[random_below(&random, sizeof phases / sizeof phases[0])];
    if (!phase->run(&random)) {
      printf("soak seed=%lu phase=%lu name=%s result=wrong\n", seed, k, phase->name);
      return 1;
    }
  }
  printf("soak seed=%lu phases=%lu result=ok\n", seed, count);
  return 0;
}

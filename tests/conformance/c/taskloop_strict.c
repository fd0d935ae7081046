// The strict modifier: the number or size of the tasks is exact.
// conformance: only gcc: Clang 19 drops the modifier
#include "check.h"

enum { count = 1000 };

static void a_strict_grainsize_is_exact(void) {
  static const int sizes[] = {1, 7, 64, 333, 1000, 3000};
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
    int grains[count] = {0};
    int tasks = 0;
    int mine = -1;
    int size = sizes[s];
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(strict : size) firstprivate(mine) shared(grains, tasks)
    for (int i = 0; i < count; i++) {
      if (mine < 0) mine = bump(&tasks) - 1;
      grains[mine]++;
    }
    CHECK_EQUAL(tasks, (count + size - 1) / size);
    int odd = 0;
    for (int t = 0; t < tasks; t++) odd += grains[t] != size;
    CHECK(odd <= (count % size != 0));
  }
}

static void a_strict_number_of_tasks(void) {
  int grains[count] = {0};
  int tasks = 0;
  int mine = -1;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop num_tasks(strict : 64) firstprivate(mine) shared(grains, tasks)
  for (int i = 0; i < count; i++) {
    if (mine < 0) mine = bump(&tasks) - 1;
    grains[mine]++;
  }
  CHECK_EQUAL(tasks, 64);
  int total = 0;
  for (int t = 0; t < tasks; t++) {
    CHECK(grains[t] == count / 64 || grains[t] == count / 64 + 1);
    total += grains[t];
  }
  CHECK_EQUAL(total, count);
}

CASES(CASE(a_strict_grainsize_is_exact), CASE(a_strict_number_of_tasks))

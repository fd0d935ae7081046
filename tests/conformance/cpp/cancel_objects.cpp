// A cancelled group: every copy that was made for a task is destroyed, whether the task ran or not.
// conformance: env OMP_CANCELLATION=true
#include "check.h"

namespace {

int made = 0;
int gone = 0;

struct Counted {
  Counted() { bump(&made); }
  Counted(const Counted&) { bump(&made); }
  Counted& operator=(const Counted&) = default;
  ~Counted() { bump(&gone); }
};

void copies_of_discarded_tasks_are_destroyed() {
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < 10; round++) {
    Counted object;
    int begun = 0;
#pragma omp taskgroup
    for (int i = 0; i < 30; i++) {
#pragma omp task firstprivate(object) shared(begun)
      {
        if (bump(&begun) == 3) {
#pragma omp cancel taskgroup
        }
      }
    }
    CHECK(value_of(&begun) >= 3);
  }
  CHECK_EQUAL(made, gone);
}

}  // namespace

CASES(CASE(copies_of_discarded_tasks_are_destroyed))

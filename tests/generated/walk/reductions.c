/* Reductions that tasks may take part in. */
#include "walk/walk.h"

/* A task names its item where it is created, far from where
 * the reduction is: so the items are variables of this file, and there is a site for each and each
 * operation. (Sections of an array would need one only, but Clang 19 lets taskloops fold into the
 * original.)
 */
long sum0, sum1, sum2, sum3;
static char taken[sums];
static long* const sum_at[sums] = {&sum0, &sum1, &sum2, &sum3};

int take_sum(long initial) {
  for (int i = 0; i < sums; i++) {
    if (__atomic_exchange_n(&taken[i], 1, __ATOMIC_SEQ_CST)) continue;
    *sum_at[i] = initial;
    return i;
  }
  return -1;
}

void check_sum(int k, handle reduction) {
  sh_reduced(reduction, *sum_at[k]);
  __atomic_store_n(&taken[k], 0, __ATOMIC_SEQ_CST);
}

void fold(int operation, long* value, long amount) {
  switch (operation) {
    case 1:
      *value += amount;
      break;
    case 2:
      *value ^= amount;
      break;
    case 3:
      *value |= amount;
      break;
    default:
      if (*value < amount) *value = amount;
  }
}

handle new_reduction(const struct place* place, int operation, long initial) {
  return sh_reduction(place->task, operation - 1, initial);
}

/* Outside of every region libgomp 12 frees what it never had. */
int may_reduce(const struct place* place) { return (place->team && own_runtime) || !by_gcc; }

// task_reduction and in_reduction on taskgroups: every operator kind, arrays, own operators, nests.
// conformance: stock-fails clang a_section_of_run_time_length: Clang 19 takes another task's length
#include <limits.h>

#include "check.h"

enum { count = 100 };

static void sums_over_a_taskgroup(void) {
  int sum = 5;
  double twice = 0.5;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(+ : sum, twice)
  for (int i = 0; i < count; i++) {
#pragma omp task in_reduction(+ : sum, twice) firstprivate(i)
    {
      sum += i;
      twice += 2.0 * i;
    }
  }
  CHECK_EQUAL(sum, 5 + 4950);
  CHECK(twice == 0.5 + 9900);
}

static void all_operators(void) {
  long product = 1;
  int least = 1000;
  int most = -1000;
  unsigned bits_and = ~0u;
  unsigned bits_or = 0;
  unsigned bits_xor = 0;
  int all = 1;
  int any = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(* : product) task_reduction(min : least)           \
    task_reduction(max : most) task_reduction(& : bits_and) task_reduction(| : bits_or) \
    task_reduction(^ : bits_xor) task_reduction(&& : all) task_reduction(|| : any)
  for (int i = 1; i <= 10; i++) {
#pragma omp task in_reduction(* : product) in_reduction(min : least) in_reduction(max : most) \
    in_reduction(& : bits_and) in_reduction(| : bits_or) in_reduction(^ : bits_xor)           \
    in_reduction(&& : all) in_reduction(|| : any) firstprivate(i)
    {
      product *= i;
      if (i < least) least = i;
      if (i > most) most = i;
      bits_and &= ~(1u << i);
      bits_or |= 1u << i;
      bits_xor ^= (unsigned)i;
      all = all && i > 0;
      any = any || i == 7;
    }
  }
  CHECK_EQUAL(product, 3628800);
  CHECK_EQUAL(least, 1);
  CHECK_EQUAL(most, 10);
  CHECK_EQUAL(bits_and, ~0x7feu);
  CHECK_EQUAL(bits_or, 0x7fe);
  CHECK_EQUAL(bits_xor, 11);
  CHECK_EQUAL(all, 1);
  CHECK_EQUAL(any, 1);
}

static void arrays_and_sections(void) {
  int whole[8] = {0};
  long part[16] = {0};
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(+ : whole) task_reduction(+ : part[4 : 8])
  for (int i = 0; i < count; i++) {
#pragma omp task in_reduction(+ : whole) in_reduction(+ : part[4 : 8]) firstprivate(i)
    {
      whole[i % 8]++;
      part[4 + i % 8] += i;
    }
  }
  for (int i = 0; i < 8; i++) CHECK_EQUAL(whole[i], i < 4 ? 13 : 12);
  long sum = 0;
  for (int i = 0; i < 16; i++) sum += part[i];
  CHECK_EQUAL(sum, 4950);
  CHECK_EQUAL(part[3], 0);
  CHECK_EQUAL(part[12], 0);
}

static void a_section_of_run_time_length(void) {
#pragma omp parallel
#pragma omp single
  for (int length = 1; length < 2000; length = length * 3 + 1) {
    int* cells = (int*)calloc((size_t)length, sizeof(int));
#pragma omp taskgroup task_reduction(+ : cells[0 : length])
    for (int i = 0; i < 40; i++) {
#pragma omp task in_reduction(+ : cells[0 : length]) firstprivate(i)
      cells[i % length] += 1;
    }
    int sum = 0;
    for (int i = 0; i < length; i++) sum += cells[i];
    CHECK_EQUAL(sum, 40);
    free(cells);
  }
}

struct extent {
  int low;
  int high;
  long seen;
};

static void extend(struct extent* into, const struct extent* other) {
  if (other->low < into->low) into->low = other->low;
  if (other->high > into->high) into->high = other->high;
  into->seen += other->seen;
}

#pragma omp declare reduction(extent : struct extent : extend(&omp_out, &omp_in)) \
    initializer(omp_priv = {INT_MAX, INT_MIN, 0})

static void an_operator_of_the_users(void) {
  struct extent extent = {INT_MAX, INT_MIN, 0};
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(extent : extent)
  for (int i = 0; i < count; i++) {
#pragma omp task in_reduction(extent : extent) firstprivate(i)
    {
      struct extent one = {i - 50, i - 50, 1};
      extend(&extent, &one);
    }
  }
  CHECK_EQUAL(extent.low, -50);
  CHECK_EQUAL(extent.high, 49);
  CHECK_EQUAL(extent.seen, count);
}

static void descendants_take_part(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(+ : sum)
  for (int i = 0; i < 20; i++) {
#pragma omp task in_reduction(+ : sum)
    {
      sum += 1;
#pragma omp task in_reduction(+ : sum)
      {
        sum += 10;
#pragma omp task in_reduction(+ : sum)
        sum += 100;
      }
    }
  }
  CHECK_EQUAL(sum, 20 * 111);
}

static void groups_nest_with_their_own_variables(void) {
  int outer = 0;
  int inner_total = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(+ : outer)
  for (int i = 0; i < 8; i++) {
#pragma omp task in_reduction(+ : outer) shared(inner_total)
    {
      int inner = 0;
#pragma omp taskgroup task_reduction(+ : inner)
      for (int j = 0; j < 8; j++) {
#pragma omp task in_reduction(+ : inner, outer)
        {
          inner += 1;
          outer += 2;
        }
      }
      CHECK_EQUAL(inner, 8);
#pragma omp atomic
      inner_total += inner;
    }
  }
  CHECK_EQUAL(outer, 128);
  CHECK_EQUAL(inner_total, 64);
}

static void the_same_variable_in_nested_groups(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(+ : sum)
  for (int i = 0; i < 5; i++) {
#pragma omp task in_reduction(+ : sum)
    {
#pragma omp taskgroup task_reduction(+ : sum)
      for (int j = 0; j < 5; j++) {
#pragma omp task in_reduction(+ : sum)
        sum += 1;
      }
    }
  }
  CHECK_EQUAL(sum, 25);
}

static void every_thread_has_its_own_group(void) {
  int bad = 0;
#pragma omp parallel
  for (int round = 0; round < 10; round++) {
    int sum = 0;
#pragma omp taskgroup task_reduction(+ : sum)
    for (int i = 0; i < 10; i++) {
#pragma omp task in_reduction(+ : sum) firstprivate(i)
      sum += i;
    }
    if (sum != 45) bump(&bad);
  }
  CHECK_EQUAL(bad, 0);
}

static void undeferred_and_final_tasks_take_part(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(+ : sum)
  for (int i = 0; i < 10; i++) {
#pragma omp task if (0) in_reduction(+ : sum)
    sum += 1;
#pragma omp task final(1) in_reduction(+ : sum)
    {
      sum += 10;
#pragma omp task in_reduction(+ : sum)
      sum += 100;
    }
  }
  CHECK_EQUAL(sum, 1110);
}

static void tasks_with_dependences_take_part(void) {
  int sum = 0;
  int chain = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(+ : sum)
  for (int i = 0; i < 50; i++) {
#pragma omp task in_reduction(+ : sum) depend(inout : chain) shared(chain) firstprivate(i)
    {
      CHECK_EQUAL(chain, i);
      chain++;
      sum += 3;
    }
  }
  CHECK_EQUAL(sum, 150);
}

static void the_private_copy_starts_at_the_identity(void) {
  int product = 2;
  int bad = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(* : product)
  for (int i = 0; i < 10; i++) {
#pragma omp task in_reduction(* : product) shared(bad)
    {
      // Whatever was multiplied before in this copy was 3, so it is a power of 3, or 2 times one.
      int rest = product;
      while (rest % 3 == 0) rest /= 3;
      if (rest != 1 && rest != 2) bump(&bad);
      product *= 3;
    }
  }
  CHECK_EQUAL(bad, 0);
  CHECK_EQUAL(product, 2 * 59049);
}

static void outside_a_parallel_region(void) {
  int sum = 1;
#pragma omp taskgroup task_reduction(+ : sum)
  for (int i = 0; i < 10; i++) {
#pragma omp task in_reduction(+ : sum)
    sum += 2;
  }
  CHECK_EQUAL(sum, 21);
}

CASES(CASE(sums_over_a_taskgroup), CASE(all_operators), CASE(arrays_and_sections),
      CASE(a_section_of_run_time_length), CASE(an_operator_of_the_users),
      CASE(descendants_take_part), CASE(groups_nest_with_their_own_variables),
      CASE(the_same_variable_in_nested_groups), CASE(every_thread_has_its_own_group),
      CASE(undeferred_and_final_tasks_take_part), CASE(tasks_with_dependences_take_part),
      CASE(the_private_copy_starts_at_the_identity), CASE(outside_a_parallel_region))

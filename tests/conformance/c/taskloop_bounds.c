// taskloop over the awkward ranges: empty, downwards, unsigned, 64 bits, the ends of the types.
// conformance: stock-fails gcc huge_unsigned_steps: GCC 12 takes the bounds as signed and runs nothing
// conformance: stock-fails gcc a_range_wider_than_64_bits_with_sign: the count overflows in libgomp 12
// conformance: stock-fails clang a_range_that_ends_before_it_starts: Clang 19 runs it for ever
#include <limits.h>
#include <stdint.h>

#include "check.h"

static void an_empty_loop_makes_no_iteration(void) {
  int done = 0;
  int low = 5;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop shared(done)
    for (int i = low; i < 5; i++) bump(&done);
#pragma omp taskloop collapse(2) shared(done)
    for (int i = 0; i < 10; i++)
      for (int j = low; j < 5; j++) bump(&done);
  }
  CHECK_EQUAL(done, 0);
}

static void one_iteration(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop shared(sum)
    for (int i = 41; i < 42; i++) sum += i;
#pragma omp taskloop shared(sum) grainsize(1)
    for (long i = 1; i > 0; i--) sum += (int)i;
  }
  CHECK_EQUAL(sum, 42);
}

static void downwards(void) {
  int cells[100] = {0};
  long sum = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop grainsize(7)
    for (int i = 99; i >= 0; i--) cells[i]++;
#pragma omp taskloop num_tasks(5) reduction(+ : sum)
    for (int i = 1000; i > -1000; i -= 17) sum += i;
  }
  long expected = 0;
  for (int i = 1000; i > -1000; i -= 17) expected += i;
  for (int i = 0; i < 100; i++) CHECK_EQUAL(cells[i], 1);
  CHECK_EQUAL(sum, expected);
}

static void steps_that_do_not_divide(void) {
  for (int step = 1; step < 12; step++) {
    int done = 0;
    int expected = 0;
    for (int i = 3; i < 50; i += step) expected++;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop shared(done) num_tasks(4)
    for (int i = 3; i < 50; i += step) bump(&done);
    CHECK_EQUAL(done, expected);
  }
}

static void inclusive_and_unequal_ends(void) {
  int done = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop shared(done)
    for (int i = 0; i <= 10; i++) bump(&done);
#pragma omp taskloop shared(done)
    for (int i = 0; i != 10; i++) bump(&done);
#pragma omp taskloop shared(done)
    for (int i = 10; i != 0; i--) bump(&done);
  }
  CHECK_EQUAL(done, 31);
}

static void small_types(void) {
  int done = 0;
  int sum = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop shared(done)
    for (unsigned char i = 0; i < 200; i++) bump(&done);
#pragma omp taskloop reduction(+ : sum)
    for (short i = -100; i < 101; i++) sum += i;
  }
  CHECK_EQUAL(done, 200);
  CHECK_EQUAL(sum, 0);
}

static void at_the_top_of_unsigned_64_bits(void) {
  unsigned long long sum = 0;
  int done = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop shared(done) reduction(+ : sum) grainsize(3)
  for (unsigned long long i = ULLONG_MAX - 100; i < ULLONG_MAX; i++) {
    bump(&done);
    sum += ULLONG_MAX - i;
  }
  CHECK_EQUAL(done, 100);
  CHECK_EQUAL(sum, 5050);
}

static void unsigned_64_bits_downwards(void) {
  unsigned long long sum = 0;
  int done = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop shared(done) reduction(+ : sum) num_tasks(7)
  for (unsigned long long i = 0x8000000000000100ULL; i > 0x8000000000000000ULL; i -= 5) {
    bump(&done);
    sum += i - 0x8000000000000000ULL;
  }
  CHECK_EQUAL(done, 52);
  CHECK_EQUAL(sum, 52 * 256 - 5 * (51 * 52 / 2));
}

static void huge_unsigned_steps(void) {
  int done = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop shared(done)
  for (unsigned long long i = 1; i < 0xf000000000000000ULL; i += 0x1000000000000000ULL)
    if (i % 16 == 1) bump(&done);
  CHECK_EQUAL(done, 15);
}

static void a_range_wider_than_64_bits_with_sign(void) {
  int done = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop shared(done) num_tasks(3)
  for (long long i = LLONG_MIN + 1; i < LLONG_MAX / 2; i += LLONG_MAX / 4)
    if (i % 2 != 2) bump(&done);
  CHECK_EQUAL(done, 7);
}

static void a_range_that_ends_before_it_starts(void) {
  int done = 0;
  int low = 5;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop shared(done) grainsize(2)
  for (int i = low; i < -5; i++) bump(&done);
  CHECK_EQUAL(done, 0);
}

static void an_empty_range_of_unsigned_64_bits(void) {
  int done = 0;
  unsigned long long low = 5;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop shared(done) num_tasks(3)
  for (unsigned long long i = 10; i < low; i++) bump(&done);
  CHECK_EQUAL(done, 0);
}

static void the_ends_of_int(void) {
  int done = 0;
  long sum = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop shared(done) grainsize(4)
    for (int i = INT_MAX - 50; i < INT_MAX; i++) bump(&done);
#pragma omp taskloop reduction(+ : sum) num_tasks(3)
    for (int i = INT_MIN + 50; i > INT_MIN; i--) sum += i + 1L;
#pragma omp taskloop shared(done)
    for (unsigned i = UINT_MAX - 20; i < UINT_MAX; i++) bump(&done);
  }
  CHECK_EQUAL(done, 70);
  long expected = 0;
  for (int i = INT_MIN + 50; i > INT_MIN; i--) expected += i + 1L;
  CHECK_EQUAL(sum, expected);
}

static void a_range_wider_than_int(void) {
  int done = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop shared(done) num_tasks(10)
  for (long long i = -3000000000LL; i < 3000000000LL; i += 100000000LL) bump(&done);
  CHECK_EQUAL(done, 60);
}

static void the_whole_of_int_in_large_steps(void) {
  int done = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop shared(done) num_tasks(10)
  for (int i = INT_MIN; i < INT_MAX - 100000000; i += 100000000) bump(&done);
  CHECK_EQUAL(done, 42);
}

static void pointers(void) {
  int cells[64] = {0};
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop grainsize(5)
    for (int* p = cells; p < cells + 64; p++) (*p)++;
#pragma omp taskloop num_tasks(5)
    for (int* p = cells + 63; p >= cells + 1; p -= 2) (*p)++;
  }
  for (int i = 0; i < 64; i++) CHECK_EQUAL(cells[i], 1 + i % 2);
}

static void collapse_with_64_bits(void) {
  int done = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop collapse(2) shared(done) num_tasks(9)
  for (unsigned long long i = ULLONG_MAX - 8; i < ULLONG_MAX; i += 2)
    for (long long j = -5000000000LL; j < 5000000000LL; j += 1000000000LL) bump(&done);
  CHECK_EQUAL(done, 40);
}

static void a_large_loop_in_few_tasks(void) {
  uint64_t sum = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop reduction(+ : sum)
  for (uint32_t i = 0; i < 1000000; i++) sum += i;
  CHECK_EQUAL(sum, 499999500000);
}

CASES(CASE(an_empty_loop_makes_no_iteration), CASE(one_iteration), CASE(downwards),
      CASE(steps_that_do_not_divide), CASE(inclusive_and_unequal_ends), CASE(small_types),
      CASE(at_the_top_of_unsigned_64_bits), CASE(unsigned_64_bits_downwards),
      CASE(huge_unsigned_steps), CASE(a_range_wider_than_64_bits_with_sign),
      CASE(a_range_that_ends_before_it_starts), CASE(an_empty_range_of_unsigned_64_bits),
      CASE(the_ends_of_int), CASE(a_range_wider_than_int), CASE(the_whole_of_int_in_large_steps),
      CASE(pointers), CASE(collapse_with_64_bits), CASE(a_large_loop_in_few_tasks))

// Depth and number: deep recursion, very many tasks, many regions, many threads.
#include "check.h"

static int depth_of(int depth) {
  int below = 0;
  if (depth == 0) return 0;
#pragma omp task shared(below) firstprivate(depth)
  below = depth_of(depth - 1);
#pragma omp taskwait
  return below + 1;
}

static void a_recursion_ten_thousand_deep(void) {
  int depth = 0;
#pragma omp parallel
#pragma omp single
  depth = depth_of(10000);
  CHECK_EQUAL(depth, 10000);
}

static void chain_without_waiting(int rest, int* done) {
  bump(done);
  if (rest == 0) return;
#pragma omp task firstprivate(rest, done)
  chain_without_waiting(rest - 1, done);
}

static void a_chain_of_creators(void) {
  int done = 0;
#pragma omp parallel
#pragma omp single
  chain_without_waiting(9999, &done);
  CHECK_EQUAL(done, 10000);
}

static void a_hundred_thousand_tasks_from_one_producer(void) {
  static unsigned char ran[100000];
  memset(ran, 0, sizeof ran);
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 100000; i++) {
#pragma omp task shared(ran) firstprivate(i)
    ran[i]++;
  }
  for (int i = 0; i < 100000; i++) CHECK_EQUAL(ran[i], 1);
}

static void thirty_thousand_tasks_with_dependences(void) {
  static int cells[64];
  memset(cells, 0, sizeof cells);
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 30000; i++) {
#pragma omp task depend(inout : cells[i % 64]) shared(cells) firstprivate(i)
    {
      CHECK_EQUAL(cells[i % 64], i / 64);
      cells[i % 64]++;
    }
  }
  int sum = 0;
  for (int i = 0; i < 64; i++) sum += cells[i];
  CHECK_EQUAL(sum, 30000);
}

static void all_threads_produce(void) {
  int done = 0;
  int threads = 0;
#pragma omp parallel
  {
#pragma omp atomic write
    threads = omp_get_num_threads();
    for (int i = 0; i < 3000; i++) {
#pragma omp task shared(done)
      bump(&done);
    }
  }
  CHECK_EQUAL(done, 3000 * threads);
}

static void many_short_regions(void) {
  int done = 0;
  for (int round = 0; round < 100; round++) {
#pragma omp parallel
#pragma omp single
    {
#pragma omp task shared(done)
      bump(&done);
    }
  }
  CHECK_EQUAL(done, 100);
}

static long ack(long m, long n) {
  long inner = 0;
  if (m == 0) return n + 1;
  if (n == 0) return ack(m - 1, 1);
#pragma omp task shared(inner) firstprivate(m, n)
  inner = ack(m, n - 1);
#pragma omp taskwait
  return ack(m - 1, inner);
}

static void an_unbalanced_recursion(void) {
  long result = 0;
#pragma omp parallel
#pragma omp single
  result = ack(2, 30);
  CHECK_EQUAL(result, 63);
}

CASES(CASE(a_recursion_ten_thousand_deep), CASE(a_chain_of_creators),
      CASE(a_hundred_thousand_tasks_from_one_producer),
      CASE(thirty_thousand_tasks_with_dependences), CASE(all_threads_produce),
      CASE(many_short_regions), CASE(an_unbalanced_recursion))

// taskwait and taskyield: what must have run when they return, and what goes on meanwhile.
#include "check.h"

static void waits_for_all_children(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 100; i++) {
    int done = 0;
    for (int j = 0; j < 8; j++) {
#pragma omp task shared(done)
      bump(&done);
    }
#pragma omp taskwait
    CHECK_EQUAL(value_of(&done), 8);
  }
}

static void with_no_children_returns(void) {
  int rounds = 0;
#pragma omp parallel
  for (int i = 0; i < 200; i++) {
#pragma omp taskwait
    bump(&rounds);
  }
  CHECK_EQUAL(rounds % 200, 0);
}

static void every_thread_waits_for_its_own(void) {
  int bad = 0;
#pragma omp parallel
  for (int i = 0; i < 50; i++) {
    int done = 0;
    for (int j = 0; j < 4; j++) {
#pragma omp task shared(done)
      bump(&done);
    }
#pragma omp taskwait
    if (value_of(&done) != 4) bump(&bad);
  }
  CHECK_EQUAL(bad, 0);
}

static int fib(int n) {
  int a;
  int b;
  if (n < 2) return n;
#pragma omp task shared(a) firstprivate(n)
  a = fib(n - 1);
#pragma omp task shared(b) firstprivate(n)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

static void fibonacci(void) {
  int result = 0;
#pragma omp parallel
#pragma omp single
  result = fib(19);
  CHECK_EQUAL(result, 4181);
}

static void all_threads_compute_fibonacci(void) {
  int bad = 0;
#pragma omp parallel
  if (fib(13) != 233) bump(&bad);
  CHECK_EQUAL(bad, 0);
}

static int place_queens(int n, int row, const char* taken) {
  int solutions = 0;
  if (row == n) return 1;
  for (int column = 0; column < n; column++) {
    int fits = 1;
    for (int r = 0; r < row; r++)
      if (taken[r] == column || abs(taken[r] - column) == row - r) fits = 0;
    if (!fits) continue;
#pragma omp task shared(solutions) firstprivate(n, row, column, taken)
    {
      char mine[16];
      memcpy(mine, taken, (size_t)row);
      mine[row] = (char)column;
      int found = place_queens(n, row + 1, mine);
#pragma omp atomic
      solutions += found;
    }
  }
#pragma omp taskwait
  return solutions;
}

static void eight_queens(void) {
  int solutions = 0;
  char none[16] = {0};
#pragma omp parallel
#pragma omp single
  solutions = place_queens(8, 0, none);
  CHECK_EQUAL(solutions, 92);
}

static void merge_sort(int* data, int* scratch, int length) {
  if (length < 16) {
    for (int i = 1; i < length; i++)
      for (int j = i; j > 0 && data[j] < data[j - 1]; j--) {
        int swap = data[j];
        data[j] = data[j - 1];
        data[j - 1] = swap;
      }
    return;
  }
  int half = length / 2;
#pragma omp task firstprivate(data, scratch, half)
  merge_sort(data, scratch, half);
#pragma omp task firstprivate(data, scratch, half, length)
  merge_sort(data + half, scratch + half, length - half);
#pragma omp taskwait
  int left = 0;
  int right = half;
  for (int i = 0; i < length; i++) {
    int take_left = right == length || (left < half && data[left] <= data[right]);
    scratch[i] = take_left ? data[left++] : data[right++];
  }
  memcpy(data, scratch, (size_t)length * sizeof *data);
}

static void a_merge_sort(void) {
  enum { length = 5000 };
  static int data[length];
  static int scratch[length];
  unsigned state = 1;
  for (int i = 0; i < length; i++) {
    state = state * 1664525u + 1013904223u;
    data[i] = (int)(state >> 8);
  }
#pragma omp parallel
#pragma omp single
  merge_sort(data, scratch, length);
  for (int i = 1; i < length; i++) CHECK(data[i - 1] <= data[i]);
}

static void inside_a_worksharing_loop(void) {
  int bad = 0;
#pragma omp parallel for
  for (int i = 0; i < 64; i++) {
    int done = 0;
#pragma omp task shared(done)
    done = i + 1;
#pragma omp taskwait
    if (done != i + 1) bump(&bad);
  }
  CHECK_EQUAL(bad, 0);
}

static void children_of_children_may_outlive_the_wait(void) {
  int done = 0;
#pragma omp parallel
  {
#pragma omp single
    {
      for (int i = 0; i < 20; i++) {
#pragma omp task shared(done)
        for (int j = 0; j < 5; j++) {
#pragma omp task shared(done)
          bump(&done);
        }
      }
#pragma omp taskwait
    }
    CHECK_EQUAL(value_of(&done), 100);
  }
}

static void taskyield_anywhere_changes_nothing(void) {
  int done = 0;
#pragma omp taskyield
#pragma omp parallel
  {
#pragma omp taskyield
#pragma omp single
    for (int i = 0; i < 200; i++) {
#pragma omp task shared(done)
      {
#pragma omp taskyield
        bump(&done);
#pragma omp taskyield
      }
#pragma omp taskyield
    }
  }
  CHECK_EQUAL(done, 200);
}

static void a_bounded_number_of_yields_in_deep_tasks(void) {
  int done = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 30; i++) {
#pragma omp task shared(done)
    {
      for (int j = 0; j < 3; j++) {
#pragma omp task shared(done)
        {
#pragma omp taskyield
          bump(&done);
        }
#pragma omp taskyield
      }
    }
  }
  CHECK_EQUAL(done, 90);
}

CASES(CASE(waits_for_all_children), CASE(with_no_children_returns),
      CASE(every_thread_waits_for_its_own), CASE(fibonacci), CASE(all_threads_compute_fibonacci),
      CASE(eight_queens), CASE(a_merge_sort), CASE(inside_a_worksharing_loop),
      CASE(children_of_children_may_outlive_the_wait), CASE(taskyield_anywhere_changes_nothing),
      CASE(a_bounded_number_of_yields_in_deep_tasks))

// How data enters a task: firstprivate, private, shared, arrays of variable length, large and
// over-aligned copies, and the implicit rules.
#include <stdint.h>

#include "check.h"

enum { count = 200 };

static void firstprivate_is_copied_at_creation(void) {
  int seen[count];
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < count; i++) {
    int value = i * 3;
#pragma omp task firstprivate(value) shared(seen)
    seen[i] = value;
    value = -1;
  }
  for (int i = 0; i < count; i++) CHECK_EQUAL(seen[i], i * 3);
}

static void locals_of_the_creator_are_firstprivate_by_default(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < count; i++) {
      int local = i;
#pragma omp task
      {
        local++;
#pragma omp atomic
        sum += local;
      }
    }
  }
  CHECK_EQUAL(sum, count * (count + 1) / 2);
}

static void shared_is_the_same_variable(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < count; i++) {
#pragma omp task shared(sum)
#pragma omp atomic
    sum++;
  }
  CHECK_EQUAL(sum, count);
}

static void private_has_its_own_storage(void) {
  int value = 7;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task private(value)
    {
      value = 9;
      linger(value);
    }
#pragma omp taskwait
    CHECK_EQUAL(value, 7);
  }
}

static void fixed_arrays_are_copied_whole(void) {
  int bad = 0;
#pragma omp parallel
#pragma omp single
  {
    int block[64];
    for (int i = 0; i < count; i++) {
      for (int j = 0; j < 64; j++) block[j] = i + j;
#pragma omp task firstprivate(block, i) shared(bad)
      for (int j = 0; j < 64; j++)
        if (block[j] != i + j) bump(&bad);
    }
#pragma omp taskwait
  }
  CHECK_EQUAL(bad, 0);
}

static void arrays_of_variable_length_are_shared_when_asked(void) {
#pragma omp parallel
#pragma omp single
  for (int length = 1; length < 300; length += 37) {
    double block[length];
    for (int i = 0; i < length; i++) {
#pragma omp task shared(block) firstprivate(i)
      block[i] = i * 0.5;
    }
#pragma omp taskwait
    for (int i = 0; i < length; i++) CHECK(block[i] == i * 0.5);
  }
}

struct large {
  unsigned char bytes[20000];
};

static void large_structures_are_copied(void) {
  int bad = 0;
  static struct large data;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 40; i++) {
    memset(data.bytes, i, sizeof data.bytes);
#pragma omp task firstprivate(data, i) shared(bad)
    for (size_t j = 0; j < sizeof data.bytes; j += 97)
      if (data.bytes[j] != i) bump(&bad);
  }
  CHECK_EQUAL(bad, 0);
}

static void many_small_variables_keep_their_values(void) {
  int bad = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < count; i++) {
    char a = (char)(i % 100);
    short b = (short)(i * 2);
    double c = i * 0.5;
    long long d = i * 1000000000LL;
    float e = (float)i;
    long double f = i;
#pragma omp task firstprivate(a, b, c, d, e, f, i) shared(bad)
    {
      int same = a == (char)(i % 100) && b == (short)(i * 2) && c == i * 0.5 &&
                 d == i * 1000000000LL && e == (float)i && f == (long double)i;
      if (!same) bump(&bad);
    }
  }
  CHECK_EQUAL(bad, 0);
}

static void copies_are_aligned_as_the_type_asks(void) {
  int bad = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < count; i++) {
    long double wide = i;
    _Complex double twice = i;
#pragma omp task firstprivate(wide, twice, i) shared(bad)
    {
      uintptr_t place = (uintptr_t)&wide;
      if (place % _Alignof(long double) != 0 || wide != i || __real__ twice != i) bump(&bad);
    }
  }
  CHECK_EQUAL(bad, 0);
}

static void a_task_may_use_the_frame_of_a_creator_that_waits(void) {
  int bad = 0;
#pragma omp parallel
#pragma omp single
  {
    int results[50];
    for (int i = 0; i < 50; i++) {
#pragma omp task shared(results) firstprivate(i)
      {
        int inner = 0;
#pragma omp task shared(inner) firstprivate(i)
        inner = i * i;
#pragma omp taskwait
        results[i] = inner;
      }
    }
#pragma omp taskwait
    for (int i = 0; i < 50; i++)
      if (results[i] != i * i) bad++;
  }
  CHECK_EQUAL(bad, 0);
}

static void default_none_names_all(void) {
  int sum = 0;
  int add = 2;
#pragma omp parallel default(none) shared(sum, add)
#pragma omp single
  for (int i = 0; i < count; i++) {
#pragma omp task default(none) shared(sum) firstprivate(add)
#pragma omp atomic
    sum += add;
  }
  CHECK_EQUAL(sum, 2 * count);
}

static void allocate_clause_chooses_the_memory_of_the_copy(void) {
  int bad = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 50; i++) {
    int value = i;
#pragma omp task firstprivate(value, i) allocate(omp_default_mem_alloc : value) shared(bad)
    if (value != i) bump(&bad);
  }
  CHECK_EQUAL(bad, 0);
}

static void a_task_may_have_a_large_frame(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 16; i++) {
#pragma omp task shared(sum)
    {
      volatile char frame[256 * 1024];
      for (size_t j = 0; j < sizeof frame; j += 1024) frame[j] = 1;
      int mine = 0;
      for (size_t j = 0; j < sizeof frame; j += 1024) mine += frame[j];
#pragma omp atomic
      sum += mine;
    }
  }
  CHECK_EQUAL(sum, 16 * 256);
}

CASES(CASE(firstprivate_is_copied_at_creation),
      CASE(locals_of_the_creator_are_firstprivate_by_default), CASE(shared_is_the_same_variable),
      CASE(private_has_its_own_storage), CASE(fixed_arrays_are_copied_whole),
      CASE(arrays_of_variable_length_are_shared_when_asked), CASE(large_structures_are_copied),
      CASE(many_small_variables_keep_their_values), CASE(copies_are_aligned_as_the_type_asks),
      CASE(a_task_may_use_the_frame_of_a_creator_that_waits), CASE(default_none_names_all),
      CASE(allocate_clause_chooses_the_memory_of_the_copy), CASE(a_task_may_have_a_large_frame))

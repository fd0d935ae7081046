// OpenMP's memory allocators: the functions, the traits, and the clauses that call them.
// conformance: env KMP_WARNINGS=0
#include <stdint.h>

#include "check.h"

static omp_allocator_handle_t make(int count, const omp_alloctrait_t* traits) {
  omp_alloctrait_t copy[8];
  for (int i = 0; i < count; i++) copy[i] = traits[i];
  return omp_init_allocator(omp_default_mem_space, count, copy);
}

static void fill(unsigned char* memory, size_t bytes, unsigned seed) {
  for (size_t i = 0; i < bytes; i++) memory[i] = (unsigned char)(i * 31 + seed);
}

static void expect_filled(const unsigned char* memory, size_t bytes, unsigned seed) {
  for (size_t i = 0; i < bytes; i++) CHECK_EQUAL(memory[i], (unsigned char)(i * 31 + seed));
}

static void predefined_allocators(void) {
  const omp_allocator_handle_t all[] = {
      omp_null_allocator,   omp_default_mem_alloc, omp_large_cap_mem_alloc,
      omp_const_mem_alloc,  omp_high_bw_mem_alloc, omp_low_lat_mem_alloc,
      omp_cgroup_mem_alloc, omp_pteam_mem_alloc,   omp_thread_mem_alloc};
  for (unsigned a = 0; a < sizeof all / sizeof *all; a++) {
    for (size_t bytes = 1; bytes < 1000000; bytes = bytes * 5 + 1) {
      unsigned char* memory = omp_alloc(bytes, all[a]);
      CHECK(memory != NULL);
      CHECK_EQUAL((uintptr_t)memory % 8, 0);
      fill(memory, bytes, a);
      expect_filled(memory, bytes, a);
      omp_free(memory, bytes % 2 != 0 ? all[a] : omp_null_allocator);
    }
  }
  CHECK(omp_alloc(0, omp_default_mem_alloc) == NULL);
  omp_free(NULL, omp_default_mem_alloc);
}

static void zeroed_and_aligned(void) {
  for (size_t alignment = 8; alignment <= 65536; alignment *= 2) {
    unsigned char* plain = omp_aligned_alloc(alignment, 3 * alignment, omp_default_mem_alloc);
    unsigned char* zero = omp_aligned_calloc(alignment, 3, alignment, omp_null_allocator);
    CHECK_EQUAL((uintptr_t)plain % alignment, 0);
    CHECK_EQUAL((uintptr_t)zero % alignment, 0);
    for (size_t i = 0; i < 3 * alignment; i++) CHECK_EQUAL(zero[i], 0);
    fill(plain, 3 * alignment, 1);
    fill(zero, 3 * alignment, 2);
    expect_filled(plain, 3 * alignment, 1);
    omp_free(plain, omp_default_mem_alloc);
    omp_free(zero, omp_null_allocator);
  }
  unsigned char* zero = omp_calloc(1000, 77, omp_default_mem_alloc);
  for (size_t i = 0; i < 77000; i++) CHECK_EQUAL(zero[i], 0);
  omp_free(zero, omp_null_allocator);
}

static void resized(void) {
  const omp_alloctrait_t near[] = {{omp_atk_partition, omp_atv_nearest}};
  const omp_alloctrait_t aligned[] = {{omp_atk_alignment, 256}};
  const omp_allocator_handle_t all[] = {omp_default_mem_alloc, make(1, near), make(1, aligned)};
  for (int from = 0; from < 3; from++) {
    for (int to = 0; to < 3; to++) {
      unsigned char* memory = omp_alloc(500, all[from]);
      fill(memory, 500, 3);
      memory = omp_realloc(memory, 200000, all[to], all[from]);
      expect_filled(memory, 500, 3);
      fill(memory, 200000, 4);
      memory = omp_realloc(memory, 90000, all[from], all[to]);
      expect_filled(memory, 90000, 4);
      CHECK(omp_realloc(memory, 0, all[from], all[from]) == NULL);
    }
  }
  unsigned char* fresh = omp_realloc(NULL, 100, all[1], omp_null_allocator);
  fill(fresh, 100, 5);
  expect_filled(fresh, 100, 5);
  omp_free(fresh, all[1]);
  omp_destroy_allocator(all[1]);
  omp_destroy_allocator(all[2]);
}

static void partitions_hold_data(void) {
  const omp_alloctrait_value_t ways[] = {omp_atv_environment, omp_atv_nearest, omp_atv_blocked,
                                         omp_atv_interleaved};
  for (int way = 0; way < 4; way++) {
    const omp_alloctrait_t traits[] = {{omp_atk_partition, ways[way]}};
    const omp_allocator_handle_t allocator = make(1, traits);
    CHECK(allocator != omp_null_allocator);
    for (size_t bytes = 1; bytes < 3000000; bytes = bytes * 7 + 3) {
      unsigned char* memory = omp_alloc(bytes, allocator);
      fill(memory, bytes, (unsigned)way);
      expect_filled(memory, bytes, (unsigned)way);
      omp_free(memory, allocator);
    }
    omp_destroy_allocator(allocator);
  }
}

static void pools_run_out(void) {
  const omp_alloctrait_t traits[] = {{omp_atk_pool_size, 100000},
                                     {omp_atk_fallback, omp_atv_null_fb}};
  const omp_allocator_handle_t pool = make(2, traits);
  void* first = omp_alloc(60000, pool);
  CHECK(first != NULL);
  CHECK(omp_alloc(60000, pool) == NULL);
  CHECK(omp_alloc(200000, pool) == NULL);
  omp_free(first, pool);
  first = omp_alloc(90000, pool);
  CHECK(first != NULL);
  omp_free(first, omp_null_allocator);
  omp_destroy_allocator(pool);
}

static void fallbacks(void) {
  const omp_alloctrait_t kind[] = {{omp_atk_pool_size, 1000}};
  const omp_allocator_handle_t default_fb = make(1, kind);
  unsigned char* memory = omp_alloc(50000, default_fb);
  fill(memory, 50000, 6);
  expect_filled(memory, 50000, 6);
  omp_free(memory, default_fb);
  const omp_alloctrait_t chain[] = {{omp_atk_pool_size, 1000},
                                    {omp_atk_fallback, omp_atv_allocator_fb},
                                    {omp_atk_fb_data, (omp_uintptr_t)default_fb}};
  const omp_allocator_handle_t chained = make(3, chain);
  memory = omp_alloc(70000, chained);
  fill(memory, 70000, 7);
  expect_filled(memory, 70000, 7);
  omp_free(memory, omp_null_allocator);
  omp_destroy_allocator(chained);
  omp_destroy_allocator(default_fb);
}

static void pools_are_exact_between_threads(void) {
  const omp_alloctrait_t traits[] = {{omp_atk_pool_size, 300000},
                                     {omp_atk_fallback, omp_atv_null_fb}};
  const omp_allocator_handle_t pool = make(2, traits);
  int held = 0;
#pragma omp parallel for num_threads(4) schedule(dynamic)
  for (int i = 0; i < 4000; i++) {
    unsigned char* memory = omp_alloc(100000, pool);
    if (memory == NULL) continue;
    CHECK(bump(&held) <= 3);
    memory[0] = memory[99999] = 1;
    drop(&held);
    omp_free(memory, pool);
  }
  void* most = omp_alloc(250000, pool);
  CHECK(most != NULL);
  omp_free(most, pool);
  omp_destroy_allocator(pool);
}

static void memory_passes_between_tasks(void) {
  enum { pieces = 200 };
  static int* pointers[pieces];
  const omp_alloctrait_t traits[] = {{omp_atk_partition, omp_atv_nearest}};
  const omp_allocator_handle_t near = make(1, traits);
  int sum = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
  for (int i = 0; i < pieces; i++) {
#pragma omp task depend(out : pointers[i]) firstprivate(i)
    {
      pointers[i] = omp_alloc(sizeof(int) * (size_t)(i * 10 + 1), near);
      *pointers[i] = i;
    }
#pragma omp task depend(in : pointers[i]) firstprivate(i) shared(sum)
    {
#pragma omp atomic
      sum += *pointers[i];
      omp_free(pointers[i], i % 2 ? near : omp_null_allocator);
    }
  }
  CHECK_EQUAL(sum, pieces * (pieces - 1) / 2);
  omp_destroy_allocator(near);
}

static void the_default_allocator(void) {
  CHECK_EQUAL(omp_get_default_allocator(), omp_default_mem_alloc);
  const omp_alloctrait_t traits[] = {{omp_atk_pool_size, 10000},
                                     {omp_atk_fallback, omp_atv_null_fb}};
  const omp_allocator_handle_t pool = make(2, traits);
  omp_set_default_allocator(pool);
  CHECK_EQUAL(omp_get_default_allocator(), pool);
  CHECK(omp_alloc(20000, omp_null_allocator) == NULL);
  int right = 0;
#pragma omp parallel num_threads(3)
  if (omp_get_default_allocator() == pool) bump(&right);
  CHECK_EQUAL(right, 3);
  omp_set_default_allocator(omp_default_mem_alloc);
  void* memory = omp_alloc(20000, omp_null_allocator);
  CHECK(memory != NULL);
  omp_free(memory, omp_null_allocator);
  omp_destroy_allocator(pool);
}

static void allocate_clauses(void) {
  const omp_alloctrait_t traits[] = {{omp_atk_alignment, 128},
                                     {omp_atk_partition, omp_atv_interleaved}};
  const omp_allocator_handle_t allocator = make(2, traits);
  int values[64];
  int total = 0;
  for (int i = 0; i < 64; i++) values[i] = i;
#pragma omp parallel num_threads(4) allocate(allocator : values) firstprivate(values) \
    reduction(+ : total)
  {
    CHECK_EQUAL((uintptr_t)values % 128, 0);
    for (int i = 0; i < 64; i++) total += values[i];
    values[0] = omp_get_thread_num();
  }
  CHECK_EQUAL(total, 4 * 2016);
  int seen = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskgroup
  for (int t = 0; t < 20; t++) {
#pragma omp task firstprivate(values) allocate(omp_default_mem_alloc : values) shared(seen)
    if (values[63] == 63) bump(&seen);
  }
  CHECK_EQUAL(seen, 20);
  omp_destroy_allocator(allocator);
}

CASES(CASE(predefined_allocators), CASE(zeroed_and_aligned), CASE(resized),
      CASE(partitions_hold_data), CASE(pools_run_out), CASE(fallbacks),
      CASE(pools_are_exact_between_threads), CASE(memory_passes_between_tasks),
      CASE(the_default_allocator), CASE(allocate_clauses))

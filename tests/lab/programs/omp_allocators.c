// Whether OpenMP's allocators put memory where their traits say: asks move_pages for every page.
//
// omp_allocators: for partition = nearest, blocked and interleaved, large and small pieces, in a
// serial part and in a team with a thread on each node. Built with -fopenmp by any compiler; to be
// run under `lares run`, since the runtimes themselves take no notice of partition. Prints a line
// for each check; status 1 if pages are elsewhere.
#include "numa.h"

#include <omp.h>

enum { most_pages = 4096 };

static int failures;
static int nodes;

static void check(const char* what, int right, int all) {
  printf("%s %s: %d of %d pages\n", right == all ? "ok" : "FAILED", what, right, all);
  if (right != all) failures = 1;
}

static omp_allocator_handle_t make(omp_alloctrait_value_t partition) {
  omp_alloctrait_t traits[1] = {{omp_atk_partition, partition}};
  const omp_allocator_handle_t made = omp_init_allocator(omp_default_mem_space, 1, traits);
  if (made == omp_null_allocator) fail("omp_init_allocator");
  return made;
}

static void interleaved(size_t bytes) {
  static int status[most_pages];
  const omp_allocator_handle_t allocator = make(omp_atv_interleaved);
  char* memory = omp_alloc(bytes, allocator);
  const int count = touched_homes(memory, bytes, most_pages, status);
  int right = 0;
  // In turn, whoever is first.
  for (int i = 0; i < count; ++i) right += status[i] == (status[0] + i) % nodes;
  check("interleaved", right, count);
  omp_free(memory, allocator);
  omp_destroy_allocator(allocator);
}

// The blocks begin where thread 0 of a team is, and follow each other as threads do.
static void blocked(size_t bytes) {
  static int status[most_pages];
  static int thread_at[max_nodes];
  const omp_allocator_handle_t allocator = make(omp_atv_blocked);
  char* memory = omp_alloc(bytes, allocator);
  const int count = touched_homes(memory, bytes, most_pages, status);
  int right = 0;
  for (int i = 0; i < count; ++i) {
    const int longer = count % nodes;
    const int each = count / nodes;
    const int cut = longer * (each + 1);
    const int block = i < cut ? i / (each + 1) : longer + (i - cut) / each;
    right += status[i] == (status[0] + block) % nodes;
  }
  check("blocked", right, count);
#pragma omp parallel num_threads(nodes)
  thread_at[omp_get_thread_num()] = node_here();
  int met = 0;
  for (int t = 0; t < nodes; ++t) met += thread_at[t] == (status[0] + t) % nodes;
  check("blocked, met by threads in their order, first", met, nodes);
  omp_free(memory, allocator);
  omp_destroy_allocator(allocator);
}

// Each thread allocates, its neighbour touches: the home is the allocating thread's.
static void nearest(size_t bytes) {
  static int status[max_nodes][most_pages];
  static char* memory[max_nodes];
  static int wanted[max_nodes];
  static int counts[max_nodes];
  const omp_allocator_handle_t allocator = make(omp_atv_nearest);
#pragma omp parallel num_threads(nodes)
  {
    const int self = omp_get_thread_num();
    wanted[self] = node_here();
    memory[self] = omp_alloc(bytes, allocator);
#pragma omp barrier
    const int other = (self + 1) % nodes;
#pragma omp critical
    counts[other] = touched_homes(memory[other], bytes, most_pages, status[other]);
  }
  int right = 0;
  int all = 0;
  for (int t = 0; t < nodes; ++t) {
    for (int i = 0; i < counts[t]; ++i) right += status[t][i] == wanted[t];
    all += counts[t];
    omp_free(memory[t], allocator);
  }
  check(bytes < page_bytes ? "nearest, small" : "nearest", right, all);
  omp_destroy_allocator(allocator);
}

int main(void) {
  nodes = node_count();
  interleaved(3000000);
  blocked(3000000);
  blocked((size_t)nodes * 5 * page_bytes - 100);
  nearest(1000000);
  nearest(100);
  return failures;
}

// Whether OpenMP's memory spaces are the memories that this machine has: asks move_pages for every
// page.
//
// omp_spaces hbm|cxl: the machine has nodes without processors, which are HBM or CXL. Memory of
// omp_high_bw_mem_space or omp_large_cap_mem_space is on those, nearest first; that of the other
// spaces, also of the one that the machine lacks, is not. Built with -fopenmp by any compiler; to
// be run under `lares run`, since the runtimes themselves know of no node. Prints a line for each
// check; status 1 if pages are elsewhere.
#include "numa.h"

#include <omp.h>

enum { most_pages = 1024, large = 3000000, small = 100 };

static int failures;
static int nodes;
static int processors[max_nodes];  // whether a node has some
static int distances[max_nodes][max_nodes];

static void check(const char* what, int right, int all) {
  printf("%s %s: %d of %d pages\n", right == all && all > 0 ? "ok" : "FAILED", what, right, all);
  if (right != all || all == 0) failures = 1;
}

static void look_around(void) {
  char name[64];
  char text[1024];
  nodes = node_count();
  for (int node = 0; node < nodes; ++node) {
    snprintf(name, sizeof name, "node%d/cpulist", node);
    read_node_file(name, text, sizeof text);
    processors[node] = text[0] >= '0' && text[0] <= '9';
    snprintf(name, sizeof name, "node%d/distance", node);
    read_node_file(name, text, sizeof text);
    char* at = text;
    for (int to = 0; to < nodes; ++to) distances[node][to] = (int)strtol(at, &at, 10);
  }
}

// Whether no node without processors is nearer to `from` than `to`, which has none.
static int is_nearest(int from, int to) {
  if (processors[to]) return 0;
  for (int other = 0; other < nodes; ++other) {
    if (!processors[other] && distances[from][other] < distances[from][to]) return 0;
  }
  return 1;
}

// Each thread allocates and touches: special memory is the nearest of its kind, other memory is
// ordinary.
static void each_thread(const char* what, omp_allocator_handle_t allocator, size_t bytes,
                        int special) {
  int right = 0;
  int all = 0;
#pragma omp parallel reduction(+ : right, all)
  {
    int status[most_pages];
    char* memory = omp_alloc(bytes, allocator);
    const int count = memory == NULL ? 0 : touched_homes(memory, bytes, most_pages, status);
    for (int i = 0; i < count; ++i) {
      right += special ? is_nearest(node_here(), status[i]) : processors[status[i]];
    }
    all += count;
    omp_free(memory, allocator);
  }
  check(what, right, all);
}

// All nodes of the space take turns.
static void in_turn(const char* what, omp_allocator_handle_t allocator) {
  static int status[most_pages];
  char* memory = omp_alloc(large, allocator);
  const int count = memory == NULL ? 0 : touched_homes(memory, large, most_pages, status);
  int special = 0;
  for (int node = 0; node < nodes; ++node) special += !processors[node];
  int right = 0;
  for (int i = 0; i < count; ++i) {
    right += !processors[status[i]] && (i < special || status[i] == status[i - special]) &&
             (i == 0 || special == 1 || status[i] != status[i - 1]);
  }
  omp_free(memory, allocator);
  check(what, right, count);
}

static omp_allocator_handle_t interleaved(omp_memspace_handle_t space) {
  omp_alloctrait_t traits[1] = {{omp_atk_partition, omp_atv_interleaved}};
  const omp_allocator_handle_t made = omp_init_allocator(space, 1, traits);
  if (made == omp_null_allocator) fail("omp_init_allocator");
  return made;
}

static void of_space(int is_here, omp_memspace_handle_t space, omp_allocator_handle_t predefined) {
  const omp_allocator_handle_t plain = omp_init_allocator(space, 0, NULL);
  each_thread("large pieces", plain, large, is_here);
  each_thread("small pieces", plain, small, is_here);
  each_thread("large pieces of the predefined allocator", predefined, large, is_here);
  omp_destroy_allocator(plain);
  if (!is_here) return;
  const omp_allocator_handle_t turns = interleaved(space);
  in_turn("interleaved, of no team", turns);
  omp_destroy_allocator(turns);
}

int main(int argc, char** argv) {
  const int hbm = argc > 1 && strcmp(argv[1], "hbm") == 0;
  const int cxl = argc > 1 && strcmp(argv[1], "cxl") == 0;
  if (hbm == cxl) {
    fprintf(stderr, "omp_spaces: hbm or cxl\n");
    return 2;
  }
  look_around();
  printf("omp_high_bw_mem_space\n");
  of_space(hbm, omp_high_bw_mem_space, omp_high_bw_mem_alloc);
  printf("omp_large_cap_mem_space\n");
  of_space(cxl, omp_large_cap_mem_space, omp_large_cap_mem_alloc);
  printf("omp_default_mem_space\n");
  of_space(0, omp_default_mem_space, omp_default_mem_alloc);
  return failures;
}

// A product of matrices in tiles: what is used again soon is not fetched again.
//
// multiply [TILES [NODE [MEMORY_NODE]]]: C += A * B of TILES x TILES tiles of 32 x 32 numbers, in
// the region "multiply". With an L2 that holds two rows of tiles and more (TILES up to 24 for the
// lab's 512 KiB), A is fetched once, B once for each row of tiles, and C once to be read and
// changed. Tiles that are used together lie together, B's by columns, and pages are huge ones: else
// some sets of the cache would have to take more lines than others, and lose some.
#include "numa.h"

#include <lares/lab.h>

enum { tile = 32, tile_numbers = tile * tile };

static void multiply_tile(double* restrict c, const double* restrict a, const double* restrict b) {
  for (int i = 0; i < tile; ++i) {
    for (int k = 0; k < tile; ++k) {
      const double factor = a[i * tile + k];
      for (int j = 0; j < tile; ++j) c[i * tile + j] += factor * b[k * tile + j];
    }
  }
}

int main(int argc, char** argv) {
  const int tiles = (int)argument(argc, argv, 1, 16);
  const int node = (int)argument(argc, argv, 2, 0);
  const int memory_node = (int)argument(argc, argv, 3, 0);
  const size_t count = (size_t)tiles * (size_t)tiles * tile_numbers;
  const size_t bytes = count * sizeof(double);
  run_on_node(node);
  enum { huge_page = 2 * 1024 * 1024 };
  char* memory = reserve(3 * bytes + huge_page);
  memory += huge_page - (uintptr_t)memory % huge_page;
  madvise(memory, 3 * bytes, MADV_HUGEPAGE);
  double* a = (double*)(void*)memory;
  place(a, 3 * bytes, policy_bind, 1UL << memory_node);
  double* b = a + count;
  double* c = b + count;
  for (size_t i = 0; i < count; ++i) {
    a[i] = 1;
    b[i] = 2;
    c[i] = 0;
  }
  const volatile char* scratch = make_scratch(memory_node);
  empty_cache(scratch);
  lares_lab_region_begin("multiply");
  for (int i = 0; i < tiles; ++i) {
    for (int j = 0; j < tiles; ++j) {
      for (int k = 0; k < tiles; ++k) {
        multiply_tile(c + (size_t)(i * tiles + j) * tile_numbers,
                      a + (size_t)(i * tiles + k) * tile_numbers,
                      b + (size_t)(j * tiles + k) * tile_numbers);
      }
    }
  }
  empty_cache(scratch);
  lares_lab_region_end("multiply");
  if (c[count - 1] != 2.0 * tiles * tile) fail("multiply");
  const unsigned long lines = bytes / line_bytes;
  expect("multiply", "read", node, memory_node, lines * (2 + (unsigned long)tiles) + scratch_lines);
  expect("multiply", "write_back", node, memory_node, lines);
  return 0;
}

// Task programs in the shapes that public ones have, to count how far their work stays with its
// data.
//
//   shapes [SHAPE] [SWEEPS] [N] [GRAIN]
//
// flags      a stencil in blocks; `depend` names bytes of an array of flags
// slots      a sparse LU; `depend` names slots of a table of pointers to blocks
// sections   a stencil in blocks; `depend` names sections of pointers to a whole matrix, which lie
//            outside of it
// indices    STREAM; tasks know the number of their piece, and nothing names data
// pointers   blocks allocated one by one, given to tasks as arguments
// recursion  a merge sort
// taskloop   a stencil by taskloop
// serial     a stencil in strips that `depend` names in full; one thread has written all data first
// pieces     a stencil in tiles whose rows have 2 KiB, in arrays that begin 16 bytes into a page
// numbers    a stencil without tasks; threads take their share by their number
//
// Each file says which data its tasks use and who writes it first. Prints one line; exit status 1
// if the result is wrong, 2 if the arguments are. Inside `lares lab` the sweeps from the third one
// on are a counted region, "warm".
#include <lares/lab.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shapes.h"

enum { cold_sweeps = 2, most_sweeps = 10000 };

static const Shape* const shapes[] = {
    &shape_flags,     &shape_slots,    &shape_sections, &shape_indices, &shape_pointers,
    &shape_recursion, &shape_taskloop, &shape_serial,   &shape_pieces,  &shape_numbers,
};
enum { shape_count = sizeof shapes / sizeof *shapes };

void* allocate(size_t bytes) {
  void* memory = malloc(bytes);
  if (memory == NULL) {
    fprintf(stderr, "shapes: no memory for %zu bytes\n", bytes);
    exit(1);
  }
  return memory;
}

static void print_names(FILE* file) {
  for (int i = 0; i < shape_count; ++i) fprintf(file, "%s%s", i == 0 ? "" : ", ", shapes[i]->name);
  fputc('\n', file);
}

static const Shape* shape_named(const char* name) {
  for (int i = 0; i < shape_count; ++i) {
    if (strcmp(shapes[i]->name, name) == 0) return shapes[i];
  }
  fprintf(stderr, "shapes: '%s' is none of ", name);
  print_names(stderr);
  exit(2);
}

static long number(int argc, char** argv, int index, long otherwise, long most) {
  if (index >= argc) return otherwise;
  char* end = NULL;
  const long value = strtol(argv[index], &end, 10);
  if (*argv[index] == '\0' || *end != '\0' || value < 1 || value > most) {
    fprintf(stderr, "shapes: '%s' is not a whole number from 1 to %ld\n", argv[index], most);
    exit(2);
  }
  return value;
}

// Seconds that all sweeps took.
static double run(const Shape* shape, int sweeps) {
  const double start = omp_get_wtime();
  shape->sweep(0, sweeps < cold_sweeps ? sweeps : cold_sweeps);
  if (sweeps > cold_sweeps) {
    lares_lab_region_begin("warm");
    shape->sweep(cold_sweeps, sweeps);
    lares_lab_region_end("warm");
  }
  return omp_get_wtime() - start;
}

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "--help") == 0) {
    fputs("shapes [SHAPE] [SWEEPS] [N] [GRAIN]\nfor example: shapes flags 10 1024 128\nshapes: ",
          stdout);
    print_names(stdout);
    return 0;
  }
  const Shape* shape = argc > 1 ? shape_named(argv[1]) : shapes[0];
  const int sweeps = (int)number(argc, argv, 2, 6, most_sweeps);
  Sizes sizes = {.n = number(argc, argv, 3, shape->usual.n, shape->square ? 30000 : 1000000000)};
  sizes.grain = number(argc, argv, 4, shape->usual.grain, 1000000000);
  shape->start(sizes);
  const double seconds = run(shape, sweeps);
  const long wrong = shape->wrong(sweeps);
  printf("shape=%s n=%ld grain=%ld sweeps=%d threads=%d seconds=%.6f wrong=%ld result=%s\n",
         shape->name, sizes.n, sizes.grain, sweeps, omp_get_max_threads(), seconds / sweeps, wrong,
         wrong == 0 ? "ok" : "wrong");
  shape->finish();
  return wrong == 0 ? 0 : 1;
}

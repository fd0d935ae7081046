// What each shape of program shows of itself, and what they share.
//
// A shape keeps its data in variables of its own file, as the programs do that it stands for.
#pragma once

#include <stddef.h>

typedef struct {
  long n;      // elements of a vector, rows of a matrix, or blocks in a row of one
  long grain;  // elements, rows or columns of one task
} Sizes;

typedef struct {
  const char* name;
  Sizes usual;
  // Whether `n` counts the rows of a square, and so is bounded by 30000.
  int square;
  // Allocates the data and initialises it, by the threads that programs of this shape do it by.
  void (*start)(Sizes sizes);
  // The sweeps from `first` to the one before `end`, in a parallel region of their own.
  void (*sweep)(int first, int end);
  // How many elements are not what they have to be after so many sweeps.
  long (*wrong)(int sweeps);
  void (*finish)(void);
} Shape;

extern const Shape shape_flags, shape_slots, shape_sections, shape_indices, shape_pointers,
    shape_recursion, shape_taskloop, shape_serial, shape_pieces, shape_numbers;

// From malloc: what is large begins 16 bytes into a page, and has no memory yet. Ends the program
// if there is none.
void* allocate(size_t bytes);

static inline long at_most(long value, long bound) { return value < bound ? value : bound; }

// How many pieces of `grain` cover `n`.
static inline long pieces(long n, long grain) { return (n + grain - 1) / grain; }

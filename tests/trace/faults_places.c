/* Faults of where data is, and of what threads share. The caches of two cores are the domains: data
   is where it was written last. */
#include <omp.h>
#include <stddef.h>

#include "faults.h"

enum { domains = 2 };

/* One thread writes all that both read, or each its part. Run where threads keep their own tasks
   (diagnoses.py), so that it is known who writes. */
void data_in_one_domain(int mended) {
  enum { blocks = 40, block_doubles = 512, sweeps = 5 };
  static double data[blocks][block_doubles];
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    for (int b = mended ? me : 0; b < blocks; b += mended ? domains : 1) {
      double* const block = data[b];
      if (!mended && me != 0) continue;
#pragma omp task depend(out : block[0 : block_doubles])
      for (int i = 0; i < block_doubles; ++i) block[i] = b;
    }
#pragma omp barrier
    for (int s = 0; s < sweeps; ++s) {
      for (int b = me; b < blocks; b += domains) {
        double* const block = data[b];
#pragma omp task depend(in : block[0 : block_doubles])
        work(block[0] == b ? 100 : 0);
      }
    }
  }
}

/* Lines of a cache that lead from one to another: the next one is not known before this one is
 * there. */
typedef struct Line {
  struct Line* volatile next;
  char rest[64 - sizeof(struct Line*)];
} Line;

enum { pieces = 8, piece_lines = 1024 };

/* In an order that nobody fetches ahead: an odd step meets each line of a power of two once. */
static void write_piece(Line* piece) {
  enum { step = 381 };
  for (int i = 0, at = 0; i < piece_lines; ++i) {
    const int next = (at + step) % piece_lines;
    piece[at].next = &piece[next];
    at = next;
  }
}

static void read_piece(Line* piece) {
  const Line* line = piece;
  do {
    line = line->next;
  } while (line != piece);
}

/* All threads read what the last one has written, from its cache: there it takes a fraction of the
   time. The fault is to name a label that the first thread has written; its twin names what it
   reads. Run where threads keep their own tasks (diagnoses.py). */
void false_homes(int mended) {
  static Line memory[pieces][piece_lines];
  static Line label;
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    for (int round = 0; round < 40; ++round) {
      if (me == 0) {
#pragma omp task depend(out : label)
        label.next = &label;
      }
      for (int p = 0; p < pieces && me == domains - 1; ++p) {
        Line* const piece = memory[p];
#pragma omp task depend(out : piece[0 : piece_lines])
        write_piece(piece);
      }
#pragma omp barrier
      for (int p = me; p < pieces; p += domains) {
        Line* const piece = memory[p];
        Line* const named = mended ? piece : &label;
        (void)named; /* GCC does not count a clause as a use */
#pragma omp task depend(in : named[0 : 1])
        read_piece(piece);
      }
#pragma omp barrier
    }
  }
}

/* First one thread's tasks run, then those of all threads: they add to one counter, or each to one
   of its own. The line of the shared one goes from cache to cache, whatever the machine; that two
   threads exhaust the memory's bandwidth holds for few machines.
   Run where threads keep their own tasks (diagnoses.py). */
void saturated(int mended) {
  enum { grains = 300, additions = 10000 };
  static struct {
    _Alignas(256) long count;
  } counters[domains];
#pragma omp parallel
  for (int threads = 1; threads <= omp_get_num_threads(); ++threads) {
#pragma omp barrier
    if (omp_get_thread_num() >= threads) continue;
    long* const counter = &counters[mended ? omp_get_thread_num() % domains : 0].count;
    for (int i = 0; i < grains; ++i) {
#pragma omp task
      for (int k = 0; k < additions; ++k) __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
    }
#pragma omp taskwait
  }
}

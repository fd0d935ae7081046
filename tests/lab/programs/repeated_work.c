// Work that repeats itself, with its data elsewhere.
//
// repeated_work SHAPE [MIB [SWEEPS [interleaved]]]: SWEEPS sweeps over MIB of doubles, x = x / 2 +
// 1, each thread its part, whole domains in a row. The first three are in the region "early", the
// rest in "late".
//   serial    one thread has written the array; a parallel region for each sweep
//   opposite  each thread has written the part of the last but as many, a region for each sweep
//   inside    the same in one region, after another one has written; a barrier a sweep
//   tasks     tasks that ran anywhere have, in pieces of 64 KiB; one region, a barrier a sweep
//   named     as serial, by tasks that name 64 KiB each in `depend`; one region, a taskwait a sweep
//   slots     pieces of 32 KiB by malloc, one thread has filled them; tasks name the slots of the
//             table of pointers to them; one region, a taskwait a sweep
//   given     the same; tasks name nothing and have a pointer among their arguments
//   halves    as serial, by tasks that halve their part down to 64 KiB; a region for each sweep
//   pieces    pieces of 8 KiB by malloc, one thread has filled them; a region for each sweep, in
//             which threads take pieces by their number
//   steps     as serial, as simulations do it: in each sweep eight parts of the array one after the
//             other, a loop of its own each, and between them small loops dozens of times
//   phases    the same in one region, whose loops end with barriers
//   arrays    arrays of 1.5 MiB that one thread has filled; a region for each sweep, in which each
//             thread has its share of each array
//   shifting  as serial, but in each sweep a thread works on the part of its next neighbour but one
//   changing  as pieces; between sweeps the program closes all files, forks, protects and frees
// With "interleaved" the program says that its pages lie on all nodes in turn.
// Prints whether every number is what it must be.
#include "numa.h"

#include <lares/lab.h>
#include <omp.h>
#include <sys/wait.h>

enum { early_sweeps = 3, block_bytes = 65536 };

static double first_value(size_t i) { return (double)(i % 1000); }

// Outside of regions the kernel may run a thread anywhere.
static void on_node_0(void (*write)(void)) {
  cpu_set_t all;
  if (sched_getaffinity(0, sizeof all, &all) != 0) fail("sched_getaffinity");
  run_on_node(0);
  write();
  if (sched_setaffinity(0, sizeof all, &all) != 0) fail("sched_setaffinity");
}

static double* array;
static double** pieces;
static size_t count;
static size_t piece_bytes = 8192, piece_doubles;

static void write_array(void) {
  for (size_t i = 0; i < count; ++i) array[i] = first_value(i);
}

static void write_pieces(void) {
  for (size_t p = 0; p < count / piece_doubles; ++p) {
    pieces[p] = malloc(piece_bytes);
    if (pieces[p] == NULL) exit(1);
    for (size_t i = 0; i < piece_doubles; ++i) pieces[p][i] = first_value(p * piece_doubles + i);
  }
}

static void update(double* from, size_t length) {
  for (size_t i = 0; i < length; ++i) from[i] = from[i] / 2 + 1;
}

static void update_share(double* data, size_t thread, size_t threads) {
  const size_t from = count * thread / threads;
  update(data + from, count * (thread + 1) / threads - from);
}

static void begin_sweep(int sweep) {
  if (sweep == 0) lares_lab_region_begin("early");
  if (sweep != early_sweeps) return;
  lares_lab_region_end("early");
  lares_lab_region_begin("late");
}

static void sweep_array(int shift) {
#pragma omp parallel
  {
    const size_t threads = (size_t)omp_get_num_threads();
    update_share(array, ((size_t)omp_get_thread_num() + 2 * (size_t)shift) % threads, threads);
  }
}

static void sweep_pieces(void) {
  const size_t all = count / piece_doubles;
#pragma omp parallel
  {
    const size_t threads = (size_t)omp_get_num_threads();
    const size_t thread = (size_t)omp_get_thread_num();
    for (size_t p = all * thread / threads; p < all * (thread + 1) / threads; ++p) {
      update(pieces[p], piece_doubles);
    }
  }
}

static void sweep_arrays(void) {
#pragma omp parallel
  {
    const size_t threads = (size_t)omp_get_num_threads();
    const size_t thread = (size_t)omp_get_thread_num();
    const size_t from = piece_doubles * thread / threads;
    const size_t length = piece_doubles * (thread + 1) / threads - from;
    for (size_t p = 0; p < count / piece_doubles; ++p) update(pieces[p] + from, length);
  }
}

static void write_opposite(void) {
#pragma omp parallel
  {
    const size_t threads = (size_t)omp_get_num_threads();
    const size_t part = threads - 1 - (size_t)omp_get_thread_num();
    for (size_t i = count * part / threads; i < count * (part + 1) / threads; ++i) {
      array[i] = first_value(i);
    }
  }
}

// As a generator of random numbers would put them.
static void write_by_tasks(void) {
  const size_t block = block_bytes / sizeof(double);
  const size_t blocks = count / block;
#pragma omp parallel
#pragma omp single
  for (size_t k = 0; k < blocks; ++k) {
    const size_t b = k * 7919 % blocks;
#pragma omp task firstprivate(b)
    for (size_t i = b * block; i < (b + 1) * block; ++i) array[i] = first_value(i);
  }
}

static void sweep_in_one_region(int sweeps) {
#pragma omp parallel
  for (int s = 0; s < sweeps; ++s) {
#pragma omp master
    begin_sweep(s);
#pragma omp barrier
    update_share(array, (size_t)omp_get_thread_num(), (size_t)omp_get_num_threads());
#pragma omp barrier
  }
}

// Eight loops, so that each has code of its own.
enum { parts = 8, small_doubles = 4096, small_rounds = 40 };
static double small_data[3][small_doubles];

static void share_part(size_t part, size_t thread, size_t threads) {
  const size_t first = count * part / parts;
  const size_t length = count * (part + 1) / parts - first;
  const size_t from = length * thread / threads;
  update(array + first + from, length * (thread + 1) / threads - from);
}

#define ALL_PARTS(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)
#define REGION(PART)      \
  _Pragma("omp parallel") \
      share_part(PART, (size_t)omp_get_thread_num(), (size_t)omp_get_num_threads());
#define PHASE(PART)                                                              \
  share_part(PART, (size_t)omp_get_thread_num(), (size_t)omp_get_num_threads()); \
  _Pragma("omp barrier")

static void sweep_steps(void) {
  ALL_PARTS(REGION)
  for (int round = 0; round < small_rounds; ++round) {
#pragma omp parallel for
    for (int i = 0; i < small_doubles; ++i) small_data[0][i] += 1;
#pragma omp parallel for
    for (int i = 0; i < small_doubles; ++i) small_data[1][i] += small_data[0][i];
#pragma omp parallel for
    for (int i = 0; i < small_doubles; ++i) small_data[2][i] += small_data[1][i];
  }
}

static void sweep_phases(int sweeps) {
#pragma omp parallel
  for (int s = 0; s < sweeps; ++s) {
#pragma omp master
    begin_sweep(s);
#pragma omp barrier
    ALL_PARTS(PHASE)
    for (int round = 0; round < small_rounds; ++round) {
#pragma omp for
      for (int i = 0; i < small_doubles; ++i) small_data[0][i] += 1;
#pragma omp for
      for (int i = 0; i < small_doubles; ++i) small_data[1][i] += small_data[0][i];
    }
  }
}

static void make_named(void) {
  const size_t block = block_bytes / sizeof(double);
  for (size_t first = 0; first < count; first += block) {
    double* const from = array + first;
#pragma omp task firstprivate(from, block) depend(inout : from[0 : block])
    update(from, block);
  }
}

static void make_slots(void) {
  for (size_t p = 0; p < count / piece_doubles; ++p) {
#pragma omp task firstprivate(p) depend(inout : pieces[p])
    update(pieces[p], piece_doubles);
  }
}

static void make_given(void) {
  for (size_t p = 0; p < count / piece_doubles; ++p) {
    double* const piece = pieces[p];
#pragma omp task firstprivate(piece)
    update(piece, piece_doubles);
  }
}

static void sweep_by_tasks(int sweeps, void (*make)(void)) {
#pragma omp parallel
#pragma omp single
  for (int s = 0; s < sweeps; ++s) {
    begin_sweep(s);
    make();
#pragma omp taskwait
  }
}

static void update_halves(double* from, size_t length) {
  if (length <= block_bytes / sizeof(double)) {
    update(from, length);
    return;
  }
  const size_t half = length / 2;
#pragma omp task firstprivate(from, half)
  update_halves(from, half);
#pragma omp task firstprivate(from, half, length)
  update_halves(from + half, length - half);
#pragma omp taskwait
}

static void sweep_halves(void) {
#pragma omp parallel
#pragma omp single nowait
  update_halves(array, count);
}

// The child looks at the data, too.
static void fork_and_look(int sweep) {
  const pid_t child = fork();
  if (child < 0) fail("fork");
  if (child == 0) {
    double x = first_value(5);
    for (int s = 0; s < sweep; ++s) x = x / 2 + 1;
    _exit(pieces[0][5] == x ? 0 : 1);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || status != 0) {
    printf("result=wrong in the child\n");
    exit(1);
  }
}

static void protect(size_t piece) {
  const uintptr_t page = (uintptr_t)pieces[piece] & ~(uintptr_t)(page_bytes - 1);
  if (mprotect((void*)page, page_bytes, PROT_READ) != 0) fail("mprotect");
  if (mprotect((void*)page, page_bytes, PROT_READ | PROT_WRITE) != 0) fail("mprotect");
}

static void renew(size_t piece) {
  double* const fresh = malloc(piece_bytes);
  if (fresh == NULL) exit(1);
  memcpy(fresh, pieces[piece], piece_bytes);
  free(pieces[piece]);
  pieces[piece] = fresh;
}

static void change(int sweep) {
  for (int file = 3; file < 1024; ++file) close(file);
  if (sweep % 3 == 2) fork_and_look(sweep);
  for (size_t p = (size_t)sweep; p < count / piece_doubles; p += 37) {
    if (p % 2 == 0) protect(p);
    if (p % 2 == 1) renew(p);
  }
}

static const char* judge(int sweeps) {
  for (size_t i = 0; i < count; ++i) {
    double x = first_value(i);
    for (int s = 0; s < sweeps; ++s) x = x / 2 + 1;
    const double got = array != NULL ? array[i] : pieces[i / piece_doubles][i % piece_doubles];
    if (got != x) return "wrong";
  }
  return "ok";
}

static void interleave(void) {
  const unsigned long nodes = 15;
  if (syscall(SYS_set_mempolicy, policy_interleave, &nodes, (unsigned long)max_nodes) != 0) {
    fail("set_mempolicy");
  }
}

int main(int argc, char** argv) {
  const char* const shape = argc > 1 ? argv[1] : "serial";
  const size_t mib = argc > 2 ? strtoul(argv[2], NULL, 10) : 16;
  const int sweeps = argc > 3 ? atoi(argv[3]) : 20;
  if (argc > 4 && strcmp(argv[4], "interleaved") == 0) interleave();
  const int changes = strcmp(shape, "changing") == 0;
  const int opposite = strcmp(shape, "opposite") == 0 || strcmp(shape, "inside") == 0;
  const int by_tasks = strcmp(shape, "slots") == 0 || strcmp(shape, "given") == 0;
  const int arrays = strcmp(shape, "arrays") == 0;
  const int small = changes || by_tasks || arrays || strcmp(shape, "pieces") == 0;
  if (by_tasks) piece_bytes *= 4;
  if (arrays) piece_bytes = 3 * 512 * 1024;
  piece_doubles = piece_bytes / sizeof(double);
  count = mib * 1024 * 1024 / sizeof(double);
  if (small) {
    pieces = malloc(count / piece_doubles * sizeof *pieces);
    if (pieces == NULL) return 1;
    on_node_0(write_pieces);
  } else {
    array = malloc(count * sizeof(double));
    if (array == NULL) return 1;
    if (strcmp(shape, "tasks") == 0) {
      write_by_tasks();
    } else if (opposite) {
      write_opposite();
    } else {
      on_node_0(write_array);
    }
  }
  if (strcmp(shape, "tasks") == 0 || strcmp(shape, "inside") == 0) {
    sweep_in_one_region(sweeps);
  } else if (strcmp(shape, "phases") == 0) {
    sweep_phases(sweeps);
  } else if (strcmp(shape, "named") == 0) {
    sweep_by_tasks(sweeps, make_named);
  } else if (by_tasks) {
    sweep_by_tasks(sweeps, strcmp(shape, "slots") == 0 ? make_slots : make_given);
  } else {
    for (int s = 0; s < sweeps; ++s) {
      begin_sweep(s);
      if (changes) change(s);
      if (arrays) {
        sweep_arrays();
      } else if (small) {
        sweep_pieces();
      } else if (strcmp(shape, "halves") == 0) {
        sweep_halves();
      } else if (strcmp(shape, "steps") == 0) {
        sweep_steps();
      } else {
        sweep_array(strcmp(shape, "shifting") == 0 ? s : 0);
      }
    }
  }
  lares_lab_region_end("late");
  printf("result=%s\n", judge(sweeps));
  return 0;
}

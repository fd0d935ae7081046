// Small pieces of memory, used by the same threads in each of many regions, while some of them are
// freed, resized and allocated, the heap is trimmed, and the program forks and starts others.
//
// heap_storm [SWEEPS]: prints "result=ok" if every byte is as it was written, in the children too.
#include <malloc.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { count = 6000, small = 3000 };

struct piece {
  unsigned char* bytes;
  size_t size;
  unsigned tag;
};
static struct piece pieces[count];
static int wrong;  // written by whoever finds a wrong byte

static unsigned next(unsigned* seed) {
  *seed ^= *seed << 13;
  *seed ^= *seed >> 17;
  *seed ^= *seed << 5;
  return *seed;
}

static unsigned char expected(const struct piece* p, size_t at) {
  return (unsigned char)(p->tag + at);
}

static void fill(struct piece* p) {
  if (p->bytes == NULL) exit(1);
  for (size_t i = 0; i < p->size; ++i) p->bytes[i] = expected(p, i);
}

static void check(const struct piece* p) {
  for (size_t i = 0; i < p->size; i += 97) {
    if (p->bytes[i] == expected(p, i)) continue;
#pragma omp atomic write
    wrong = 1;
  }
}

static void make(struct piece* p, size_t size) {
  ++p->tag;
  p->size = size;
  p->bytes = malloc(size);
  fill(p);
}

static void resize(struct piece* p, size_t size) {
  p->bytes = realloc(p->bytes, size);
  if (p->bytes == NULL) exit(1);
  if (size < p->size) p->size = size;
  check(p);
  p->size = size;
  fill(p);
}

static void change(struct piece* p, unsigned* seed) {
  switch (next(seed) % 16) {
    case 0:
      free(p->bytes);
      make(p, next(seed) % small + 1);
      break;
    case 1:
      resize(p, next(seed) % (2 * small) + 1);
      break;
    case 2:
      if (next(seed) % 50 == 0) resize(p, (size_t)(next(seed) % 4 + 1) << 20U);
      break;
    case 3:
      if (p->size > 2 * small) resize(p, small);
      break;
    default:
      break;
  }
}

static void look_in_child(void) {
  const pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < count; i += 3) check(&pieces[i]);
    _exit(wrong);
  }
  int status = 1;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
#pragma omp atomic write
    wrong = 1;
  }
}

static void read_and_start(void) {
  char line[300];
  FILE* const file = fopen("/proc/self/status", "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
  }
  if (file != NULL) fclose(file);
  if (system("true") != 0) exit(1);
}

static void sweep(int s) {
#pragma omp parallel
  {
    const int threads = omp_get_num_threads();
    const int thread = omp_get_thread_num();
    unsigned seed = (unsigned)(s * 131 + thread * 7919 + 1);
    for (int i = count * thread / threads; i < count * (thread + 1) / threads; ++i) {
      check(&pieces[i]);
      change(&pieces[i], &seed);
    }
    if (thread == 0 && s % 5 == 0) malloc_trim(0);
    if (thread == 0 && s % 4 == 1) read_and_start();
  }
  // A child has the pieces as they are in between.
  if (s % 7 == 3) look_in_child();
}

int main(int argc, char** argv) {
  const int sweeps = argc > 1 ? atoi(argv[1]) : 60;
  unsigned seed = 1;
  for (int i = 0; i < count; ++i) make(&pieces[i], next(&seed) % small + 1);
  for (int s = 0; s < sweeps; ++s) sweep(s);
  for (int i = 0; i < count; ++i) check(&pieces[i]);
  printf("result=%s\n", wrong != 0 ? "wrong" : "ok");
  return wrong;
}

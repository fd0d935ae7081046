/* Who touches an array first, and who uses it: pages serial|parallel|before. Thread 0 fills all of
 * it, or each thread the part that it uses then, or the first thread all of it before the region.
 */
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { blocks = 32, block_bytes = 256 * 1024, rounds = 3 };

static void fill(char* block) { memset(block, 1, block_bytes); }

static long sum_of(const char* block) {
  long sum = 0;
  for (long i = 0; i < block_bytes; i += 64) sum += block[i];
  return sum;
}

/* Run where pushing and stealing stay inside of a domain (pages.py), so that each thread runs its
 * own. */
static void use(char* data, int first, int last) {
  for (int b = first; b < last; ++b) {
    char* const block = data + (long)b * block_bytes;
#pragma omp task depend(inout : block[0 : block_bytes])
    block[0] = (char)sum_of(block);
  }
}

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: pages serial|parallel|before\n");
    return 2;
  }
  const int is_serial = strcmp(argv[1], "serial") == 0;
  /* Not malloc, which would touch the first page, on whatever core this thread is before the
   * region. Nobody touches the page before it, so no neighbour's area goes on here. */
  const size_t gap = 65536;
  const size_t bytes = gap + (size_t)blocks * block_bytes;
  char* const mapped =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return 1;
  char* const data = mapped + gap;
  const int is_before = strcmp(argv[1], "before") == 0;
  if (is_before) memset(data, 1, bytes - gap);
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    const int threads = omp_get_num_threads();
    const int first = blocks * me / threads;
    const int last = blocks * (me + 1) / threads;
    /* In a region, where the first thread is bound, too: it fills from one domain. */
    const int fill_from = is_serial ? 0 : first;
    const int fill_to = !is_serial ? last : me == 0 ? blocks : 0;
    for (int b = fill_from; b < fill_to && !is_before; ++b) fill(data + (long)b * block_bytes);
#pragma omp barrier
    for (int round = 0; round < rounds; ++round) use(data, first, last);
#pragma omp taskwait
  }
  printf("%p %d\n", (void*)data, data[block_bytes]);
  munmap(mapped, bytes);
  return 0;
}

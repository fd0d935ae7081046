/* Memory that moves in each way: moves touch|call|none. Each of two threads has half of an array
 * that the first one has filled. */
#include <lares/memory.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { half_bytes = 1 << 20, chunk_bytes = 256 * 1024 };

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: moves touch|call|none\n");
    return 2;
  }
  const size_t bytes = 2 * (size_t)half_bytes;
  char* const data = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) return 1;
  memset(data, 1, bytes);
  if (strcmp(argv[1], "touch") == 0 &&
      lares_migrate_on_next_touch(data, bytes, chunk_bytes, LARES_WAY_AUTOMATIC) != 0) {
    fprintf(stderr, "%s\n", lares_memory_error());
    return 77;
  }
  long sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  {
    char* const mine = data + (size_t)omp_get_thread_num() * half_bytes;
    if (strcmp(argv[1], "call") == 0) lares_fetch(mine, half_bytes, NULL);
#pragma omp task depend(inout : mine[0 : half_bytes]) shared(sum)
    for (size_t i = 0; i < half_bytes; i += 64) {
#pragma omp atomic
      sum += mine[i];
    }
#pragma omp taskwait
  }
  /* The last chunk can be used before its fetch has been noted. */
  usleep(50000);
  printf("%p %ld\n", (void*)data, sum);
  return 0;
}

// Where first touch and interleaving put an array, as the threads that read it feel it.
//
// placement serial|parallel|interleave [MIB]: one thread on each node that has cpus reads its part
// of an array of MIB in the region "sum". Before that the array was written by one thread on node 0
// (serial), by each thread its own part (parallel), or by one thread with its pages interleaved
// over all nodes that have memory (interleave).
#include "numa.h"

#include <lares/lab.h>
#include <pthread.h>

enum { most_threads = max_nodes };

struct part {
  pthread_t thread;
  int node;
  uint64_t* first;
  size_t count;
  uint64_t sum;
};

static struct part parts[most_threads];
static pthread_barrier_t barrier;
static int parallel;

static void write_part(struct part* part) {
  for (size_t i = 0; i < part->count; ++i) part->first[i] = i;
}

static void* run(void* argument) {
  struct part* part = argument;
  run_on_node(part->node);
  if (parallel) write_part(part);
  empty_cache(make_scratch(part->node));
  pthread_barrier_wait(&barrier);  // all is written
  pthread_barrier_wait(&barrier);  // the region has begun
  uint64_t sum = 0;
  for (size_t i = 0; i < part->count; ++i) sum += part->first[i];
  part->sum = sum;
  pthread_barrier_wait(&barrier);
  return NULL;
}

static int has(const char* what, int node) {
  char name[64];
  char text[64];
  snprintf(name, sizeof name, "has_%s", what);
  read_node_file(name, text, sizeof text);
  for (char* at = text; *at >= '0' && *at <= '9';) {
    long first = strtol(at, &at, 10);
    long last = *at == '-' ? strtol(at + 1, &at, 10) : first;
    if (first <= node && node <= last) return 1;
    if (*at == ',') ++at;
  }
  return 0;
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "serial";
  parallel = strcmp(mode, "parallel") == 0;
  const int interleave = strcmp(mode, "interleave") == 0;
  unsigned long memory_nodes = 0;
  int memories = 0;
  int threads = 0;
  for (int node = 0; node < node_count(); ++node) {
    if (has("cpu", node)) parts[threads++].node = node;
    if (has("memory", node)) {
      memory_nodes |= 1UL << node;
      ++memories;
    }
  }
  const size_t bytes = (size_t)argument(argc, argv, 2, 32) * 1024 * 1024;
  const size_t share = bytes / (size_t)threads / 4096 * 4096;
  char* memory = reserve(bytes);
  if (interleave) place(memory, bytes, policy_interleave, memory_nodes);
  for (int i = 0; i < threads; ++i) {
    parts[i].first = (uint64_t*)(void*)(memory + (size_t)i * share);
    parts[i].count = share / sizeof(uint64_t);
  }
  run_on_node(parts[0].node);
  if (!parallel) {
    for (int i = 0; i < threads; ++i) write_part(&parts[i]);
    empty_cache(make_scratch(parts[0].node));
  }
  pthread_barrier_init(&barrier, NULL, (unsigned)threads + 1);
  for (int i = 0; i < threads; ++i) {
    if (pthread_create(&parts[i].thread, NULL, run, &parts[i]) != 0) fail("pthread_create");
  }
  pthread_barrier_wait(&barrier);
  lares_lab_region_begin("sum");
  pthread_barrier_wait(&barrier);
  pthread_barrier_wait(&barrier);
  lares_lab_region_end("sum");
  const unsigned long lines = share / line_bytes;
  for (int i = 0; i < threads; ++i) {
    pthread_join(parts[i].thread, NULL);
    const uint64_t count = parts[i].count;
    if (parts[i].sum != count * (count - 1) / 2) fail("sum");
    if (!interleave) expect("sum", "read", parts[i].node, parts[parallel ? i : 0].node, lines);
    for (int node = 0; interleave && node < node_count(); ++node) {
      if ((memory_nodes >> node & 1) != 0) {
        expect("sum", "read", parts[i].node, node, lines / (unsigned long)memories);
      }
    }
  }
  return 0;
}

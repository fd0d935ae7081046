// What the lab's validation programs need of the kernel, without libnuma: threads bound to a node,
// memory bound to nodes, and a line of text for each number that is to be found in the counts.
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
  line_bytes = 64,
  page_bytes = 4096,
  policy_bind = 2,
  policy_interleave = 3,
  max_nodes = 64,
  scratch_bytes = 4 * 1024 * 1024,  // several times the lab's L2
  scratch_lines = scratch_bytes / line_bytes
};

static inline void fail(const char* what) {
  perror(what);
  exit(1);
}

// A number of the command line, or `otherwise` if there are fewer words.
static inline long argument(int argc, char** argv, int index, long otherwise) {
  return index < argc ? strtol(argv[index], NULL, 10) : otherwise;
}

// The first word of a file below /sys/devices/system/node, "" if there is none.
static inline void read_node_file(const char* name, char* text, int room) {
  char path[128];
  snprintf(path, sizeof path, "/sys/devices/system/node/%s", name);
  FILE* file = fopen(path, "r");
  text[0] = 0;
  if (file == NULL) return;
  if (fgets(text, room, file) == NULL) text[0] = 0;
  fclose(file);
}

// How many nodes there are; they are numbered from 0.
static inline int node_count(void) {
  int count = 0;
  char path[64];
  do {
    snprintf(path, sizeof path, "/sys/devices/system/node/node%d", count);
  } while (access(path, F_OK) == 0 && ++count < max_nodes);
  return count > 0 ? count : 1;
}

// Binds the calling thread to the first cpu of `node`: only one cache is to have its lines.
static inline void run_on_node(int node) {
  char name[64];
  char list[1024];
  snprintf(name, sizeof name, "node%d/cpulist", node);
  read_node_file(name, list, sizeof list);
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  if (*list >= '0' && *list <= '9') CPU_SET((size_t)strtol(list, NULL, 10), &cpus);
  if (CPU_COUNT(&cpus) == 0 || sched_setaffinity(0, sizeof cpus, &cpus) != 0) {
    fprintf(stderr, "cannot run on node %d\n", node);
    exit(1);
  }
}

// Bytes that are nowhere yet: each page is placed when it is first written.
static inline void* reserve(size_t bytes) {
  void* memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) fail("mmap");
  return memory;
}

// Pages are to be placed on the nodes of `mask`: policy_bind or policy_interleave.
static inline void place(void* memory, size_t bytes, int policy, unsigned long mask) {
  if (syscall(SYS_mbind, memory, bytes, policy, &mask, (unsigned long)max_nodes + 1, 0) != 0) {
    fail("mbind");
  }
}

// Memory for empty_cache(), already written, on `node`.
static inline volatile char* make_scratch(int node) {
  char* scratch = reserve(scratch_bytes);
  place(scratch, scratch_bytes, policy_bind, 1UL << node);
  memset(scratch, 1, scratch_bytes);
  return scratch;
}

// Leaves nothing but unchanged lines of `scratch` in the cpu's cache; fetches scratch_lines lines.
static inline void empty_cache(const volatile char* scratch) {
  for (size_t at = 0; at < scratch_bytes; at += line_bytes) (void)scratch[at];
}

// One cell that the counts of `region` must have: matrix `kind`, row, column, and its lines.
static inline void expect(const char* region, const char* kind, int row, int column,
                          unsigned long lines) {
  printf("expect %s %s %d %d %lu\n", region, kind, row, column, lines);
}

// The node of the calling thread's cpu.
static inline int node_here(void) {
  unsigned cpu = 0;
  unsigned node = 0;
  if (syscall(SYS_getcpu, &cpu, &node, NULL) != 0) fail("getcpu");
  return (int)node;
}

// Touches all pages of `memory` from here and asks for the node of each, at most `most`; how many.
static inline int touched_homes(char* memory, size_t bytes, int most, int* nodes) {
  void** pages = malloc((size_t)most * sizeof *pages);
  if (pages == NULL) fail("malloc");
  char* first = (char*)((uintptr_t)memory & ~(uintptr_t)(page_bytes - 1));
  int count = 0;
  memset(memory, 1, bytes);
  for (char* at = first; at < memory + bytes && count < most; at += page_bytes) pages[count++] = at;
  if (syscall(SYS_move_pages, 0, (unsigned long)count, pages, NULL, nodes, 0) != 0) {
    fail("move_pages");
  }
  free(pages);
  return count;
}

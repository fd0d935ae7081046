// What a program allocates holds what it wrote, and can be allocated as often as without us.
//
// contents: prints a line for each check, "ok" or "wrong"; then how many pages of a fresh piece lie
// on each node.
#include "numa.h"

#include "filled.h"

enum { mib = 1 << 20, most_pages = 4096 };

static void say(const char* what, unsigned long wrong) {
  printf("%s %s: %lu bytes wrong\n", wrong == 0 ? "ok" : "wrong", what, wrong);
}

static void fill(unsigned char* memory, unsigned long from, unsigned long to) {
  for (unsigned long i = from; i < to; ++i) memory[i] = filled_value(i);
}

static unsigned long count_wrong(const unsigned char* memory, unsigned long bytes) {
  unsigned long wrong = 0;
  for (unsigned long i = 0; i < bytes; ++i) wrong += memory[i] != filled_value(i);
  return wrong;
}

static void resize(void) {
  unsigned char* memory = NULL;
  unsigned long bytes = 0;
  unsigned long wrong = 0;
  // Grows from small to large, within large, and shrinks.
  const unsigned long sizes[] = {100, 3 * mib, 4 * mib + 5, 16 * mib, 2 * mib, 20 * mib};
  for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
    memory = realloc(memory, sizes[s]);
    if (memory == NULL) fail("realloc");
    wrong += count_wrong(memory, bytes < sizes[s] ? bytes : sizes[s]);
    fill(memory, bytes, sizes[s]);
    bytes = sizes[s];
  }
  wrong += count_wrong(memory, bytes);
  free(memory);
  say("realloc", wrong);
}

static void zeros(void) {
  unsigned long wrong = 0;
  for (int round = 0; round < 3; ++round) {
    unsigned char* memory = calloc(16, mib);
    if (memory == NULL) fail("calloc");
    for (unsigned long i = 0; i < 16 * mib; ++i) wrong += memory[i] != 0;
    memset(memory, 1, 16 * mib);
    free(memory);
  }
  say("calloc", wrong);
}

// Never touched, so that only mappings are needed.
static void many(void) {
  enum { count = 256, bytes = 32 * mib };
  static void* pieces[count];
  unsigned long failed = 0;
  for (int i = 0; i < count; ++i) {
    pieces[i] = malloc(bytes);
    failed += pieces[i] == NULL;
  }
  // Neighbours of different protection cannot become one mapping.
  for (int i = 0; i < count; ++i) {
    const int protection = i % 2 == 0 ? PROT_READ : PROT_NONE;
    void* small = mmap(NULL, page_bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    failed += small == MAP_FAILED;
  }
  for (int i = 0; i < count; ++i) free(pieces[i]);
  say("many pieces", failed);
}

static void homes(void) {
  static int nodes[most_pages];
  int pages[max_nodes] = {0};
  char* memory = malloc(8 * mib);
  if (memory == NULL) fail("malloc");
  const int count = touched_homes(memory, 8 * mib, most_pages, nodes);
  for (int i = 0; i < count; ++i) pages[nodes[i] >= 0 ? nodes[i] : 0] += 1;
  for (int node = 0; node < node_count(); ++node) printf("pages on %d: %d\n", node, pages[node]);
  free(memory);
}

int main(void) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  say("an array that a constructor filled", count_wrong(filled, filled_bytes));
  resize();
  zeros();
  many();
  homes();
  return 0;
}

// Memory that waits for the next team (lares_set_next_team_affinity), under `lares run`. Prints
// each thing that is not as it must be; status 1 if there was one.
//
// next_team [move]: the chunks move for real; else only their homes are noted.
#include <lares/lares.h>
#include <lares/memory.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

enum { threads = 2, chunk_pages = 3, page = 4096, chunk = chunk_pages * page, pages = 8 };

static char* memory;
static int failures;

static void expect(int wanted, int got, const char* what, int which) {
  if (wanted == got) return;
#pragma omp critical
  {
    printf("%s %d: wanted %d, got %d\n", what, which, wanted, got);
    ++failures;
  }
}

static void all_on(int domain) {
  if (lares_attach_task(memory, pages * page, domain) != 0) puts(lares_memory_error());
}

static void wish(unsigned flags) {
  if (lares_set_next_team_affinity(memory, pages * page, chunk, flags) == 0) return;
  puts(lares_memory_error());
  ++failures;
}

// What the members see when their code starts: the homes of their chunks, where they are.
static void start_team(int homes[pages], int domains[threads]) {
#pragma omp parallel num_threads(threads)
  {
    const int me = omp_get_thread_num();
    int mine[pages];
    lares_page_homes(memory, pages * page, mine, pages);
    domains[me] = lares_domain_here();
    if (me == threads - 1) memcpy(homes, mine, sizeof mine);
  }
}

static void check_chunks(const char* what) {
  int homes[pages];
  int domains[threads];
  start_team(homes, domains);
  // Of two chunks and two pages more; these are nobody's.
  for (int i = 0; i < threads * chunk_pages; ++i) {
    expect(domains[i / chunk_pages], homes[i], what, i);
  }
  int several = 0;
  for (int i = 1; i < threads; ++i) several |= domains[i] != domains[0];
  expect(1, several, "members in several domains", 0);
}

// It holds for one team; the next finds what others have said since.
static void check_once(void) {
  int homes[pages];
  int domains[threads];
  all_on(1);
  start_team(homes, domains);
  for (int i = 0; i < pages; ++i) expect(1, homes[i], "a second team, page", i);
}

// So many regions without tasks that Lares leaves them to the stock runtime. What one member
// writes, the compiler does not see through.
static void many_regions(void) {
  int sum = 0;
  for (int i = 0; i < 100; ++i) {
#pragma omp parallel num_threads(threads) reduction(+ : sum)
    sum += omp_get_thread_num();
  }
  expect(100 * threads * (threads - 1) / 2, sum, "sum", 0);
}

static void check_trusted(unsigned flags) {
  int homes[pages];
  int domains[threads];
  for (int i = 0; i < 100; ++i) start_team(homes, domains);
  all_on(1);
  wish(flags);
  check_chunks("after regions without tasks, page");
}

// A team inside of a team is a team; the region outside got nothing.
static void check_nested(unsigned flags) {
  all_on(1);
#pragma omp parallel num_threads(threads)
  {
#pragma omp single
    {
      wish(flags);
      int homes[pages];
#pragma omp parallel num_threads(1)
      lares_page_homes(memory, pages * page, homes, pages);
      // One member has one chunk, and the rest is where it was.
      for (int i = chunk_pages; i < threads * chunk_pages; ++i) expect(1, homes[i], "nested", i);
      expect(lares_domain_here(), homes[0], "nested", 0);
    }
  }
}

int main(int argc, char** argv) {
  const unsigned flags = argc > 1 && strcmp(argv[1], "move") == 0 ? LARES_MOVE : 0;
  if (!lares_active() || lares_domain_count() < 2) {
    printf("active %d, domains %d\n", lares_active(), lares_domain_count());
    return 1;
  }
  memory = lares_alloc(pages * page, NULL, 0);
  if (memory == NULL) return 1;
  memset(memory, 7, pages * page);
  all_on(1);
  wish(flags);
  check_chunks("page");
  check_once();
  many_regions();
  check_trusted(flags);
  check_nested(flags);
  for (int i = 0; i < pages * page; ++i) expect(7, memory[i], "byte", i);
  lares_free(memory);
  return failures > 0;
}

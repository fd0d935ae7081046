// Every operation of lares/memory.h on however many nodes there are; after each, the kernel is
// asked where every page is.
//
// memory_homes: exit status 0 if all is where it should be, 1 with a sentence for what is not.
#include "numa.h"

#include <errno.h>
#include <lares/memory.h>
#include <pthread.h>
#include <sys/wait.h>

enum { pages_of_area = 192, area_bytes = pages_of_area * page_bytes };

static int failures;
static int domains;
static int domains_with_cpus;
static const char* operation = "";

static void wrong(const char* what, long page, int got, int wanted) {
  if (++failures < 20) {
    fprintf(stderr, "%s: %s (page %ld is on node %d, not on %d)\n", operation, what, page, got,
            wanted);
  }
}

static void require(int condition, const char* what) {
  if (condition) return;
  ++failures;
  fprintf(stderr, "%s: %s %s\n", operation, what, lares_memory_error());
}

static uint64_t word(uint64_t seed, size_t i) { return (i + seed) * 0x9E3779B97F4A7C15ULL; }

static void fill(uint64_t* area, uint64_t seed) {
  for (size_t i = 0; i < area_bytes / sizeof *area; ++i) area[i] = word(seed, i);
}

static void check_bytes(const uint64_t* area, uint64_t seed) {
  for (size_t i = 0; i < area_bytes / sizeof *area; ++i) {
    if (area[i] == word(seed, i)) continue;
    ++failures;
    fprintf(stderr, "%s: word %zu has changed\n", operation, i);
    return;
  }
}

static int several_nodes(void) {
  for (int d = 1; d < domains; ++d) {
    if (lares_domain_node(d) != lares_domain_node(0)) return 1;
  }
  return 0;
}

// The node of each page, by the kernel's own word.
static void nodes_of(void* area, int* nodes) {
  void* pages[pages_of_area];
  for (int i = 0; i < pages_of_area; ++i) pages[i] = (char*)area + (size_t)i * page_bytes;
  const unsigned long count = pages_of_area;
  if (syscall(SYS_move_pages, 0, count, pages, NULL, nodes, 0) != 0) fail("move_pages");
}

static int has_cpus(int domain) {
  char name[64];
  char list[64];
  snprintf(name, sizeof name, "node%d/cpulist", lares_domain_node(domain));
  read_node_file(name, list, sizeof list);
  return list[0] >= '0' && list[0] <= '9';
}

// wanted(i): the domain that page i must be in.
static void check_homes(void* area, int (*wanted)(int page)) {
  int nodes[pages_of_area];
  int said[pages_of_area];
  nodes_of(area, nodes);
  const size_t count = lares_page_homes(area, area_bytes, said, pages_of_area);
  require(count == pages_of_area, "wrong number of pages");
  for (int i = 0; i < pages_of_area; ++i) {
    const int domain = wanted(i);
    if (nodes[i] != lares_domain_node(domain)) {
      wrong("a page is not in its domain", i, nodes[i], lares_domain_node(domain));
    }
    if (said[i] != domain && several_nodes()) {
      wrong("lares_page_homes is wrong", i, said[i], domain);
    }
  }
}

static int target;
static int on_target(int page) { return page < 0 ? -1 : target; }
// Without a list, domains that are memory only have no part; they come last.
static int in_turn(int page) { return page / 8 % domains_with_cpus; }
static int a_piece_each(int page) {
  const int each = pages_of_area / domains_with_cpus;
  const int longer = pages_of_area % domains_with_cpus;
  if (page < longer * (each + 1)) return page / (each + 1);
  return longer + (page - longer * (each + 1)) / each;
}

static void* allocated(const lares_distribution* how) {
  void* area = lares_alloc(area_bytes, how, 0);
  if (area == NULL) {
    fprintf(stderr, "%s: no memory; %s\n", operation, lares_memory_error());
    exit(1);
  }
  fill(area, 1);
  return area;
}

static void allocate_on_each(void) {
  operation = "allocate on a domain";
  for (target = 0; target < domains; ++target) {
    const lares_distribution how = {.kind = LARES_ON_DOMAIN, .domains = &target, .domain_count = 1};
    void* area = allocated(&how);
    check_homes(area, on_target);
    lares_free(area);
  }
}

static void allocate_distributed(void) {
  operation = "allocate block-cyclic";
  const lares_distribution cyclic = {.kind = LARES_CYCLIC, .block = 8 * page_bytes};
  void* area = allocated(&cyclic);
  check_homes(area, in_turn);
  lares_free(area);

  operation = "allocate blocked";
  const lares_distribution blocked = {.kind = LARES_BLOCKED, .row = page_bytes};
  area = allocated(&blocked);
  check_homes(area, a_piece_each);
  lares_free(area);
}

// Where the kernel begins is its own choice; each node must have its share.
static void allocate_interleaved(void) {
  operation = "allocate interleaved";
  const lares_distribution how = {.kind = LARES_INTERLEAVED};
  void* area = allocated(&how);
  uint64_t pages[max_nodes] = {0};
  require(lares_homes(area, area_bytes, pages, max_nodes, NULL, NULL) == 0, "no homes;");
  for (int d = 0; several_nodes() && d < domains_with_cpus; ++d) {
    const long share = pages_of_area / domains_with_cpus;
    const long got = (long)pages[d];
    if (got < share - 1 || got > share + 2) wrong("an unequal share", got, d, d);
  }
  lares_free(area);
}

static void allocate_many_pieces(void) {
  operation = "allocate in more pieces than there may be mappings";
  const size_t pages = 4096;
  const uint32_t weights[max_nodes] = {3, 1, 1, 1, 1, 1, 1, 1, 1};
  const lares_distribution how = {.kind = LARES_INTERLEAVED, .weights = weights};
  char* area = lares_alloc(pages * page_bytes, &how, 0);
  require(area != NULL, "no memory;");
  if (area == NULL) return;
  for (size_t i = 0; i < pages; ++i) area[i * page_bytes] = 1;
  uint64_t found[max_nodes] = {0};
  lares_homes(area, pages * page_bytes, found, max_nodes, NULL, NULL);
  const uint64_t share = pages * 3 / (size_t)(domains + 2);
  if (several_nodes() && (found[0] < share - 8 || found[0] > share + 8)) {
    wrong("not by weights", (long)found[0], 0, (int)share);
  }
  lares_free(area);
}

static void migrate_everywhere(void) {
  operation = "migrate";
  uint64_t* area = reserve(area_bytes);
  require(lares_register(area, area_bytes) == 0, "not registered;");
  fill(area, 7);
  for (int round = 0; round < 2 * domains; ++round) {
    target = round * 3 % domains;
    lares_move_report report;
    require(lares_migrate(area, area_bytes, target, &report) == 0, "refused;");
    require(report.in_place == pages_of_area, "not every page was moved");
    check_homes(area, on_target);
    check_bytes(area, 7);
  }
  operation = "distribute";
  const lares_distribution cyclic = {.kind = LARES_CYCLIC, .block = 8 * page_bytes};
  lares_move_report report;
  require(lares_distribute(area, area_bytes, &cyclic, &report) == 0, "refused;");
  check_homes(area, in_turn);
  check_bytes(area, 7);
  require(lares_unregister(area) == 0, "not forgotten;");
  munmap(area, area_bytes);
}

struct toucher {
  uint64_t* area;
  int domain;
  int piece;
};

static void* fetch_all(void* argument) {
  const struct toucher* toucher = argument;
  run_on_node(lares_domain_node(toucher->domain));
  lares_move_report report;
  if (lares_fetch(toucher->area, area_bytes, &report) != 0) ++failures;
  return NULL;
}

static void* touch_piece(void* argument) {
  const struct toucher* toucher = argument;
  run_on_node(lares_domain_node(toucher->domain));
  const size_t words = page_bytes / sizeof(uint64_t);
  for (int page = 0; page < pages_of_area; ++page) {
    if (page / 8 % domains != toucher->piece) continue;
    uint64_t* at = toucher->area + (size_t)page * words;
    // Every other page is read, the rest written.
    const uint64_t value = *(volatile uint64_t*)at;
    if (page % 2 == 0) *(volatile uint64_t*)at = value;
  }
  return NULL;
}

static void on_another_thread(void* (*work)(void*), struct toucher* toucher) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, work, toucher) != 0) fail("pthread_create");
  pthread_join(thread, NULL);
}

static void fetch_from_each(uint64_t* area) {
  operation = "fetch";
  for (target = 0; target < domains; ++target) {
    if (!has_cpus(target)) continue;
    struct toucher toucher = {area, target, 0};
    on_another_thread(fetch_all, &toucher);
    check_homes(area, on_target);
  }
}

// Domains without cores are touched by the first one.
static int toucher_of(int piece) { return has_cpus(piece) ? piece : 0; }
static int by_toucher(int page) { return toucher_of(page / 8 % domains); }

static void touch_next(uint64_t* area, const char* name, enum lares_next_touch_way way) {
  operation = name;
  fill(area, 11);
  if (lares_migrate_on_next_touch(area, area_bytes, (size_t)8 * page_bytes, way) != 0) {
    fprintf(stderr, "%s: skipped; %s\n", operation, lares_memory_error());
    return;
  }
  pthread_t threads[max_nodes];
  struct toucher touchers[max_nodes];
  for (int d = 0; d < domains; ++d) {
    touchers[d] = (struct toucher){area, toucher_of(d), d};
    if (pthread_create(&threads[d], NULL, touch_piece, &touchers[d]) != 0) fail("pthread_create");
  }
  for (int d = 0; d < domains; ++d) pthread_join(threads[d], NULL);
  check_homes(area, by_toucher);
  check_bytes(area, 11);
}

static void fork_between(uint64_t* area) {
  operation = "fork between mark and touch";
  fill(area, 13);
  lares_migrate_on_next_touch(area, area_bytes, 0, LARES_WAY_AUTOMATIC);
  const pid_t child = fork();
  if (child == 0) {
    check_bytes(area, 13);
    _exit(failures != 0);
  }
  int status = 1;
  waitpid(child, &status, 0);
  require(status == 0, "the child sees other bytes");
  check_bytes(area, 13);
}

int main(void) {
  domains = lares_domain_count();
  while (domains_with_cpus < domains && has_cpus(domains_with_cpus)) ++domains_with_cpus;
  allocate_on_each();
  allocate_distributed();
  allocate_interleaved();
  allocate_many_pieces();
  migrate_everywhere();
  uint64_t* area = reserve(area_bytes);
  fill(area, 11);
  fetch_from_each(area);
  touch_next(area, "next touch by userfaultfd and a thread", LARES_WAY_USERFAULT_THREAD);
  touch_next(area, "next touch by userfaultfd and SIGBUS", LARES_WAY_USERFAULT_SIGNAL);
  touch_next(area, "next touch by mprotect", LARES_WAY_PROTECT);
  fork_between(area);
  if (failures == 0) printf("%d domains: every page is where it should be\n", domains);
  return failures == 0 ? 0 : 1;
}

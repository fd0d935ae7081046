// What it costs to move a page: by the kernel's own call, by lares_migrate, and at the next touch.
//
//   next_touch [--pages N] [--rounds N] [--chunk PAGES] [--way thread|signal|protect]
//
// Each round takes each method once, in a new order, on an area of its own whose pages are on the
// first domain's node, and moves it to the last domain that has cores (on a machine with one node
// the methods do all they do but for the move itself). Prints, for each method and round,
// "METHOD ROUND MICROSECONDS_PER_PAGE". Every byte is checked after each move: exit status 1 if one
// has changed, 2 after a wrong argument.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <lares/memory.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { page_bytes = 4096, batch = 512, methods = 4, move_own = 2 };

static const char* const names[methods] = {"move_pages", "memcpy", "migrate", "next_touch"};
static long pages = 4096;
static long rounds = 7;
static long chunk = 64;
static enum lares_next_touch_way way = LARES_WAY_AUTOMATIC;
static int from;
static int to;

static void fail(const char* what) {
  fprintf(stderr, "next_touch: %s: %s\n", what, strerror(errno));
  exit(1);
}

static double microseconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static uint64_t value(size_t i) { return (i + 1) * 0x9E3779B97F4A7C15ULL; }

// Its threads' node decides where touched pages go, so this one goes there, too.
static void run_in(int domain) {
  char path[80];
  char list[256] = "";
  snprintf(path, sizeof path, "/sys/devices/system/node/node%d/cpulist", lares_domain_node(domain));
  FILE* file = fopen(path, "r");
  if (file == NULL || fgets(list, sizeof list, file) == NULL) fail(path);
  fclose(file);
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET((size_t)strtoul(list, NULL, 10), &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0) fail("sched_setaffinity");
}

static int has_cores(int domain) {
  char path[80];
  snprintf(path, sizeof path, "/sys/devices/system/node/node%d/cpulist", lares_domain_node(domain));
  FILE* file = fopen(path, "r");
  const int first = file == NULL ? EOF : fgetc(file);
  if (file != NULL) fclose(file);
  return first >= '0' && first <= '9';
}

static uint64_t* new_area(void) {
  const size_t bytes = (size_t)pages * page_bytes;
  uint64_t* area = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (area == MAP_FAILED) fail("mmap");
  madvise(area, bytes, MADV_NOHUGEPAGE);
  for (size_t i = 0; i < bytes / sizeof *area; ++i) area[i] = value(i);
  return area;
}

static void move_raw(char* area) {
  static void* addresses[batch];
  static int nodes[batch];
  static int status[batch];
  for (long done = 0; done < pages; done += batch) {
    const long count = pages - done < batch ? pages - done : batch;
    for (long i = 0; i < count; ++i) {
      addresses[i] = area + (done + i) * page_bytes;
      nodes[i] = lares_domain_node(to);
    }
    if (syscall(SYS_move_pages, 0, (unsigned long)count, addresses, nodes, status, move_own) < 0) {
      fail("move_pages");
    }
  }
}

static void copy(const char* area) {
  const size_t bytes = (size_t)pages * page_bytes;
  char* target = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (target == MAP_FAILED) fail("mmap");
  madvise(target, bytes, MADV_NOHUGEPAGE);
  memcpy(target, area, bytes);
  munmap(target, bytes);
}

static void touch(char* area) {
  lares_mark_report report = {.size = sizeof report};
  if (lares_migrate_on_next_touch_with_report(area, (size_t)pages * page_bytes,
                                              (size_t)chunk * page_bytes, way, &report) != 0) {
    fprintf(stderr, "next_touch: %s\n", lares_memory_error());
    exit(1);
  }
  if (report.left != 0) {
    fprintf(stderr, "next_touch: %llu bytes were not marked\n", (unsigned long long)report.left);
    exit(1);
  }
  for (long page = 0; page < pages; ++page) *(volatile char*)(area + page * page_bytes);
}

static double measure(int method) {
  run_in(from);
  uint64_t* area = new_area();
  char* bytes = (char*)area;
  run_in(to);
  const double start = microseconds();
  if (method == 0) move_raw(bytes);
  if (method == 1) copy(bytes);
  if (method == 2 && lares_migrate(area, (size_t)pages * page_bytes, to, NULL) != 0)
    fail("migrate");
  if (method == 3) touch(bytes);
  const double taken = microseconds() - start;
  for (size_t i = 0; i < (size_t)pages * page_bytes / sizeof *area; ++i) {
    if (area[i] == value(i)) continue;
    fprintf(stderr, "next_touch: %s has changed word %zu\n", names[method], i);
    exit(1);
  }
  munmap(area, (size_t)pages * page_bytes);
  return taken / (double)pages;
}

static void read_options(int argc, char** argv) {
  for (int i = 1; i < argc; i += 2) {
    const char* text = i + 1 < argc ? argv[i + 1] : "";
    const long number = strtol(text, NULL, 10);
    if (strcmp(argv[i], "--pages") == 0 && number > 0) {
      pages = number;
    } else if (strcmp(argv[i], "--rounds") == 0 && number > 0) {
      rounds = number;
    } else if (strcmp(argv[i], "--chunk") == 0 && number > 0) {
      chunk = number;
    } else if (strcmp(argv[i], "--way") == 0 && strcmp(text, "thread") == 0) {
      way = LARES_WAY_USERFAULT_THREAD;
    } else if (strcmp(argv[i], "--way") == 0 && strcmp(text, "signal") == 0) {
      way = LARES_WAY_USERFAULT_SIGNAL;
    } else if (strcmp(argv[i], "--way") == 0 && strcmp(text, "protect") == 0) {
      way = LARES_WAY_PROTECT;
    } else {
      fprintf(stderr,
              "next_touch: '%s %s' is no option; accepted: --pages, --rounds, --chunk with "
              "a number, --way thread, signal or protect\n",
              argv[i], text);
      exit(2);
    }
  }
}

int main(int argc, char** argv) {
  read_options(argc, argv);
  for (int domain = 0; domain < lares_domain_count(); ++domain) {
    if (has_cores(domain)) to = domain;
  }
  printf("domains %d\n", lares_domain_count());
  for (long round = -1; round < rounds; ++round) {
    for (int i = 0; i < methods; ++i) {
      const int method = (int)((i + round + methods) % methods);
      const double taken = measure(method);
      // The first round warms up.
      if (round >= 0) printf("%s %ld %.4f\n", names[method], round, taken);
    }
  }
  return 0;
}

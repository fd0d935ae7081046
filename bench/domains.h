// What the programs of `lares bench` share: the domain of each CPU, memory that nobody has touched.
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { most_domains = 1024, most_cpus = 8192 };

typedef struct {
  int cpus;  // how many `of_cpu` knows; 0: NUMA nodes
  int of_cpu[most_cpus];
} Domains;

// The domain of the CPU that the caller runs on.
static inline int own_domain(const Domains* domains) {
  unsigned cpu = 0, node = 0;
  if (getcpu(&cpu, &node) != 0) return 0;
  if (domains->cpus == 0) return node < most_domains ? (int)node : 0;
  return cpu < (unsigned)domains->cpus ? domains->of_cpu[cpu] : 0;
}

static const char domains_accepted[] = "a list of domains from 0 to 1023, one for each CPU";

// From "0,0,1,1", the domain of CPU 0, 1, ...; 0 if it is not `domains_accepted`.
static inline int read_domains(const char* value, Domains* domains) {
  domains->cpus = 0;
  for (const char* at = value;; ++at) {
    char* end = NULL;
    const long domain = strtol(at, &end, 10);
    if (end == at || domain < 0 || domain >= most_domains || domains->cpus == most_cpus ||
        (*end != ',' && *end != '\0')) {
      return 0;
    }
    domains->of_cpu[domains->cpus++] = (int)domain;
    if (*end == '\0') return 1;
    at = end;
  }
}

// Pages of zeros, for `program` to write first: the C library's own would be touched before.
static inline void* fresh(const char* program, double bytes) {
  void* memory = bytes < 1e18 ? mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE,
                                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                              : MAP_FAILED;
  if (memory == MAP_FAILED) {
    fprintf(stderr, "%s: no memory for %.0f bytes\n", program, bytes);
    exit(1);
  }
  return memory;
}

// What the host wants run.
#ifndef LARES_LAB_INIT_JOB_H
#define LARES_LAB_INIT_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <time.h>

#include "lab/init/wire.h"

/// Strings of the job; the array ends with a null pointer.
struct list {
  uint32_t count;
  char** items;
};

struct job {
  uint32_t flags;  ///< LAB_TERMINAL, LAB_STDERR_APART
  uint16_t rows;
  uint16_t columns;
  uint32_t umask;
  struct timespec time;
  struct rlimit stack;
  struct rlimit open_files;
  char* folder;
  char* program;
  struct list arguments;
  struct list environment;
  struct list folders;
  struct list outputs;
};

/// Waits for the job. Ends the guest if it is damaged. The strings live as long as the process.
void receive_job(struct job* job);

/// Sets the clock, and makes the folders that the job names.
void prepare_job(const struct job* job);

#endif

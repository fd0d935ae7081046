// The user's program as a child of init.
#ifndef LARES_LAB_INIT_PROGRAM_H
#define LARES_LAB_INIT_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lab/init/job.h"

/// The program and our ends of its standard streams; -1 is a closed one. With a terminal, `input`
/// and `output` are two descriptors of its master.
struct program {
  pid_t pid;
  int input;
  int output;
  int error;
};

/// Why a program could not be started.
struct refusal {
  uint32_t kind;  ///< LAB_NOT_STARTED or LAB_NO_FOLDER
  uint32_t reason;
};

/// Starts the job's program. False if it could not be: `refusal` says why.
bool start_program(const struct job* job, struct program* program, struct refusal* refusal);

#endif

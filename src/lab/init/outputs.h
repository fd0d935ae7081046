// Brings the program's output files to the host.
#ifndef LARES_LAB_INIT_OUTPUTS_H
#define LARES_LAB_INIT_OUTPUTS_H

#include "lab/init/job.h"

/// Sends every output file of the job, in order, or why there is none.
void send_outputs(const struct list* paths);

#endif

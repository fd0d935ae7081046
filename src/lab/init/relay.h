// Carries streams and signals between the program and the host.
#ifndef LARES_LAB_INIT_RELAY_H
#define LARES_LAB_INIT_RELAY_H

#include "lab/init/program.h"

/// Works until the program has ended, then sends what it left in its pipes. What its children write
/// later is lost, as they end with the guest. Returns the status of waitpid.
int relay(struct program* program);

#endif

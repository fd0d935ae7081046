// Stands in for the preloaded library: it answers what the environment variable FAKE_ACTIVE says.
#include <stdlib.h>

__attribute__((visibility("default"))) int lares_runtime_active(void);

int lares_runtime_active(void) { return getenv("FAKE_ACTIVE") != NULL; }

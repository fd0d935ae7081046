// A library of the tests of lares::lab::closure_of, which needs the C library itself.
#include <stdlib.h>

int lab_part(void);
int lab_part(void) { return getenv("LARES_LAB_PART") != NULL; }

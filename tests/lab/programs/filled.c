// A library whose constructor has filled its large array before anybody else's constructor runs.
#include "filled.h"

unsigned char filled[filled_bytes];

__attribute__((constructor)) static void fill(void) {
  for (unsigned long i = 0; i < filled_bytes; ++i) filled[i] = filled_value(i);
}

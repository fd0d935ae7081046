// The work that each construct has: long enough to be there, short beside what is measured.
#include "nested_overhead.h"

#include <time.h>

static const double delay_seconds = 1e-7;
static long delay_length = 64;

double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void delay(void) {
  for (long i = 0; i < delay_length; ++i) __asm__ volatile("" : : : "memory");
}

void calibrate_delay(void) {
  enum { calls = 1000 };
  double least = 1;
  for (int attempt = 0; attempt < 5; ++attempt) {
    const double start = seconds_now();
    for (int call = 0; call < calls; ++call) delay();
    const double each = (seconds_now() - start) / calls;
    if (each < least) least = each;
  }
  const double length = (double)delay_length * delay_seconds / (least > 0 ? least : delay_seconds);
  delay_length = length < 1 ? 1 : length > 1e6 ? 1000000 : (long)length;
}

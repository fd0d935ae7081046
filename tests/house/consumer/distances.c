#include <lares/lares.h>
#include <stdio.h>

int main(void) {
  return printf("%d %d %d %d %d\n", lares_active() ? lares_domain_count() : 0, lares_distance(0, 0),
                lares_distance(0, 1), lares_distance(1, 0), lares_distance(0, 2)) < 0;
}

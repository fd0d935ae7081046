#include <lares/lares.h>
#include <stdio.h>

int main(void) { return printf("%s %d\n", lares_version(), lares_active()) < 0; }

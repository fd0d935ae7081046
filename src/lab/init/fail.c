#include "lab/init/fail.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/reboot.h>
#include <unistd.h>

_Noreturn void end_guest(void) {
  // QEMU runs with -no-reboot: it ends.
  reboot(RB_AUTOBOOT);
  while (1) pause();
}

_Noreturn void fail(const char* what, const char* which) {
  const int reason = errno;
  int log = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
  if (log < 0) log = open("/dev/console", O_WRONLY | O_CLOEXEC | O_NOCTTY);
  // <2>, critical, so that a quiet console shows it too. One write is one message.
  char text[512];
  const int size = snprintf(text, sizeof(text), "<2>lares-init: cannot %s %s: %s\n", what, which,
                            strerror(reason));
  if (log >= 0 && size > 0 && write(log, text, strnlen(text, sizeof(text))) < 0) close(log);
  end_guest();
}

#include "lab/init/outputs.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/init/wire.h"
#include "lab/protocol/protocol.h"

/// Opens a regular file. Returns -1 and an errno if there is none.
static int open_regular(const char* path, struct stat* status) {
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file < 0 || fstat(file, status) != 0) return file;
  if (S_ISREG(status->st_mode)) return file;
  close(file);
  errno = S_ISDIR(status->st_mode) ? EISDIR : EINVAL;
  return -1;
}

static uint32_t send_content(int file) {
  while (1) {
    wire_drain();
    const ssize_t got = read(file, wire_payload(), LAB_PAYLOAD_LIMIT);
    if (got < 0) return (uint32_t)errno;
    if (got == 0) return 0;
    wire_commit(LAB_FILE_DATA, (size_t)got);
  }
}

static void send_output(uint32_t number, const char* path) {
  struct stat status = {0};
  const int file = open_regular(path, &status);
  const uint32_t begin[3] = {number, file < 0 ? (uint32_t)errno : 0, status.st_mode & 07777U};
  wire_send(LAB_FILE_BEGIN, begin, sizeof(begin));
  if (file < 0) return;
  const uint32_t reason = send_content(file);
  close(file);
  wire_send(LAB_FILE_END, &reason, sizeof(reason));
}

void send_outputs(const struct list* paths) {
  for (uint32_t i = 0; i < paths->count; ++i) send_output(i, paths->items[i]);
}

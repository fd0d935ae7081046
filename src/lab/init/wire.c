#include "lab/init/wire.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lab/init/fail.h"
#include "lab/protocol/protocol.h"

static const char ports[] = "/sys/class/virtio-ports";

static int port = -1;

static unsigned char out[LAB_HEADER_BYTES + LAB_PAYLOAD_LIMIT];
static size_t out_start;
static size_t out_end;

static unsigned char* in;
static size_t in_capacity;
static size_t in_start;  ///< of the first frame that was not given out
static size_t in_end;

static void nap(long milliseconds) {
  const struct timespec time = {0, milliseconds * 1000000};
  nanosleep(&time, NULL);
}

static bool is_wire(const char* device) {
  char path[512];
  char name[64] = "";
  snprintf(path, sizeof(path), "%s/%s/name", ports, device);
  FILE* file = fopen(path, "re");
  if (file == NULL) return false;
  if (fgets(name, sizeof(name), file) == NULL) name[0] = '\0';
  fclose(file);
  return strcmp(name, LAB_PORT_NAME "\n") == 0;
}

/// The port's device, once the kernel has found it.
static bool find_port(char* path, size_t size) {
  DIR* folder = opendir(ports);
  if (folder == NULL) return false;
  bool found = false;
  for (struct dirent* entry; !found && (entry = readdir(folder)) != NULL;) {
    found = is_wire(entry->d_name);
    if (found) snprintf(path, size, "/dev/%s", entry->d_name);
  }
  closedir(folder);
  return found;
}

void wire_open(void) {
  char path[512];
  for (int tries = 0; port < 0 && tries < 20000; ++tries) {
    if (find_port(path, sizeof(path))) port = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (port < 0) nap(1);
  }
  if (port < 0) fail("open the port", LAB_PORT_NAME);
}

int wire_file(void) { return port; }

bool wire_is_idle(void) { return out_start == out_end; }

unsigned char* wire_payload(void) { return out + LAB_HEADER_BYTES; }

void wire_commit(uint8_t channel, size_t length) {
  out[0] = channel;
  for (int i = 0; i < 4; ++i) out[1 + i] = (unsigned char)(length >> (8 * i));
  out_start = 0;
  out_end = LAB_HEADER_BYTES + length;
  wire_flush();
}

void wire_send(uint8_t channel, const void* payload, size_t length) {
  wire_drain();
  if (length > 0) memcpy(wire_payload(), payload, length);
  wire_commit(channel, length);
}

void wire_flush(void) {
  while (out_start < out_end) {
    const ssize_t written = write(port, out + out_start, out_end - out_start);
    if (written < 0 && errno == EAGAIN) return;
    if (written < 0 && errno != EINTR) fail("write to", LAB_PORT_NAME);
    if (written > 0) out_start += (size_t)written;
  }
}

/// poll() says POLLHUP for ever while the host has not opened its end.
static void wait_for(short events) {
  struct pollfd file = {port, events, 0};
  if (poll(&file, 1, -1) > 0 && (file.revents & events) == 0) nap(1);
}

void wire_drain(void) {
  for (wire_flush(); !wire_is_idle(); wire_flush()) wait_for(POLLOUT);
}

/// Makes room for `size` bytes from in_start on.
static void reserve_input(size_t size) {
  if (in_start > 0) {
    memmove(in, in + in_start, in_end - in_start);
    in_end -= in_start;
    in_start = 0;
  }
  if (size <= in_capacity) return;
  unsigned char* const larger = realloc(in, size);
  if (larger == NULL) fail("hold a frame from", LAB_PORT_NAME);
  in = larger;
  in_capacity = size;
}

/// The length of the frame that starts at in_start; 0 if its header is not there yet.
static size_t next_length(void) {
  if (in_end - in_start < LAB_HEADER_BYTES) return 0;
  return LAB_HEADER_BYTES + (size_t)get_u32(in + in_start + 1);
}

bool wire_fill(void) {
  const size_t whole = next_length();
  const size_t usual = LAB_HEADER_BYTES + LAB_PAYLOAD_LIMIT;
  reserve_input(whole > usual ? whole : usual);
  const ssize_t got = read(port, in + in_end, in_capacity - in_end);
  if (got <= 0) return false;
  in_end += (size_t)got;
  return true;
}

bool wire_receive(struct frame* frame) {
  const size_t whole = next_length();
  if (whole == 0 || in_end - in_start < whole) return false;
  frame->channel = in[in_start];
  frame->length = (uint32_t)(whole - LAB_HEADER_BYTES);
  frame->payload = in + in_start + LAB_HEADER_BYTES;
  in_start += whole;
  return true;
}

void wire_wait(struct frame* frame) {
  while (!wire_receive(frame)) {
    if (!wire_fill()) wait_for(POLLIN);
  }
}

uint16_t get_u16(const unsigned char* at) { return (uint16_t)(at[0] | at[1] << 8); }

uint32_t get_u32(const unsigned char* at) {
  return (uint32_t)get_u16(at) | (uint32_t)get_u16(at + 2) << 16;
}

uint64_t get_u64(const unsigned char* at) {
  return (uint64_t)get_u32(at) | (uint64_t)get_u32(at + 4) << 32;
}

#include "lab/init/job.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lab/init/fail.h"
#include "lab/init/system.h"
#include "lab/protocol/protocol.h"

/// What is left of the payload.
struct reader {
  char* at;
  size_t left;
};

static _Noreturn void fail_damaged(void) {
  errno = EBADMSG;
  fail("read", "the job");
}

static unsigned char* take(struct reader* from, size_t size) {
  if (size > from->left) fail_damaged();
  unsigned char* bytes = (unsigned char*)from->at;
  from->at += size;
  from->left -= size;
  return bytes;
}

static uint16_t take_u16(struct reader* from) { return get_u16(take(from, 2)); }
static uint32_t take_u32(struct reader* from) { return get_u32(take(from, 4)); }
static uint64_t take_u64(struct reader* from) { return get_u64(take(from, 8)); }

static char* take_string(struct reader* from) {
  return (char*)take(from, strnlen(from->at, from->left) + 1);
}

static struct list take_list(struct reader* from) {
  struct list list = {take_u32(from), NULL};
  if (list.count > from->left) fail_damaged();
  list.items = calloc((size_t)list.count + 1, sizeof(char*));
  if (list.items == NULL) fail("hold", "the job");
  for (uint32_t i = 0; i < list.count; ++i) list.items[i] = take_string(from);
  return list;
}

static struct rlimit take_limit(struct reader* from) {
  struct rlimit limit;
  limit.rlim_cur = take_u64(from);
  limit.rlim_max = take_u64(from);
  return limit;
}

/// A copy of the payload: the frame's own bytes are gone with the next frame.
static struct reader copy_payload(const struct frame* frame) {
  struct reader copy = {malloc((size_t)frame->length + 1), frame->length};
  if (copy.at == NULL) fail("hold", "the job");
  memcpy(copy.at, frame->payload, frame->length);
  return copy;
}

static void read_settings(struct job* job, struct reader* from) {
  job->flags = take_u32(from);
  job->rows = take_u16(from);
  job->columns = take_u16(from);
  job->umask = take_u32(from);
  job->time.tv_sec = (time_t)take_u64(from);
  job->time.tv_nsec = (long)take_u32(from);
  job->stack = take_limit(from);
  job->open_files = take_limit(from);
}

void receive_job(struct job* job) {
  struct frame frame;
  wire_wait(&frame);
  if (frame.channel != LAB_JOB) fail_damaged();
  struct reader from = copy_payload(&frame);
  read_settings(job, &from);
  job->folder = take_string(&from);
  job->program = take_string(&from);
  job->arguments = take_list(&from);
  job->environment = take_list(&from);
  job->folders = take_list(&from);
  job->outputs = take_list(&from);
}

void prepare_job(const struct job* job) {
  clock_settime(CLOCK_REALTIME, &job->time);
  // What cannot be made, such as a folder below a file, the program will miss and say so.
  for (uint32_t i = 0; i < job->folders.count; ++i) make_folders(job->folders.items[i]);
}

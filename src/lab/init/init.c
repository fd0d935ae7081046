// The guest's first process: makes a system, runs one program for the host, and tells how it ended.
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "lab/init/job.h"
#include "lab/init/outputs.h"
#include "lab/init/program.h"
#include "lab/init/relay.h"
#include "lab/init/system.h"
#include "lab/init/wire.h"
#include "lab/protocol/protocol.h"
#include "lares/lab.h"

static void send_state(uint8_t state) { wire_send(LAB_STATE, &state, sizeof(state)); }

static void send_exit(uint8_t kind, uint32_t value) {
  const uint32_t killed = killed_for_memory();
  unsigned char payload[9] = {kind};
  memcpy(payload + 1, &value, sizeof(value));
  memcpy(payload + 5, &killed, sizeof(killed));
  wire_send(LAB_EXIT, payload, sizeof(payload));
  wire_drain();
}

/// Before any child is there, so that no end is missed.
static void hold_child_signals(void) {
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child, NULL);
}

static void run(const struct job* job) {
  struct program program;
  struct refusal refusal;
  // From here on memory accesses are counted, if they are; never mind our own few.
  lares_lab_internal_send(LARES_LAB_PROGRAM_BEGIN, "");
  if (!start_program(job, &program, &refusal)) {
    send_exit((uint8_t)refusal.kind, refusal.reason);
    return;
  }
  send_state(LAB_STARTED);
  const int status = relay(&program);
  lares_lab_internal_send(LARES_LAB_PROGRAM_END, "");
  send_outputs(&job->outputs);
  send_exit(LAB_ENDED, (uint32_t)status);
}

int main(void) {
  if (getpid() != 1) return 2;  // somebody is curious; this would change their machine
  set_up_system();
  hold_child_signals();
  wire_open();
  send_state(LAB_READY);
  struct job job;
  receive_job(&job);
  prepare_job(&job);
  run(&job);
  // A write to the port gives no sign of its arrival: the host ends us when it has everything.
  while (true) pause();
}

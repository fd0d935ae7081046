#include "lab/init/relay.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab/init/fail.h"
#include "lab/init/wire.h"
#include "lab/protocol/protocol.h"

/// Standard input on its way to the program. The host sends no more than fits.
static unsigned char input[LAB_INPUT_WINDOW];
static size_t input_size;
static bool input_ended;

/// What the host is owed as soon as the wire is idle: relaying never waits for the wire.
static uint32_t input_taken;
static bool pong_due;

static void close_file(int* file) {
  if (*file >= 0) close(*file);
  *file = -1;
}

static int watch_children(void) {
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  const int file = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
  if (file < 0) fail("wait for", "children");
  return file;
}

/// Buries the dead, of which init inherits all. True if the program is among them.
static bool has_ended(pid_t pid, int* status) {
  bool ended = false;
  int any = 0;
  for (pid_t dead; (dead = waitpid(-1, &any, WNOHANG)) > 0;) {
    if (dead != pid) continue;
    *status = any;
    ended = true;
  }
  return ended;
}

/// Sends up to `most` bytes that the program wrote. Precondition: the wire is idle.
static size_t take_output(int* file, uint8_t channel, size_t most) {
  if (most > LAB_PAYLOAD_LIMIT) most = LAB_PAYLOAD_LIMIT;
  const ssize_t got = read(*file, wire_payload(), most);
  if (got > 0) {
    wire_commit(channel, (size_t)got);
    return (size_t)got;
  }
  // A terminal says EIO when nobody has it open.
  if (got == 0 || (errno != EAGAIN && errno != EINTR)) close_file(file);
  return 0;
}

/// The rest of what the program wrote. Only what is there now: its children may write for ever.
static void drain_output(int* file, uint8_t channel) {
  int left = 0;
  if (*file < 0 || ioctl(*file, FIONREAD, &left) != 0) return;
  while (left > 0 && *file >= 0) {
    wire_drain();
    const size_t got = take_output(file, channel, (size_t)left);
    if (got == 0) break;
    left -= (int)got;
  }
}

/// A terminal's bytes arrive a moment after they were written; reading waits for that moment, and
/// the count of FIONREAD does not.
static void drain_terminal(int* file) {
  for (int pieces = 0; *file >= 0 && pieces < 64; ++pieces) {
    wire_drain();
    if (take_output(file, LAB_STDOUT, LAB_PAYLOAD_LIMIT) == 0) return;
  }
}

static void give_input(struct program* program) {
  if (program->input < 0) return;
  if (input_size > 0) {
    const ssize_t written = write(program->input, input, input_size);
    if (written < 0 && errno != EAGAIN && errno != EINTR) {
      // The program reads no more. The host is not told that the bytes were taken, so it stops too.
      close_file(&program->input);
      input_size = 0;
      return;
    }
    if (written > 0) {
      input_size -= (size_t)written;
      memmove(input, input + written, input_size);
      input_taken += (uint32_t)written;
    }
  }
  if (input_size == 0 && input_ended) close_file(&program->input);
}

static void hold_input(struct program* program, const struct frame* frame) {
  if (program->input < 0) return;
  if (frame->length > sizeof(input) - input_size) {
    errno = EOVERFLOW;
    fail("hold", "standard input");
  }
  memcpy(input + input_size, frame->payload, frame->length);
  input_size += frame->length;
}

static void pass_signal(const struct program* program, const struct frame* frame) {
  if (frame->length < 2) return;
  const int number = frame->payload[0];
  kill(frame->payload[1] != 0 ? -program->pid : program->pid, number);
}

static void resize(const struct program* program, const struct frame* frame) {
  if (frame->length < 4 || program->output < 0) return;
  const struct winsize size = {get_u16(frame->payload), get_u16(frame->payload + 2), 0, 0};
  ioctl(program->output, TIOCSWINSZ, &size);
}

static void close_output(struct program* program, const struct frame* frame) {
  if (frame->length < 1) return;
  close_file(frame->payload[0] == LAB_STDERR ? &program->error : &program->output);
}

static void obey(struct program* program, const struct frame* frame) {
  switch (frame->channel) {
    case LAB_STDIN:
      hold_input(program, frame);
      break;
    case LAB_STDIN_END:
      input_ended = true;
      break;
    case LAB_SIGNAL:
      pass_signal(program, frame);
      break;
    case LAB_WINDOW:
      resize(program, frame);
      break;
    case LAB_CLOSE:
      close_output(program, frame);
      break;
    case LAB_PING:
      pong_due = true;
      break;
    default:
      break;
  }
}

static void obey_all(struct program* program) {
  struct frame frame;
  while (wire_fill()) {
    while (wire_receive(&frame)) obey(program, &frame);
  }
}

enum { on_wire, on_children, on_output, on_error, on_input, file_count };

/// Sleeps until there is something to do.
static void wait_for_work(const struct program* program, int children, struct pollfd* files) {
  const bool idle = wire_is_idle();
  const short wire_events = idle ? POLLIN : POLLIN | POLLOUT;
  const bool has_input = input_size > 0 || input_ended;
  files[on_wire] = (struct pollfd){wire_file(), wire_events, 0};
  files[on_children] = (struct pollfd){children, POLLIN, 0};
  files[on_output] = (struct pollfd){idle ? program->output : -1, POLLIN, 0};
  files[on_error] = (struct pollfd){idle ? program->error : -1, POLLIN, 0};
  files[on_input] = (struct pollfd){has_input ? program->input : -1, POLLOUT, 0};
  while (poll(files, file_count, -1) < 0) {
  }
}

static void pay_debts(void) {
  if (pong_due && wire_is_idle()) {
    pong_due = false;
    wire_commit(LAB_PONG, 0);
  }
  if (input_taken > 0 && wire_is_idle()) {
    memcpy(wire_payload(), &input_taken, sizeof(input_taken));
    wire_commit(LAB_INPUT_TAKEN, sizeof(input_taken));
    input_taken = 0;
  }
}

static void work(struct program* program, const struct pollfd* files) {
  wire_flush();
  if (files[on_wire].revents != 0) obey_all(program);
  if (files[on_input].revents != 0) give_input(program);
  pay_debts();
  if (files[on_output].revents != 0 && program->output >= 0 && wire_is_idle()) {
    take_output(&program->output, LAB_STDOUT, LAB_PAYLOAD_LIMIT);
  }
  if (files[on_error].revents != 0 && program->error >= 0 && wire_is_idle()) {
    take_output(&program->error, LAB_STDERR, LAB_PAYLOAD_LIMIT);
  }
}

int relay(struct program* program) {
  const int children = watch_children();
  const bool terminal = isatty(program->output) != 0;
  int status = 0;
  while (!has_ended(program->pid, &status)) {
    struct pollfd files[file_count];
    wait_for_work(program, children, files);
    struct signalfd_siginfo news;
    while (read(children, &news, sizeof(news)) > 0) {
    }
    work(program, files);
  }
  if (terminal) {
    drain_terminal(&program->output);
  } else {
    drain_output(&program->output, LAB_STDOUT);
  }
  drain_output(&program->error, LAB_STDERR);
  close(children);
  return status;
}

#include "lab/init/program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab/init/fail.h"
#include "lab/protocol/protocol.h"

/// The program's ends of its standard streams.
struct streams {
  int input;
  int output;
  int error;
};

/// Our end never blocks us, the program's end is an ordinary pipe.
static int pipe_to(int* theirs, bool they_read) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) fail("make", "a pipe");
  const int ours = ends[they_read ? 1 : 0];
  *theirs = ends[they_read ? 0 : 1];
  fcntl(ours, F_SETFL, O_NONBLOCK);
  return ours;
}

static void open_terminal(const struct job* job, struct program* program, struct streams* theirs) {
  program->output = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
  if (program->output < 0 || grantpt(program->output) != 0 || unlockpt(program->output) != 0) {
    fail("make", "a terminal");
  }
  theirs->output = open(ptsname(program->output), O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (theirs->output < 0) fail("open", "a terminal");
  const struct winsize size = {job->rows, job->columns, 0, 0};
  ioctl(theirs->output, TIOCSWINSZ, &size);
  theirs->input = theirs->output;
  program->input = fcntl(program->output, F_DUPFD_CLOEXEC, 3);
}

static void open_streams(const struct job* job, struct program* program, struct streams* theirs) {
  if ((job->flags & LAB_TERMINAL) != 0) {
    open_terminal(job, program, theirs);
  } else {
    program->input = pipe_to(&theirs->input, true);
    program->output = pipe_to(&theirs->output, false);
  }
  program->error = -1;
  theirs->error = theirs->output;
  if ((job->flags & LAB_STDERR_APART) != 0) program->error = pipe_to(&theirs->error, false);
}

static void close_streams(const struct streams* theirs) {
  close(theirs->input);
  if (theirs->output != theirs->input) close(theirs->output);
  if (theirs->error != theirs->output) close(theirs->error);
}

/// A hard limit that the host had raised may be above what this kernel allows.
static void set_limit(__rlimit_resource_t which, struct rlimit limit) {
  if (setrlimit(which, &limit) == 0) return;
  limit.rlim_max = limit.rlim_cur;
  setrlimit(which, &limit);
}

/// What init changed about itself, back to what a program expects.
static void become_ordinary(const struct job* job) {
  signal(SIGPIPE, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file >= 0) {
    dprintf(file, "0");
    close(file);
  }
  umask((mode_t)job->umask);
  set_limit(RLIMIT_STACK, job->stack);
  set_limit(RLIMIT_NOFILE, job->open_files);
}

static struct refusal become_program(const struct job* job, const struct streams* mine) {
  setsid();
  if ((job->flags & LAB_TERMINAL) != 0) ioctl(mine->input, TIOCSCTTY, 0);
  dup2(mine->input, STDIN_FILENO);
  dup2(mine->output, STDOUT_FILENO);
  dup2(mine->error, STDERR_FILENO);
  become_ordinary(job);
  if (chdir(job->folder) != 0) return (struct refusal){LAB_NO_FOLDER, (uint32_t)errno};
  execve(job->program, job->arguments.items, job->environment.items);
  return (struct refusal){LAB_NOT_STARTED, (uint32_t)errno};
}

/// True if the child became the program, which closes its end of the pipe.
static bool has_started(int report, struct refusal* refusal) {
  ssize_t got = 0;
  do got = read(report, refusal, sizeof(*refusal));
  while (got < 0 && errno == EINTR);
  return got != (ssize_t)sizeof(*refusal);
}

bool start_program(const struct job* job, struct program* program, struct refusal* refusal) {
  struct streams theirs;
  open_streams(job, program, &theirs);
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) fail("make", "a pipe");
  program->pid = fork();
  if (program->pid < 0) fail("make", "a process");
  if (program->pid == 0) {
    const struct refusal mine = become_program(job, &theirs);
    const ssize_t written = write(report[1], &mine, sizeof(mine));
    _exit(written == (ssize_t)sizeof(mine) ? 127 : 126);
  }
  close(report[1]);
  close_streams(&theirs);
  const bool started = has_started(report[0], refusal);
  close(report[0]);
  return started;
}

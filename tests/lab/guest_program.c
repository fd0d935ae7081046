// The program that lab_run_test.py runs in guests. Its first argument says what to do.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

extern char** environ;

static void write_all(int file, const unsigned char* bytes, size_t size) {
  while (size > 0) {
    const ssize_t written = write(file, bytes, size);
    if (written < 0) _exit(99);
    bytes += written;
    size -= (size_t)written;
  }
}

/// `size` bytes that no line discipline and no encoding leaves alone, different for each stream.
static void write_pattern(int file, size_t size) {
  unsigned char block[65536];
  unsigned state = (unsigned)file;
  while (size > 0) {
    const size_t part = size < sizeof(block) ? size : sizeof(block);
    for (size_t i = 0; i < part; ++i) {
      state = state * 1664525u + 1013904223u;
      block[i] = (unsigned char)(state >> 24);
    }
    write_all(file, block, part);
    size -= part;
  }
}

static volatile sig_atomic_t caught;
static void catch_signal(int number) { caught = number; }

/// Says that it is ready, waits for a signal, says which came.
static int wait_for_signal(int status) {
  struct sigaction action = {0};
  action.sa_handler = catch_signal;
  for (int number = 1; number < 32; ++number) sigaction(number, &action, NULL);
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &before);
  printf("ready\n");
  fflush(stdout);
  while (caught == 0) sigsuspend(&before);
  printf("caught %d\n", (int)caught);
  return status;
}

static _Noreturn void hang(bool stubborn) {
  for (int number = 1; stubborn && number < 32; ++number) signal(number, SIG_IGN);
  printf("ready\n");
  fflush(stdout);
  while (1) pause();
}

/// Takes all memory of the guest.
static _Noreturn void hog(void) {
  printf("ready\n");
  fflush(stdout);
  for (size_t step = (size_t)1 << 20;;) {
    char* more = malloc(step);
    if (more != NULL) memset(more, 1, step);
  }
}

static int sysrq(const char* letter) {
  const int file = open("/proc/sysrq-trigger", O_WRONLY);
  if (file < 0 || write(file, letter, 1) != 1) return 98;
  return 97;
}

static int write_files(int count, char** paths) {
  for (int i = 0; i < count; ++i) {
    FILE* file = fopen(paths[i], "wb");
    if (file == NULL) return 96;
    for (int byte = 0; byte < 300000; ++byte) fputc(byte % 251 + i, file);
    fclose(file);
  }
  return 0;
}

static int show(int count, char** words) {
  char folder[4096];
  struct rlimit stack;
  getrlimit(RLIMIT_STACK, &stack);
  const mode_t mask = umask(0);
  printf("%s\n%o\n%ld\n", getcwd(folder, sizeof(folder)), (unsigned)mask, (long)stack.rlim_cur);
  for (int i = 0; i < count; ++i) printf("%s%c", words[i], 0);
  printf("%c", 0);
  for (char** entry = environ; *entry != NULL; ++entry) printf("%s%c", *entry, 0);
  return 0;
}

static int terminal(void) {
  struct winsize size = {0};
  ioctl(0, TIOCGWINSZ, &size);
  printf("%d%d%d %dx%d\n", isatty(0), isatty(1), isatty(2), size.ws_row, size.ws_col);
  fflush(stdout);
  char line[64];
  while (fgets(line, sizeof(line), stdin) != NULL) printf("got %s", line);
  return 0;
}

static int run(const char* what, int count, char** words) {
  if (strcmp(what, "exit") == 0) return atoi(words[0]);
  if (strcmp(what, "raise") == 0) return raise(atoi(words[0]));
  if (strcmp(what, "pattern") == 0) {
    write_pattern(1, strtoul(words[0], NULL, 10));
    write_pattern(2, strtoul(words[0], NULL, 10));
    return 0;
  }
  if (strcmp(what, "catch") == 0) return wait_for_signal(atoi(words[0]));
  if (strcmp(what, "hang") == 0) hang(false);
  if (strcmp(what, "stubborn") == 0) hang(true);
  if (strcmp(what, "hog") == 0) hog();
  if (strcmp(what, "sysrq") == 0) return sysrq(words[0]);
  if (strcmp(what, "write") == 0) return write_files(count, words);
  if (strcmp(what, "show") == 0) return show(count, words);
  if (strcmp(what, "terminal") == 0) return terminal();
  return 95;
}

int main(int count, char** words) {
  if (count < 2) return 94;
  return run(words[1], count - 2, words + 2);
}

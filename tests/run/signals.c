// A program whose end the tests choose: signals that it sends to itself, or waits for.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t received;

static void count(int signal) {
  (void)signal;
  ++received;
}

static void catch (int signal) {
  struct sigaction action;
  memset(&action, 0, sizeof(action));
  action.sa_handler = count;
  sigaction(signal, &action, NULL);
}

// Says "ready", waits for one signal of the kind `signal` and says so.
static int wait_for(int signal) {
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, signal);
  sigprocmask(SIG_BLOCK, &blocked, &before);
  catch (signal);
  puts("ready");
  fflush(stdout);
  while (received == 0) sigsuspend(&before);
  puts("received");
  return 41;
}

// Counts the signals of the kind `signal` until SIGTERM comes.
static int count_until_term(int signal) {
  static const struct timespec never = {3600, 0};
  sigset_t both;
  sigemptyset(&both);
  sigaddset(&both, signal);
  sigaddset(&both, SIGTERM);
  sigprocmask(SIG_BLOCK, &both, NULL);
  puts("ready");
  fflush(stdout);
  int counted = 0;
  while (sigtimedwait(&both, NULL, &never) == signal) {
    printf("counted %d\n", ++counted);
    fflush(stdout);
  }
  printf("in all %d\n", counted);
  return 0;
}

// Shows the signals that are blocked or ignored, as the program finds them.
static int show(void) {
  sigset_t mask;
  sigprocmask(SIG_BLOCK, NULL, &mask);
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action;
    if (sigaction(signal, NULL, &action) != 0) continue;
    if (sigismember(&mask, signal) == 1) printf("blocked %d\n", signal);
    if (action.sa_handler == SIG_IGN) printf("ignored %d\n", signal);
  }
  printf("group %d\n", getpgrp() == getpid());
  return 0;
}

int main(int argc, char** argv) {
  if (argc > 2 && strcmp(argv[1], "die") == 0) {
    raise(atoi(argv[2]));
    return 1;
  }
  if (argc > 2 && strcmp(argv[1], "wait") == 0) return wait_for(atoi(argv[2]));
  if (argc > 2 && strcmp(argv[1], "count") == 0) return count_until_term(atoi(argv[2]));
  if (argc > 1 && strcmp(argv[1], "show") == 0) return show();
  return 2;
}

#include "lab/init/system.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lab/init/fail.h"
#include "lab/protocol/protocol.h"

static void mount_on(const char* type, const char* folder, const char* options) {
  if (make_folders(folder) != 0) fail("make the folder", folder);
  // EBUSY: the kernel has mounted it already.
  if (mount(type, folder, type, MS_NOSUID, options) != 0 && errno != EBUSY) fail("mount", folder);
}

/// Nothing is mounted over a folder that may hold files of the image.
static void mount_all(void) {
  mount_on("devtmpfs", "/dev", "mode=0755");
  mount_on("proc", "/proc", NULL);
  mount_on("sysfs", "/sys", NULL);
  mount_on("devpts", "/dev/pts", "mode=0620,ptmxmode=0666");
  mount_on("tmpfs", "/dev/shm", "mode=1777");
  make_folders("/tmp");
  chmod("/tmp", 01777);
  make_folders("/var/tmp");
  make_folders("/run");
}

/// The kernel starts us without open files if the image has no /dev/console.
static void open_standard_streams(void) {
  const int null = open("/dev/null", O_RDWR);
  if (null < 0) fail("open", "/dev/null");
  for (int file = 0; file <= 2; ++file) dup2(null, file);
  if (null > 2) close(null);
  symlink("/proc/self/fd", "/dev/fd");
  symlink("/proc/self/fd/0", "/dev/stdin");
  symlink("/proc/self/fd/1", "/dev/stdout");
  symlink("/proc/self/fd/2", "/dev/stderr");
}

static void load_module(const char* path) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) fail("open the module", path);
  if (syscall(SYS_finit_module, file, "", 0) != 0 && errno != EEXIST) fail("load the module", path);
  close(file);
}

/// A kernel that has everything built in comes without the list.
static void load_modules(void) {
  FILE* list = fopen(LAB_MODULE_LIST, "re");
  if (list == NULL) return;
  char path[512];
  while (fgets(path, sizeof(path), list) != NULL) {
    path[strcspn(path, "\n")] = '\0';
    if (path[0] != '\0') load_module(path);
  }
  fclose(list);
}

/// Programs that talk to themselves by TCP are common; a guest without loopback is not worth
/// failing.
static void bring_up_loopback(void) {
  const int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (any < 0) return;
  struct ifreq request = {0};
  memcpy(request.ifr_name, "lo", sizeof("lo"));
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  ioctl(any, SIOCSIFFLAGS, &request);
  close(any);
}

/// The host must hear of init however busy the guest is, and however short of memory.
static void put_init_first(void) {
  const struct sched_param first = {.sched_priority = 1};
  sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &first);
  const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  dprintf(file, "-1000");
  close(file);
}

void set_up_system(void) {
  umask(0);
  mount_all();
  open_standard_streams();
  load_modules();
  bring_up_loopback();
  sethostname("lares-lab", strlen("lares-lab"));
  setenv("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", 1);
  signal(SIGPIPE, SIG_IGN);
  put_init_first();
}

int make_folders(const char* path) {
  char part[4096];
  const size_t length = strlen(path);
  if (length >= sizeof(part)) return ENAMETOOLONG;
  memcpy(part, path, length + 1);
  for (size_t i = 1; i <= length; ++i) {
    if (part[i] != '/' && part[i] != '\0') continue;
    part[i] = '\0';
    if (mkdir(part, 0755) != 0 && errno != EEXIST) return errno;
    part[i] = path[i];
  }
  return 0;
}

unsigned killed_for_memory(void) {
  FILE* file = fopen("/proc/vmstat", "re");
  if (file == NULL) return 0;
  char line[128];
  unsigned killed = 0;
  while (fgets(line, sizeof(line), file) != NULL) {
    if (strncmp(line, "oom_kill ", 9) == 0) killed = (unsigned)strtoul(line + 9, NULL, 10);
  }
  fclose(file);
  return killed;
}

#include "lab/session/qemu_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "lab/image/file.hpp"
#include "lab/session/qemu_command.hpp"

namespace lares::lab {
namespace {

constexpr const char* qemu_name = "qemu-system-x86_64";

std::string find_qemu() {
  const char* set = std::getenv("PATH");
  return find_in_path(qemu_name, set == nullptr ? "" : set);
}

Error system_error(std::string_view what) {
  return {fmt::format("cannot {}: {}", what, std::strerror(errno))};
}

/// Both ends of a connection: ours does not block.
struct Connection {
  File ours;
  File theirs;
};

Result<Connection> connect() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return system_error("make a socket for QEMU");
  }
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return Connection{File(ends[0]), File(ends[1])};
}

/// Everything that the child needs, made before fork.
struct QemuStart {
  std::string program;
  std::vector<std::string> words;
  std::vector<char*> pointers;
  std::vector<char*> environment;
  std::vector<int> inherited;
  int errors = -1;
  pid_t parent = -1;
};

void reset_signals() noexcept {
  // A command started with ignored signals must not hand that on: we end QEMU by signals.
  struct sigaction standard{};
  standard.sa_handler = SIG_DFL;
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGPIPE, SIGCHLD}) {
    sigaction(signal, &standard, nullptr);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

[[noreturn]] void become_qemu(const QemuStart& start) noexcept {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != start.parent) _exit(127);
  setsid();
  const int null = open("/dev/null", O_RDWR);
  dup2(null, STDIN_FILENO);
  dup2(start.errors, STDOUT_FILENO);
  dup2(start.errors, STDERR_FILENO);
  for (const int file : start.inherited) fcntl(file, F_SETFD, 0);
  reset_signals();
  execve(start.program.c_str(), start.pointers.data(), start.environment.data());
  dprintf(STDERR_FILENO, "cannot run %s: %s\n", start.program.c_str(), std::strerror(errno));
  _exit(127);
}

/// What the user preloads is meant for the program, not for QEMU.
void point_at(QemuStart& start) {
  start.pointers.push_back(start.program.data());
  for (std::string& word : start.words) start.pointers.push_back(word.data());
  start.pointers.push_back(nullptr);
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (!std::string_view(*entry).starts_with("LD_PRELOAD=")) start.environment.push_back(*entry);
  }
  start.environment.push_back(nullptr);
}

int open_process(pid_t pid) { return static_cast<int>(syscall(SYS_pidfd_open, pid, 0)); }

}  // namespace

Result<QemuProcess> QemuProcess::start(const Guest& guest, const BootFiles& boot,
                                       const Options& options) {
  QemuStart start;
  start.program = find_qemu();
  if (start.program.empty()) {
    return Error{
        fmt::format("cannot find {} in PATH; install the package qemu-system-x86", qemu_name)};
  }
  auto wire = connect();
  auto console = connect();
  auto monitor = connect();
  auto errors = connect();
  for (const auto* connection : {&wire, &console, &monitor, &errors}) {
    if (!*connection) return connection->error();
  }
  QemuFiles files{boot.kernel,
                  boot.initramfs,
                  wire.value().theirs.descriptor(),
                  console.value().theirs.descriptor(),
                  -1,
                  options.plugin};
  start.inherited = boot.inherited;
  start.inherited.insert(start.inherited.end(), {files.wire, files.console});
  QemuProcess process;
  if (options.monitor) {
    files.monitor = monitor.value().theirs.descriptor();
    start.inherited.push_back(files.monitor);
    process.monitor_ = std::move(monitor.value().ours);
  }
  start.words = qemu_arguments(guest, files);
  start.errors = errors.value().theirs.descriptor();
  start.parent = getpid();
  point_at(start);
  process.pid_ = fork();
  if (process.pid_ < 0) return system_error("start QEMU");
  if (process.pid_ == 0) become_qemu(start);
  process.wire_ = std::move(wire.value().ours);
  process.console_ = std::move(console.value().ours);
  process.errors_ = std::move(errors.value().ours);
  process.ended_ = File(open_process(process.pid_));
  if (!process.ended_.is_open()) return system_error("watch QEMU");
  return process;
}

QemuProcess::QemuProcess(QemuProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      wire_(std::move(other.wire_)),
      console_(std::move(other.console_)),
      monitor_(std::move(other.monitor_)),
      errors_(std::move(other.errors_)),
      ended_(std::move(other.ended_)),
      end_(other.end_) {}

QemuProcess::~QemuProcess() {
  if (pid_ > 0) end(0);
}

std::optional<ChildEnd> QemuProcess::poll() {
  int status = 0;
  if (!end_ && pid_ > 0 && waitpid(pid_, &status, WNOHANG) == pid_) {
    end_ = WIFSIGNALED(status) ? ChildEnd{0, WTERMSIG(status)} : ChildEnd{WEXITSTATUS(status), 0};
  }
  return end_;
}

void QemuProcess::pause() const {
  if (!end_) kill(pid_, SIGSTOP);
}

void QemuProcess::resume() const {
  if (!end_) kill(pid_, SIGCONT);
}

void QemuProcess::end(int seconds) {
  pollfd ended{ended_.descriptor(), POLLIN, 0};
  if (seconds > 0 && !poll()) {
    kill(pid_, SIGTERM);
    ::poll(&ended, 1, seconds * 1000);
  }
  if (!poll()) {
    kill(pid_, SIGKILL);
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    end_ = ChildEnd{0, SIGKILL};
  }
  pid_ = -1;
}

}  // namespace lares::lab

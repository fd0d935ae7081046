#include "cli/launch/process.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>

#include "base/file_stream.hpp"
#include "cli/launch/program.hpp"

namespace lares::cli {
namespace {

/// What this process changes about its own signals and the program must find unchanged.
struct SignalState {
  sigset_t mask{};
  struct sigaction on_child{};
};

/// Blocks everything, so that signals are fetched one by one with their sender, and makes sure that
/// the program can be waited for even if this process was started with SIGCHLD ignored.
SignalState take_signals() noexcept {
  SignalState before;
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &before.mask);
  struct sigaction standard{};
  standard.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &standard, &before.on_child);
  return before;
}

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> list;
  list.reserve(strings.size() + 1);
  for (const std::string& text : strings) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

/// Everything that exec needs, made before fork.
struct Image {
  const char* path;
  std::vector<char*> words;
  std::vector<char*> script_words;  ///< for a script without a #! line, which exec refuses
  std::vector<char*> environment;
};

constexpr const char* shell = "/bin/sh";

Image make_image(const std::string& path, const std::vector<std::string>& words,
                 const Environment& environment) {
  Image image{path.c_str(), pointers(words), {}, pointers(environment.entries())};
  image.script_words = {const_cast<char*>(shell), const_cast<char*>(path.c_str())};
  image.script_words.insert(image.script_words.end(), image.words.begin() + 1, image.words.end());
  return image;
}

/// Only in the child. Returns the reason if the program cannot be started.
int become(const Image& image, bool may_be_script) noexcept {
  execve(image.path, image.words.data(), image.environment.data());
  if (errno != ENOEXEC || !may_be_script) return errno;
  execve(shell, image.script_words.data(), image.environment.data());
  return errno;
}

[[noreturn]] void run_child(const Image& image, bool may_be_script, pid_t launcher, int report,
                            const SignalState& before) noexcept {
  // Who kills the launcher means the program, as that is the process they know.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != launcher) _exit(127);
  sigaction(SIGCHLD, &before.on_child, nullptr);
  sigprocmask(SIG_SETMASK, &before.mask, nullptr);
  const int reason = become(image, may_be_script);
  [[maybe_unused]] const ssize_t written = write(report, &reason, sizeof(reason));
  _exit(127);
}

/// The reason why exec failed; nothing if it succeeded and so closed the pipe.
std::optional<int> read_report(int report) noexcept {
  int reason = 0;
  const ssize_t got = read(report, &reason, sizeof(reason));
  if (got != static_cast<ssize_t>(sizeof(reason))) return std::nullopt;
  return reason;
}

bool is_stopped(pid_t child) {
  const std::string text = read_text("/proc/" + std::to_string(child) + "/stat");
  const std::size_t name_end = text.rfind(')');
  return name_end != std::string::npos && name_end + 2 < text.size() && text[name_end + 2] == 'T';
}

/// The signals that the kernel sends to a whole process group on behalf of its terminal.
bool comes_from_terminals(int signal) noexcept {
  switch (signal) {
    case SIGINT:
    case SIGQUIT:
    case SIGHUP:
    case SIGTSTP:
    case SIGTTIN:
    case SIGTTOU:
    case SIGWINCH:
    case SIGCONT:
      return true;
    default:
      return false;
  }
}

void pass_on(const siginfo_t& info, pid_t child) {
  const int signal = info.si_signo;
  if (signal == SIGCONT) {
    // A shell continues the whole group; only who is still stopped needs it from us.
    if (is_stopped(child)) kill(child, SIGCONT);
    return;
  }
  if (info.si_code == SI_KERNEL && comes_from_terminals(signal)) return;
  if (info.si_pid == child && info.si_code <= 0) return;  // to its own group, itself included
  if (info.si_code == SI_QUEUE) {
    sigqueue(child, signal, info.si_value);
  } else {
    kill(child, signal);
  }
}

/// Stops with the program, so that the shell sees its job stopped. Not for SIGSTOP: tools that
/// throttle a process send it, and continue that process alone.
void stop_too(int signal, pid_t child) {
  if (signal != SIGTSTP && signal != SIGTTIN && signal != SIGTTOU) return;
  raise(SIGSTOP);
  if (is_stopped(child)) kill(child, SIGCONT);
}

/// How the program ended; nothing if it did not yet.
std::optional<analysis::Ending> poll_child(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, WNOHANG | WUNTRACED) == child) {
    if (WIFEXITED(status)) return analysis::Ending{WEXITSTATUS(status), 0};
    if (WIFSIGNALED(status)) return analysis::Ending{0, WTERMSIG(status)};
    if (WIFSTOPPED(status)) stop_too(WSTOPSIG(status), child);
  }
  return std::nullopt;
}

/// The next signal, or nothing when it is time to look.
std::optional<siginfo_t> next_signal(const Lookout& lookout) {
  sigset_t all;
  sigfillset(&all);
  siginfo_t info{};
  if (lookout.period.count() == 0) {
    if (sigwaitinfo(&all, &info) > 0) return info;
    return std::nullopt;
  }
  const timespec period{lookout.period.count() / 1000, lookout.period.count() % 1000 * 1'000'000};
  if (sigtimedwait(&all, &info, &period) > 0) return info;
  return std::nullopt;
}

analysis::Ending wait_for(pid_t child, const Lookout& lookout) {
  while (true) {
    if (const auto ending = poll_child(child)) return *ending;
    const auto info = next_signal(lookout);
    if (info && info->si_signo != SIGCHLD) pass_on(*info, child);
    if (lookout.look) lookout.look();
  }
}

}  // namespace

Result<Finished> run_program(const std::string& path, const std::vector<std::string>& words,
                             const Environment& environment, const Lookout& lookout) {
  const Image image = make_image(path, words, environment);
  const bool may_be_script = !is_elf(path);
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) {
    return Error{"cannot start a process: " + std::string(std::strerror(errno))};
  }
  const SignalState before = take_signals();
  const pid_t launcher = getpid();
  const pid_t child = fork();
  if (child == 0) run_child(image, may_be_script, launcher, report[1], before);
  const int fork_error = errno;
  close(report[1]);
  const auto reason = child < 0 ? std::optional<int>(fork_error) : read_report(report[0]);
  close(report[0]);
  if (!reason) return Finished{child, wait_for(child, lookout)};
  if (child > 0) waitpid(child, nullptr, 0);
  return explain_start_failure(words.front(), path, *reason);
}

void die_of(int signal) noexcept {
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  prctl(PR_SET_DUMPABLE, 0);  // a core_pattern that names a program ignores the limit
  struct sigaction standard{};
  standard.sa_handler = SIG_DFL;
  sigaction(signal, &standard, nullptr);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  raise(signal);
  sigprocmask(SIG_UNBLOCK, &only, nullptr);
}

void guard_standard_streams() noexcept {
  // open() gives the lowest free number, so this fills exactly the gaps below 3.
  int file = 0;
  while (file >= 0 && file <= STDERR_FILENO) file = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (file > STDERR_FILENO) close(file);
}

}  // namespace lares::cli

#include "lab/session/session.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/session/attempt.hpp"

namespace lares::lab {
namespace {

Limit limit_of(__rlimit_resource_t which) {
  rlimit limit{};
  if (getrlimit(which, &limit) != 0) return {};
  return {limit.rlim_cur, limit.rlim_max};
}

std::uint32_t current_umask() {
  const mode_t mask = umask(0);  // the only way to ask is to change it
  umask(mask);
  return mask;
}

QemuProcess::Options qemu_options(const SessionSettings& settings) {
  if (!settings.counting) return {};
  return {true, settings.counting->plugin};
}

}  // namespace

int enough_seconds_to_boot(std::uint32_t cpus) noexcept { return 30 + 3 * static_cast<int>(cpus); }

Outcome run_session(const SessionSettings& settings) {
  SignalQueue signals;
  for (int start = 1;; ++start) {
    auto qemu = QemuProcess::start(settings.guest, settings.boot, qemu_options(settings));
    if (!qemu) return {Outcome::Kind::failed, 0, qemu.error().sentence, {}};
    Attempt attempt(settings, signals, qemu.value());
    Outcome outcome = attempt.run();
    if (!attempt.may_help_to_repeat()) return outcome;
    if (start >= settings.most_starts) {
      outcome.sentence += fmt::format(" (in {} starts)", start);
      return outcome;
    }
    settings.say(fmt::format("{}; it is started again", outcome.sentence));
  }
}

void inherit_from_this_process(Job& job) {
  const auto size = window_size(STDOUT_FILENO);
  job.terminal = size && isatty(STDIN_FILENO) == 1 && in_foreground_of(STDOUT_FILENO);
  if (size) job.window = *size;
  job.stderr_apart =
      job.terminal ? isatty(STDERR_FILENO) != 1 : !same_file(STDOUT_FILENO, STDERR_FILENO);
  job.umask = current_umask();
  job.stack = limit_of(RLIMIT_STACK);
  job.open_files = limit_of(RLIMIT_NOFILE);
}

}  // namespace lares::lab

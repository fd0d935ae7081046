// Boots a guest, runs one program in it, and brings back what the program said and how it ended.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "lab/guest.hpp"
#include "lab/protocol/frames.hpp"
#include "lab/session/qemu_process.hpp"

namespace lares::lab {

/// How memory accesses are counted, for those who do.
struct CountingHook {
  std::string plugin;  ///< QEMU's argument: "FILE,name=value,..."
  /// Called once the guest is up and before it is told what to run, with what QEMU's monitor
  /// answers to "info ramblock". An error ends the session.
  std::function<std::optional<Error>(std::string_view ram_blocks)> before_program;
};

struct SessionSettings {
  Guest guest;
  BootFiles boot;
  Job job;
  int seconds_to_boot = 0;            ///< a guest that takes longer hangs
  std::optional<int> seconds_to_run;  ///< of the program; nothing: as long as it likes
  int most_starts = 3;                ///< a guest that did not boot is started again
  bool hint_at_escape = true;  ///< say how to end the guest if a program seems to ignore Ctrl-C
  std::optional<CountingHook> counting;
  std::function<void(std::string_view)> say;  ///< one sentence for the user
};

/// What came of a session.
struct Outcome {
  enum class Kind {
    program_ended,  ///< number: the status of waitpid
    not_started,    ///< number: why the program could not be executed in the guest, an errno
    timed_out,      ///< the program ran longer than seconds_to_run
    interrupted,    ///< number: the signal that ended the guest
    failed,         ///< the guest or QEMU broke
  };
  Kind kind = Kind::failed;
  int number = 0;
  std::string sentence;            ///< for people; empty when the program ended
  std::vector<std::string> notes;  ///< what else there is to say: output files that are missing
};

/// Seconds that are enough for a guest with so many cpus to boot on a busy host of two cores.
int enough_seconds_to_boot(std::uint32_t cpus) noexcept;

/// Runs `settings.job` in a guest, with this process' standard streams and signals. Whatever
/// happens, QEMU has ended when it returns, and nothing is left in the file system. Signals are
/// passed on to the program; SIGINT, SIGTERM, SIGHUP and SIGQUIT end the guest before the program
/// has started, and when they come a second time. Call it in a process with one thread.
Outcome run_session(const SessionSettings& settings);

/// Fills in what a program inherits from this process: terminal and window, where standard error
/// goes, file mode mask, limits. With a terminal as input, output, and this process in its
/// foreground, the program gets a terminal too.
void inherit_from_this_process(Job& job);

}  // namespace lares::lab

// QEMU as a child process that cannot outlive this one.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "lab/guest.hpp"
#include "lab/image/file.hpp"

namespace lares::lab {

/// What QEMU boots. The paths may be /proc/self/fd/N: QEMU inherits the descriptors in `inherited`,
/// under their numbers.
struct BootFiles {
  std::string kernel;
  std::string initramfs;
  std::vector<int> inherited;
};

/// How a child ended.
struct ChildEnd {
  int exit_status = 0;
  int signal = 0;  ///< 0: it was not killed
};

/// A running QEMU. It is killed with this object, and by the kernel when the thread that started it
/// dies of whatever. Not thread-safe.
class QemuProcess {
 public:
  struct Options {
    bool monitor = false;
    std::string plugin;  ///< "FILE,argument=value,...", or empty
  };

  /// Starts QEMU with empty standard input, in a session of its own: a terminal's signals do not
  /// reach it. Errors: it is not installed; no process can be made.
  static Result<QemuProcess> start(const Guest& guest, const BootFiles& boot,
                                   const Options& options);
  QemuProcess(QemuProcess&& other) noexcept;
  QemuProcess& operator=(QemuProcess&&) = delete;
  ~QemuProcess();

  /// Our ends, non-blocking; the monitor's only if it was asked for.
  [[nodiscard]] int wire() const noexcept { return wire_.descriptor(); }
  [[nodiscard]] int console() const noexcept { return console_.descriptor(); }
  [[nodiscard]] int monitor() const noexcept { return monitor_.descriptor(); }
  /// What QEMU itself says.
  [[nodiscard]] int errors() const noexcept { return errors_.descriptor(); }
  /// Readable when QEMU has ended.
  [[nodiscard]] int ended() const noexcept { return ended_.descriptor(); }

  /// How it ended, if it has.
  std::optional<ChildEnd> poll();
  /// Stops and continues the whole guest.
  void pause() const;
  void resume() const;
  /// Ends it: kindly, so that a plugin can finish its work, for at most `seconds`; then at once.
  void end(int seconds);

 private:
  QemuProcess() = default;

  pid_t pid_ = -1;
  File wire_;
  File console_;
  File monitor_;
  File errors_;
  File ended_;
  std::optional<ChildEnd> end_;
};

}  // namespace lares::lab

// One start of a guest, from QEMU's first instruction to its end.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "lab/image/progress.hpp"
#include "lab/protocol/frames.hpp"
#include "lab/session/console.hpp"
#include "lab/session/output_files.hpp"
#include "lab/session/patient_clock.hpp"
#include "lab/session/qemu_process.hpp"
#include "lab/session/session.hpp"
#include "lab/session/signals.hpp"
#include "lab/session/streams.hpp"
#include "lab/session/terminal.hpp"

namespace lares::lab {

/// Works in one thread, which waits for all files at once. Use once.
class Attempt {
 public:
  /// The arguments must outlive the object.
  Attempt(const SessionSettings& settings, SignalQueue& queue, QemuProcess& qemu);

  Outcome run();
  /// True if the guest failed before the program started, and another start may help.
  [[nodiscard]] bool may_help_to_repeat() const noexcept { return may_repeat_; }

 private:
  // What there is to wait for, by its place in what poll() gets.
  enum Source { wire, console, errors, ended, signals, input, output, error, source_count };
  enum class Stage { booting, starting, running, ended };

  void wait();
  void serve();

  void read_wire();
  void handle(const Frame& frame);
  void handle_state(PayloadReader payload);
  void handle_file(const Frame& frame);
  void handle_exit(PayloadReader payload);
  void send(const std::string& frame);
  void pump_wire();

  void start_program();
  void program_has_started();
  void put_output(OutputStream& stream, std::uint8_t channel, std::string_view bytes);
  void tell_closed(const OutputStream& stream, std::uint8_t channel, bool& told);
  void read_input();
  void look_for_keys(std::string_view bytes);

  void handle_signals();
  void handle(const signalfd_siginfo& info);
  void ask_to_end(const signalfd_siginfo& info);
  void suspend();

  void watch_boot();
  void watch_program();
  void watch_guest();
  void watch_hint();
  void qemu_has_ended();

  void finish(Outcome outcome);
  void fail(std::string what);
  [[nodiscard]] Outcome outcome_of_exit();
  [[nodiscard]] std::string with_kernel_words(std::string what) const;

  const SessionSettings& settings_;
  SignalQueue& signal_queue_;
  QemuProcess& qemu_;
  Progress progress_;
  PatientClock clock_;
  std::array<short, source_count> ready_{};  ///< what poll() said

  Stage stage_ = Stage::booting;
  std::optional<Outcome> outcome_;
  bool may_repeat_ = false;

  FrameReader frames_;
  std::string to_wire_;
  bool wire_closed_ = false;
  ConsoleLog kernel_said_;
  std::string qemu_said_;

  OutputStream output_;
  OutputStream error_;
  bool told_output_closed_ = false;
  bool told_error_closed_ = false;
  OutputFiles files_;
  RawTerminal terminal_;
  EscapeKeys escape_;

  std::size_t input_room_ = LAB_INPUT_WINDOW;  ///< what may still be sent before the program reads
  bool input_ended_ = false;

  struct Exit {
    std::uint8_t kind;
    std::uint32_t value;
    std::uint32_t killed_for_memory;
  };
  std::optional<Exit> exit_;

  // Points in time on clock_, in milliseconds.
  std::int64_t started_at_ = 0;
  std::int64_t ping_at_ = 0;
  bool ping_is_out_ = false;
  std::optional<std::int64_t> asked_at_;    ///< the first signal that asked the program to end
  std::optional<std::int64_t> expired_at_;  ///< when its time was over
  bool killed_ = false;
  std::optional<std::int64_t> hint_at_;
  bool hinted_ = false;
};

}  // namespace lares::lab

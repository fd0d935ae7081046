#include "lab/session/attempt.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <utility>

#include "lab/session/monitor.hpp"

namespace lares::lab {
namespace {

constexpr int tick_ms = 250;
constexpr std::int64_t ping_every_ms = 10'000;
constexpr std::int64_t answer_within_ms = 60'000;
constexpr std::int64_t hint_after_ms = 3'000;
constexpr std::int64_t same_signal_ms = 300;  ///< `timeout` sends to the process and to its group
constexpr std::int64_t grace_ms = 5'000;      ///< between asking, killing, and ending the guest
constexpr int monitor_seconds = 60;
constexpr int plugin_seconds = 60;
constexpr std::size_t piece = std::size_t{1} << 16U;

/// What can be read now, up to `piece` bytes. Nothing at the end of the file or if it is broken.
std::optional<std::string> read_some(int file, std::size_t most = piece) {
  std::string bytes(most, '\0');
  const ssize_t got = read(file, bytes.data(), bytes.size());
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return "";
  if (got <= 0) return std::nullopt;
  bytes.resize(static_cast<std::size_t>(got));
  return bytes;
}

void read_all(int file, const std::function<void(std::string_view)>& take) {
  for (auto bytes = read_some(file); bytes && !bytes->empty(); bytes = read_some(file)) {
    take(*bytes);
  }
}

/// The last line of what a program said, without control characters.
std::string last_line_of(std::string_view text) {
  ConsoleLog log;
  log.add(text);
  return log.last_line().value_or("");
}

}  // namespace

Attempt::Attempt(const SessionSettings& settings, SignalQueue& queue, QemuProcess& qemu)
    : settings_(settings),
      signal_queue_(queue),
      qemu_(qemu),
      output_(STDOUT_FILENO),
      error_(STDERR_FILENO),
      files_(settings.job.output_files) {}

Outcome Attempt::run() {
  while (!outcome_) {
    wait();
    clock_.tick();
    serve();
    if (exit_ && output_.idle() && error_.idle() && !outcome_) finish(outcome_of_exit());
  }
  terminal_.leave();
  progress_.finish();
  qemu_.end(settings_.counting ? plugin_seconds : 0);
  outcome_->notes = files_.problems();
  return std::move(*outcome_);
}

// ---- waiting and reading

void Attempt::wait() {
  const bool may_read_wire = !wire_closed_ && output_.idle() && error_.idle() && !exit_;
  const bool may_read_input =
      stage_ == Stage::running && !input_ended_ && input_room_ > 0 && to_wire_.empty();
  const auto wire_events =
      static_cast<short>((may_read_wire ? POLLIN : 0) | (to_wire_.empty() ? 0 : POLLOUT));
  std::array<pollfd, source_count> files{};
  files[wire] = {wire_events != 0 ? qemu_.wire() : -1, wire_events, 0};
  files[console] = {qemu_.console(), POLLIN, 0};
  files[errors] = {qemu_.errors(), POLLIN, 0};
  files[ended] = {qemu_.ended(), POLLIN, 0};
  files[signals] = {signal_queue_.file(), POLLIN, 0};
  files[input] = {may_read_input ? STDIN_FILENO : -1, POLLIN, 0};
  files[output] = {output_.idle() ? -1 : output_.file(), POLLOUT, 0};
  files[error] = {error_.idle() ? -1 : error_.file(), POLLOUT, 0};
  ::poll(files.data(), files.size(), tick_ms);
  for (std::size_t i = 0; i < files.size(); ++i) ready_[i] = files[i].revents;
}

void Attempt::serve() {
  if (ready_[signals] != 0) handle_signals();
  if (ready_[console] != 0) {
    read_all(qemu_.console(), [&](std::string_view bytes) { kernel_said_.add(bytes); });
  }
  if (ready_[errors] != 0) {
    read_all(qemu_.errors(), [&](std::string_view bytes) { qemu_said_ += bytes; });
  }
  if (ready_[output] != 0) output_.pump();
  if (ready_[error] != 0) error_.pump();
  if (ready_[wire] != 0) {
    pump_wire();
    read_wire();
  }
  if (ready_[input] != 0) read_input();
  tell_closed(output_, LAB_STDOUT, told_output_closed_);
  tell_closed(error_, LAB_STDERR, told_error_closed_);
  if (!exit_ && ready_[ended] != 0) qemu_has_ended();
  if (!exit_ && !outcome_) {
    watch_boot();
    watch_program();
    watch_guest();
    watch_hint();
  }
}

void Attempt::read_wire() {
  const auto bytes = read_some(qemu_.wire());
  if (!bytes) {
    wire_closed_ = true;  // QEMU is about to end, which is noticed by itself
    return;
  }
  frames_.add(*bytes);
  while (auto frame = frames_.next()) handle(*frame);
  if (frames_.broken()) fail("the guest sent what no guest sends");
}

void Attempt::send(const std::string& frame) {
  to_wire_ += frame;
  pump_wire();
}

void Attempt::pump_wire() {
  while (!to_wire_.empty()) {
    const ssize_t sent =
        ::send(qemu_.wire(), to_wire_.data(), to_wire_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0) return;
    to_wire_.erase(0, static_cast<std::size_t>(sent));
  }
}

// ---- what the guest says

void Attempt::handle(const Frame& frame) {
  switch (frame.channel) {
    case LAB_STATE:
      return handle_state(PayloadReader(frame.payload));
    case LAB_STDOUT:
      return put_output(output_, LAB_STDOUT, frame.payload);
    case LAB_STDERR:
      return put_output(error_, LAB_STDERR, frame.payload);
    case LAB_INPUT_TAKEN:
      input_room_ += PayloadReader(frame.payload).u32();
      return;
    case LAB_EXIT:
      return handle_exit(PayloadReader(frame.payload));
    case LAB_PONG:
      ping_is_out_ = false;
      ping_at_ = clock_.milliseconds() + ping_every_ms;
      return;
    default:
      return handle_file(frame);
  }
}

void Attempt::handle_state(PayloadReader payload) {
  const std::uint8_t state = payload.u8();
  if (state == LAB_READY && stage_ == Stage::booting) start_program();
  if (state == LAB_STARTED && stage_ == Stage::starting) program_has_started();
}

void Attempt::handle_file(const Frame& frame) {
  PayloadReader payload(frame.payload);
  if (frame.channel == LAB_FILE_DATA) return files_.add(frame.payload);
  if (frame.channel == LAB_FILE_END) return files_.end(payload.u32());
  const std::uint32_t number = payload.u32();
  const std::uint32_t reason = payload.u32();
  files_.begin(number, reason, payload.u32());
}

void Attempt::handle_exit(PayloadReader payload) {
  const std::uint8_t kind = payload.u8();
  const std::uint32_t value = payload.u32();
  exit_ = Exit{kind, value, payload.u32()};
  stage_ = Stage::ended;
}

void Attempt::start_program() {
  stage_ = Stage::starting;
  progress_.finish();
  if (settings_.counting) {
    const auto answer = ask_monitor(qemu_.monitor(), "info ramblock", monitor_seconds);
    if (!answer) return fail(answer.error().sentence);
    if (const auto problem = settings_.counting->before_program(answer.value())) {
      return finish({Outcome::Kind::failed, 0, problem->sentence, {}});
    }
  }
  Job job = settings_.job;
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  job.seconds = static_cast<std::uint64_t>(time.tv_sec);
  job.nanoseconds = static_cast<std::uint32_t>(time.tv_nsec);
  const auto frame = encode_job(job);
  if (!frame) return fail("the program's arguments and environment are too large for the lab");
  // Only a program that runs may be given a terminal's keys; until then Ctrl-C is a signal.
  if (job.terminal) terminal_.enter();
  send(*frame);
}

void Attempt::program_has_started() {
  stage_ = Stage::running;
  started_at_ = clock_.milliseconds();
  ping_at_ = started_at_ + ping_every_ms;
}

// ---- standard streams

void Attempt::put_output(OutputStream& stream, std::uint8_t channel, std::string_view bytes) {
  stream.put(bytes);
  if (channel == LAB_STDOUT && hint_at_) hint_at_.reset();  // it does something
}

void Attempt::tell_closed(const OutputStream& stream, std::uint8_t channel, bool& told) {
  if (stream.failure() == 0 || told) return;
  told = true;
  // The program learns it as it would have here: by SIGPIPE.
  send(encode_close(channel));
  if (stream.failure() != EPIPE && channel == LAB_STDOUT) {
    settings_.say(
        fmt::format("cannot write to standard output: {}", std::strerror(stream.failure())));
  }
}

void Attempt::read_input() {
  const auto bytes = read_some(STDIN_FILENO, std::min(input_room_, std::size_t{1} << 14U));
  if (!bytes) {
    input_ended_ = true;
    return send(encode_frame(LAB_STDIN_END));
  }
  if (bytes->empty()) return;
  if (settings_.job.terminal) look_for_keys(*bytes);
  input_room_ -= bytes->size();
  send(encode_frame(LAB_STDIN, *bytes));
}

void Attempt::look_for_keys(std::string_view bytes) {
  constexpr char interrupt = 0x03;
  for (const char key : bytes) {
    if (escape_.add(key, clock_.milliseconds())) {
      return finish({Outcome::Kind::interrupted, SIGINT, "", {}});
    }
    if (key == interrupt) hint_at_ = clock_.milliseconds() + hint_after_ms;
  }
}

// ---- signals

void Attempt::handle_signals() {
  while (const auto info = signal_queue_.next()) {
    if (!outcome_) handle(*info);
  }
}

void Attempt::handle(const signalfd_siginfo& info) {
  const int signal = static_cast<int>(info.ssi_signo);
  switch (signal) {
    case SIGCHLD:
    case SIGCONT:
    case SIGPIPE:
    case SIGTTIN:
    case SIGTTOU:
      return;
    case SIGTSTP:
      return suspend();
    case SIGWINCH:
      if (const auto size = window_size(STDIN_FILENO); size && settings_.job.terminal) {
        send(encode_window(*size));
      }
      return;
    default:
      break;
  }
  if (asks_to_end(signal)) return ask_to_end(info);
  if (stage_ == Stage::running) send(encode_signal(signal, is_from_terminal(info)));
}

void Attempt::ask_to_end(const signalfd_siginfo& info) {
  const int signal = static_cast<int>(info.ssi_signo);
  const std::int64_t time = clock_.milliseconds();
  if (stage_ != Stage::running || (asked_at_ && time - *asked_at_ > same_signal_ms)) {
    return finish({Outcome::Kind::interrupted, signal, "", {}});
  }
  if (asked_at_) return;
  asked_at_ = time;
  hint_at_ = time + hint_after_ms;
  send(encode_signal(signal, is_from_terminal(info)));
}

void Attempt::suspend() {
  const bool had_terminal = stage_ == Stage::running && settings_.job.terminal;
  terminal_.leave();
  qemu_.pause();
  raise(SIGSTOP);
  qemu_.resume();
  if (had_terminal) terminal_.enter();
  clock_.tick();
}

// ---- limits

void Attempt::watch_boot() {
  if (stage_ == Stage::running) return;
  if (stage_ == Stage::booting) {
    progress_.show(fmt::format("lares: the guest boots ({} nodes, {} cpus)",
                               settings_.guest.nodes.size(), settings_.guest.cpus()));
  }
  if (clock_.milliseconds() < std::int64_t{settings_.seconds_to_boot} * 1000) return;
  may_repeat_ = true;
  fail(fmt::format("the guest did not boot within {} s", settings_.seconds_to_boot));
}

void Attempt::watch_program() {
  if (stage_ != Stage::running || !settings_.seconds_to_run) return;
  const std::int64_t time = clock_.milliseconds();
  if (!expired_at_ && time - started_at_ >= std::int64_t{*settings_.seconds_to_run} * 1000) {
    expired_at_ = time;
    send(encode_signal(SIGTERM, true));
  } else if (expired_at_ && !killed_ && time - *expired_at_ >= grace_ms) {
    killed_ = true;
    send(encode_signal(SIGKILL, true));
  } else if (expired_at_ && time - *expired_at_ >= 2 * grace_ms) {
    finish(outcome_of_exit());
  }
}

void Attempt::watch_guest() {
  if (stage_ != Stage::running) return;
  const std::int64_t time = clock_.milliseconds();
  if (!output_.idle() || !error_.idle()) {
    // The guest is held up by our own reader, and so may be its answer.
    ping_at_ = time + (ping_is_out_ ? answer_within_ms : ping_every_ms);
    return;
  }
  if (time < ping_at_) return;
  if (ping_is_out_) {
    return fail(
        fmt::format("the guest hangs: it gave no sign of life for {} s", answer_within_ms / 1000));
  }
  ping_is_out_ = true;
  ping_at_ = time + answer_within_ms;
  send(encode_frame(LAB_PING));
}

void Attempt::watch_hint() {
  if (!settings_.hint_at_escape || hinted_ || !hint_at_ || clock_.milliseconds() < *hint_at_)
    return;
  hinted_ = true;
  if (!settings_.job.terminal) {
    return settings_.say("the program still runs; another signal ends the guest");
  }
  terminal_.leave();
  settings_.say("the program still runs; Ctrl-] three times ends the guest");
  terminal_.enter();
}

void Attempt::qemu_has_ended() {
  read_all(qemu_.console(), [&](std::string_view bytes) { kernel_said_.add(bytes); });
  read_all(qemu_.errors(), [&](std::string_view bytes) { qemu_said_ += bytes; });
  while (!wire_closed_ && !exit_ && !outcome_) read_wire();
  const auto end = qemu_.poll();
  if (exit_ || outcome_ || !end) return;
  const bool before = stage_ != Stage::running;
  const char* when = before ? "before the program started" : "before the program had ended";
  const Diagnosis diagnosis = diagnose(kernel_said_);
  // QEMU's own refusal and init's complaint would come again.
  may_repeat_ = before && end->exit_status == 0 && !diagnosis.said.starts_with("lares-init:");
  if (end->signal != 0) {
    return fail(fmt::format("QEMU was killed by signal {} {}", end->signal, when));
  }
  if (end->exit_status != 0) {
    return fail(fmt::format("QEMU ended with status {} {} and said: {}", end->exit_status, when,
                            last_line_of(qemu_said_)));
  }
  if (diagnosis.out_of_memory) return fail("the guest ran out of memory");
  fail(diagnosis.said.empty() ? fmt::format("the guest was shut down {}", when)
                              : fmt::format("the guest's kernel gave up {}", when));
}

// ---- the end

void Attempt::finish(Outcome outcome) {
  if (outcome_) return;
  may_repeat_ = may_repeat_ && outcome.kind == Outcome::Kind::failed;
  outcome_ = std::move(outcome);
}

void Attempt::fail(std::string what) {
  finish({Outcome::Kind::failed, 0, with_kernel_words(std::move(what)), {}});
}

std::string Attempt::with_kernel_words(std::string what) const {
  const Diagnosis diagnosis = diagnose(kernel_said_);
  if (!diagnosis.said.empty()) what += fmt::format("; its kernel said: {}", diagnosis.said);
  if (diagnosis.out_of_memory) what += "; --memory-per-node gives it more";
  return what;
}

Outcome Attempt::outcome_of_exit() {
  if (expired_at_) {
    return {Outcome::Kind::timed_out,
            0,
            fmt::format("the program was ended after {} s, as --timeout says",
                        *settings_.seconds_to_run),
            {}};
  }
  if (exit_->killed_for_memory > 0) {
    // The kernel's words come another way than the exit, and may be a moment behind.
    pollfd late{qemu_.console(), POLLIN, 0};
    while (!diagnose(kernel_said_).out_of_memory && ::poll(&late, 1, 1000) == 1) {
      const auto bytes = read_some(qemu_.console());
      if (!bytes) break;
      kernel_said_.add(*bytes);
    }
    return {Outcome::Kind::failed, 0, with_kernel_words("the guest ran out of memory"), {}};
  }
  const int value = static_cast<int>(exit_->value);
  if (exit_->kind == LAB_ENDED) return {Outcome::Kind::program_ended, value, "", {}};
  if (exit_->kind == LAB_NOT_STARTED) return {Outcome::Kind::not_started, value, "", {}};
  return {Outcome::Kind::failed,
          0,
          fmt::format("cannot enter \"{}\" in the guest: {}", settings_.job.folder,
                      std::strerror(value)),
          {}};
}

}  // namespace lares::lab

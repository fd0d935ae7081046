#include "cli/lab/guest_run.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <system_error>
#include <utility>

#include "cli/commands.hpp"
#include "cli/launch/process.hpp"
#include "cli/launch/program.hpp"
#include "lab/host_memory.hpp"
#include "lab/image/closure.hpp"
#include "lab/image/kernel.hpp"

namespace lares::cli {
namespace {

namespace fs = std::filesystem;

constexpr int most_seconds = 10'000'000;
constexpr Bytes kernel_needs{80 * lab::mebibyte.count};

[[noreturn]] void end_with(const std::string& sentence, int status) {
  say(sentence);
  throw ExitStatus{status};
}

std::optional<int> seconds(const char* option, const std::string& text) {
  if (text.empty()) return std::nullopt;
  int value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size() || value < 1 ||
      value > most_seconds) {
    throw UserMistake{{fmt::format("{}: \"{}\" is no number of seconds from 1 to {}", option, text,
                                   most_seconds)}};
  }
  return value;
}

/// The program's file, or the end with the status that env(1) gives.
std::string program_file(const std::string& word, const Environment& environment) {
  const auto refuse = [&](const Error& error) {
    end_with(error.sentence, start_failure_status(word, environment));
  };
  const auto path = find_program(word, environment);
  if (!path) refuse(path.error());
  const auto needed = lab::closure_of(path.value(), environment.entries());
  if (!needed) refuse(needed.error());
  return path.value();
}

/// Folders that the guest needs and the image may not have.
std::vector<std::string> folders_of(const lab::Job& job) {
  std::vector<std::string> folders{job.folder};
  for (const std::string& path : job.output_files) {
    folders.push_back(fs::path(path).parent_path().string());
  }
  return folders;
}

lab::Job job_for(const std::string& program, std::vector<std::string> words,
                 const GuestRunOptions& options, const Environment& environment) {
  lab::Job job;
  std::error_code failure;
  job.program = program;
  job.arguments = std::move(words);
  job.environment = environment.entries();
  job.folder = fs::current_path(failure).string();
  job.output_files = output_paths(options.carry);
  job.folders = folders_of(job);
  lab::inherit_from_this_process(job);
  return job;
}

/// A hint for ends that people wonder about.
std::string hint_at(const lab::Outcome& outcome) {
  if (outcome.kind != lab::Outcome::Kind::program_ended) return "";
  const int status = outcome.number;
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGILL) {
    return "the program used an instruction that QEMU does not emulate (it has none of AVX-512); "
           "build it without -march=native";
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == status_no_program) {
    return "status 127 often means that a script calls a program that the guest does not have; "
           "--with PROGRAM brings it along";
  }
  return "";
}

}  // namespace

void say(std::string_view sentence) { fmt::print(stderr, "lares: {}\n", sentence); }

void add_guest_run_options(CLI::App& command, GuestRunOptions& options) {
  add_guest_options(command, options.guest);
  add_carry_options(command, options.carry);
  command
      .add_option("--timeout", options.timeout,
                  "End the program after so many seconds, with status 124 (default: never)")
      ->type_name("SECONDS");
  command
      .add_option("--boot-timeout", options.boot_timeout,
                  "Take a guest that boots longer for hung and start it again, at most twice "
                  "(default: 30 and 3 for each cpu)")
      ->type_name("SECONDS");
}

GuestRun::GuestRun(const GuestRunOptions& options, std::vector<std::string> words,
                   const Environment& environment) {
  settings.seconds_to_run = seconds("--timeout", options.timeout);
  const auto boot = seconds("--boot-timeout", options.boot_timeout);
  lab::GuestPlan plan = expect(load_guest(options.guest, lab::available_host_memory()));
  const std::string program = program_file(words.front(), environment);
  contents = contents_for(programs_of(program, words, environment), options.carry, environment);
  settings.job = job_for(program, std::move(words), options, environment);
  settings.seconds_to_boot = boot.value_or(lab::enough_seconds_to_boot(plan.guest.cpus()));
  settings.guest = std::move(plan.guest);
  settings.say = say;
  for (const std::string& note : plan.notes) say(note);
}

lab::Image GuestRun::make_image() const {
  const auto cache = expect_of_lab(lab::CacheFolder::open());
  lab::Progress progress;
  const auto kernel = expect_of_lab(lab::find_kernel(cache, progress));
  return expect(lab::make_image(kernel, contents, cache));
}

void GuestRun::check_room(const lab::Image& image) const {
  const Bytes needed = image.unpacked + image.packed + kernel_needs;
  const Bytes there = settings.guest.memory();
  if (needed <= there) return;
  throw UserMistake{{fmt::format(
      "the guest has {} MiB of memory and needs {} MiB to start with these programs and files; "
      "give it more with --memory-per-node",
      there.count >> 20U, needed.count >> 20U)}};
}

lab::Outcome GuestRun::operator()() {
  const lab::Image image = make_image();
  check_room(image);
  const auto path = [](const lab::File& file) {
    return fmt::format("/proc/self/fd/{}", file.descriptor());
  };
  settings.boot = {path(image.kernel),
                   path(image.initramfs),
                   {image.kernel.descriptor(), image.initramfs.descriptor()}};
  lab::Outcome outcome = lab::run_session(settings);
  if (outcome.kind == lab::Outcome::Kind::not_started) {
    outcome.sentence =
        explain_start_failure(settings.job.arguments.front(), settings.job.program, outcome.number)
            .sentence;
  }
  for (const std::string& note : outcome.notes) say(note);
  if (const std::string hint = hint_at(outcome); !hint.empty()) say(hint);
  return outcome;
}

void end_as(const lab::Outcome& outcome) {
  using Kind = lab::Outcome::Kind;
  const auto die = [](int signal) {
    die_of(signal);
    throw ExitStatus{128 + signal};  // as a shell says it: the first process of a container
  };
  switch (outcome.kind) {
    case Kind::program_ended:
      if (WIFSIGNALED(outcome.number)) die(WTERMSIG(outcome.number));
      throw ExitStatus{WEXITSTATUS(outcome.number)};
    case Kind::interrupted:
      die(outcome.number);
      break;
    case Kind::timed_out:
      end_with(outcome.sentence, status_timed_out);
    case Kind::not_started:
      end_with(outcome.sentence,
               outcome.number == ENOENT ? status_no_program : status_not_executable);
    case Kind::failed:
      break;
  }
  end_with(outcome.sentence, status_lab_failed);
}

}  // namespace lares::cli

// The program that the user named: where it is, and whether a library can be preloaded into it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/result.hpp"
#include "cli/launch/environment.hpp"

namespace lares::cli {

/// The file that execvp would run for `word`, or a sentence that says why there is none.
Result<std::string> find_program(const std::string& word, const Environment& environment);

/// Exit statuses for a program that cannot be run, as env(1) and shells have them.
inline constexpr int status_not_executable = 126;
inline constexpr int status_no_program = 127;
/// Which of them it is, once `word` could not be found or started.
int start_failure_status(const std::string& word, const Environment& environment);

/// What the dynamic loader would do with a preloaded library of this architecture.
enum class Preload : std::uint8_t {
  works,       ///< a dynamically linked program, or a script: its interpreter decides
  ignored,     ///< no dynamic loader, so that LD_PRELOAD has no effect
  privileged,  ///< setuid, setgid or with capabilities: the loader ignores LD_PRELOAD
  not_wanted,  ///< another architecture or C library: the loader would complain or fail
};

/// Judges the first bytes of a program file. Any bytes are allowed. O(program headers).
Preload inspect_image(std::span<const std::byte> image);

/// Judges the file. A file that cannot be read counts as `works`.
Preload inspect_program(const std::string& path);

/// True if the file is an ELF image of any kind.
bool is_elf(const std::string& path);

/// True if the file carries an OpenMP runtime of its own: libgomp or libomp linked statically.
bool carries_openmp_runtime(const std::string& path);

/// True if the file carries or calls an OpenMP runtime.
bool mentions_openmp(const std::string& path);

/// The sentence for the user when exec refused with the error number `reason`.
Error explain_start_failure(const std::string& word, const std::string& path, int reason);

}  // namespace lares::cli

// Everything that a program needs to start: itself, its interpreter, its shared libraries.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace lares::lab {

/// The files that must be in the guest so that the program `path` starts there, itself first; paths
/// as the run-time linker will ask for them, so they may lead through symbolic links.
///
/// The run-time linker that the program names answers itself (its option --list); the program is
/// not run. Of `environment` (NAME=VALUE) LD_LIBRARY_PATH, LD_PRELOAD and LD_AUDIT count, and PATH
/// for what a script starts through env. Scripts: whatever their first line names; commands that
/// they call are not known. Shared libraries may be given as programs. Not found: what a program
/// opens itself while it runs (dlopen), except libgcc_s.so.1, which the C library opens when
/// threads end.
///
/// Errors: no ELF file and no script, another architecture, a library or interpreter that is
/// missing.
Result<std::vector<std::string>> closure_of(const std::string& path,
                                            std::span<const std::string> environment);

/// One file's part in what ld.so --list says.
struct ListedLibrary {
  std::string name;
  std::string path;  ///< empty if it was not found
  friend bool operator==(const ListedLibrary&, const ListedLibrary&) = default;
};

/// Reads what ld.so --list says; any text is allowed. The kernel's own vdso is left out.
std::vector<ListedLibrary> parse_library_list(std::string_view text);

/// What a script's first line asks for: "#!/usr/bin/env -S python3 -u" -> "/usr/bin/env",
/// "-S python3 -u". Nothing if it is no script. Any bytes are allowed.
struct ScriptStart {
  std::string interpreter;
  std::string argument;  ///< all of the rest, as the kernel passes it
  friend bool operator==(const ScriptStart&, const ScriptStart&) = default;
};
std::optional<ScriptStart> script_start(std::string_view bytes);

/// The program that env would start, with such an argument: "-S A=b python3 -u" -> "python3".
std::string program_of_env(std::string_view argument);

}  // namespace lares::lab

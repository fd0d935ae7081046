#include "lab/image/closure.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <linux/limits.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include "lab/image/command.hpp"
#include "lab/image/elf.hpp"
#include "lab/image/file.hpp"
#include "lab/image/text.hpp"

namespace lares::lab {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view blanks = " \t";
constexpr std::size_t longest_first_line = 255;  // what the kernel reads
constexpr int most_interpreters = 5;             // as the kernel: a script may be another's
/// Asked about libraries, which name none themselves.
constexpr std::string_view usual_linker = "/lib64/ld-linux-x86-64.so.2";

std::vector<std::string> words_of(std::string_view text, std::string_view separators) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const auto end = std::min(text.find_first_of(separators), text.size());
    if (end > 0) words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

std::string variable(std::span<const std::string> environment, std::string_view name) {
  for (const std::string& entry : environment) {
    if (entry.starts_with(name) && entry.substr(name.size()).starts_with('=')) {
      return entry.substr(name.size() + 1);
    }
  }
  return {};
}

bool is_file(const std::string& path) noexcept {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

/// Only these understand --list; another program would be run by it.
bool is_run_time_linker(const std::string& path) {
  const std::string name = fs::path(path).filename().string();
  return name.starts_with("ld-linux") || name.starts_with("ld-musl") || name.starts_with("ld.so") ||
         name.starts_with("ld64.so");
}

/// A library that was chosen for this processor (glibc-hwcaps/x86-64-v4): the guest's may be a
/// lesser one, so all that the linker could choose there come along.
void add_variants(const std::string& path, std::vector<std::string>& files) {
  constexpr std::string_view folder = "/glibc-hwcaps/";
  const auto start = path.find(folder);
  if (start == std::string::npos) return;
  const auto end = path.find('/', start + folder.size());
  if (end == std::string::npos) return;
  const auto add_if_there = [&](const std::string& candidate) {
    if (candidate != path && is_file(candidate)) files.push_back(candidate);
  };
  add_if_there(path.substr(0, start) + path.substr(end));
  for (const auto* level : {"x86-64-v2", "x86-64-v3"}) {
    add_if_there(fmt::format("{}{}{}{}", path.substr(0, start), folder, level, path.substr(end)));
  }
}

class Closure {
 public:
  Closure(const std::string& program, std::span<const std::string> environment)
      : program_(program), environment_(environment) {}

  std::optional<Error> add_program(const std::string& path, int depth) {
    const auto file = MappedFile::open(path);
    if (!file) return file.error();
    files_.push_back(path);
    if (const auto script = script_start(file.value().bytes())) return add_script(*script, depth);
    const auto elf = read_elf(file.value().bytes());
    if (!elf) return not_runnable(path, file.value().bytes());
    if (elf->machine != EM_X86_64 || !elf->is_64) {
      return Error{fmt::format("\"{}\" is a program for {}; the lab's guests are x86-64", path,
                               machine_name(*elf))};
    }
    if (elf->type != ET_EXEC && elf->type != ET_DYN) {
      return Error{fmt::format("\"{}\" is an ELF file, but neither a program nor a library", path)};
    }
    return add_linked(path, *elf);
  }

  /// Each file once, in the order in which they were found.
  std::vector<std::string> take() {
    std::set<std::string> seen;
    std::erase_if(files_, [&](const std::string& path) { return !seen.insert(path).second; });
    return std::move(files_);
  }

 private:
  static Error not_runnable(const std::string& path, std::string_view bytes) {
    if (has_elf_magic(bytes)) return {fmt::format("\"{}\" is a damaged ELF file", path)};
    return {fmt::format("\"{}\" is neither a program (an ELF file) nor a script (#!)", path)};
  }

  std::optional<Error> add_script(const ScriptStart& script, int depth) {
    if (depth >= most_interpreters) {
      return Error{
          fmt::format("\"{}\" is a script of a script of a script, too often for Linux", program_)};
    }
    if (!is_file(script.interpreter)) {
      return Error{fmt::format("the script \"{}\" asks for \"{}\", which is not there", program_,
                               script.interpreter)};
    }
    if (auto error = add_program(script.interpreter, depth + 1)) return error;
    if (fs::path(script.interpreter).filename() != "env") return std::nullopt;
    const std::string name = program_of_env(script.argument);
    const std::string found = in_path(name);
    if (!found.empty()) return add_program(found, depth + 1);
    return Error{
        fmt::format("the script \"{}\" asks for \"{}\", which is not in PATH", program_, name)};
  }

  [[nodiscard]] std::string in_path(const std::string& name) const {
    if (name.empty() || name.find('/') != std::string::npos) return is_file(name) ? name : "";
    return find_in_path(name, variable(environment_, "PATH"));
  }

  std::optional<Error> add_linked(const std::string& path, const ElfFile& elf) {
    // Linked statically: there is no linker that could preload anything.
    if (elf.interpreter.empty() && !elf.needs_libraries) return std::nullopt;
    const std::string linker =
        elf.interpreter.empty() ? std::string(usual_linker) : elf.interpreter;
    if (!is_file(linker)) {
      return Error{
          fmt::format("\"{}\" needs the run-time linker \"{}\", which is not there", path, linker)};
    }
    if (!is_run_time_linker(linker)) {
      return Error{
          fmt::format("\"{}\" names \"{}\" as its run-time linker, which is none that the "
                      "lab knows",
                      path, linker)};
    }
    files_.push_back(linker);
    if (auto error = add_libraries(path, linker)) return error;
    return add_audit_libraries(linker);
  }

  /// Only what decides which libraries are taken; LD_AUDIT would run foreign code here.
  [[nodiscard]] CommandOptions linker_options() const {
    CommandOptions options;
    options.unset = {"LD_AUDIT",
                     "LD_DEBUG",
                     "LD_DEBUG_OUTPUT",
                     "LD_TRACE_LOADED_OBJECTS",
                     "LD_TRACE_PRELINKING",
                     "LD_VERBOSE",
                     "LD_PROFILE",
                     "LD_BIND_NOW",
                     "LD_LIBRARY_PATH",
                     "LD_PRELOAD",
                     "GLIBC_TUNABLES"};
    for (const auto* name : {"LD_LIBRARY_PATH", "LD_PRELOAD"}) {
      const std::string value = variable(environment_, name);
      if (!value.empty()) options.environment.push_back(fmt::format("{}={}", name, value));
    }
    options.environment.emplace_back("LC_ALL=C");
    return options;
  }

  std::optional<Error> add_libraries(const std::string& path, const std::string& linker) {
    const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
    const auto answer = run_command({linker, "--list", file}, linker_options());
    if (!answer) return answer.error();
    const auto libraries = parse_library_list(answer.value().output);
    for (const auto& [name, where] : libraries) {
      if (where.empty()) return missing(path, name);
      files_.push_back(where);
      add_variants(where, files_);
      if (name.starts_with("libc.so")) add_beside(where, "libgcc_s.so.1");
    }
    if (answer.value().exit_status == 0) return std::nullopt;
    return refused(path, answer.value().errors);
  }

  /// The linker says "PROGRAM: error while loading shared libraries: NAME: cannot open ...".
  static Error refused(const std::string& path, const std::string& errors) {
    constexpr std::string_view start = "error while loading shared libraries: ";
    std::string why = last_line(errors);
    if (const auto found = why.find(start); found != std::string::npos) {
      why.erase(0, found + start.size());
      if (const auto end = why.find(": cannot open shared object file"); end != std::string::npos) {
        return missing(path, why.substr(0, end));
      }
    }
    return {fmt::format("the run-time linker refuses \"{}\": {}", path,
                        why.empty() ? "it says no reason" : why)};
  }

  static Error missing(const std::string& path, const std::string& library) {
    return {
        fmt::format("\"{}\" needs the library {}, which this system does not find; "
                    "LD_LIBRARY_PATH can name more folders",
                    path, library)};
  }

  void add_beside(const std::string& library, const std::string& name) {
    const std::string candidate = (fs::path(library).parent_path() / name).string();
    if (is_file(candidate)) files_.push_back(candidate);
  }

  std::optional<Error> add_audit_libraries(const std::string& linker) {
    if (audit_done_) return std::nullopt;
    audit_done_ = true;
    for (const auto& library : words_of(variable(environment_, "LD_AUDIT"), ":")) {
      // As the linker itself: what is not there is complained of when the program starts.
      if (!is_file(library)) continue;
      files_.push_back(library);
      if (auto error = add_libraries(library, linker)) return error;
    }
    return std::nullopt;
  }

  const std::string& program_;
  std::span<const std::string> environment_;
  std::vector<std::string> files_;
  bool audit_done_ = false;
};

/// "\tlibm.so.6 => /lib/libm.so.6 (0x00007f00)": the address is left out.
std::string_view without_address(std::string_view line) noexcept {
  const auto start = line.rfind(" (0x");
  return start == std::string_view::npos || !line.ends_with(')') ? line : line.substr(0, start);
}

}  // namespace

std::vector<ListedLibrary> parse_library_list(std::string_view text) {
  constexpr std::string_view arrow = " => ";
  std::vector<ListedLibrary> libraries;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.starts_with('\t')) continue;
    line.remove_prefix(1);
    const bool has_address = without_address(line).size() != line.size();
    line = without_address(line);
    const auto split = line.find(arrow);
    if (split != std::string_view::npos) {
      const auto where = line.substr(split + arrow.size());
      const bool found = has_address && !where.empty();
      libraries.push_back({std::string(line.substr(0, split)), found ? std::string(where) : ""});
    } else if (has_address && line.find('/') != std::string_view::npos) {
      libraries.push_back({std::string(line), std::string(line)});
    }
  }
  return libraries;
}

std::optional<ScriptStart> script_start(std::string_view bytes) {
  if (!bytes.starts_with("#!")) return std::nullopt;
  auto line = bytes.substr(2, longest_first_line - 2);
  line = trimmed(line.substr(0, line.find_first_of(std::string_view("\n\0", 2))));
  const auto end = std::min(line.find_first_of(blanks), line.size());
  if (end == 0) return std::nullopt;
  return ScriptStart{std::string(line.substr(0, end)), std::string(trimmed(line.substr(end)))};
}

std::string program_of_env(std::string_view argument) {
  for (const auto& word : words_of(argument, blanks)) {
    // "-S" splits what follows; other options, and variables, come before the program.
    const auto start = word.starts_with("-S") ? 2U : 0U;
    const std::string rest = word.substr(start);
    if (rest.empty() || rest[0] == '-' || rest.find('=') != std::string::npos) continue;
    return rest;
  }
  return {};
}

Result<std::vector<std::string>> closure_of(const std::string& path,
                                            std::span<const std::string> environment) {
  Closure closure(path, environment);
  if (auto error = closure.add_program(path, 0)) return *error;
  return closure.take();
}

}  // namespace lares::lab

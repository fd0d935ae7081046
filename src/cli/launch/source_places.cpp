#include "cli/launch/source_places.hpp"

#include <dwarf.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdlib>
#include <memory>
#include <string_view>

#include "analysis/stats_file.hpp"
#include "cli/launch/debug_library.hpp"
#include "cli/launch/symbols.hpp"

namespace lares::cli {
namespace {

// What a process wrote as its file's path may be anything: to open a pipe would hang.
bool is_regular_file(const std::string& path) noexcept {
  struct stat status{};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

// "sweep" of the names that compilers give to the bodies of tasks: "sweep._omp_fn.0" (GCC), and
// ".omp_task_entry." and the like (Clang), which name no function of the program.
std::string function_of(const char* symbol) {
  const std::string name = demangled(symbol);
  return name.starts_with(".omp") || name.starts_with("__omp")
             ? std::string()
             : name.substr(0, name.find("._omp_fn"));
}

// The line of an attribute, and the name of its file by number in the unit's table.
std::string line_of_call(const DebugLibrary& dw, Dwarf_Die* unit, Dwarf_Die* inlined) {
  Dwarf_Attribute attribute{};
  Dwarf_Word line = 0;
  Dwarf_Word file = 0;
  if (dw.formudata(dw.attr(inlined, DW_AT_call_line, &attribute), &line) != 0 ||
      dw.formudata(dw.attr(inlined, DW_AT_call_file, &attribute), &file) != 0 || line == 0) {
    return {};
  }
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  if (dw.getsrcfiles(unit, &files, &count) != 0 || file >= count) return {};
  const char* const name = dw.filesrc(files, file, nullptr, nullptr);
  return name == nullptr ? std::string() : fmt::format("{}:{}", file_name(name), line);
}

bool holds_functions(const DebugLibrary& dw, Dwarf_Die* die) noexcept {
  switch (dw.tag(die)) {
    case DW_TAG_subprogram:
    case DW_TAG_inlined_subroutine:
    case DW_TAG_lexical_block:
    case DW_TAG_namespace:
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
      return true;
    default:
      return false;
  }
}

// Where a function itself calls what was inlined at that address; empty if nothing was. Not by
// dwarf_getscopes(): GCC has the body of a task inside of the function whose source it stands in,
// whose own code is elsewhere.
std::string outermost_call(const DebugLibrary& dw, Dwarf_Die* unit, Dwarf_Die* parent,
                           Dwarf_Addr address) {
  Dwarf_Die die{};
  for (int more = dw.child(parent, &die); more == 0; more = dw.siblingof(&die, &die)) {
    if (!holds_functions(dw, &die)) continue;
    const bool inlined = dw.tag(&die) == DW_TAG_inlined_subroutine;
    if (inlined && dw.haspc(&die, address) != 1) continue;
    if (std::string call = inlined ? line_of_call(dw, unit, &die) : std::string(); !call.empty()) {
      return call;
    }
    if (std::string call = outermost_call(dw, unit, &die, address); !call.empty()) return call;
  }
  return {};
}

/// The debug information of one file.
class DebugFile {
 public:
  DebugFile(const DebugLibrary& dw, const std::string& path)
      : dw_(dw), callbacks_(callbacks(dw)), session_(dw.begin(&callbacks_), dw.end) {
    if (!session_ || !is_regular_file(path)) return;
    dw.report_begin(session_.get());
    module_ = dw.report_offline(session_.get(), "", path.c_str(), -1);
    dw.report_end(session_.get(), nullptr, nullptr);
    if (module_ != nullptr && dw.module_getelf(module_, &bias_) == nullptr) module_ = nullptr;
  }

  /// The first line of the function whose code begins there: its first instructions may belong to
  /// no line, or to what was inlined there.
  [[nodiscard]] std::string line(std::uint64_t offset) const {
    constexpr std::uint64_t most_bytes = 256;
    Dwarf_Addr bias = 0;
    Dwarf_Die* const unit = module_ == nullptr ? nullptr : unit_at(offset + bias_, bias);
    if (unit == nullptr) return {};
    const char* const function = symbol(offset);
    for (std::uint64_t i = 0; i < most_bytes && symbol(offset + i) == function; ++i) {
      if (std::string found = line_in(unit, offset + i + bias_ - bias); !found.empty()) {
        return found;
      }
    }
    return {};
  }
  [[nodiscard]] const char* symbol(std::uint64_t offset) const {
    return module_ == nullptr ? nullptr : dw_.module_addrname(module_, offset + bias_);
  }

 private:
  // Debug information inside of the file only: nothing is looked for elsewhere, or downloaded.
  static int find_nothing(Dwfl_Module*, void**, const char*, Dwarf_Addr, const char*, const char*,
                          GElf_Word, char**) {
    return -1;
  }
  static Dwfl_Callbacks callbacks(const DebugLibrary& dw) noexcept {
    return {.find_elf = dw.build_id_find_elf,
            .find_debuginfo = find_nothing,
            .section_address = dw.offline_section_address,
            .debuginfo_path = nullptr};
  }

  // The compilation unit with that code. Asked one by one: Clang writes no table of addresses.
  [[nodiscard]] Dwarf_Die* unit_at(Dwarf_Addr address, Dwarf_Addr& bias) const {
    Dwarf_Die* unit = nullptr;
    while ((unit = dw_.module_nextcu(module_, unit, &bias)) != nullptr) {
      if (dw_.haspc(unit, address - bias) == 1) return unit;
    }
    return nullptr;
  }
  [[nodiscard]] std::string line_in(Dwarf_Die* unit, Dwarf_Addr address) const {
    Dwarf_Line* const found = dw_.getsrc_die(unit, address);
    int number = 0;
    if (found == nullptr || dw_.lineno(found, &number) != 0 || number == 0) return {};
    if (std::string call = outermost_call(dw_, unit, unit, address); !call.empty()) return call;
    const char* const file = dw_.linesrc(found, nullptr, nullptr);
    return file == nullptr ? std::string() : fmt::format("{}:{}", file_name(file), number);
  }

  const DebugLibrary& dw_;
  const Dwfl_Callbacks callbacks_;
  std::unique_ptr<Dwfl, void (*)(Dwfl*)> session_;
  Dwfl_Module* module_ = nullptr;
  GElf_Addr bias_ = 0;
};

std::string offset_in(const std::string& path, std::uint64_t offset) {
  return fmt::format("{}+{:#x}", file_name(path), offset);
}

std::string place_in(const DebugFile& file, const std::string& path, std::uint64_t offset) {
  const std::string line = file.line(offset);
  const char* const symbol = file.symbol(offset);
  if (!line.empty()) {
    const std::string function = symbol == nullptr ? std::string() : function_of(symbol);
    return function.empty() ? line : fmt::format("{} {}", line, function);
  }
  if (symbol != nullptr) return fmt::format("{} ({})", demangled(symbol), file_name(path));
  return offset_in(path, offset);
}

}  // namespace

std::string source_place(const std::string& path, std::uint64_t offset) {
  const DebugLibrary* const dw = debug_library();
  return analysis::printable(dw == nullptr ? offset_in(path, offset)
                                           : place_in(DebugFile(*dw, path), path, offset));
}

}  // namespace lares::cli

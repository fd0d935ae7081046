#include "cli/launch/debug_library.hpp"

#include <dlfcn.h>

#include <optional>

namespace lares::cli {
namespace {

constexpr const char* soname = "libdw.so.1";

class Loader {
 public:
  Loader() noexcept : library_(dlopen(soname, RTLD_NOW | RTLD_LOCAL)) {}

  template <class Function>
  void find(Function*& function, const char* name) noexcept {
    function = library_ == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(library_, name));
    found_all_ &= function != nullptr;
  }
  [[nodiscard]] bool found_all() const noexcept { return found_all_; }

 private:
  void* library_;  // stays loaded: its functions are used until the end
  bool found_all_ = true;
};

std::optional<DebugLibrary> load() noexcept {
  Loader loader;
  DebugLibrary dw{};
  loader.find(dw.attr, "dwarf_attr");
  loader.find(dw.child, "dwarf_child");
  loader.find(dw.filesrc, "dwarf_filesrc");
  loader.find(dw.formudata, "dwarf_formudata");
  loader.find(dw.getsrc_die, "dwarf_getsrc_die");
  loader.find(dw.getsrcfiles, "dwarf_getsrcfiles");
  loader.find(dw.haspc, "dwarf_haspc");
  loader.find(dw.lineno, "dwarf_lineno");
  loader.find(dw.linesrc, "dwarf_linesrc");
  loader.find(dw.siblingof, "dwarf_siblingof");
  loader.find(dw.tag, "dwarf_tag");
  loader.find(dw.begin, "dwfl_begin");
  loader.find(dw.build_id_find_elf, "dwfl_build_id_find_elf");
  loader.find(dw.end, "dwfl_end");
  loader.find(dw.module_addrname, "dwfl_module_addrname");
  loader.find(dw.module_getelf, "dwfl_module_getelf");
  loader.find(dw.module_nextcu, "dwfl_module_nextcu");
  loader.find(dw.offline_section_address, "dwfl_offline_section_address");
  loader.find(dw.report_begin, "dwfl_report_begin");
  loader.find(dw.report_end, "dwfl_report_end");
  loader.find(dw.report_offline, "dwfl_report_offline");
  return loader.found_all() ? std::optional(dw) : std::nullopt;
}

}  // namespace

const DebugLibrary* debug_library() {
  static const std::optional<DebugLibrary> library = load();
  return library ? &*library : nullptr;
}

}  // namespace lares::cli

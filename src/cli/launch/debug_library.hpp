// What Lares uses of libdw, which reads debug information. Loaded when it is first asked for: most
// commands never do, and to link it costs each of them a tenth of its start.
#pragma once

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

namespace lares::cli {

/// Its functions, by their own names.
struct DebugLibrary {
  decltype(&::dwarf_attr) attr;
  decltype(&::dwarf_child) child;
  decltype(&::dwarf_filesrc) filesrc;
  decltype(&::dwarf_formudata) formudata;
  decltype(&::dwarf_getsrc_die) getsrc_die;
  decltype(&::dwarf_getsrcfiles) getsrcfiles;
  decltype(&::dwarf_haspc) haspc;
  decltype(&::dwarf_lineno) lineno;
  decltype(&::dwarf_linesrc) linesrc;
  decltype(&::dwarf_siblingof) siblingof;
  decltype(&::dwarf_tag) tag;
  decltype(&::dwfl_begin) begin;
  decltype(&::dwfl_build_id_find_elf) build_id_find_elf;
  decltype(&::dwfl_end) end;
  decltype(&::dwfl_module_addrname) module_addrname;
  decltype(&::dwfl_module_getelf) module_getelf;
  decltype(&::dwfl_module_nextcu) module_nextcu;
  decltype(&::dwfl_offline_section_address) offline_section_address;
  decltype(&::dwfl_report_begin) report_begin;
  decltype(&::dwfl_report_end) report_end;
  decltype(&::dwfl_report_offline) report_offline;
};

/// Null if the system has no such library, or another version's. Any thread may ask.
const DebugLibrary* debug_library();

}  // namespace lares::cli

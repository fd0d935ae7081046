#include "host/openmp/loaded_object.hpp"

#include <algorithm>
#include <cstring>

namespace lares::omp {

LoadedObject::LoadedObject(const dl_phdr_info& info) noexcept
    : base(info.dlpi_addr), begin(UINTPTR_MAX) {
  std::strncpy(path, info.dlpi_name, sizeof(path) - 1);
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info.dlpi_phdr[i];
    const std::uintptr_t at = info.dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_DYNAMIC) dynamic = reinterpret_cast<const ElfW(Dyn)*>(at);
    if (header.p_type != PT_LOAD || (header.p_flags & PF_X) == 0) continue;
    begin = std::min(begin, at);
    end = std::max<std::uintptr_t>(end, at + header.p_memsz);
  }
}

namespace loaded {
namespace {

// glibc relocates it; others may not.
std::uintptr_t address_in(const LoadedObject& object, std::uintptr_t at) noexcept {
  return at < object.base ? object.base + at : at;
}

template <class Table>
const Table* table_in(const LoadedObject& object, const ElfW(Dyn) & entry) noexcept {
  return reinterpret_cast<const Table*>(address_in(object, entry.d_un.d_ptr));
}

}  // namespace

Tables::Tables(const LoadedObject& object) noexcept {
  std::size_t without_symbol = 0;
  for (const ElfW(Dyn)* entry = object.dynamic; entry != nullptr && entry->d_tag != DT_NULL;
       ++entry) {
    const std::size_t value = entry->d_un.d_val;
    switch (entry->d_tag) {
      case DT_STRTAB:
        strings = table_in<char>(object, *entry);
        break;
      case DT_SYMTAB:
        symbols = table_in<ElfW(Sym)>(object, *entry);
        break;
      case DT_JMPREL:
        calls = table_in<ElfW(Rela)>(object, *entry);
        break;
      case DT_PLTRELSZ:
        call_count = value / sizeof(ElfW(Rela));
        break;
      case DT_RELA:
        others = table_in<ElfW(Rela)>(object, *entry);
        break;
      case DT_RELASZ:
        other_count = value / sizeof(ElfW(Rela));
        break;
      case DT_RELACOUNT:
        without_symbol = value;
        break;
      default:
        break;
    }
  }
  if (calls == nullptr) call_count = 0;
  if (others == nullptr) other_count = 0;
  without_symbol = std::min(without_symbol, other_count);
  others += without_symbol;
  other_count -= without_symbol;
}

}  // namespace loaded
}  // namespace lares::omp

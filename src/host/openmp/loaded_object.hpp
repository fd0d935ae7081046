// What the dynamic linker has loaded: where an object's code lies, which libraries it needs, and
// which functions of others it asks for.
#pragma once

#include <elf.h>
#include <link.h>

#include <cstddef>
#include <cstdint>

namespace lares::omp {

/// One of them, as dl_iterate_phdr tells. A copy: the object itself may be unloaded.
struct LoadedObject {
  LoadedObject() = default;
  explicit LoadedObject(const dl_phdr_info& info) noexcept;

  char path[1024] = {};
  std::uintptr_t base = 0;
  std::uintptr_t begin = 0;  ///< of its code
  std::uintptr_t end = 0;
  const ElfW(Dyn) * dynamic = nullptr;  ///< null if it has none
};

/// Calls `visit(object, info)` with each until that gives false. Nothing may be loaded meanwhile:
/// the linker's lock is held.
template <class Visit>
void for_each_object(Visit visit) noexcept {
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) -> int {
        const LoadedObject object(*info);
        return (*static_cast<Visit*>(data))(object, *info) ? 0 : 1;
      },
      &visit);
}

/// True if `is_wanted(name)` is for one of the libraries that the object needs. While it is loaded.
template <class IsWanted>
bool needs_any(const LoadedObject& object, IsWanted is_wanted) noexcept;

/// True if `is_wanted(name)` is for one of the functions and variables that the object asks the
/// linker for, wherever they are then. While it is loaded. Linear in its relocations by name.
template <class IsWanted>
bool imports_any(const LoadedObject& object, IsWanted is_wanted) noexcept;

/// Inside of the two functions above.
namespace loaded {

/// What the dynamic section says of relocations by name: with addends, as all are on the 64-bit
/// machines that we run on.
struct Tables {
  explicit Tables(const LoadedObject& object) noexcept;

  const char* strings = nullptr;
  const ElfW(Sym) * symbols = nullptr;
  const ElfW(Rela) * calls = nullptr;  ///< of functions that are bound when they are called
  std::size_t call_count = 0;
  const ElfW(Rela) * others = nullptr;  ///< without those that name no symbol
  std::size_t other_count = 0;
};

template <class IsWanted>
bool any_of(const Tables& tables, const ElfW(Rela) * relocations, std::size_t count,
            IsWanted is_wanted) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t index = ELF64_R_SYM(relocations[i].r_info);
    if (index == 0 || tables.symbols[index].st_shndx != SHN_UNDEF) continue;
    if (is_wanted(tables.strings + tables.symbols[index].st_name)) return true;
  }
  return false;
}

}  // namespace loaded

template <class IsWanted>
bool needs_any(const LoadedObject& object, IsWanted is_wanted) noexcept {
  const loaded::Tables tables(object);
  if (tables.strings == nullptr) return false;
  for (const ElfW(Dyn)* entry = object.dynamic; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_NEEDED && is_wanted(tables.strings + entry->d_un.d_val)) return true;
  }
  return false;
}

template <class IsWanted>
bool imports_any(const LoadedObject& object, IsWanted is_wanted) noexcept {
  const loaded::Tables tables(object);
  if (tables.strings == nullptr || tables.symbols == nullptr) return false;
  return loaded::any_of(tables, tables.calls, tables.call_count, is_wanted) ||
         loaded::any_of(tables, tables.others, tables.other_count, is_wanted);
}

}  // namespace lares::omp

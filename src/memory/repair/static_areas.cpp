#include "memory/repair/static_areas.hpp"

#include <link.h>
#include <unistd.h>

namespace lares::memory {
namespace {

struct Search {
  std::span<LargeArea> areas;
  std::size_t found = 0;
  std::uintptr_t page = 0;
};

/// Any address in this library.
const std::uintptr_t inside = reinterpret_cast<std::uintptr_t>(&inside);

bool holds_us(const dl_phdr_info& library) noexcept {
  for (std::size_t i = 0; i < library.dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = library.dlpi_phdr[i];
    const std::uintptr_t begin = library.dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_LOAD && inside >= begin && inside < begin + part.p_memsz) return true;
  }
  return false;
}

int look(dl_phdr_info* library, std::size_t, void* argument) {
  auto& search = *static_cast<Search*>(argument);
  if (holds_us(*library)) return 0;
  for (std::size_t i = 0; i < library->dlpi_phnum && search.found < search.areas.size(); ++i) {
    const ElfW(Phdr)& part = library->dlpi_phdr[i];
    // Zero-initialised variables: what the segment has in memory beyond the file.
    if (part.p_type != PT_LOAD || (part.p_flags & PF_W) == 0) continue;
    const std::uintptr_t start = library->dlpi_addr + part.p_vaddr;
    const std::uintptr_t begin = (start + part.p_filesz + search.page - 1) & ~(search.page - 1);
    const std::uintptr_t end = (start + part.p_memsz) & ~(search.page - 1);
    if (end > begin && end - begin >= large_bytes) search.areas[search.found++] = {begin, end};
  }
  return 0;
}

}  // namespace

std::size_t find_static_areas(std::span<LargeArea> areas) noexcept {
  Search search{areas, 0, static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE))};
  dl_iterate_phdr(look, &search);
  return search.found;
}

}  // namespace lares::memory

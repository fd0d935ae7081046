#include "runtime/code_place.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <cstdio>

namespace lares::runtime {

namespace {

// The object that has the code, or null. Without the loader's lock, which a thread may hold whose
// library's constructor waits for this one: so not by dladdr(), and not before glibc 2.35.
const link_map* object_with(std::uintptr_t code) noexcept {
#if __GLIBC_PREREQ(2, 35)
  dl_find_object found{};
  const bool known = _dl_find_object(reinterpret_cast<void*>(code), &found) == 0;
  return known ? found.dlfo_link_map : nullptr;
#else
  return nullptr;
#endif
}

}  // namespace

std::uint64_t place_of_code(std::uintptr_t code, std::span<char> file) noexcept {
  file[0] = '\0';
  const link_map* const object = object_with(code);
  if (object == nullptr) return code;
  const bool is_program = object->l_name == nullptr || object->l_name[0] == '\0';
  if (!is_program) {
    std::snprintf(file.data(), file.size(), "%s", object->l_name);
  } else {
    const ssize_t length = readlink("/proc/self/exe", file.data(), file.size() - 1);
    file[length < 0 ? 0 : static_cast<std::size_t>(length)] = '\0';
  }
  return code - object->l_addr;
}

}  // namespace lares::runtime

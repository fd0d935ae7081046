// Any bytes given to the parsers of what the lab's image is made of: ELF files, kernel modules,
// boot images, scripts, and what apt and the run-time linker say. Run: fuzz_lab_image
// -max_total_time=60
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <tuple>

#include "lab/image/closure.hpp"
#include "lab/image/debian.hpp"
#include "lab/image/elf.hpp"
#include "lab/image/kernel_image.hpp"
#include "lab/image/modules.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace lares::lab;
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  if (const auto file = read_elf(text)) std::ignore = machine_name(*file);
  if (elf_section(text, ".modinfo").size() > size) std::abort();
  std::ignore = needed_modules(text);
  std::ignore = is_built_in(text, "virtio");
  // It becomes a part of a path.
  const auto release = kernel_release(text, "fuzz");
  if (release && release.value().find('/') != std::string::npos) std::abort();
  if (!release && release.error().sentence.empty()) std::abort();
  if (const auto script = script_start(text)) {
    if (script->interpreter.empty()) std::abort();
    std::ignore = program_of_env(script->argument);
  }
  for (const auto& library : parse_library_list(text)) {
    if (library.path.find('\n') != std::string::npos) std::abort();
  }
  // It becomes an argument of apt-get.
  const auto package = kernel_dependency(text);
  if (package && (package->name[0] == '-' || package->version.empty())) std::abort();
  std::ignore = package_size(text);
  return 0;
}

// What an ELF file says about itself. Any bytes are allowed: nothing is trusted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lares::lab {

struct ElfFile {
  bool is_64 = false;
  std::uint16_t machine = 0;     ///< EM_X86_64 and so on
  std::uint16_t type = 0;        ///< ET_EXEC, ET_DYN, ET_REL, ...
  std::string interpreter = {};  ///< the run-time linker that it asks for; empty if none
  bool needs_libraries = false;  ///< its dynamic section names at least one
};

bool has_elf_magic(std::string_view bytes) noexcept;

/// Nothing if the bytes are no ELF file or its tables lie outside of it. Of a file of another word
/// size or byte order only `is_64`, `machine` and `type` are given.
std::optional<ElfFile> read_elf(std::string_view bytes);

/// The bytes of a 64-bit ELF file's section; empty if there is none of that name.
std::string_view elf_section(std::string_view bytes, std::string_view name);

/// What people call a machine: "arm64".
std::string machine_name(const ElfFile& file);

}  // namespace lares::lab

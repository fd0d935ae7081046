#include "cli/launch/symbols.hpp"

#include <cxxabi.h>
#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>
#include <string_view>
#include <type_traits>

namespace lares::cli {
namespace {

/// A file that may be anything, and may change while it is read.
class ElfFile {
 public:
  explicit ElfFile(const std::string& path) noexcept
      : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;
  ~ElfFile() {
    if (file_ >= 0) close(file_);
  }

  [[nodiscard]] bool is(std::uint64_t inode) const noexcept {
    struct stat status{};
    return file_ >= 0 && fstat(file_, &status) == 0 && S_ISREG(status.st_mode) &&
           status.st_ino == inode;
  }
  /// `count` things from `offset`; nothing if they are not all there or too many to be true.
  template <class T>
  [[nodiscard]] std::vector<T> read(std::uint64_t offset, std::uint64_t count) const {
    static_assert(std::is_trivially_copyable_v<T>);
    constexpr std::uint64_t most = std::uint64_t{256} << 20U;
    if (count > most / sizeof(T) || offset > INT64_MAX) return {};
    std::vector<T> things(count);
    auto* const bytes = reinterpret_cast<char*>(things.data());
    const std::size_t size = count * sizeof(T);
    for (std::size_t done = 0; done < size;) {
      const ssize_t got =
          pread(file_, bytes + done, size - done, static_cast<off_t>(offset + done));
      if (got <= 0) return {};
      done += static_cast<std::size_t>(got);
    }
    return things;
  }

 private:
  int file_;
};

/// Where an address of the file's image lies in the file.
std::uint64_t in_file(const std::vector<Elf64_Phdr>& segments, std::uint64_t address) noexcept {
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
        address - segment.p_vaddr < segment.p_filesz) {
      return address - segment.p_vaddr + segment.p_offset;
    }
  }
  return UINT64_MAX;
}

/// The full table if the file has it, else the one that the linker needs.
const Elf64_Shdr* symbol_table(const std::vector<Elf64_Shdr>& sections) noexcept {
  const Elf64_Shdr* found = nullptr;
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type == SHT_SYMTAB) return &section;
    if (section.sh_type == SHT_DYNSYM) found = &section;
  }
  return found;
}

}  // namespace

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? std::string(text.get()) : name;
}

std::string_view file_name(std::string_view path) noexcept {
  return path.substr(path.rfind('/') + 1);
}

Symbols::Symbols(pid_t process) {
  std::ifstream maps(fmt::format("/proc/{}/maps", process));
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    Mapping mapping;
    std::string permissions;
    std::string device;
    char dash = 0;
    words >> std::hex >> mapping.start >> dash >> mapping.end >> permissions >> mapping.offset >>
        device >> std::dec >> mapping.inode >> std::ws;
    std::getline(words, mapping.path);
    if (permissions.find('x') == std::string::npos || !mapping.path.starts_with('/')) continue;
    mappings_.push_back(std::move(mapping));
  }
}

std::vector<Symbols::Function> Symbols::read_functions(const Mapping& mapping) {
  const ElfFile file(mapping.path);
  if (!file.is(mapping.inode)) return {};  // it was built anew meanwhile
  const auto heads = file.read<Elf64_Ehdr>(0, 1);
  if (heads.empty()) return {};
  const Elf64_Ehdr& head = heads.front();
  if (std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 ||
      head.e_ident[EI_DATA] != ELFDATA2LSB || head.e_shentsize != sizeof(Elf64_Shdr) ||
      head.e_phentsize != sizeof(Elf64_Phdr)) {
    return {};
  }
  const auto segments = file.read<Elf64_Phdr>(head.e_phoff, head.e_phnum);
  const auto sections = file.read<Elf64_Shdr>(head.e_shoff, head.e_shnum);
  const Elf64_Shdr* table = symbol_table(sections);
  if (table == nullptr || table->sh_link >= sections.size()) return {};
  const Elf64_Shdr& names_at = sections[table->sh_link];
  const auto names = file.read<char>(names_at.sh_offset, names_at.sh_size);
  std::vector<Function> functions;
  for (const Elf64_Sym& symbol :
       file.read<Elf64_Sym>(table->sh_offset, table->sh_size / sizeof(Elf64_Sym))) {
    if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_name >= names.size()) continue;
    const std::uint64_t start = in_file(segments, symbol.st_value);
    if (start == UINT64_MAX) continue;
    const char* name = names.data() + symbol.st_name;
    functions.push_back(
        {start, symbol.st_size, std::string(name, strnlen(name, names.size() - symbol.st_name))});
  }
  std::sort(functions.begin(), functions.end(),
            [](const Function& a, const Function& b) { return a.start < b.start; });
  return functions;
}

std::string Symbols::name(std::uint64_t address) {
  const auto at = std::find_if(mappings_.begin(), mappings_.end(), [&](const Mapping& mapping) {
    return address >= mapping.start && address < mapping.end;
  });
  if (at == mappings_.end()) return fmt::format("{:#x}", address);
  const std::uint64_t offset = address - at->start + at->offset;
  std::string place = fmt::format("{}+{:#x}", file_name(at->path), offset);
  if (!functions_.contains(at->path)) functions_[at->path] = read_functions(*at);
  const std::vector<Function>& functions = functions_[at->path];
  auto after =
      std::upper_bound(functions.begin(), functions.end(), offset,
                       [](std::uint64_t wanted, const Function& f) { return wanted < f.start; });
  if (after == functions.begin()) return place;
  const Function& function = *--after;
  if (offset - function.start >= std::max<std::uint64_t>(function.size, 1)) return place;
  return fmt::format("{} ({})", demangled(function.name), place);
}

}  // namespace lares::cli

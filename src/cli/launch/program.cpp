#include "cli/launch/program.hpp"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>

namespace lares::cli {
namespace {

#if defined(__x86_64__)
constexpr std::uint16_t own_architecture = EM_X86_64;
#elif defined(__aarch64__)
constexpr std::uint16_t own_architecture = EM_AARCH64;
#else
#error "Lares runs on x86-64 and arm64"
#endif

/// Scanning more than this for a runtime's traces would be felt at the end of a run.
constexpr std::size_t largest_scan = std::size_t{256} << 20U;

/// A file's bytes, read-only, or none.
class Mapping {
 public:
  explicit Mapping(const std::string& path, std::size_t limit = largest_scan) noexcept {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return;
    struct stat status{};
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
      size_ = std::min(static_cast<std::size_t>(status.st_size), limit);
      data_ = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
    }
    close(file);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() {
    if (data_ != MAP_FAILED) munmap(data_, size_);
  }

  [[nodiscard]] std::span<const std::byte> bytes() const noexcept {
    if (data_ == MAP_FAILED) return {};
    return {static_cast<const std::byte*>(data_), size_};
  }

 private:
  void* data_ = MAP_FAILED;
  std::size_t size_ = 0;
};

bool has_elf_magic(std::span<const std::byte> image) noexcept {
  return image.size() >= SELFMAG && std::memcmp(image.data(), ELFMAG, SELFMAG) == 0;
}

template <class T>
bool load(std::span<const std::byte> image, std::uint64_t offset, T& value) noexcept {
  if (offset > image.size() || image.size() - offset < sizeof(T)) return false;
  std::memcpy(&value, image.data() + offset, sizeof(T));
  return true;
}

bool is_native(const Elf64_Ehdr& header) noexcept {
  return header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == ELFDATA2LSB &&
         header.e_machine == own_architecture;
}

std::string_view interpreter(std::span<const std::byte> image, const Elf64_Phdr& segment) noexcept {
  if (segment.p_offset > image.size()) return "";
  const std::size_t room =
      std::min<std::uint64_t>(image.size() - segment.p_offset, segment.p_filesz);
  const auto* text = reinterpret_cast<const char*>(image.data()) + segment.p_offset;
  return {text, strnlen(text, room)};
}

/// The dynamic loader that the image names, a null pointer if it names none; nothing if its program
/// headers lie outside of it.
std::optional<std::string_view> named_loader(std::span<const std::byte> image,
                                             const Elf64_Ehdr& header) noexcept {
  for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    // An offset that wraps around is as far outside as one that does not.
    if (header.e_phoff > image.size() ||
        !load(image, header.e_phoff + i * sizeof(Elf64_Phdr), segment)) {
      return std::nullopt;
    }
    if (segment.p_type == PT_INTERP) return interpreter(image, segment);
  }
  return std::string_view{};
}

/// The GNU C library's loaders are called ld-linux-x86-64.so.2, ld-linux-aarch64.so.1, ...; a
/// library built against that C library does not load into programs of another one.
bool is_gnu_loader(std::string_view path) noexcept {
  return path.substr(path.rfind('/') + 1).starts_with("ld-linux");
}

bool is_privileged(const std::string& path) noexcept {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0) return false;
  const bool other_user = (status.st_mode & S_ISUID) != 0 && status.st_uid != geteuid();
  const bool other_group = (status.st_mode & S_ISGID) != 0 && status.st_gid != getegid();
  const bool capable =
      geteuid() != 0 && getxattr(path.c_str(), "security.capability", nullptr, 0) > 0;
  return other_user || other_group || capable;
}

bool contains_any(const std::string& path, std::initializer_list<std::string_view> traces) {
  const Mapping file(path);
  const auto bytes = file.bytes();
  return std::any_of(traces.begin(), traces.end(), [&](std::string_view trace) {
    return memmem(bytes.data(), bytes.size(), trace.data(), trace.size()) != nullptr;
  });
}

bool is_regular(const std::string& path) noexcept {
  struct stat status{};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

bool is_folder(const std::string& path) noexcept {
  struct stat status{};
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

bool is_executable(const std::string& path) noexcept {
  return is_regular(path) && faccessat(AT_FDCWD, path.c_str(), X_OK, AT_EACCESS) == 0;
}

Error not_there(const std::string& word) {
  return {fmt::format("cannot run \"{}\": there is no such {}", word,
                      word.find('/') == std::string::npos
                          ? "program in PATH (write ./NAME for one in this folder)"
                          : "file")};
}

Error not_executable(const std::string& word) {
  return {fmt::format("cannot run \"{}\": it is not executable (chmod +x makes it so)", word)};
}

Result<std::string> check_path(const std::string& word) {
  if (is_folder(word)) return Error{fmt::format("cannot run \"{}\": it is a folder", word)};
  if (is_executable(word)) return word;
  if (is_regular(word)) return not_executable(word);
  return explain_start_failure(word, word, access(word.c_str(), F_OK) == 0 ? EACCES : errno);
}

}  // namespace

namespace {

/// What a look through PATH finds.
struct InPath {
  std::string program;     ///< the first executable file; empty: there is none
  bool has_plain = false;  ///< a file of that name was there
};

InPath look_through_path(const std::string& word, const Environment& environment) {
  InPath found;
  const std::string path = environment.get("PATH").value_or("/bin:/usr/bin");
  for (std::size_t start = 0; start <= path.size();) {
    const std::size_t end = std::min(path.find(':', start), path.size());
    std::string candidate = path.substr(start, end - start);
    if (candidate.empty()) candidate = '.';
    candidate.append(1, '/').append(word);
    found.has_plain = found.has_plain || is_regular(candidate);
    if (is_executable(candidate)) {
      found.program = candidate;
      return found;
    }
    start = end + 1;
  }
  return found;
}

/// What the kernel starts in the program's place: the interpreter that a script's first line names,
/// or a program's dynamic loader; empty: nothing.
std::string starter_of(const std::string& path) {
  const Mapping file(path);
  const auto image = file.bytes();
  const std::string_view text(reinterpret_cast<const char*>(image.data()), image.size());
  if (text.starts_with("#!")) {
    const std::string_view line = text.substr(2, text.find('\n') - 2);
    const auto start = std::min(line.find_first_not_of(" \t"), line.size());
    const auto end = line.find_first_of(" \t", start);
    return std::string(line.substr(start, end - start));
  }
  Elf64_Ehdr header;
  if (!has_elf_magic(image) || !load(image, 0, header) || !is_native(header)) return {};
  return std::string(named_loader(image, header).value_or(""));
}

/// True if exec refuses the program with ENOENT although it is there.
bool names_what_is_missing(const std::string& path) {
  const std::string starter = starter_of(path);
  return !starter.empty() && access(starter.c_str(), F_OK) != 0 && errno == ENOENT;
}

bool is_a_path(const std::string& word) { return word.find('/') != std::string::npos; }

}  // namespace

Result<std::string> find_program(const std::string& word, const Environment& environment) {
  if (word.empty()) return Error{"cannot run \"\": a program's name is not empty"};
  if (is_a_path(word)) return check_path(word);
  InPath found = look_through_path(word, environment);
  if (!found.program.empty()) return std::move(found.program);
  return found.has_plain ? not_executable(word) : not_there(word);
}

int start_failure_status(const std::string& word, const Environment& environment) {
  if (word.empty()) return status_no_program;
  const InPath found = is_a_path(word)
                           ? InPath{word, access(word.c_str(), F_OK) == 0 || errno != ENOENT}
                           : look_through_path(word, environment);
  const bool there = found.has_plain && !names_what_is_missing(found.program);
  return there ? status_not_executable : status_no_program;
}

Preload inspect_image(std::span<const std::byte> image) {
  Elf64_Ehdr header;
  if (!has_elf_magic(image) || !load(image, 0, header)) return Preload::works;
  if (!is_native(header)) return Preload::not_wanted;
  const auto loader = named_loader(image, header);
  if (!loader) return Preload::works;
  if (loader->data() == nullptr) return Preload::ignored;
  return is_gnu_loader(*loader) ? Preload::works : Preload::not_wanted;
}

Preload inspect_program(const std::string& path) {
  if (is_privileged(path)) return Preload::privileged;
  const Mapping file(path);
  return inspect_image(file.bytes());
}

bool is_elf(const std::string& path) {
  const Mapping file(path, SELFMAG);
  return has_elf_magic(file.bytes());
}

// The runtimes read variables of their own; a program that merely uses OpenMP hardly names them.
bool carries_openmp_runtime(const std::string& path) {
  return is_elf(path) && contains_any(path, {"GOMP_SPINCOUNT", "KMP_BLOCKTIME"});
}

bool mentions_openmp(const std::string& path) {
  return carries_openmp_runtime(path) ||
         (is_elf(path) && contains_any(path, {"GOMP_parallel", "__kmpc_fork_call"}));
}

Error explain_start_failure(const std::string& word, const std::string& path, int reason) {
  switch (reason) {
    case ENOENT:
      if (!is_regular(path)) return not_there(word);
      return {fmt::format("cannot run \"{}\": the interpreter or loader that it names is missing",
                          word)};
    case ENOEXEC:
      return {fmt::format("cannot run \"{}\": it is no program for this processor", word)};
    default:
      return {fmt::format("cannot run \"{}\": {}", word, std::strerror(reason))};
  }
}

}  // namespace lares::cli

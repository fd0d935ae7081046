#include "cli/doctor/openmp_runtimes.hpp"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>

#include "base/file_stream.hpp"

namespace lares::cli::doctor {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> prefixes = {"libgomp.so", "libomp.so", "libiomp5.so"};

bool has_runtime_name(const std::string& file) {
  return std::any_of(prefixes.begin(), prefixes.end(), [&](std::string_view prefix) {
    return file.compare(0, prefix.size(), prefix) == 0;
  });
}

void add_folder(const fs::path& folder, std::vector<fs::path>& files) {
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    if (has_runtime_name(entry->path().filename().string())) files.push_back(entry->path());
  }
}

/// Calls add_folder for each `parent`/*/`below`.
void add_folders(const fs::path& parent, const fs::path& below, std::string_view prefix,
                 std::vector<fs::path>& files) {
  std::error_code failure;
  for (fs::directory_iterator entry(parent, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const std::string name = entry->path().filename().string();
    if (name.compare(0, prefix.size(), prefix) == 0) add_folder(entry->path() / below, files);
  }
}

/// Lines like "\tlibgomp.so.1 (libc6,x86-64) => /lib/x86_64-linux-gnu/libgomp.so.1".
void add_linker_cache(std::vector<fs::path>& files) {
  const PipeStream pipe(popen("PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null", "re"));
  if (!pipe) return;
  std::array<char, 4096> line{};
  while (std::fgets(line.data(), static_cast<int>(line.size()), pipe.get()) != nullptr) {
    const std::string text(line.data());
    const std::size_t arrow = text.find("=> ");
    if (arrow == std::string::npos) continue;
    const fs::path path = text.substr(arrow + 3, text.find('\n', arrow) - arrow - 3);
    if (has_runtime_name(path.filename().string())) files.push_back(path);
  }
}

void add_environment(std::vector<fs::path>& files) {
  const char* folders = std::getenv("LD_LIBRARY_PATH");
  if (folders == nullptr) return;
  std::string_view rest(folders);
  while (!rest.empty()) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    if (colon > 0) add_folder(fs::path(rest.substr(0, colon)), files);
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
}

std::vector<fs::path> candidates() {
  std::vector<fs::path> files;
  add_environment(files);
  add_linker_cache(files);
  for (const char* folder : {"/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/local/lib64",
                             "/opt/intel/oneapi/compiler/latest/lib",
                             "/opt/intel/oneapi/compiler/latest/linux/compiler/lib/intel64_lin"}) {
    add_folder(folder, files);
  }
  add_folders("/usr/lib", "lib", "llvm-", files);
  add_folders("/usr/lib", "", "x86_64-linux-gnu", files);
  add_folders("/usr/lib", "", "aarch64-linux-gnu", files);
  return files;
}

/// Text after `key` up to the next byte that is not part of a version.
std::string version_after(const std::string& bytes, std::string_view key) {
  const std::size_t start = bytes.find(key);
  if (start == std::string::npos) return "";
  const std::size_t first = start + key.size();
  const std::size_t end = bytes.find_first_not_of("0123456789.", first);
  return bytes.substr(first, std::min(end, bytes.size()) - first);
}

/// libgomp names its interface by its newest symbol version.
std::string newest_gomp_tag(const std::string& bytes) {
  using Number = std::array<int, 3>;
  Number newest{};
  std::string tag;
  for (std::size_t at = 0; (at = bytes.find("GOMP_", at)) != std::string::npos; ++at) {
    Number number{};
    int used = 0;
    const std::string text = bytes.substr(at, 20);
    if (std::sscanf(text.c_str(), "GOMP_%d.%d%n.%d%n", &number[0], &number[1], &used, &number[2],
                    &used) < 2) {
      continue;
    }
    if (number < newest) continue;
    newest = number;
    tag = text.substr(0, static_cast<std::size_t>(used));
  }
  return tag;
}

}  // namespace

OpenMPRuntime identify_openmp_runtime(const std::string& path, const std::string& bytes) {
  if (bytes.compare(0, SELFMAG, ELFMAG) != 0) return {};
  const auto has = [&](const char* text) { return bytes.find(text) != std::string::npos; };
  if (has("__kmpc_fork_call")) {
    const bool intel = has("Intel(R) OMP");
    const std::string release = version_after(path, "/llvm-");
    if (!release.empty()) return {"libomp", "LLVM " + release, path};
    return {intel ? "libiomp5" : "libomp",
            version_after(bytes, intel ? "Intel(R) OMP version: " : "LLVM OMP version: "), path};
  }
  if (has("GOMP_parallel")) return {"libgomp", newest_gomp_tag(bytes), path};
  return {};
}

std::vector<OpenMPRuntime> find_openmp_runtimes() {
  std::vector<std::string> paths;
  for (const fs::path& file : candidates()) {
    std::error_code failure;
    const auto path = fs::canonical(file, failure);
    if (!failure) paths.push_back(path.string());
  }
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  std::vector<OpenMPRuntime> runtimes;
  for (const std::string& path : paths) {
    auto runtime = identify_openmp_runtime(path, read_text(path));
    if (!runtime.kind.empty()) runtimes.push_back(std::move(runtime));
  }
  return runtimes;
}

}  // namespace lares::cli::doctor

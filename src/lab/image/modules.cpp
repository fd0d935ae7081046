#include "lab/image/modules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "lab/image/command.hpp"
#include "lab/image/elf.hpp"
#include "lab/image/file.hpp"

namespace lares::lab {
namespace {

namespace fs = std::filesystem;

constexpr Bytes largest_module{std::uint64_t{64} << 20U};

struct Packing {
  std::string_view ending;
  std::string_view unpacker;  ///< "" for none
};

constexpr Packing packings[] = {
    {".ko", ""}, {".ko.xz", "xz"}, {".ko.zst", "zstd"}, {".ko.gz", "gzip"}};

std::string kernel_name(std::string_view name) {
  std::string result(name);
  std::replace(result.begin(), result.end(), '-', '_');
  return result;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const auto end = std::min(text.find(separator), text.size());
    if (end > 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

struct ModuleFile {
  std::string path;
  std::string_view unpacker;
};

using ModuleFiles = std::map<std::string, ModuleFile>;

void add_if_module(const fs::path& path, ModuleFiles& files) {
  const std::string name = path.filename().string();
  for (const auto& [ending, unpacker] : packings) {
    if (!name.ends_with(ending)) continue;
    files.emplace(kernel_name(name.substr(0, name.size() - ending.size())),
                  ModuleFile{path.string(), unpacker});
  }
}

Result<ModuleFiles> files_below(const std::string& folder) {
  ModuleFiles files;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_regular_file(ignored)) add_if_module(entry->path(), files);
  }
  if (error) return Error{fmt::format("cannot read \"{}\": {}", folder, error.message())};
  return files;
}

Result<std::string> content_of(const ModuleFile& file) {
  if (file.unpacker.empty()) return read_file(file.path, largest_module);
  auto result =
      run_command({std::string(file.unpacker), "-dc", file.path}, {.output_limit = largest_module});
  if (!result) return result.error();
  if (result.value().exit_status != 0) {
    return Error{fmt::format("{} cannot unpack \"{}\": {}", file.unpacker, file.path,
                             last_line(result.value().errors))};
  }
  return std::move(result.value().output);
}

/// Walks the modules that are needed, depth first.
class LoadOrder {
 public:
  LoadOrder(const std::string& folder, const ModuleFiles& files, std::string_view built_in)
      : folder_(folder), files_(files), built_in_(built_in) {}

  std::optional<Error> add(const std::string& name) {
    if (!seen_.insert(name).second) return std::nullopt;
    const auto file = files_.find(name);
    if (file == files_.end()) {
      if (is_built_in(built_in_, name)) return std::nullopt;
      return Error{fmt::format("the kernel's modules in \"{}\" lack {}, and it is not built in",
                               folder_, name)};
    }
    auto bytes = content_of(file->second);
    if (!bytes) return bytes.error();
    for (const auto& needed : needed_modules(bytes.value())) {
      if (auto error = add(needed)) return error;
    }
    modules_.push_back({name, std::move(bytes.value())});
    return std::nullopt;
  }

  std::vector<KernelModule> take() { return std::move(modules_); }

 private:
  const std::string& folder_;
  const ModuleFiles& files_;
  std::string_view built_in_;
  std::set<std::string> seen_;
  std::vector<KernelModule> modules_;
};

}  // namespace

std::vector<std::string> needed_modules(std::string_view module_bytes) {
  constexpr std::string_view key = "depends=";
  for (const auto& field : split(elf_section(module_bytes, ".modinfo"), '\0')) {
    if (!field.starts_with(key)) continue;
    auto names = split(std::string_view(field).substr(key.size()), ',');
    for (auto& name : names) name = kernel_name(name);
    return names;
  }
  return {};
}

bool is_built_in(std::string_view modules_builtin, std::string_view name) {
  const auto lines = split(modules_builtin, '\n');
  return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
    return kernel_name(fs::path(line).stem().string()) == name;
  });
}

Result<std::vector<KernelModule>> modules_in_load_order(const std::string& folder,
                                                        std::span<const std::string_view> wanted) {
  const auto files = files_below(folder);
  if (!files) return files.error();
  const auto built_in = read_file(folder + "/modules.builtin", largest_module);
  LoadOrder order(folder, files.value(), built_in ? built_in.value() : std::string_view{});
  for (const auto name : wanted) {
    if (auto error = order.add(std::string(name))) return *error;
  }
  return order.take();
}

}  // namespace lares::lab

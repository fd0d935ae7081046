#include "lab/image/kernel.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

#include "lab/image/debian.hpp"
#include "lab/image/file.hpp"
#include "lab/image/kernel_image.hpp"

namespace lares::lab {
namespace {

namespace fs = std::filesystem;

/// The guest's only device is a virtio-serial port on PCI.
constexpr std::array<std::string_view, 2> wanted_modules{"virtio_pci", "virtio_console"};
constexpr std::size_t header_bytes = 32 * 1024;
constexpr std::string_view image_prefix = "vmlinuz";
constexpr std::string_view fetched_prefix = "linux-image-";
constexpr std::string_view kernels = "kernel";

Error named_wrongly(const Error& error) {
  return {fmt::format("LARES_LAB_KERNEL: {}", error.sentence)};
}

Error cannot_store(const std::string& path, const std::error_code& error) {
  return {fmt::format("cannot write \"{}\": {}", path, error.message())};
}

/// The paths in a folder whose names start with `prefix` and end with `ending`, highest version
/// last.
std::vector<std::string> named_in(const fs::path& folder, std::string_view prefix,
                                  std::string_view ending = "") {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with(prefix) && name.ends_with(ending)) found.push_back(entry->path().string());
  }
  std::sort(found.begin(), found.end(), [](const std::string& a, const std::string& b) {
    return strverscmp(a.c_str(), b.c_str()) < 0;
  });
  return found;
}

Result<std::string> release_of(const std::string& image) {
  const auto file = MappedFile::open(image);
  if (!file) return file.error();
  return kernel_release(file.value().bytes().substr(0, header_bytes), image);
}

Result<std::string> image_at(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error)) return file_error("read", path, error ? error.value() : ENOENT);
  if (!fs::is_directory(path, error)) return fs::absolute(path).string();
  for (const auto& folder : {fs::path(path), fs::path(path) / "boot"}) {
    const auto images = named_in(folder, image_prefix);
    if (!images.empty()) return images.back();
  }
  return Error{
      fmt::format("the folder \"{}\" has no kernel: neither vmlinuz* nor boot/vmlinuz*", path)};
}

Result<std::string> modules_folder(const fs::path& image, const std::string& release,
                                   const std::string& system_root) {
  const fs::path folder = image.parent_path();
  // Beside the image, beside its boot/, and where the system has its own.
  for (const fs::path& root : {folder, folder / "..", fs::path(system_root)}) {
    for (const char* below : {"lib/modules", "usr/lib/modules"}) {
      const fs::path candidate = root / below / release;
      std::error_code error;
      if (fs::is_directory(candidate, error)) return candidate.lexically_normal().string();
    }
  }
  return Error{fmt::format(
      "the kernel \"{}\" has no modules: there is no folder lib/modules/{} "
      "beside it, nor {}",
      image.string(), release, (fs::path(system_root) / "lib/modules" / release).string())};
}

/// Puts what the lab needs of a kernel, and no more, into a folder that kernel_at understands.
std::optional<Error> store(const Kernel& kernel, const std::string& modules_from,
                           const fs::path& folder) {
  const fs::path modules = folder / "lib/modules" / kernel.release;
  std::error_code error;
  fs::create_directories(folder / "boot", error);
  if (!error) fs::create_directories(modules, error);
  if (!error) {
    fs::copy_file(kernel.image,
                  folder / "boot" / (std::string(image_prefix) + "-" + kernel.release), error);
  }
  const fs::path built_in = fs::path(modules_from) / "modules.builtin";
  if (!error && fs::exists(built_in, error)) {
    fs::copy_file(built_in, modules / "modules.builtin", error);
  }
  if (error) return cannot_store(folder.string(), error);
  for (const auto& module : kernel.modules) {
    const std::string path = (modules / (module.name + ".ko")).string();
    const File file(open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644));
    if (!file.is_open()) return file_error("write", path, errno);
    if (auto failed = write_all(file, module.bytes, path)) return failed;
  }
  return std::nullopt;
}

/// Unpacks a package on the workbench and keeps the kernel in the cache under `name`.
Result<Kernel> keep_package(const std::string& package, const std::string& name,
                            const CacheFolder& cache, const Workbench& bench, Progress& progress) {
  const std::string unpacked = bench.path() + "/unpacked";
  if (auto error = unpack_package(package, unpacked, progress)) return *error;
  // Its modules are its own, never the system's.
  const auto kernel = kernel_at(unpacked, unpacked);
  if (!kernel) return kernel.error();
  const auto modules = modules_folder(kernel.value().image, kernel.value().release, unpacked);
  if (!modules) return modules.error();
  const std::string kept = bench.path() + "/kept";
  if (auto error = store(kernel.value(), modules.value(), kept)) return *error;
  const std::string path = cache.path_of(fmt::format("{}/{}", kernels, name));
  std::error_code error;
  fs::create_directories(fs::path(path).parent_path(), error);
  if (!error) fs::rename(kept, path, error);
  if (error) return cannot_store(path, error);
  return kernel_at(path, path);
}

Result<Kernel> cached_kernel(const std::string& path) {
  auto kernel = kernel_at(path, path);
  if (kernel) return kernel;
  return Error{
      fmt::format("the lab's kernel in \"{}\" is damaged ({}); remove that folder and try "
                  "again",
                  path, kernel.error().sentence)};
}

std::optional<Result<Kernel>> fetched_earlier(const CacheFolder& cache) {
  const auto found = named_in(cache.path_of(kernels), fetched_prefix);
  if (found.empty()) return std::nullopt;
  return cached_kernel(found.back());
}

Result<Kernel> fetch(const CacheFolder& cache, Progress& progress) {
  const auto bench = cache.workbench(progress);
  if (!bench) return bench.error();
  // Another process may have fetched it while this one waited for the workbench.
  if (auto kernel = fetched_earlier(cache)) return *kernel;
  const auto package = newest_kernel_package();
  if (!package) return package.error();
  const std::string folder = bench.value().path() + "/download";
  std::error_code error;
  if (!fs::create_directory(folder, error)) return cannot_store(folder, error);
  const auto file = download(package.value(), folder, progress);
  if (!file) return file.error();
  const auto name = fmt::format("{}_{}", package.value().name, package.value().version);
  return keep_package(file.value(), name, cache, bench.value(), progress);
}

Result<Kernel> from_package(const std::string& path, const CacheFolder& cache, Progress& progress) {
  const auto file = MappedFile::open(path);
  if (!file) return named_wrongly(file.error());
  ContentHash hash;
  hash.add(file.value().bytes());
  const auto name = "package-" + hash.text();
  const auto kept = cache.path_of(fmt::format("{}/{}", kernels, name));
  std::error_code error;
  if (fs::is_directory(kept, error)) return cached_kernel(kept);
  const auto bench = cache.workbench(progress);
  if (!bench) return bench.error();
  if (fs::is_directory(kept, error)) return cached_kernel(kept);
  auto kernel = keep_package(path, name, cache, bench.value(), progress);
  return kernel ? kernel : named_wrongly(kernel.error());
}

Result<Kernel> from_named(const KernelPlaces& places, const CacheFolder& cache,
                          Progress& progress) {
  if (places.named.ends_with(".deb")) return from_package(places.named, cache, progress);
  auto kernel = kernel_at(places.named, places.system_root);
  return kernel ? kernel : named_wrongly(kernel.error());
}

/// Only the kernel that the lab was made with: of any other, nobody knows whether it fits.
std::optional<Kernel> installed(const std::string& system_root) {
  const auto images = named_in(fs::path(system_root) / "boot", image_prefix, "-cloud-amd64");
  if (images.empty()) return std::nullopt;
  auto kernel = kernel_at(images.back(), system_root);
  return kernel ? std::optional(std::move(kernel.value())) : std::nullopt;
}

}  // namespace

KernelPlaces KernelPlaces::of_this_system() {
  const char* named = std::getenv("LARES_LAB_KERNEL");
  return {.named = named == nullptr ? "" : named};
}

Result<Kernel> kernel_at(const std::string& path, const std::string& system_root) {
  auto image = image_at(path);
  if (!image) return image.error();
  auto release = release_of(image.value());
  if (!release) return release.error();
  const auto folder = modules_folder(image.value(), release.value(), system_root);
  if (!folder) return folder.error();
  auto modules = modules_in_load_order(folder.value(), wanted_modules);
  if (!modules) return modules.error();
  return Kernel{std::move(release.value()), std::move(image.value()), std::move(modules.value())};
}

Result<Kernel> find_kernel(const CacheFolder& cache, Progress& progress,
                           const KernelPlaces& places) {
  const auto find = [&]() -> Result<Kernel> {
    if (!places.named.empty()) return from_named(places, cache, progress);
    if (auto kernel = fetched_earlier(cache)) return *kernel;
    if (auto kernel = installed(places.system_root)) return *kernel;
    return fetch(cache, progress);
  };
  auto kernel = find();
  progress.finish();
  return kernel;
}

}  // namespace lares::lab

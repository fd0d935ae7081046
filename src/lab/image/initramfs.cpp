#include "lab/image/initramfs.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <filesystem>
#include <tuple>

#include "lab/image/closure.hpp"
#include "lab/image/cpio.hpp"
#include "lab/image/guest_files.hpp"
#include "lab/image/kernel_image.hpp"

namespace lares::lab {
namespace {

/// Changes when the base does, although its parts did not.
constexpr std::string_view base_format = "lares-lab-base 1";
constexpr Bytes largest_init{std::uint64_t{64} << 20U};
constexpr std::string_view module_folder = "/.lares/module";

struct EmptyFolder {
  std::string_view path;
  std::uint32_t permissions;
};

/// What programs take for granted, and where init mounts the kernel's file systems.
constexpr EmptyFolder empty_folders[] = {
    {"/", 0755},    {"/proc", 0555},     {"/sys", 0555}, {"/dev", 0755},  {"/tmp", 01777},
    {"/var", 0755}, {"/var/tmp", 01777}, {"/run", 0755}, {"/root", 0700}, {"/etc", 0755},
};

std::string module_path(std::size_t index, const KernelModule& module) {
  return fmt::format("{}/{:02}-{}.ko", module_folder, index, module.name);
}

std::optional<Error> add_modules(CpioWriter& archive, const std::vector<KernelModule>& modules) {
  std::string list;
  for (std::size_t i = 0; i < modules.size(); ++i) {
    const std::string path = module_path(i, modules[i]);
    if (auto error = archive.add_bytes(path, {}, modules[i].bytes)) return error;
    list += path + "\n";
  }
  return archive.add_bytes(guest_module_list_path, {}, list);
}

std::optional<Error> add_devices(CpioWriter& archive) {
  // The kernel opens the console for init before init can mount anything on /dev.
  if (auto error = archive.add_device("/dev/console", 0600, 5, 1)) return error;
  return archive.add_device("/dev/null", 0666, 1, 3);
}

std::optional<Error> write_base(const File& file, const Kernel& kernel, std::string_view init) {
  CpioWriter archive(file);
  for (const auto& [path, permissions] : empty_folders) {
    if (auto error = archive.add_folder(path, {.permissions = permissions})) return error;
  }
  if (auto error = add_devices(archive)) return error;
  if (auto error = archive.add_bytes(guest_init_path, {.permissions = 0755}, init)) return error;
  if (auto error = add_modules(archive, kernel.modules)) return error;
  return archive.finish();
}

Result<File> base_of(const Kernel& kernel, const std::string& init_path, const CacheFolder& cache) {
  const auto init = read_file(init_path, largest_init);
  if (!init) return Error{fmt::format("the lab's init is missing: {}", init.error().sentence)};
  ContentHash hash;
  hash.add(base_format);
  hash.add(init.value());
  for (const auto& module : kernel.modules) {
    hash.add(module.name);
    hash.add(module.bytes);
  }
  return cache.find_or_make(fmt::format("base-{}", hash.text()), [&](const File& file) {
    return write_base(file, kernel, init.value());
  });
}

/// What QEMU boots: the kernel itself where it can be had, else the boot image around it.
Result<File> boot_file(const Kernel& kernel) {
  const auto image = MappedFile::open(kernel.image);
  if (!image) return image.error();
  const auto unpacked = unpacked_kernel(image.value().bytes());
  if (!unpacked) return open_for_reading(kernel.image);
  auto file = memory_file("lares-lab-kernel");
  if (!file) return file.error();
  if (auto error = write_all(file.value(), *unpacked, "the kernel's copy in memory")) return *error;
  return file;
}

/// Programs ask who they are; of the host's users the guest has root and this one.
std::string password_lines() {
  std::string lines = "root:x:0:0:root:/root:/bin/sh\n";
  const passwd* user = getuid() == 0 ? nullptr : getpwuid(getuid());
  if (user == nullptr) return lines;
  return lines + fmt::format("{}:x:{}:{}::{}:{}\n", user->pw_name, user->pw_uid, user->pw_gid,
                             user->pw_dir, user->pw_shell);
}

std::string group_lines() {
  std::string lines = "root:x:0:\n";
  if (getgid() != 0) lines += fmt::format("users:x:{}:\n", getgid());
  return lines;
}

std::optional<Error> add_settings(CpioWriter& archive) {
  if (auto error = archive.add_bytes("/etc/passwd", {}, password_lines())) return error;
  if (auto error = archive.add_bytes("/etc/group", {}, group_lines())) return error;
  return archive.add_bytes("/etc/hosts", {}, "127.0.0.1 localhost\n::1 localhost\n");
}

/// What the C library reads of itself: where libraries are, and the time zone. Without them
/// programs start too.
void add_quietly(GuestFiles& files) {
  for (const auto* path : {"/etc/ld.so.cache", "/etc/localtime"}) {
    std::error_code error;
    if (std::filesystem::exists(path, error)) std::ignore = files.add(path);
  }
}

Result<GuestFiles> collect(const ImageContents& contents) {
  GuestFiles files;
  add_quietly(files);
  for (const auto& program : contents.programs) {
    const auto needed = closure_of(program, contents.environment);
    if (!needed) return needed.error();
    for (const auto& path : needed.value()) {
      if (const auto added = files.add(path); !added) return added.error();
    }
  }
  for (const auto& path : contents.files) {
    if (auto error = files.add_all(path)) return *error;
  }
  for (const auto& path : contents.folders) {
    if (const auto added = files.add(path); !added) return added.error();
  }
  return files;
}

}  // namespace

Result<Image> make_image(const Kernel& kernel, const ImageContents& contents,
                         const CacheFolder& cache) {
  auto kernel_file = boot_file(kernel);
  if (!kernel_file) return kernel_file.error();
  const auto base = base_of(kernel, contents.init, cache);
  if (!base) return base.error();
  const auto base_size = size_of(base.value(), "the lab's base image");
  if (!base_size) return base_size.error();
  const auto files = collect(contents);
  if (!files) return files.error();
  auto memory = memory_file("lares-lab-initramfs");
  if (!memory) return memory.error();
  File& initramfs = memory.value();
  if (auto error =
          append_file(initramfs, base.value(), base_size.value(), "the lab's base image")) {
    return *error;
  }
  CpioWriter archive(initramfs);
  if (auto error = add_settings(archive)) return *error;
  // After the settings: a file that the user named wins.
  if (auto error = files.value().write(archive)) return *error;
  if (auto error = archive.finish()) return *error;
  const auto packed = size_of(initramfs, "the guest's image");
  if (!packed) return packed.error();
  return Image{.kernel = std::move(kernel_file.value()),
               .initramfs = std::move(initramfs),
               .unpacked = archive.unpacked() + base_size.value(),
               .packed = packed.value()};
}

}  // namespace lares::lab

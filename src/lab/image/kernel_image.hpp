// What a kernel's boot image says about itself: the header of Linux' x86 boot protocol, described
// in the kernel's Documentation/x86/boot.rst.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace lares::lab {

/// The release, as `uname -r` says it, of a 64-bit x86 kernel. `bytes` is the beginning of the
/// file, at least 32 KiB of it if it is that long; any bytes are allowed. `name` is for the error.
Result<std::string> kernel_release(std::string_view bytes, std::string_view name);

/// The kernel proper, an ELF file, out of a boot image. QEMU starts it without the boot image's own
/// unpacking, which takes a second when it is emulated. Nothing if the image is packed by another
/// method than Debian's cloud kernel (LZ4), or if QEMU could not start what is in it (it has no PVH
/// entry). Any bytes are allowed.
std::optional<std::string> unpacked_kernel(std::string_view bytes);

}  // namespace lares::lab

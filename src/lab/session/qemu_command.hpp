// The command line of QEMU for a guest.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/guest.hpp"

namespace lares::lab {

/// What QEMU is given besides the guest. Descriptors are numbers in QEMU's own process.
struct QemuFiles {
  std::string kernel;     ///< a path that QEMU can open
  std::string initramfs;  ///< likewise
  int wire = -1;          ///< a connected socket: the frames of protocol.h
  int console = -1;       ///< a connected socket: what the kernel says
  int monitor = -1;       ///< a connected socket that speaks QMP, or -1 for no monitor
  std::string plugin;     ///< "FILE,argument=value,...", or empty
};

/// The words after QEMU's name. Precondition: validate() has nothing against `guest`.
std::vector<std::string> qemu_arguments(const Guest& guest, const QemuFiles& files);

/// How the cpus of a guest are grouped. QEMU groups all packages alike.
struct CpuGroups {
  std::uint32_t sockets = 1;
  std::uint32_t dies = 1;   ///< of a socket
  std::uint32_t cores = 1;  ///< of a die
};

/// Packages as sockets and nodes as dies as far as these are equally large; else each cpu is a
/// socket of its own, which is what QEMU can say of all guests.
CpuGroups group_cpus(const Guest& guest);

/// The kernel's command line.
std::string kernel_command_line();

}  // namespace lares::lab

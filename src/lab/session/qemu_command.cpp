#include "lab/session/qemu_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "lab/protocol/protocol.h"

namespace lares::lab {
namespace {

using Words = std::vector<std::string>;

void add(Words& words, std::string option, std::string value) {
  words.push_back(std::move(option));
  words.push_back(std::move(value));
}

std::uint32_t distance(const Guest& guest, std::size_t from, std::size_t to) {
  return guest.distances[from * guest.nodes.size() + to];
}

/// The node with cpus that is nearest to `node`.
std::size_t initiator_of(const Guest& guest, std::size_t node) {
  std::size_t best = node;
  for (std::size_t i = 0; i < guest.nodes.size(); ++i) {
    if (guest.nodes[i].cpus == 0) continue;
    if (guest.nodes[best].cpus == 0 || distance(guest, i, node) < distance(guest, best, node)) {
      best = i;
    }
  }
  return best;
}

void add_node(Words& words, const Guest& guest, std::size_t i) {
  const GuestNode& node = guest.nodes[i];
  std::string text = fmt::format("node,nodeid={}", i);
  if (node.memory.count > 0) {
    add(words, "-object", fmt::format("memory-backend-ram,id=m{},size={}", i, node.memory.count));
    text += fmt::format(",memdev=m{}", i);
  }
  if (node.cpus > 0) {
    const std::uint32_t first = guest.first_cpu_of(i);
    text += fmt::format(",cpus={}-{}", first, first + node.cpus - 1);
  } else if (!guest.latency_ns.empty() || !guest.bandwidth_mb_s.empty()) {
    text += fmt::format(",initiator={}", initiator_of(guest, i));
  }
  add(words, "-numa", std::move(text));
}

void add_distances(Words& words, const Guest& guest) {
  for (std::size_t from = 0; from < guest.nodes.size(); ++from) {
    for (std::size_t to = 0; to < guest.nodes.size(); ++to) {
      if (from == to) continue;
      add(words, "-numa",
          fmt::format("dist,src={},dst={},val={}", from, to, distance(guest, from, to)));
    }
  }
}

void add_hmat(Words& words, const Guest& guest, const std::vector<std::uint32_t>& values,
              const char* type, const char* unit) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t from = i / guest.nodes.size();
    const std::size_t to = i % guest.nodes.size();
    // The table has rows for nodes with cpus and columns for nodes with memory.
    if (values[i] == 0 || guest.nodes[from].cpus == 0 || guest.nodes[to].memory.count == 0) {
      continue;
    }
    add(words, "-numa",
        fmt::format("hmat-lb,initiator={},target={},hierarchy=memory,data-type=access-{}={}{}",
                    from, to, type, values[i], unit));
  }
}

bool has_hmat(const Guest& guest) {
  return !guest.latency_ns.empty() || !guest.bandwidth_mb_s.empty();
}

void add_topology(Words& words, const Guest& guest) {
  const CpuGroups groups = group_cpus(guest);
  add(words, "-smp",
      fmt::format("{},sockets={},dies={},cores={},threads=1", guest.cpus(), groups.sockets,
                  groups.dies, groups.cores));
  add(words, "-m", fmt::format("{}M", guest.memory().count >> 20U));
  for (std::size_t i = 0; i < guest.nodes.size(); ++i) add_node(words, guest, i);
  add_distances(words, guest);
  add_hmat(words, guest, guest.latency_ns, "latency,latency", "");
  add_hmat(words, guest, guest.bandwidth_mb_s, "bandwidth,bandwidth", "M");
}

std::string socket(const char* name, int file) {
  return fmt::format("socket,id={},fd={}", name, file);
}

void add_devices(Words& words, const QemuFiles& files) {
  add(words, "-chardev", socket("console", files.console));
  add(words, "-serial", "chardev:console");
  add(words, "-chardev", socket("wire", files.wire));
  add(words, "-device", "virtio-serial-pci,max_ports=2");
  add(words, "-device", "virtserialport,chardev=wire,name=" LAB_PORT_NAME);
  if (files.monitor < 0) return;
  add(words, "-chardev", socket("monitor", files.monitor));
  add(words, "-mon", "chardev=monitor,mode=control");
}

/// The cpus of each package that has any, or of each node that has any.
template <class Group>
std::set<std::uint32_t> group_sizes(const Guest& guest, Group group_of) {
  std::vector<std::uint32_t> sizes;
  for (std::size_t i = 0; i < guest.nodes.size(); ++i) {
    if (guest.nodes[i].cpus == 0) continue;
    const std::size_t group = group_of(i);
    if (sizes.size() <= group) sizes.resize(group + 1, 0);
    sizes[group] += guest.nodes[i].cpus;
  }
  std::set<std::uint32_t> different(sizes.begin(), sizes.end());
  different.erase(0);
  return different;
}

/// Cpus are numbered node by node: a socket is a run of cpus only if its nodes follow each other.
bool packages_are_in_order(const Guest& guest) {
  std::uint32_t last = 0;
  for (const GuestNode& node : guest.nodes) {
    if (node.cpus == 0) continue;
    if (node.package < last) return false;
    last = node.package;
  }
  return true;
}

}  // namespace

CpuGroups group_cpus(const Guest& guest) {
  const auto packages =
      group_sizes(guest, [&](std::size_t i) { return std::size_t{guest.nodes[i].package}; });
  if (packages.size() != 1 || !packages_are_in_order(guest)) return {guest.cpus(), 1, 1};
  const std::uint32_t per_package = *packages.begin();
  const auto nodes = group_sizes(guest, [](std::size_t i) { return i; });
  const bool whole_dies = nodes.size() == 1 && per_package % *nodes.begin() == 0;
  const std::uint32_t per_die =
      whole_dies && !guest.caches.l3_per_package ? *nodes.begin() : per_package;
  return {guest.cpus() / per_package, per_package / per_die, per_die};
}

std::string kernel_command_line() {
  // lpj: calibrating the delay loop takes minutes with many emulated cpus. nokaslr, mitigations,
  // init_on_alloc: nothing to protect. tsc, no_timer_check: emulated timers are coarse, and the
  // kernel would mistrust them. numa_balancing, transparent_hugepage: pages move and merge only
  // when the program asks. panic=-1 restarts, which ends QEMU.
  return "rdinit=" LAB_INIT_PATH
         " console=ttyS0 quiet loglevel=4 panic=-1 oops=panic nokaslr mitigations=off tsc=reliable "
         "no_timer_check lpj=10400000 init_on_alloc=0 numa_balancing=disable "
         "transparent_hugepage=madvise 8250.nr_uarts=1";
}

std::vector<std::string> qemu_arguments(const Guest& guest, const QemuFiles& files) {
  Words words{"-nodefaults", "-no-user-config", "-no-reboot"};
  add(words, "-display", "none");
  add(words, "-machine", fmt::format("q35{}", has_hmat(guest) ? ",hmat=on" : ""));
  add(words, "-accel", "tcg,thread=multi,tb-size=256");
  add(words, "-cpu", "max,-erms,-fsrm");
  add_topology(words, guest);
  add(words, "-kernel", files.kernel);
  add(words, "-initrd", files.initramfs);
  add(words, "-append", kernel_command_line());
  add_devices(words, files);
  if (!files.plugin.empty()) add(words, "-plugin", files.plugin);
  return words;
}

}  // namespace lares::lab

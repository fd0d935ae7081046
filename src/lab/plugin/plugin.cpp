// SPDX-License-Identifier: GPL-2.0-or-later
// QEMU calls this for the memory accesses of the guest's programs; see README.md.
//
// Only code below the middle of the address space is watched, that is, programs and not the kernel;
// so booting is not slowed, and nothing ever has to be translated again. Until the program starts,
// each call returns at once.
#include <sched.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "lab/plugin/front.hpp"
#include "lab/plugin/messages.hpp"
#include "lab/plugin/options.hpp"
#include "lab/plugin/qemu_api.h"
#include "lab/plugin/result.hpp"
#include "lares/lab.h"

int qemu_plugin_version = 1;

namespace lares::lab::counting {
namespace {

constexpr std::uint64_t end_of_programs = std::uint64_t{1} << 47;
constexpr std::uint64_t start_of_kernel = ~(end_of_programs - 1);
constexpr std::uint64_t nowhere = UINT64_MAX;

/// Everything that counts, from the program's start on. It is never freed: a vCPU may be on its way
/// through it when counting stops.
struct Counting {
  Counting(const Options& options, AddressMap addresses)
      : map(std::move(addresses)),
        model(layout_of(options), map.homes()),
        regions(static_cast<Node>(options.cpus.size())) {
    fronts.reserve(model.vcpus());
    for (Vcpu vcpu = 0; vcpu < model.vcpus(); ++vcpu) {
      fronts.push_back(std::make_unique<Front>(model, map, vcpu));
    }
  }
  AddressMap map;
  CacheModel model;
  std::vector<std::unique_ptr<Front>> fronts;
  Regions regions;
};

/// Each vCPU's front while there is something to count, else null: set when the program starts and
/// reset when it ends, and the only thing that accesses look at before they know that. Each front
/// is used by its vCPU's thread only.
std::array<std::atomic<Front*>, Directory::max_agents> fronts{};

struct Plugin {
  Options options;
  /// Set when the program starts, reset when it ends; the only thing that vCPUs read without
  /// asking.
  std::atomic<Counting*> active{nullptr};
  /// The kernel runs where it belongs, no longer where the boot loader put it.
  std::atomic<bool> kernel_seen{false};
  std::mutex mutex;  ///< for all that follows
  Messages messages;
  Counting* counting = nullptr;  ///< from the program's start to its end
  bool written = false;
};

/// Made when the plugin is loaded, and left to the process's end.
Plugin* plugin = nullptr;

/// On standard error: what QEMU logs is shown to nobody unless asked for.
void say(const std::string& sentence) { std::fprintf(stderr, "lares: %s\n", sentence.c_str()); }

std::uint64_t address_in_memory(qemu_plugin_meminfo_t info, std::uint64_t address) {
  const qemu_plugin_hwaddr* place = qemu_plugin_get_hwaddr(info, address);
  if (place == nullptr || qemu_plugin_hwaddr_is_io(place)) return nowhere;
  return qemu_plugin_hwaddr_phys_addr(place);
}

// --- counting ------------------------------------------------------------------------------------

/// The vCPU's front if there is something to count, else null.
Front* front_of(unsigned vcpu) {
  return vcpu < fronts.size() ? fronts[vcpu].load(std::memory_order_acquire) : nullptr;
}

void set_fronts(const Counting* counting) {
  for (std::size_t vcpu = 0; vcpu < fronts.size(); ++vcpu) {
    const bool counts = counting != nullptr && vcpu < counting->fronts.size();
    // Release: whoever sees it sees it whole.
    fronts[vcpu].store(counts ? counting->fronts[vcpu].get() : nullptr, std::memory_order_release);
  }
}

void access_line(Front& front, qemu_plugin_meminfo_t info, std::uint64_t address) {
  front.access(
      address, [info] { return qemu_plugin_mem_is_store(info); },
      [info, address] { return address_in_memory(info, address); });
}

[[gnu::noinline]] void access_lines(Front& front, qemu_plugin_meminfo_t info,
                                    std::uint64_t address) {
  access_line(front, info, address);
  const std::uint64_t last = address + (std::uint64_t{1} << qemu_plugin_mem_size_shift(info)) - 1;
  if (last / line_bytes != address / line_bytes) access_line(front, info, last);
}

// Called for every access of every program: the common cases first, and nothing else here.
void on_access(unsigned vcpu, qemu_plugin_meminfo_t info, std::uint64_t address, void* /*user*/) {
  // The longest access that QEMU reports as one is of 16 bytes.
  constexpr std::uint64_t longest = 16;
  Front* front = front_of(vcpu);
  if (front == nullptr || address >= end_of_programs) return;
  if (front->turn().ends(1)) sched_yield();
  const auto is_store = [info] { return qemu_plugin_mem_is_store(info); };
  const bool in_one_line = address % line_bytes <= line_bytes - longest;
  if (in_one_line && front->is_settled(address, is_store)) return;
  access_lines(*front, info, address);
}

void on_pause_of_program(unsigned vcpu, void* /*user*/) {
  Front* front = front_of(vcpu);
  if (front != nullptr && front->turn().ends(Turn::pause)) sched_yield();
}

// The kernel waits for another vCPU, which may need this core to go on.
void on_pause_of_kernel(unsigned /*vcpu*/, void* /*user*/) { sched_yield(); }

void on_return_to_program(unsigned vcpu, void* /*user*/) {
  Front* front = front_of(vcpu);
  if (front != nullptr) front->forget();
}

// --- start, end, and regions; under the mutex
// -----------------------------------------------------

void write_result(Result result) {
  result.options = &plugin->options;
  const std::string sentence = write_file(plugin->options.result, to_json(result));
  if (!sentence.empty()) say(sentence);
  plugin->written = true;
}

void give_up(const std::string& sentence) {
  Result result;
  result.error = sentence;
  write_result(result);
}

void start() {
  if (plugin->counting != nullptr || plugin->written) return;
  std::string sentence;
  const std::string text = read_file(plugin->options.map, sentence);
  if (!sentence.empty()) return give_up(sentence);
  const auto nodes = static_cast<Node>(plugin->options.cpus.size());
  auto map = AddressMap::parse(text, nodes, sentence);
  if (!map) return give_up(sentence);
  auto counting = std::make_unique<Counting>(plugin->options, *std::move(map));
  if (!counting->model.ok()) return give_up("not enough memory to count in");
  counting->regions.begin("program", counting->model.traffic());
  plugin->counting = counting.release();
  set_fronts(plugin->counting);
}

void stop(bool complete) {
  Counting* counting = std::exchange(plugin->counting, nullptr);
  if (counting == nullptr) return;
  set_fronts(nullptr);
  const Traffic now = counting->model.traffic();
  counting->regions.end("program", now);
  counting->regions.finish(now);
  Result result;
  result.regions = &counting->regions;
  result.complete = complete;
  for (const auto& front : counting->fronts) result.elsewhere += front->elsewhere();
  write_result(result);
}

void mark_region(const Message& message) {
  Counting* counting = plugin->counting;
  if (counting == nullptr || message.name.empty() || message.name == "program") return;
  const Traffic now = counting->model.traffic();
  if (message.what == LARES_LAB_REGION_BEGIN) {
    counting->regions.begin(message.name, now);
  } else {
    counting->regions.end(message.name, now);
  }
}

void obey(const Message& message) {
  switch (message.what) {
    case LARES_LAB_PROGRAM_BEGIN:
      return start();
    case LARES_LAB_PROGRAM_END:
      return stop(true);
    case LARES_LAB_REGION_BEGIN:
    case LARES_LAB_REGION_END:
      return mark_region(message);
    default:
      return;
  }
}

void on_mark(unsigned /*vcpu*/, qemu_plugin_meminfo_t info, std::uint64_t address, void* /*user*/) {
  const std::uint64_t place = address_in_memory(info, address);
  if (place == nowhere) return;
  const std::lock_guard guard(plugin->mutex);
  const auto byte = static_cast<unsigned char>(place % LARES_LAB_TABLE_BYTES);
  const auto message = plugin->messages.take(place / LARES_LAB_TABLE_BYTES, byte);
  if (message) obey(*message);
}

void on_exit(qemu_plugin_id_t /*id*/, void* /*user*/) {
  const std::lock_guard guard(plugin->mutex);
  stop(false);
  if (!plugin->written) give_up("the program did not start");
}

// --- translation ---------------------------------------------------------------------------------

template <std::size_t size>
bool is(const qemu_plugin_insn* instruction, const std::array<unsigned char, size>& bytes) {
  return qemu_plugin_insn_size(instruction) == size &&
         std::memcmp(qemu_plugin_insn_data(instruction), bytes.data(), size) == 0;
}

/// `movzbl LARES_LAB_MARK(%rdi), %eax`, as lares/lab.h has it.
bool is_mark(const qemu_plugin_insn* instruction) {
  constexpr std::uint32_t mark = LARES_LAB_MARK;
  return is(instruction,
            std::array<unsigned char, 7>{0x0f, 0xb6, 0x87, mark & 0xff, mark >> 8 & 0xff,
                                         mark >> 16 & 0xff, mark >> 24});
}

/// iretq, iret, sysretq or sysretl.
bool returns_to_program(const qemu_plugin_insn* instruction) {
  return is(instruction, std::array<unsigned char, 2>{0x48, 0xcf}) ||
         is(instruction, std::array<unsigned char, 1>{0xcf}) ||
         is(instruction, std::array<unsigned char, 3>{0x48, 0x0f, 0x07}) ||
         is(instruction, std::array<unsigned char, 2>{0x0f, 0x07});
}

bool is_pause(const qemu_plugin_insn* instruction) {
  return is(instruction, std::array<unsigned char, 2>{0xf3, 0x90});
}

void call(qemu_plugin_insn* instruction, void (*function)(unsigned, void*)) {
  qemu_plugin_register_vcpu_insn_exec_cb(instruction, function, QEMU_PLUGIN_CB_NO_REGS, nullptr);
}

void watch_program(qemu_plugin_insn* instruction) {
  if (is_pause(instruction)) return call(instruction, on_pause_of_program);
  // In QEMU 7.2 a wish for loads or stores only is not met, so both come and are told apart later.
  qemu_plugin_register_vcpu_mem_cb(instruction, is_mark(instruction) ? on_mark : on_access,
                                   QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, nullptr);
}

void watch_kernel(qemu_plugin_insn* instruction) {
  if (is_pause(instruction)) return call(instruction, on_pause_of_kernel);
  if (returns_to_program(instruction)) call(instruction, on_return_to_program);
}

void on_translation(qemu_plugin_id_t /*id*/, qemu_plugin_tb* block) {
  for (std::size_t i = 0; i < qemu_plugin_tb_n_insns(block); ++i) {
    qemu_plugin_insn* instruction = qemu_plugin_tb_get_insn(block, i);
    const std::uint64_t address = qemu_plugin_insn_vaddr(instruction);
    if (address >= start_of_kernel) {
      plugin->kernel_seen.store(true, std::memory_order_relaxed);
      watch_kernel(instruction);
    } else if (plugin->kernel_seen.load(std::memory_order_relaxed)) {
      watch_program(instruction);
    }
  }
}

int install(qemu_plugin_id_t id, const qemu_info_t& info, int argc, char** argv) {
  plugin = new Plugin;
  std::string sentence;
  if (std::strcmp(info.target_name, "x86_64") != 0 || !info.system_emulation) {
    sentence = "only the emulation of a whole x86-64 machine can be counted";
  }
  for (int i = 0; i < argc && sentence.empty(); ++i) {
    sentence = take_option(plugin->options, argv[i]);
  }
  if (sentence.empty()) sentence = check_options(plugin->options);
  if (!sentence.empty()) {
    say(sentence);
    return 1;
  }
  qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
  qemu_plugin_register_atexit_cb(id, on_exit, nullptr);
  return 0;
}

}  // namespace
}  // namespace lares::lab::counting

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t* info, int argc, char** argv) {
  return lares::lab::counting::install(id, *info, argc, argv);
}

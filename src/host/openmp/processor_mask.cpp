#include "host/openmp/processor_mask.hpp"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace lares::omp {

namespace {

constexpr std::size_t bits = 8 * sizeof(unsigned long);

void add(std::size_t processor, ProcessorMask& mask) noexcept {
  if (processor >= bits * mask.words.size()) return;
  mask.words[processor / bits] |= 1UL << (processor % bits);
}

}  // namespace

ProcessorMask ProcessorMask::of_thread(int number) noexcept {
  // Not by the C library's function, which is ours for the program.
  ProcessorMask mask;
  const long bytes = syscall(SYS_sched_getaffinity, number, sizeof(mask.words), mask.words.data());
  mask.bytes = bytes < 0 ? 0 : static_cast<std::size_t>(bytes);
  return mask;
}

ProcessorMask ProcessorMask::of_processor(int number) noexcept {
  ProcessorMask mask;
  add(static_cast<std::size_t>(number), mask);
  mask.bytes = sizeof(mask.words);
  return mask;
}

bool ProcessorMask::apply() const noexcept { return apply_to(0); }

bool ProcessorMask::apply_to(int number) const noexcept {
  return syscall(SYS_sched_setaffinity, number, bytes, words.data()) == 0;
}

bool ProcessorMask::contains(const ProcessorMask& other) const noexcept {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if ((other.words[i] & ~words[i]) != 0) return false;
  }
  return true;
}

void go_to_processor(int number) noexcept {
  if (number < 0 || number == sched_getcpu()) return;
  const ProcessorMask own = ProcessorMask::of_thread(0);
  const ProcessorMask there = ProcessorMask::of_processor(number);
  if (own.bytes != 0 && own.contains(there) && there.apply()) own.apply();
}

ProcessorMask mask_of(const machine::Machine& machine, std::span<const CoreId> cores) noexcept {
  ProcessorMask mask;
  for (const CoreId core : cores) {
    for (const OsCpu cpu : machine.cores[core.index()].cpus) {
      add(cpu.index(), mask);
    }
  }
  mask.bytes = sizeof(mask.words);
  return mask;
}

}  // namespace lares::omp

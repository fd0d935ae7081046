#include "cli/allowed_cpus.hpp"

#include <cstddef>

namespace lares::cli {
namespace {

constexpr std::size_t bits_per_mask = 8 * sizeof(cpu_set_t);

}  // namespace

/// The mask grows until the kernel's fits.
AllowedCpus::AllowedCpus() {
  constexpr std::size_t largest = 1U << 18U;
  for (std::size_t count = 1024; count <= largest && !known_; count *= 2) {
    masks_.assign(count / bits_per_mask, cpu_set_t{});
    known_ = sched_getaffinity(0, masks_.size() * sizeof(cpu_set_t), masks_.data()) == 0;
  }
}

bool AllowedCpus::may_be_set() const {
  if (!known_) return false;
  return sched_setaffinity(0, masks_.size() * sizeof(cpu_set_t), masks_.data()) == 0;
}

bool AllowedCpus::contains(OsCpu cpu) const {
  if (!known_) return true;
  return CPU_ISSET_S(cpu.index(), masks_.size() * sizeof(cpu_set_t), masks_.data());
}

}  // namespace lares::cli

#include "bench/threads.hpp"

namespace lares::bench {

std::vector<OsCpu> close_cpus(const Setting& setting) {
  std::vector<OsCpu> cpus;
  for (const DomainId domain : setting.domains) {
    for (const OsCpu cpu : measure::measuring_cpus(setting.machine, domain, 0)) {
      if (setting.most_threads != 0 && cpus.size() == setting.most_threads) return cpus;
      cpus.push_back(cpu);
    }
  }
  return cpus;
}

std::vector<OsCpu> first_of(const std::vector<OsCpu>& cpus, std::size_t count) {
  return {cpus.begin(), cpus.begin() + static_cast<std::ptrdiff_t>(count)};
}

}  // namespace lares::bench

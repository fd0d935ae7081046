// Bandwidth: of one thread by distance, of many on their own memory, and around the machine.
#include <algorithm>
#include <utility>

#include "bench/threads.hpp"
#include "measure/caches.hpp"
#include "measure/memory.hpp"
#include "measure/spread.hpp"

namespace lares::bench {
namespace {

using measure::Crew;
using measure::Kernel;
using measure::Memory;
using measure::Work;

constexpr std::uint64_t kibibyte = 1'024;

machine::Spread gigabytes(std::vector<double> megabytes) {
  for (double& value : megabytes) value /= 1e3;
  return measure::spread_of(std::move(megabytes));
}

/// The nearest domain of each distance from the first, and the first itself.
std::vector<DomainId> one_per_distance(const Setting& setting) {
  const auto& distances = setting.machine.distances;
  const DomainId first = setting.domains.front();
  std::vector<DomainId> chosen{first};
  for (std::size_t d = 0; d < setting.machine.domains.size(); ++d) {
    const DomainId domain{d};
    const bool known = std::any_of(chosen.begin(), chosen.end(), [&](DomainId other) {
      return other == domain ||
             (other != first && distances.at(first, other) == distances.at(first, domain));
    });
    if (!known) chosen.push_back(domain);
  }
  std::sort(chosen.begin() + 1, chosen.end(), [&](DomainId a, DomainId b) {
    return std::pair(distances.at(first, a), a) < std::pair(distances.at(first, b), b);
  });
  return chosen;
}

/// Powers of two (of four if quick) from 4 KiB to what no cache holds.
std::vector<std::uint64_t> footprints(const Setting& setting, OsCpu cpu) {
  const std::uint64_t most = measure::memory_footprint(std::span(&cpu, 1)).count;
  std::vector<std::uint64_t> list;
  for (std::uint64_t bytes = 4 * kibibyte; bytes < most; bytes *= setting.quick ? 8 : 2) {
    list.push_back(bytes);
  }
  list.push_back(most);
  return list;
}

/// Each member's own slice, touched first by the member itself.
void touch_own(Crew& crew, const Memory& memory, Bytes footprint) {
  crew.run([&](std::size_t member) {
    measure::touch(memory.data() + member * footprint.count, footprint);
  });
}

Work shifted_slices(const Memory& memory, Kernel kernel, std::size_t threads, std::size_t shift,
                    Bytes footprint) {
  Work work(threads);
  for (std::size_t t = 0; t < threads; ++t) {
    const std::size_t slice = (t + shift) % threads;
    work[t].push_back(
        measure::segment_in(kernel, memory.data() + slice * footprint.count, footprint));
  }
  return work;
}

}  // namespace

Result<Chart> serial_bandwidth(const Setting& setting) {
  Chart chart{"Read bandwidth of one thread", "footprint in KiB", "GB/s", true, false, {}, true};
  const OsCpu cpu = close_cpus(setting).front();
  const auto sizes = footprints(setting, cpu);
  const auto domains = one_per_distance(setting);
  Crew crew({cpu});
  for (std::size_t d = 0; d < domains.size(); ++d) {
    const auto& domain = setting.machine.domains[domains[d].index()];
    auto memory = Memory::on_node({sizes.back()}, domain.node);
    if (!memory) return memory.error();
    touch_own(crew, memory.value(), {sizes.back()});
    Series series{domain.name + " (distance " +
                      std::to_string(setting.machine.distances.at(domains[0], domains[d])) + ")",
                  {}};
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      setting.progress(series.name, d * sizes.size() + i, domains.size() * sizes.size());
      const Work work = shifted_slices(memory.value(), Kernel::read, 1, 0, {sizes[i]});
      series.points.push_back({static_cast<double>(sizes[i]) / kibibyte,
                               gigabytes(bandwidth(crew, Kernel::read, work, setting.pace))});
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

Result<Chart> parallel_bandwidth(const Setting& setting) {
  Chart chart{"Bandwidth on own memory",    "threads", "GB/s", true, false,
              {{"read", {}}, {"write", {}}}};
  const auto cpus = close_cpus(setting);
  const auto counts = thread_counts(cpus.size());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    setting.progress(std::to_string(counts[i]) + " threads", i, counts.size());
    Crew crew(first_of(cpus, counts[i]));
    auto memory = Memory::on_node({counts[i] * setting.footprint.count}, {});
    if (!memory) return memory.error();
    touch_own(crew, memory.value(), setting.footprint);
    std::size_t line = 0;
    for (const Kernel kernel : {Kernel::read, Kernel::write}) {
      const Work work = shifted_slices(memory.value(), kernel, counts[i], 0, setting.footprint);
      chart.series[line++].points.push_back(
          {static_cast<double>(counts[i]), gigabytes(bandwidth(crew, kernel, work, setting.pace))});
    }
  }
  return chart;
}

Result<Chart> go_around(const Setting& setting) {
  const auto cpus = close_cpus(setting);
  Chart chart{"memory_go_around with " + std::to_string(cpus.size()) + " threads",
              "step: whose memory is read",
              "GB/s",
              false,
              false,
              {{"read", {}}}};
  Crew crew(cpus);
  auto memory = Memory::on_node({cpus.size() * setting.footprint.count}, {});
  if (!memory) return memory.error();
  touch_own(crew, memory.value(), setting.footprint);
  const std::size_t stride = setting.quick ? std::max<std::size_t>(1, cpus.size() / 8) : 1;
  for (std::size_t step = 0; step <= cpus.size(); step += stride) {
    setting.progress("step " + std::to_string(step), step, cpus.size() + 1);
    const Work work =
        shifted_slices(memory.value(), Kernel::read, cpus.size(), step, setting.footprint);
    chart.series[0].points.push_back(
        {static_cast<double>(step), gigabytes(bandwidth(crew, Kernel::read, work, setting.pace))});
  }
  return chart;
}

}  // namespace lares::bench

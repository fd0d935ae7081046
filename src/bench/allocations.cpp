// Managing memory: allocating it, and touching it for the first time.
#include <algorithm>
#include <array>
#include <cstdlib>

#include "bench/threads.hpp"
#include "measure/memory.hpp"
#include "measure/spread.hpp"

namespace lares::bench {
namespace {

using measure::Crew;
using measure::Memory;

constexpr std::size_t block = 1'000'000;
constexpr std::size_t batch = 16;
constexpr std::size_t batches = 20;
constexpr std::size_t quick_batches = 2;

/// Several blocks at once, or an allocator would hand out the same one for ever. A block is written
/// at its start and end, as whoever allocates one does at least.
void allocate_and_free() noexcept {
  std::array<volatile char*, batch> blocks{};
  for (auto& memory : blocks) {
    memory = static_cast<volatile char*>(std::malloc(block));
    if (memory == nullptr) continue;
    memory[0] = 1;
    memory[block - 1] = 1;
  }
  for (auto* memory : blocks) std::free(const_cast<char*>(memory));
}

/// Microseconds for one thread's malloc and free, while all do the same.
std::vector<double> allocation_times(Crew& crew, std::size_t rounds, std::size_t repeats) {
  std::vector<double> values;
  for (std::size_t i = 0; i < repeats; ++i) {
    const Nanoseconds time = crew.run([&](std::size_t) {
      for (std::size_t round = 0; round < rounds; ++round) allocate_and_free();
    });
    values.push_back(static_cast<double>(std::max<std::int64_t>(time.count, 1)) / 1e3 /
                     static_cast<double>(rounds * batch));
  }
  return values;
}

/// GB/s of a memset by all members to memory that no one has touched; new memory each time.
Result<std::vector<double>> touch_times(Crew& crew, Bytes size, std::size_t repeats) {
  const std::size_t page = measure::page_size().count;
  const std::size_t part = std::max<std::size_t>(size.count / crew.size() / page, 1) * page;
  std::vector<double> values;
  for (std::size_t i = 0; i < repeats; ++i) {
    auto memory = Memory::on_node({part * crew.size()}, {}, false);
    if (!memory) return memory.error();
    const Nanoseconds time = crew.run(
        [&](std::size_t member) { measure::touch(memory.value().data() + member * part, {part}); });
    values.push_back(static_cast<double>(part * crew.size()) /
                     static_cast<double>(std::max<std::int64_t>(time.count, 1)));
  }
  return values;
}

}  // namespace

Result<Chart> malloc_scaling(const Setting& setting) {
  Chart chart{"Time to allocate and free 1 MB while all threads do",
              "threads",
              "microseconds",
              true,
              true,
              {{"malloc", {}}}};
  const auto cpus = close_cpus(setting);
  const auto counts = thread_counts(cpus.size());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    setting.progress(std::to_string(counts[i]) + " threads", i, counts.size());
    Crew crew(first_of(cpus, counts[i]));
    chart.series[0].points.push_back(
        {static_cast<double>(counts[i]),
         measure::spread_of(allocation_times(crew, setting.quick ? quick_batches : batches,
                                             setting.pace.repeats))});
  }
  return chart;
}

Result<Chart> first_touch(const Setting& setting) {
  Chart chart{"First write to new memory", "threads", "GB/s", true, false, {{"first touch", {}}}};
  const auto cpus = close_cpus(setting);
  const auto counts = thread_counts(cpus.size());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    setting.progress(std::to_string(counts[i]) + " threads", i, counts.size());
    Crew crew(first_of(cpus, counts[i]));
    auto values = touch_times(crew, setting.footprint, setting.pace.repeats);
    if (!values) return values.error();
    chart.series[0].points.push_back(
        {static_cast<double>(counts[i]), measure::spread_of(std::move(values.value()))});
  }
  return chart;
}

}  // namespace lares::bench

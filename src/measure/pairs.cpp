// Bandwidth and latency from each domain's cores to each domain's memory.
#include <algorithm>

#include "measure/parts.hpp"
#include "measure/spread.hpp"

namespace lares::measure {
namespace {

using machine::MeasuredPair;

constexpr Bytes longest_chain{std::uint64_t{1} << 29U};

std::size_t most_threads(const Bench& bench) {
  std::size_t most = 1;
  for (const DomainId domain : bench.with_cores) most = std::max(most, bench.cpus(domain).size());
  return most;
}

/// Each member's slice of `memory`: `footprint` bytes, at distances of the largest footprint.
Work slices(const Bench& bench, const Memory& memory, std::size_t threads, Kernel kernel,
            Bytes footprint) {
  Work work(threads);
  for (std::size_t t = 0; t < threads; ++t) {
    work[t].push_back(segment_in(kernel, memory.data() + t * bench.footprint.count, footprint));
  }
  return work;
}

/// What one core reaches alone says how many of its domain's cores a program needs.
void measure_bandwidths(Bench& bench, Crew& crew, const Memory& memory, MeasuredPair pair,
                        std::vector<MeasuredPair>& pairs) {
  pair.threads = static_cast<std::uint32_t>(crew.size());
  const auto measure_one = [&](Kernel kernel, Bytes footprint) {
    const Work work = slices(bench, memory, crew.size(), kernel, footprint);
    pair.kernel = kernel_name(kernel);
    pair.footprint = footprint;
    pair.figure = spread_of(bandwidth(crew, kernel, work, bench.plan.pace));
    pairs.push_back(pair);
  };
  const bool own = pair.from == pair.to;
  for (const Bytes footprint : bench.cache_footprints()) {
    measure_one(Kernel::read, footprint);
    if (!own) continue;
    for (const Kernel kernel : bench.plan.kernels) {
      if (kernel != Kernel::read) measure_one(kernel, footprint);
    }
  }
  for (const Kernel kernel : bench.plan.kernels) {
    const bool is_alone_elsewhere = !own && crew.size() == 1 && bench.cpus(pair.from).size() > 1;
    if (!is_alone_elsewhere || kernel == Kernel::read) measure_one(kernel, bench.footprint);
  }
}

void measure_latency(Bench& bench, Crew& crew, const Memory& memory, Bytes footprint,
                     MeasuredPair pair, std::vector<MeasuredPair>& pairs) {
  pair.kernel = "latency";
  pair.footprint = footprint;
  pair.threads = 1;
  pair.figure = spread_of(latency(crew, memory.data(), bench.plan.pace));
  pairs.push_back(pair);
}

/// A chain for one thread must be longer than the cache that all threads share. To link it takes
/// longer than to follow it, so all domains follow the same one.
void measure_latencies(Bench& bench, const Memory& memory, DomainId to,
                       std::vector<MeasuredPair>& pairs) {
  const Bytes longest = std::min(memory.size(), longest_chain);
  std::vector<Bytes> footprints = bench.plan.chain_footprints;
  footprints.push_back(longest);
  for (const Bytes footprint : footprints) {
    bool linked = false;
    for (const DomainId from : bench.with_cores) {
      Crew crew({bench.cpus(from).front()});
      if (!linked) link_chain(crew, memory.data(), footprint, bench.plan.seed);
      linked = true;
      MeasuredPair pair;
      pair.from = from;
      pair.to = to;
      measure_latency(bench, crew, memory, footprint, pair, pairs);
    }
  }
}

/// Domains that share a node differ by who touched the memory last: their own cores do.
void touch_by(Bench& bench, DomainId domain, const Memory& memory, std::size_t slices) {
  std::vector<OsCpu> cpus = bench.cpus(domain);
  if (cpus.empty()) cpus = bench.cpus(bench.with_cores.front());
  Crew crew(cpus);
  crew.run([&](std::size_t member) {
    for (std::size_t slice = member; slice < slices; slice += crew.size()) {
      touch(memory.data() + slice * bench.footprint.count, bench.footprint);
    }
  });
}

}  // namespace

Result<bool> measure_pairs(Bench& bench, std::vector<MeasuredPair>& pairs) {
  const std::size_t threads = most_threads(bench);
  for (const DomainId to : bench.with_memory) {
    auto memory = Memory::on_node({threads * bench.footprint.count}, bench.node(to));
    if (!memory) return memory.error();
    touch_by(bench, to, memory.value(), threads);
    for (const DomainId from : bench.with_cores) {
      bench.step("domain " + std::to_string(from.value()) + " with the memory of domain " +
                 std::to_string(to.value()));
      Crew crew(bench.cpus(from));
      if (!crew.bound()) return Error{"cannot measure: threads cannot be bound to cpus"};
      MeasuredPair pair;
      pair.from = from;
      pair.to = to;
      measure_bandwidths(bench, crew, memory.value(), pair, pairs);
      if (crew.size() == 1) continue;
      Crew one({bench.cpus(from).front()});
      measure_bandwidths(bench, one, memory.value(), pair, pairs);
    }
    measure_latencies(bench, memory.value(), to, pairs);
  }
  return true;
}

}  // namespace lares::measure

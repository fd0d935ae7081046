#include "model/predict.hpp"

#include <algorithm>

namespace lares::model {
namespace {

/// Each thread's part of the array is as large as any other's.
Stream stream_of(const Array& array, const Team& team, const Figures& figures) {
  const std::size_t domains = figures.domains();
  Stream stream{array.access,
                {array.footprint.count / team.size},
                std::vector<double>(domains * domains, 0),
                array.placement == Placement::interleaved};
  for (std::size_t from = 0; from < domains; ++from) {
    const double bytes = array.traffic * team.of_domain[from] / team.size;
    double* const row = stream.bytes.data() + from * domains;
    switch (array.placement) {
      case Placement::local:
        row[from] = bytes;
        break;
      case Placement::interleaved:
        for (std::size_t to = 0; to < figures.domains_with_cores(); ++to) {
          row[to] = bytes / static_cast<double>(figures.domains_with_cores());
        }
        break;
      case Placement::in_domain:
        row[array.domain.index()] = bytes;
        break;
    }
  }
  return stream;
}

Result<std::vector<Stream>> streams_of(const Region& region, const Team& team,
                                       const Figures& figures) {
  std::vector<Stream> streams;
  for (const Array& array : region.arrays) {
    if (array.placement == Placement::in_domain && array.domain.index() >= figures.domains()) {
      return Error{"array \"" + array.name + "\" of region \"" + region.name + "\" is in domain " +
                   std::to_string(array.domain.value()) + ", but the machine has " +
                   std::to_string(figures.domains())};
    }
    streams.push_back(stream_of(array, team, figures));
  }
  return streams;
}

Result<Seconds> computing_of(const Region& region, const Team& team, double imbalance,
                             const Figures& figures, const Choice& choice) {
  Seconds time;
  for (const auto& [kind, count] : region.flops) {
    std::optional<Peak> peak = figures.peak(kind, team.size);
    if (choice.core_peak) peak = Peak{choice.core_peak->gflops * team.size};
    if (!peak) {
      return Error{"nobody has measured how fast the machine computes (" +
                   std::string(word_of(kind)) +
                   "): measure it anew with lares measure --output FILE, or give --peak GFLOPS of "
                   "one core"};
    }
    time += time_to_compute(count, *peak) * imbalance;
  }
  return time;
}

Result<Seconds> waiting_of(const Region& region, const Team& team, const Figures& figures,
                           const Choice& choice) {
  Seconds time;
  for (const auto& [construct, count] : region.constructs) {
    const auto once = figures.sync(construct, choice.runtime, team.size);
    if (!once) {
      const std::string who = choice.runtime.empty() ? "any runtime" : choice.runtime;
      return Error{"nobody has measured what " + std::string(word_of(construct)) + " costs with " +
                   who + " there: measure it anew with lares measure --output FILE"};
    }
    time += *once * count;
  }
  return time;
}

Bound bound_of(const RegionTime& time) {
  if (time.waiting > std::max(time.memory, time.computing)) return Bound::synchronisation;
  return time.computing > time.memory ? Bound::computation : Bound::memory;
}

std::optional<Seconds> measured_at(const MeasuredTimes& times, std::uint32_t threads) {
  const auto found = times.find(threads);
  return found == times.end() ? std::nullopt : std::optional(found->second);
}

Result<RegionTime> predict_region(const Region& region, const machine::Machine& machine,
                                  const Figures& figures, std::uint32_t threads,
                                  const Choice& choice) {
  const auto team = spread_team(machine, std::min(threads, region.most_threads.value_or(threads)));
  if (!team) return team.error();
  const auto streams = streams_of(region, team.value(), figures);
  if (!streams) return streams.error();
  // One thread that does everything has as many times the mean's work as there are threads.
  const double imbalance = std::min(region.imbalance, static_cast<double>(team.value().size));
  const auto computing = computing_of(region, team.value(), imbalance, figures, choice);
  if (!computing) return computing.error();
  const auto waiting = waiting_of(region, team.value(), figures, choice);
  if (!waiting) return waiting.error();

  RegionTime time;
  time.name = region.name;
  time.repeat = region.repeat;
  time.threads = team.value().size;
  time.slowest = memory_time(figures, team.value(), streams.value(), imbalance);
  time.memory = time.slowest.time;
  time.computing = computing.value();
  time.waiting = waiting.value();
  time.once = std::max(time.memory, time.computing) + time.waiting;
  time.total = time.once * region.repeat;
  time.bound = bound_of(time);
  time.bytes = sum_of(streams.value());
  for (const auto& [kind, count] : region.flops) time.flops += count;
  time.measured = measured_at(region.measured, threads);
  return time;
}

double gflops_of(double flops, Seconds time) { return flops / time.count / 1e9; }

}  // namespace

std::optional<double> RegionTime::intensity() const {
  if (!(flops > 0) || !(bytes > 0)) return std::nullopt;
  return flops / bytes;
}

std::optional<double> RegionTime::roof() const {
  if (!(flops > 0)) return std::nullopt;
  return gflops_of(flops, std::max(memory, computing));
}

std::optional<double> RegionTime::rate() const {
  if (!(flops > 0)) return std::nullopt;
  return gflops_of(flops, once);
}

double error_of(Seconds predicted, Seconds measured) noexcept {
  return predicted.count / measured.count - 1;
}

Result<Prediction> predict(const Description& description, const machine::Machine& machine,
                           const Figures& figures, std::uint32_t threads, const Choice& choice) {
  const auto team = spread_team(machine, threads);
  if (!team) return team.error();
  Prediction prediction{threads, team.value(), {},
                        {},      {},           measured_at(description.measured, threads)};
  for (const Region& region : description.regions) {
    auto time = predict_region(region, machine, figures, threads, choice);
    if (!time) return time.error();
    const RegionTime& found = time.value();
    prediction.total += found.total;
    prediction.apart += (found.memory + found.computing + found.waiting) * region.repeat;
    prediction.regions.push_back(std::move(time.value()));
  }
  return prediction;
}

}  // namespace lares::model

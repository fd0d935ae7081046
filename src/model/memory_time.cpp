#include "model/memory_time.hpp"

#include <algorithm>
#include <numeric>

namespace lares::model {
namespace {

/// Each home's part of the time of one domain.
std::vector<Seconds> times_of_domain(const Figures& figures, const Team& team,
                                     const std::vector<Stream>& streams, DomainId from) {
  const std::size_t domains = figures.domains();
  std::vector<Seconds> times(domains);
  for (const Stream& stream : streams) {
    for (std::size_t to = 0; to < domains; ++to) {
      const double bytes = stream.bytes[from.index() * domains + to];
      if (!(bytes > 0)) continue;
      times[to] +=
          time_to_move(bytes, figures.pair(from, DomainId{to}, team.of_domain[from.index()],
                                           stream.footprint, stream.access));
    }
  }
  return times;
}

Seconds time_of_home(const Figures& figures, const std::vector<Stream>& streams, DomainId home) {
  const std::size_t domains = figures.domains();
  Seconds time;
  for (const Stream& stream : streams) {
    double bytes = 0;
    for (std::size_t from = 0; from < figures.domains_with_cores(); ++from) {
      const double moved = stream.bytes[from * domains + home.index()];
      if (!(moved > 0)) continue;
      bytes += moved * figures.memory_share(DomainId{from}, stream.footprint, stream.access);
    }
    if (bytes > 0) time += time_to_move(bytes, figures.home(home, stream.access));
  }
  return time;
}

Seconds time_of_machine(const Figures& figures, const std::vector<Stream>& streams) {
  const std::size_t domains = figures.domains();
  Seconds time;
  for (const Stream& stream : streams) {
    const double all = std::accumulate(stream.bytes.begin(), stream.bytes.end(), 0.0);
    double near = 0;
    for (std::size_t d = 0; d < domains; ++d) near += stream.bytes[d * domains + d];
    time += figures.machine_local(stream.footprint, stream.access) * near;
    time += figures.machine_remote(stream.footprint, stream.access, stream.interleaved) *
            std::max(all - near, 0.0);
  }
  return time;
}

}  // namespace

MemoryTime memory_time(const Figures& figures, const Team& team, const std::vector<Stream>& streams,
                       double imbalance) {
  MemoryTime slowest;
  const auto meet = [&slowest](Seconds time, Bottleneck bottleneck, DomainId from, DomainId to) {
    if (time > slowest.time) slowest = {time, bottleneck, from, to};
  };
  for (std::size_t d = 0; d < figures.domains_with_cores(); ++d) {
    if (team.of_domain[d] == 0) continue;
    const auto times = times_of_domain(figures, team, streams, DomainId{d});
    const auto longest = std::max_element(times.begin(), times.end());
    const Seconds sum = std::accumulate(times.begin(), times.end(), Seconds{});
    meet(sum * imbalance, Bottleneck::pair, DomainId{d},
         DomainId{static_cast<std::size_t>(longest - times.begin())});
  }
  for (std::size_t to = 0; to < figures.domains(); ++to) {
    meet(time_of_home(figures, streams, DomainId{to}), Bottleneck::home, DomainId{}, DomainId{to});
  }
  const auto busy = std::count_if(team.of_domain.begin(), team.of_domain.end(),
                                  [](std::uint32_t threads) { return threads > 0; });
  // What one domain gets alone was measured as such.
  if (busy > 1) meet(time_of_machine(figures, streams), Bottleneck::machine, {}, {});
  return slowest;
}

std::vector<Stream> all_local(std::vector<Stream> streams, std::size_t domains) {
  for (Stream& stream : streams) {
    stream.interleaved = false;
    for (std::size_t from = 0; from < domains; ++from) {
      const auto row = stream.bytes.begin() + static_cast<std::ptrdiff_t>(from * domains);
      const auto end = row + static_cast<std::ptrdiff_t>(domains);
      const double sum = std::accumulate(row, end, 0.0);
      std::fill(row, end, 0.0);
      stream.bytes[from * domains + from] = sum;
    }
  }
  return streams;
}

double sum_of(const std::vector<Stream>& streams) {
  double sum = 0;
  for (const Stream& stream : streams) {
    sum += std::accumulate(stream.bytes.begin(), stream.bytes.end(), 0.0);
  }
  return sum;
}

}  // namespace lares::model

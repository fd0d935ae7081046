#include "trace/findings/over_time.hpp"

#include <algorithm>

#include "trace/findings/sums.hpp"

namespace lares::trace {
namespace {

constexpr std::size_t parallelism_slices = 400;
constexpr std::size_t most_traffic_slices = 60;
/// Of all slices: where there are many domains, there are fewer slices.
constexpr std::size_t most_traffic_cells = std::size_t{1} << 22U;

// The outermost grains of each thread, without what they waited.
void add_running(const Trace& trace, Slices& slices) {
  for (std::size_t t = 0; t < trace.threads.size(); ++t) {
    Time until = 0;
    for (std::size_t i = trace.grains_of[t]; i < trace.grains_of[t + 1]; ++i) {
      const Grain& grain = trace.grains[i];
      const Time begin = std::max(grain.begin, until);
      if (grain.end <= begin) continue;
      slices.add(begin, grain.end);
      until = grain.end;
    }
  }
  // Where a grain waits without running another nobody works.
  std::size_t grain = 0;
  std::size_t thread = 0;
  Time until = 0;
  for (const Wait& wait : trace.waits) {
    if (wait.thread != thread || &wait == trace.waits.data()) {
      thread = wait.thread;
      grain = trace.grains_of[thread];
      until = 0;
    }
    for (; grain < trace.grains_of[thread + 1] && trace.grains[grain].begin <= wait.begin;
         ++grain) {
      until = std::max(until, trace.grains[grain].end);
    }
    if (until < wait.end || wait.end == wait.begin) continue;  // of a region's own code
    const double share =
        static_cast<double>(wait.idle) / static_cast<double>(wait.end - wait.begin);
    slices.add(wait.begin, wait.end, -share);
  }
}

void add_traffic(const Trace& trace, Findings& findings) {
  const std::size_t size = trace.domains;
  const std::size_t count =
      std::clamp<std::size_t>(most_traffic_cells / (size * size), 1, most_traffic_slices);
  const Slices slices(trace.duration, count);
  findings.traffic_slice = slices.length();
  findings.traffic.assign(count, std::vector<std::uint64_t>(size * size));
  const bool in_grains = std::all_of(findings.bytes.begin(), findings.bytes.end(),
                                     [](std::uint64_t bytes) { return bytes == 0; });
  for (const Grain& grain : trace.grains) {
    if (grain.domain >= size || grain.has(grain_flag::goes_on)) continue;
    auto& slice = findings.traffic[slices.at(grain.begin)];
    if (in_grains) {
      if (grain.home < size) ++slice[grain.home * size + grain.domain];
      continue;
    }
    for_each_home(trace, grain, [&](const Access& access) {
      if (access.home < size) slice[access.home * size + grain.domain] += access.bytes;
    });
  }
}

}  // namespace

Slices::Slices(Time duration, std::size_t count)
    : length_(std::max<Time>(1, (duration + count - 1) / count)),
      partly_(count),
      whole_(count + 1) {}

std::size_t Slices::at(Time time) const noexcept {
  return std::min<std::size_t>(time / length_, partly_.size() - 1);
}

void Slices::add(Time begin, Time end, double weight) {
  if (end <= begin) return;
  const std::size_t first = at(begin);
  const std::size_t last = at(end);
  if (first == last) {
    partly_[first] += weight * static_cast<double>(end - begin);
    return;
  }
  partly_[first] += weight * static_cast<double>((first + 1) * length_ - begin);
  partly_[last] += weight * static_cast<double>(end - last * length_);
  whole_[first + 1] += weight;
  whole_[last] -= weight;
}

std::vector<double> Slices::means() const {
  std::vector<double> means(partly_.size());
  double whole = 0;
  for (std::size_t i = 0; i < means.size(); ++i) {
    whole += whole_[i];
    means[i] = std::max(0.0, whole + partly_[i] / static_cast<double>(length_));
  }
  return means;
}

void add_course(const Trace& trace, Findings& findings) {
  Slices running(trace.duration, parallelism_slices);
  Slices waiting(trace.duration, parallelism_slices);
  add_running(trace, running);
  for (const Grain& grain : trace.grains) {
    if (!grain.has(grain_flag::is_chunk | grain_flag::undeferred)) {
      waiting.add(grain.ready, grain.begin);
    }
  }
  findings.slice = running.length();
  const std::vector<double> run = running.means();
  const std::vector<double> wait = waiting.means();
  for (std::size_t i = 0; i < run.size(); ++i) {
    findings.parallelism.push_back({run[i], wait[i]});
  }
  add_traffic(trace, findings);
}

}  // namespace lares::trace

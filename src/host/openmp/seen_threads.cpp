#include "host/openmp/seen_threads.hpp"

#include <optional>

#include "decide/seen_threads.hpp"
#include "host/openmp/binding.hpp"

namespace lares::omp {

namespace {

using bubbles::Member;
using bubbles::Runner;
using decide::SeenThread;

/// The thread that had a hardware thread for itself at a moment.
class RunnerOfCpu {
 public:
  RunnerOfCpu(const machine::Machine& machine, const std::vector<Runner>& runners) {
    for (const Runner& runner : runners) {
      if (!runner.core.valid()) continue;
      for (const OsCpu cpu : machine.cores[runner.core.index()].cpus) {
        if (cpu.index() >= threads_.size()) threads_.resize(cpu.index() + 1);
        threads_[cpu.index()] = runner.thread;
      }
    }
  }
  /// Null if that is not known.
  [[nodiscard]] const Member* operator()(OsCpu cpu) const {
    return cpu.valid() && cpu.index() < threads_.size() ? threads_[cpu.index()] : nullptr;
  }

 private:
  std::vector<const Member*> threads_;
};

/// The threads that are there now, and what was seen of each.
class Sightings {
 public:
  Sightings(const std::vector<Runner>& runners, std::size_t domains) : runners_(runners) {
    for (const Runner& each : runners) {
      SeenThread& thread = threads_.emplace_back();
      thread.at = each.domain;
      thread.pages.resize(domains);
      thread.stays = each.stays;
    }
    last_run_.resize(runners.size());
  }
  void add(std::size_t run, const memory::SampledPage& page, const Member* first,
           const Member* second) {
    const std::optional<std::size_t> index = index_of(first);
    if (!index) return;
    SeenThread& thread = threads_[*index];
    if (first != second) {
      ++thread.changing;
      return;
    }
    ++thread.pages[page.home.index()];
    if (last_run_[*index] != run) ++thread.spots;
    last_run_[*index] = run;
  }
  [[nodiscard]] const std::vector<SeenThread>& threads() const noexcept { return threads_; }

 private:
  [[nodiscard]] std::optional<std::size_t> index_of(const Member* thread) const {
    for (std::size_t i = 0; thread != nullptr && i < runners_.size(); ++i) {
      if (runners_[i].thread == thread) return i;
    }
    return std::nullopt;
  }
  const std::vector<Runner>& runners_;
  std::vector<SeenThread> threads_;
  std::vector<std::optional<std::size_t>> last_run_;
};

std::vector<std::size_t> rooms(const machine::Machine& machine, std::size_t threads) {
  std::vector<std::size_t> rooms;
  for (const machine::Domain& domain : machine.domains) {
    rooms.push_back(decide::room_of(domain.cores.size(), machine.cores.size(), threads));
  }
  return rooms;
}

bubbles::SeenData data_of(const Runner& runner, const SeenThread& thread, Bytes sampled) {
  bubbles::SeenData data{runner, {}};
  for (const std::uint32_t pages : thread.pages) data.bytes.push_back(pages * sampled.count);
  return data;
}

}  // namespace

std::size_t SeenThreads::move(const machine::Machine& machine, const memory::Samples& samples,
                              Bytes sampled) {
  const std::vector<Runner> now = bubbles::runners();
  if (now.empty()) return 0;
  const RunnerOfCpu first(machine, runners_[0]);
  const RunnerOfCpu second(machine, runners_[1]);
  Sightings seen(now, machine.domains.size());
  samples.for_each_by_run([&](std::size_t run, const memory::SampledPage& page) {
    if (!page.toucher[0].valid() || !page.toucher[1].valid()) return;
    seen.add(run, page, first(page.cpu[0]), second(page.cpu[1]));
  });
  const std::vector<bool> goes = decide::who_goes(seen.threads(), rooms(machine, now.size()));
  std::vector<bubbles::SeenData> told;
  bool anybody = false;
  for (std::size_t i = 0; i < now.size(); ++i) {
    const SeenThread& thread = seen.threads()[i];
    if (goes[i] || (!thread.stays && thread.is_at_home())) {
      told.push_back(data_of(now[i], thread, sampled));
    }
    anybody = anybody || goes[i];
  }
  if (!anybody) return 0;
  const std::size_t moved = bubbles::go_to_seen(told);
  if (bubbles::t_member != nullptr && t_place >= 0) go_where_wanted(nullptr);
  return moved;
}

}  // namespace lares::omp

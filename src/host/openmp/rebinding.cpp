#include "host/openmp/rebinding.hpp"

#include <array>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <vector>

#include "decide/follow.hpp"
#include "decide/rebinding.hpp"

namespace lares::omp {
namespace {

using runtime::Engine;

/// The thread of a team that runs on a hardware thread.
class ThreadOfCpu {
 public:
  ThreadOfCpu(const machine::Machine& machine, const std::vector<std::uint16_t>& team) {
    for (std::size_t thread = 0; thread < team.size(); ++thread) {
      for (const OsCpu cpu : machine.cores[core_of_place(team[thread]).index()].cpus) {
        if (cpu.index() >= threads_.size()) threads_.resize(cpu.index() + 1);
        threads_[cpu.index()] = thread;
      }
    }
  }
  [[nodiscard]] std::optional<std::size_t> operator()(OsCpu cpu) const {
    if (!cpu.valid() || cpu.index() >= threads_.size()) return std::nullopt;
    return threads_[cpu.index()];
  }

 private:
  std::vector<std::optional<std::size_t>> threads_;
};

/// What the samples say of the threads of `team`, or nothing if that is too little, or if other
/// threads use the same pages from turn to turn.
std::optional<decide::Uses> uses_of(const std::vector<std::uint16_t>& team,
                                    const memory::Samples& samples) {
  const machine::Machine& machine = Engine::instance().machine();
  const ThreadOfCpu thread_of(machine, team);
  decide::Uses uses(team.size(), machine.domains.size());
  std::int64_t touched = 0;
  samples.for_each([&](std::size_t, const memory::SampledPage& page, const memory::SampledPage*) {
    if (!page.toucher[0].valid() || !page.toucher[1].valid()) return;
    ++touched;
    const std::optional<std::size_t> thread = thread_of(page.cpu[0]);
    if (thread && thread == thread_of(page.cpu[1])) uses.add(*thread, page.home);
  });
  if (touched < decide::Evidence::enough || 4 * uses.all() < 3 * touched) return std::nullopt;
  uses.fill_gaps();
  return uses;
}

/// False of an inner team, and of one that is not the last.
bool runs_on(const runtime::Worker& worker, const std::vector<std::uint16_t>& team) noexcept {
  return worker.outer == nullptr && worker.id.index() < team.size() &&
         team[worker.id.index()] == t_place;
}

void tell(const decide::Rebinding& rebinding) noexcept {
  const auto percent = [&](std::int64_t pages) { return 100 * pages / rebinding.pages; };
  std::array<char, 240> text;
  std::snprintf(text.data(), text.size(),
                "by-data: threads change places, because %" PRId64
                " %% of the pages that they use again and again lie where they run, and %" PRId64
                " %% do then",
                percent(rebinding.at_home_before), percent(rebinding.at_home_after));
  Engine::instance().note(text.data());
}

}  // namespace

bool rebind_threads(const Engine::StableWork& work, const memory::Samples& samples) {
  if (!work.by_number || !may_rebind()) return false;
  std::vector<std::uint16_t> team = last_team();
  const runtime::Worker* const worker = runtime::this_worker();
  if (team.size() != work.threads || (worker != nullptr && !runs_on(*worker, team))) return false;
  const std::optional<decide::Uses> uses = uses_of(team, samples);
  if (!uses) return false;
  decide::Rebinding rebinding = decide::rebind(*uses, team, domain_of_place);
  if (rebinding.places.empty()) return false;
  exchange_places(std::move(team), std::move(rebinding.places),
                  worker == nullptr ? nullptr : worker->team);
  tell(rebinding);
  return true;
}

}  // namespace lares::omp

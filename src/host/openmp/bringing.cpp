#include "host/openmp/bringing.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "decide/bringing.hpp"
#include "decide/follow.hpp"
#include "host/openmp/placement.hpp"
#include "memory/homes.hpp"
#include "memory/migrate/at_once.hpp"
#include "memory/nodes.hpp"
#include "memory/placement_choice.hpp"
#include "memory/reserve.hpp"
#include "memory/try_lock.hpp"
#include "runtime/shared_out.hpp"
#include "runtime/spinlock.hpp"
#include "runtime/thread_state.hpp"

namespace lares::omp {
namespace bringing {
namespace {

using runtime::Engine;

constexpr std::size_t most_areas = 4096;
// After so many begins of work with tasks, or of any, nobody is expected to share memory out.
constexpr std::uint64_t most_rounds = 256;
constexpr std::uint64_t most_begins = 512;

/// What is to go, and has not gone yet.
class Waiting {
 public:
  /// Any thread.
  void add(const decide::PartsByHome& parts) {
    const std::scoped_lock lock(lock_);
    if (parts_.size() < parts.size()) parts_.resize(parts.size());
    for (std::size_t home = 0; home < parts.size(); ++home) {
      parts_[home].insert(parts_[home].end(), parts[home].begin(), parts[home].end());
    }
    is_empty_.store(false, std::memory_order_relaxed);
  }
  [[nodiscard]] decide::PartsByHome take() {
    const std::scoped_lock lock(lock_);
    is_empty_.store(true, std::memory_order_relaxed);
    return std::exchange(parts_, {});
  }
  /// relaxed: who misses what has just come leaves it to the next one.
  [[nodiscard]] bool is_empty() const noexcept { return is_empty_.load(std::memory_order_relaxed); }

 private:
  runtime::Spinlock lock_;
  decide::PartsByHome parts_;  ///< under the lock
  std::atomic<bool> is_empty_{true};
};

/// Made before main, lives for ever.
struct State {
  explicit State(const machine::Machine& machine) : nodes(machine), budget(now()) {}
  memory::Nodes nodes;
  Bytes page{static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE))};
  Waiting waiting;
  memory::TryLock moving;                ///< of who moves
  decide::TimeBudget budget;             ///< under `moving`
  memory::TryLock keeping;               ///< of who looks at what is shared out
  std::atomic<std::uint64_t> rounds{0};  ///< of work with tasks; changes under `keeping`
  // Room for a list of all that is large: never in memory of the program's allocator, where it
  // would be one of the pieces that it lists.
  memory::Reserve areas{most_areas * sizeof(memory::LargeArea)};
  /// Most pages cannot go, or shall not. relaxed: who sees it late has some work in vain.
  std::atomic<bool> is_in_vain{false};
  std::atomic<std::uint64_t> begins{0};       ///< of any work; statistics
  std::atomic<std::uint64_t> moved_pages{0};  ///< statistics
  std::atomic<std::uint64_t> moved_ns{0};
};
alignas(State) std::array<unsigned char, sizeof(State)> g_room;
State* g_state = nullptr;  ///< set before main

/// The processors of a domain, to be near to what it gets.
std::vector<std::vector<OsCpu>> processors_by_domain() {
  const machine::Machine& machine = Engine::instance().machine();
  std::vector<std::vector<OsCpu>> all(machine.domains.size());
  for (const machine::Core& core : machine.cores) {
    std::vector<OsCpu>& near = all[core.domain.index()];
    near.insert(near.end(), core.cpus.begin(), core.cpus.end());
  }
  return all;
}

/// Of a move; its threads share it.
struct Deadline {
  Nanoseconds at;
  std::atomic<bool> is_over{false};  ///< relaxed: read when the threads have ended
};
bool has_time_left(void* argument, const memory::MoveReport& /*so_far*/) noexcept {
  auto& deadline = *static_cast<Deadline*>(argument);
  if (now() < deadline.at) return true;
  deadline.is_over.store(true, std::memory_order_relaxed);
  return false;
}

/// The user has said where that is (lares_alloc, lares_migrate).
bool is_given(const decide::Part& part) noexcept {
  memory::Homes* const homes = Engine::instance().homes();
  return homes != nullptr && homes->is_given(part.begin);
}

/// What goes to each domain's node. A page that parts share goes with the one that has its middle.
std::vector<memory::Load> loads_of(const decide::PartsByHome& parts, Movable which,
                                   std::span<const std::vector<OsCpu>> processors) {
  const State& state = *g_state;
  const auto nearest_page = [page = state.page.count](std::uintptr_t address) {
    return (address + page / 2) & ~(page - 1);
  };
  std::vector<memory::Load> loads;
  for (std::size_t home = 0; home < parts.size(); ++home) {
    memory::Load load{state.nodes.node_of(DomainId{home}), {}, processors[home]};
    for (const decide::Part& part : parts[home]) {
      if (which == Movable::first_touched && is_given(part)) continue;
      load.ranges.push_back({nearest_page(part.begin), nearest_page(part.end)});
    }
    loads.push_back(std::move(load));
  }
  return loads;
}

/// Where tasks go by the homes of their data, they are asked for anew.
void forget_homes(std::span<const memory::Load> loads) noexcept {
  memory::Homes* const homes = Engine::instance().homes();
  if (homes == nullptr) return;
  for (const memory::Load& load : loads) {
    for (const memory::Extent& each : load.ranges) {
      if (each.known()) homes->forget(each.begin, {each.end - each.begin});
    }
  }
}

/// Whether what was to go stays: nothing is gained by asking for more.
bool stays(const State& state, const memory::MoveReport& report) noexcept {
  const std::uint64_t staying = report.failed() + report.placed;
  return staying > state.moved_pages.load(std::memory_order_relaxed) &&
         4 * staying > report.in_place;
}

/// Moves of what waits as much as there is time for.
void move_waiting(State& state) {
  if (state.waiting.is_empty()) return;
  const memory::TryLock::Guard moving(state.moving);
  if (!moving) return;
  const Nanoseconds start = now();
  const Nanoseconds most = state.budget.left(start);
  if (most.count <= 0) return;
  const decide::PartsByHome parts = state.waiting.take();
  if (!memory::places_by_touch(memory::real_calls())) {
    return state.is_in_vain.store(true, std::memory_order_relaxed);
  }
  const MovedParts done = move_parts(parts, most, Movable::first_touched);
  state.budget.spend(start, now(), done.ran_out);
  if (stays(state, done.report)) {
    state.is_in_vain.store(true, std::memory_order_relaxed);
  } else if (done.ran_out) {
    state.waiting.add(parts);  // what has gone is passed over quickly
  }
}

void bring(const decide::PartsByHome& parts) noexcept {
  if (g_state->is_in_vain.load(std::memory_order_relaxed)) return;
  g_state->waiting.add(parts);
  if (runtime::has_stack_left(runtime::moving_stack)) move_waiting(*g_state);
}

/// Of what tasks share out by pointers, and of the program's large memory, now and then.
void keep_shares(State& state) {
  const memory::TryLock::Guard keeping(state.keeping);
  const std::uint64_t round = state.rounds.load(std::memory_order_relaxed) + 1;
  if (!keeping || state.areas.data() == nullptr || round > most_rounds) return;
  state.rounds.store(round, std::memory_order_relaxed);
  auto& shared_out = runtime::SharedOut::instance();
  if (state.is_in_vain.load(std::memory_order_relaxed)) {
    state.rounds.store(most_rounds, std::memory_order_relaxed);
    return shared_out.give_up();
  }
  const decide::PartsByHome wanted =
      shared_out.end_round([](std::size_t parts) { return decide::rounds_to_pay(parts); });
  if (!wanted.empty()) state.waiting.add(wanted);
  if (!std::has_single_bit(round)) return;
  auto* const areas = static_cast<memory::LargeArea*>(state.areas.data());
  shared_out.know({areas, find_large_areas(areas, most_areas)});
}

void on_start(const Engine::StableWork& work) noexcept {
  if (!bring_at_start_of(work)) Engine::set_stable_work_listener(nullptr);
}

void tell() noexcept {
  const std::uint64_t pages = g_state->moved_pages.load(std::memory_order_relaxed);
  if (pages == 0) return;
  const auto ns = static_cast<double>(g_state->moved_ns.load(std::memory_order_relaxed));
  std::array<char, 200> text;
  std::snprintf(text.data(), text.size(),
                "%" PRIu64
                " pages went to the tasks that name them or have pointers to them, %.1f us each%s",
                pages, ns / 1e3 / static_cast<double>(pages),
                g_state->waiting.is_empty() ? "" : "; more were left for want of time");
  Engine::instance().note(text.data());
}

// What the child has in common with its parent cannot be moved.
void stop_in_child() noexcept {
  Engine::set_bringer(nullptr);
  Engine::set_stable_work_listener(nullptr);
  g_state->moved_pages.store(0, std::memory_order_relaxed);  // its parent tells of them
}

/// Whether data is where the program's own touches have put it, and may go on from there.
bool is_wanted() noexcept {
  const char* const words = std::getenv("LARES_PLACEMENT");
  const auto choice = memory::parse_placement(words == nullptr ? "bring" : words);
  using Kind = memory::PlacementKind;
  return choice && (choice.value().kind == Kind::bring || choice.value().kind == Kind::follow);
}

}  // namespace
}  // namespace bringing

// NOLINTBEGIN(google-build-using-namespace): this file's
MovedParts move_parts(const decide::PartsByHome& parts, Nanoseconds most, Movable which) {
  using namespace bringing;
  const Nanoseconds start = now();
  const std::vector<std::vector<OsCpu>> processors = processors_by_domain();
  const std::vector<memory::Load> loads = loads_of(parts, which, processors);
  Deadline deadline{.at = {start.count + most.count}};
  memory::MoveOptions options;
  options.page = g_state->page;
  options.progress = has_time_left;
  options.argument = &deadline;
  options.tries = 1;  // who comes back to it does not: other pages are as good
  options.only_first_touch = which == Movable::first_touched;
  const memory::MoveReport report = memory::migrate_at_once(memory::real_calls(), loads, options);
  forget_homes(loads);
  // relaxed: statistics.
  g_state->moved_ns.fetch_add(static_cast<std::uint64_t>((now() - start).count),
                              std::memory_order_relaxed);
  g_state->moved_pages.fetch_add(report.moved, std::memory_order_relaxed);
  return {report, deadline.is_over.load(std::memory_order_relaxed)};
}

bool bring_at_start_of(const runtime::Engine::StableWork& work) noexcept {
  using namespace bringing;
  State* const state = g_state;
  if (state == nullptr) return false;
  if (!runtime::has_stack_left(runtime::moving_stack)) return true;  // another one begins some
  const std::uint64_t begins = state->begins.fetch_add(1, std::memory_order_relaxed);
  if (!work.by_number) keep_shares(*state);
  move_waiting(*state);
  const std::uint64_t rounds = state->rounds.load(std::memory_order_relaxed);
  return !state->waiting.is_empty() || (begins < most_begins && rounds < most_rounds);
}

void set_up_bringing() noexcept {
  using namespace bringing;
  if (!is_wanted()) return;
  const machine::Machine& machine = Engine::instance().machine();
  if (!memory::Nodes(machine).several()) return;
  if (pthread_atfork(nullptr, nullptr, stop_in_child) != 0) return;
  g_state = new (g_room.data()) State(machine);
  std::atexit(tell);
  Engine::set_bringer(bring);
  Engine::set_stable_work_listener(on_start);
}
// NOLINTEND(google-build-using-namespace)

}  // namespace lares::omp

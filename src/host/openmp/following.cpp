#include "host/openmp/following.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>
#include <span>
#include <vector>

#include "base/clock.hpp"
#include "decide/follow.hpp"
#include "decide/rounds.hpp"
#include "decide/seen_shares.hpp"
#include "decide/votes.hpp"
#include "host/openmp/bringing.hpp"
#include "host/openmp/placement.hpp"
#include "host/openmp/rebinding.hpp"
#include "host/openmp/seen_threads.hpp"
#include "memory/extent.hpp"
#include "memory/follow/heap_areas.hpp"
#include "memory/follow/samples.hpp"
#include "memory/migrate/at_once.hpp"
#include "memory/next_touch/ways.hpp"
#include "memory/placement_choice.hpp"
#include "memory/repair/pins.hpp"
#include "memory/repair/repair.hpp"
#include "memory/reserve.hpp"
#include "runtime/shared_out.hpp"

namespace lares::omp {
namespace following {
namespace {

using decide::Evidence;
using runtime::Engine;

constexpr std::size_t most_areas = 4096;
constexpr std::size_t heap_areas = 512;  ///< of these, at least, may be the heap's
constexpr std::size_t least_heap = std::size_t{256} << 10U;
constexpr std::uint64_t coarse_pages = 16;
constexpr double mib = 1024 * 1024;
constexpr double ns_per_ms = 1e6;

/// Of one area, after a judgement.
struct Judged {
  Evidence evidence;
  bool goes = false;
  bool is_shared = false;  ///< domains have large shares of it, which can go at once
};

/// Everything for it. Made before main, lives for ever. `busy` has one user at a time; none of it
/// but `nodes` lies in memory from malloc, for that is the program's and may be marked: what a
/// touch needs must never be. `nodes` is allocated before `own_end` is read, below which nothing is
/// marked.
struct State {
  State(const machine::Machine& machine, Bytes page_bytes, double turns)
      : nodes(machine),
        page(page_bytes),
        next_touch(memory::real_calls(), nodes, page_bytes),
        follow(turns) {}
  memory::Nodes nodes;
  Bytes page;
  memory::NextTouch next_touch;
  memory::Samples samples;
  decide::Follow follow;
  decide::Rounds rounds;
  SeenThreads seen;           ///< its vectors come from malloc: no touch needs them
  decide::SeenShares shares;  ///< likewise; while it is saved for a move: of what goes then
  memory::Reserve areas_memory{most_areas * sizeof(memory::LargeArea)};
  memory::Reserve judged_memory{most_areas * sizeof(Judged)};
  std::size_t areas_found = 0;
  bool is_over = false;        ///< nothing is watched any more
  std::uintptr_t own_end = 0;  ///< of the heap as it was when Lares was set up
  double ratio = 1;            ///< remote to local memory
  Nanoseconds begun = now();   ///< constant: when the program was
  bool moves_data = false;     ///< else only threads may move
  bool sees_teams = false;     ///< constant: threads of placed teams may go to their data
  bool has_told_dear = false;
  std::atomic<bool> busy{false};

  [[nodiscard]] memory::LargeArea* areas() const noexcept {
    return static_cast<memory::LargeArea*>(areas_memory.data());
  }
  [[nodiscard]] Judged* judged() const noexcept {
    return static_cast<Judged*>(judged_memory.data());
  }
};
alignas(State) std::array<unsigned char, sizeof(State)> g_room;
State* g_state = nullptr;  ///< set before main

/// A sentence about all of this, by the name of what the user asked for.
void note(const char* sentence) noexcept {
  std::array<char, 260> text;
  std::snprintf(text.data(), text.size(), "%s: %s", g_state->moves_data ? "follow" : "by-data",
                sentence);
  Engine::instance().note(text.data());
}

/// How much slower remote memory is, by the distances of the machine.
double mean_ratio(const machine::Machine& machine) noexcept {
  const std::size_t cores = machine.domains_with_cores();
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t from = 0; from < cores; ++from) {
    for (std::size_t to = 0; to < cores; ++to) {
      if (from == to || machine.distances.size < cores) continue;
      sum += machine.distances.at(DomainId{from}, DomainId{to}) / 10.0;
      ++count;
    }
  }
  constexpr double usual = 2;
  return count == 0 ? usual : std::max(sum / static_cast<double>(count), 1.1);
}

void stop(const char* why) noexcept {
  note(why);
  g_state->is_over = true;
}

/// False if nothing may be marked.
bool may_mark() noexcept {
  // As for repair: of pages that are copied nobody can tell those that a device writes to.
  const bool copied = !memory::ways_here(memory::real_calls()).moves;
  if (!memory::has_locked_memory() && !(copied && memory::may_pin_memory())) return true;
  stop("left out, because the program has locked or pinned memory, or may pin some");
  return false;
}

void stop_refused(int error) noexcept {
  std::array<char, 240> text;
  std::snprintf(text.data(), text.size(),
                "the kernel refused userfaultfd (%s), so nothing is watched; run as root or set "
                "the sysctl vm.unprivileged_userfaultfd to 1",
                std::strerror(error));
  stop(text.data());
}

/// Large pieces, static arrays, and where malloc has the small ones; not what tasks share out,
/// which goes to them without a look. What holds the stack of this thread (a coroutine's, say)
/// stays: this thread itself marks.
void find_areas(State& state) noexcept {
  memory::LargeArea* const areas = state.areas();
  const std::size_t pieces = find_large_areas(areas, most_areas - heap_areas);
  std::sort(areas, areas + pieces, [](const memory::LargeArea& a, const memory::LargeArea& b) {
    return a.begin < b.begin;
  });
  const std::size_t found =
      pieces + memory::find_heap_areas(memory::real_maps(), state.own_end, least_heap,
                                       std::span(areas, pieces),
                                       std::span(areas, most_areas).subspan(pieces));
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const auto* const end =
      std::remove_if(areas, areas + found, [here](const memory::LargeArea& area) {
        const bool is_stack = area.begin <= here && here < area.end;
        return is_stack || runtime::SharedOut::instance().has(area);
      });
  state.areas_found = static_cast<std::size_t>(end - areas);
}

void look(State& state, bool first) noexcept {
  const Nanoseconds start = now();
  if (first) {
    if (!may_mark()) return;
    // Of work that was replaced.
    state.samples.settle(state.next_touch);
    find_areas(state);
    state.samples.choose(memory::real_calls(), state.nodes,
                         std::span(state.areas(), state.areas_found), state.page);
    if (state.samples.runs() == 0) return state.follow.give_up(now().count);
  }
  state.seen.note_runners(first ? 0 : 1);
  if (const int error = state.samples.mark(state.next_touch); error != 0) {
    if (state.next_touch.counts().areas == 0) return stop_refused(error);
    return state.follow.give_up(now().count);
  }
  const std::int64_t at = now().count;
  state.follow.looked(at, at - start.count);
}

/// Where tasks go by the homes of their data, they are asked for anew.
void forget_homes(std::uintptr_t begin, std::uintptr_t end) noexcept {
  memory::Homes* const homes = Engine::instance().homes();
  if (homes != nullptr) homes->forget(begin, {end - begin});
}

void weigh(Evidence& evidence, const memory::SampledPage& page,
           const memory::SampledPage* next) noexcept {
  const DomainId toucher = page.toucher[1];
  if (!page.toucher[0].valid() || !toucher.valid()) return;
  ++evidence.touched;
  if (page.toucher[0] == toucher) {
    ++evidence.steady;
    evidence.away += page.home != toucher ? 1 : 0;
  }
  if (next == nullptr || !next->toucher[1].valid()) return;
  ++evidence.pairs;
  evidence.joined += next->toucher[1] == toucher ? 1 : 0;
}

struct Verdict {
  Evidence all;
  std::uint64_t pages = 0;  ///< of the areas that shall go
  double cost = 0;          ///< of moving these, in nanoseconds
  /// Of those of them of which it is known: where two looks at their samples say the same.
  decide::SeenShares shares;
};

/// What a sampled page took to be fetched. In a larger piece most of that is saved: it is the
/// touch and not the page that costs.
double page_cost(State& state, bool coarse) noexcept {
  const memory::NextTouchCounts counts = state.next_touch.counts();
  const double fetched = static_cast<double>(counts.pages + counts.sampled);
  const double measured = fetched == 0 ? 0 : static_cast<double>(counts.nanoseconds) / fetched;
  return std::max(memory::usual_page_ns, coarse ? measured / 4 : measured);
}

/// The areas, and the uses of each that were the same in both looks.
struct SteadyUses {
  explicit SteadyUses(const State& state) : areas(state.areas_found), uses(state.areas_found) {
    for (std::size_t i = 0; i < areas.size(); ++i) {
      areas[i] = {state.areas()[i].begin, state.areas()[i].end};
    }
    state.samples.for_each_place(
        [&](std::size_t area, std::size_t run, std::uintptr_t at, const memory::SampledPage& page) {
          const bool steady = page.toucher[0].valid() && page.toucher[0] == page.toucher[1];
          if (steady) uses[area].push_back({at, run, page.toucher[1]});
        });
  }
  std::vector<decide::Part> areas;
  std::vector<std::vector<decide::SeenUse>> uses;
};

/// Large shares of an area can go at once: each to its domain, all at the same time. Of one of
/// which too little was seen, arrays of the same size tell.
void weigh_shares(State& state, std::size_t index, const SteadyUses& seen, Verdict& verdict) {
  Judged& judged = state.judged()[index];
  if (!judged.evidence.is_coarse()) return;
  const auto share_out = [&](const std::vector<decide::SeenUse>& uses) {
    judged.is_shared = decide::are_shares(uses);
    if (judged.is_shared) decide::share_out(seen.areas[index], uses, verdict.shares);
    return judged.is_shared;
  };
  if (share_out(seen.uses[index])) return;
  share_out(decide::uses_of_alike(seen.areas, index, seen.uses, state.page.count,
                                  memory::Samples::run_pages));
}

/// False if nearly all is used by one domain of a team that needs several: in a loop of a few large
/// chunks, say, whose thread is another one the next time.
bool is_spread_over_team(const SteadyUses& seen, std::size_t threads) {
  const machine::Machine& machine = Engine::instance().machine();
  std::vector<std::size_t> processors(machine.domains.size());
  for (const machine::Core& core : machine.cores) {
    processors[core.domain.index()] += core.cpus.size();
  }
  const std::size_t most = std::ranges::max(processors);
  const std::size_t needed = most == 0 ? 0 : (threads + most - 1) / most;
  std::vector<std::uint32_t> users(machine.domains.size());
  for (const auto& of_area : seen.uses) {
    for (const decide::SeenUse& use : of_area) ++users[use.by.index()];
  }
  return needed < 2 || decide::is_spread(users, needed);
}

/// An area of which enough was seen goes by what was seen of it, a small one by what was seen of
/// all.
Verdict weigh_all(State& state, std::size_t threads) noexcept {
  Verdict verdict;
  const std::span<Judged> judged(state.judged(), state.areas_found);
  std::fill(judged.begin(), judged.end(), Judged{});
  state.samples.for_each(
      [&](std::size_t area, const memory::SampledPage& page, const memory::SampledPage* next) {
        weigh(judged[area].evidence, page, next);
        weigh(verdict.all, page, next);
      });
  const SteadyUses seen(state);
  if (!is_spread_over_team(seen, threads)) return verdict;
  for (std::size_t i = 0; i < judged.size(); ++i) {
    if (!judged[i].evidence.is_enough()) judged[i].evidence = verdict.all;
    judged[i].goes = judged[i].evidence.shall_follow();
    if (!judged[i].goes) continue;
    weigh_shares(state, i, seen, verdict);
    const std::uint64_t pages = state.areas()[i].bytes() / state.page.count;
    verdict.pages += pages;
    const double at_once = memory::usual_page_ns / static_cast<double>(state.nodes.usual().size());
    const double each =
        judged[i].is_shared ? at_once : page_cost(state, judged[i].evidence.is_coarse());
    verdict.cost += static_cast<double>(pages) * each;
  }
  return verdict;
}

/// Bytes that wait for their next touch from now on.
std::uint64_t wait_for_touch(State& state, std::uintptr_t begin, std::uintptr_t end,
                             std::uint64_t pages) noexcept {
  const memory::NextTouchOptions options{.chunk = {pages * state.page.count},
                                         .way = memory::WantedWay::userfault_thread};
  const memory::Marked marked = state.next_touch.mark(begin, {end - begin}, options);
  if (marked.bytes.count != 0) forget_homes(begin, end);
  return marked.bytes.count;
}

void move(State& state, const decide::SeenShares& shares) noexcept {
  std::uint64_t at_once = 0;
  if (!shares.known.empty()) {
    // No longer than the program has run so far: so it is at most twice as slow for it.
    const MovedParts moved = move_parts(shares.known, now() - state.begun, Movable::all);
    at_once = moved.report.moved * state.page.count;
  }
  std::uint64_t waiting = 0;
  for (std::size_t i = 0; i < state.areas_found; ++i) {
    const Judged& judged = state.judged()[i];
    if (!judged.goes || judged.is_shared) continue;
    const memory::LargeArea& area = state.areas()[i];
    waiting +=
        wait_for_touch(state, area.begin, area.end, judged.evidence.is_coarse() ? coarse_pages : 1);
  }
  for (const decide::Part& part : shares.unknown) {
    waiting += wait_for_touch(state, part.begin, part.end, 1);
  }
  std::array<char, 240> text;
  std::snprintf(text.data(), text.size(),
                "after %.0f turns of the same work %.0f MiB that were used elsewhere went there at "
                "once, and %.0f MiB waited for their next touch",
                state.follow.turns_so_far(), static_cast<double>(at_once) / mib,
                static_cast<double>(waiting) / mib);
  note(text.data());
}

void tell_evidence(const State& state, const Verdict& verdict) noexcept {
  std::array<char, 240> text;
  std::snprintf(text.data(), text.size(),
                "%s, of %u sampled pages %u had the same users twice and %u were away from "
                "them",
                state.follow.moves() == 0 ? "before any move" : "after a move", verdict.all.touched,
                verdict.all.steady, verdict.all.away);
  note(text.data());
}

void tell_too_dear(State& state, const Verdict& verdict, double needed) noexcept {
  if (state.has_told_dear) return;
  state.has_told_dear = true;
  std::array<char, 240> text;
  std::snprintf(
      text.data(), text.size(),
      "to move %" PRIu64
      " pages takes about %.1f ms and pays after %.0f turns, more than there were so far; "
      "say --placement follow:TURNS if so many come",
      verdict.pages, verdict.cost / ns_per_ms, needed);
  note(text.data());
}

/// True if threads of placed teams have moved. Not for work by tasks: whichever thread of a domain
/// runs them, they are as far from their data.
bool move_seen_threads(State& state, const Engine::StableWork& work) noexcept {
  if (!state.sees_teams || !work.by_number) return false;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < state.areas_found; ++i) bytes += state.areas()[i].bytes();
  std::uint64_t sampled = 0;
  state.samples.for_each_by_run([&](std::size_t, const memory::SampledPage&) { ++sampled; });
  const std::size_t moved = state.seen.move(Engine::instance().machine(), state.samples,
                                            {bytes / std::max<std::uint64_t>(sampled, 1)});
  return moved != 0;
}

void judge_samples(State& state, const Engine::StableWork& work) noexcept {
  const bool threads_go = move_seen_threads(state, work) || rebind_threads(work, state.samples);
  if (threads_go || !state.moves_data) return state.follow.give_up(now().count);
  Verdict verdict = weigh_all(state, work.threads);
  tell_evidence(state, verdict);
  if (verdict.pages == 0) return state.follow.give_up(now().count);
  const double needed = decide::turns_to_pay(verdict.cost, static_cast<double>(state.follow.turn()),
                                             verdict.all.away_share(), state.ratio);
  if (state.follow.judged(needed, now().count)) return move(state, verdict.shares);
  tell_too_dear(state, verdict, needed);
  state.shares = std::move(verdict.shares);
}

void judge(State& state, const Engine::StableWork& work) noexcept {
  state.samples.settle(state.next_touch);
  judge_samples(state, work);
  state.samples.forget();
}

/// Regions are left to the stock runtime or not by it.
void tell_if_rests(bool rests) noexcept {
  if (g_learning_rests.exchange(rests, std::memory_order_relaxed) != rests)
    runtime::tell_region_news();
}

/// With `busy`.
void on_start(State& state, const Engine::StableWork& work) noexcept {
  using Step = decide::Follow::Step;
  const auto touched = [&state] {
    const std::size_t turn = state.follow.is_checking() ? 1 : 0;
    state.samples.collect(state.next_touch, turn);
    return state.samples.touched(turn);
  };
  switch (state.follow.begin(work.cause, work.threads, now().count, touched)) {
    case Step::first_look:
      return look(state, true);
    case Step::second_look:
      return look(state, false);
    case Step::judge:
      judge(state, work);
      break;
    case Step::move:
      return move(state, state.shares);
    case Step::none:
      break;
  }
  const bool nothing_left = !state.moves_data && !may_rebind();
  state.is_over = state.is_over || state.follow.is_over() || nothing_left;
}

/// Teams of one program run the same code side by side: a turn is one of all of them.
bool begins_turn(State& state, const Engine::StableWork& work) noexcept {
  if (!state.sees_teams || bubbles::t_team == nullptr) return true;
  return state.rounds.begin(work.cause,
                            reinterpret_cast<std::uintptr_t>(bubbles::t_team->family()));
}

/// Who comes while another is at it goes on: the work comes again.
void on_stable_work(const Engine::StableWork& work) noexcept {
  State& state = *g_state;
  const bool brings = bring_at_start_of(work);
  if (state.busy.exchange(true, std::memory_order_acq_rel)) return;
  if (!state.is_over && begins_turn(state, work)) on_start(state, work);
  tell_if_rests(state.is_over || state.follow.rests());
  if (state.is_over && !brings) Engine::set_stable_work_listener(nullptr);
  state.busy.store(false, std::memory_order_release);
}

/// A sanitizer looks at its own static memory and its shadow of ours in whatever a thread calls,
/// also in the thread that lets others go on: which must touch nothing that may be watched.
bool has_sanitizer() noexcept {
  const auto is_there = [](const char* name) { return dlsym(RTLD_DEFAULT, name) != nullptr; };
  return std::ranges::any_of(
      std::array{"__asan_init", "__hwasan_init", "__msan_init", "__tsan_init"}, is_there);
}

/// What came of it, at the end of the process.
void tell_fetched() noexcept {
  const memory::NextTouchCounts counts = g_state->next_touch.counts();
  const std::uint64_t touches = counts.pages + counts.sampled;
  if (touches == 0) return;
  std::array<char, 240> text;
  std::snprintf(text.data(), text.size(),
                "touches of %" PRIu64 " pages were looked at, and %" PRIu64
                " pages went to the threads that touched them, %.1f us each",
                counts.sampled, counts.pages,
                static_cast<double>(counts.nanoseconds) / 1e3 / static_cast<double>(touches));
  note(text.data());
}

void settle_before_fork() noexcept { g_state->next_touch.before_fork(); }
void resume_in_parent() noexcept { g_state->next_touch.after_fork_in_parent(); }
void forget_in_child() noexcept {
  g_state->next_touch.after_fork_in_child();
  Engine::set_stable_work_listener(nullptr);
}

std::optional<double> wanted_turns() noexcept {
  const char* const words = std::getenv("LARES_PLACEMENT");
  if (words == nullptr) return std::nullopt;
  const auto choice = memory::parse_placement(words);
  if (!choice || choice.value().kind != memory::PlacementKind::follow) return std::nullopt;
  return choice.value().turns;
}

}  // namespace
}  // namespace following

void tell_of_region(Stock& stock, const void* code) noexcept {
  // Inner regions are part of their outer one's work.
  if (runtime::this_worker() != nullptr) return;
  auto* const ask = real<int()>(stock, Entry::omp_get_max_threads);
  const std::size_t threads = ask == nullptr ? 0 : static_cast<std::size_t>(ask());
  const bool by_number = runtime::hint_for(code)->taskless_runs.load(std::memory_order_relaxed) > 0;
  runtime::Engine::tell_of_stable_work(
      {reinterpret_cast<std::uintptr_t>(code), threads, by_number});
}

void set_up_following() noexcept {
  using namespace following;  // NOLINT(google-build-using-namespace): this file's
  const auto turns = wanted_turns();
  if (!turns && !g_binds_by_data) return;
  const machine::Machine& machine = Engine::instance().machine();
  g_state = new (g_room.data())
      State(machine, Bytes{static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE))}, turns.value_or(0));
  g_state->moves_data = turns.has_value();
  g_state->sees_teams = bubbles::follow_data();
  if (g_state->sees_teams) g_state->follow.expect_several_teams();
  if (!g_state->nodes.several()) {
    note("there is one memory node, so no data is far from anybody");
    g_binds_by_data = false;
    return;
  }
  if (has_sanitizer()) {
    note("the program has a sanitizer, whose memory cannot be watched; nothing is moved");
    g_binds_by_data = false;
    return;
  }
  if (g_state->areas() == nullptr || g_state->judged() == nullptr) return;
  if (pthread_atfork(settle_before_fork, resume_in_parent, forget_in_child) != 0) {
    note("the C library cannot tell of forks, so nothing is moved");
    return;
  }
  g_state->ratio = mean_ratio(machine);
  g_state->own_end = memory::heap_end();
  std::atexit(tell_fetched);
  if (g_state->moves_data) {
    Engine::ask_for_homes();
    Engine::leave_branches();
  }
  Engine::set_stable_work_listener(on_stable_work);
}

}  // namespace lares::omp

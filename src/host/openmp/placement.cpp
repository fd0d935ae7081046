#include "host/openmp/placement.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>

#include "memory/follow/mapped_pieces.hpp"
#include "memory/next_touch/ways.hpp"
#include "memory/placement_choice.hpp"
#include "memory/repair/pins.hpp"
#include "memory/repair/repair.hpp"
#include "memory/repair/static_areas.hpp"
#include "runtime/engine.hpp"

namespace lares::omp {

std::atomic<int> g_repair_looks{0};

namespace {

/// A program may start with small regions, or read its data later: so many starts are looked at.
constexpr int most_looks = 8;
constexpr std::size_t most_areas = 4096;
constexpr double mib = 1024 * 1024;
constexpr double ns_per_ms = 1e6;

/// What the repair works with. Made before main, lives for ever: threads may outlive the
/// destruction of static objects.
struct State {
  explicit State(const machine::Machine& machine, Bytes page_bytes)
      : nodes(machine), page(page_bytes), next_touch(memory::real_calls(), nodes, page_bytes) {}
  memory::Nodes nodes;
  Bytes page;
  memory::NextTouch next_touch;
  double sweeps = 0;
};
alignas(State) std::array<unsigned char, sizeof(State)> g_room;
State* g_state = nullptr;              ///< set before main
std::atomic<bool> g_repairing{false};  ///< the master that took it works; others go on

void note(const char* sentence) noexcept { runtime::Engine::instance().note(sentence); }

void tell_marked(const memory::Repaired& done) noexcept {
  std::array<char, 240> text;
  std::snprintf(text.data(), text.size(),
                "repair: %" PRIu64
                " areas of %.0f MiB that one thread had written wait for their "
                "next touch; estimated to save %.2f ms a sweep and to pay after %.0f sweeps",
                done.areas, static_cast<double>(done.bytes.count) / mib,
                done.gain_per_sweep_ns / ns_per_ms, done.pays_after);
  note(text.data());
}

void tell_not_marked(const memory::Repaired& done) noexcept {
  std::array<char, 240> text;
  if (done.error != 0) {
    std::snprintf(text.data(), text.size(),
                  "repair: the kernel refused userfaultfd (%s), nothing was moved; run as root or "
                  "set the sysctl vm.unprivileged_userfaultfd to 1",
                  std::strerror(done.error));
    note(text.data());
  } else if (done.too_dear > 0) {
    std::snprintf(text.data(), text.size(),
                  "repair: %" PRIu64
                  " areas that one thread had written would not pay within %.0f "
                  "sweeps; say --placement repair:SWEEPS if there are more",
                  done.too_dear, g_state->sweeps);
    note(text.data());
  }
}

/// What came of it, at the end of the process.
void tell_fetched() noexcept {
  const memory::NextTouchCounts counts = g_state->next_touch.counts();
  if (counts.pages == 0) return;
  std::array<char, 240> text;
  std::snprintf(text.data(), text.size(),
                "repair: %" PRIu64 " pages went to the threads that touched them, %.1f us each",
                counts.pages,
                static_cast<double>(counts.nanoseconds) / 1e3 / static_cast<double>(counts.pages));
  note(text.data());
}

void settle_before_fork() noexcept { g_state->next_touch.before_fork(); }
void resume_in_parent() noexcept { g_state->next_touch.after_fork_in_parent(); }
void forget_in_child() noexcept {
  g_state->next_touch.after_fork_in_child();
  g_repair_looks.store(0, std::memory_order_relaxed);
}

/// True if a look was made at something.
bool look() noexcept {
  // A page that a device writes to by its physical address must stay where it is. Where pages are
  // moved, pinned ones are left out one by one; where they are copied, nobody can tell them.
  const bool copied = !memory::ways_here(memory::real_calls()).moves;
  if (memory::has_locked_memory() || (copied && memory::may_pin_memory())) {
    note("repair: left out, because the program has locked or pinned memory, or may pin some");
    return true;
  }
  auto* const areas =
      static_cast<memory::LargeArea*>(std::malloc(most_areas * sizeof(memory::LargeArea)));
  if (areas == nullptr) return true;
  const std::size_t count = find_large_areas(areas, most_areas);
  const memory::RepairContext context{memory::real_calls(), g_state->nodes,
                                      runtime::Engine::instance().machine(), g_state->next_touch,
                                      g_state->page};
  memory::Repaired done;
  for (std::size_t i = 0; i < count; ++i) memory::repair(context, areas[i], g_state->sweeps, done);
  std::free(areas);
  if (done.areas == 0) {
    tell_not_marked(done);
    return done.too_dear > 0 || done.error != 0;
  }
  tell_marked(done);
  std::atexit(tell_fetched);
  return true;
}

std::optional<double> wanted_sweeps() noexcept {
  const char* const words = std::getenv("LARES_PLACEMENT");
  if (words == nullptr) return std::nullopt;
  const auto choice = memory::parse_placement(words);
  if (!choice || choice.value().kind != memory::PlacementKind::repair) return std::nullopt;
  return choice.value().sweeps;
}

}  // namespace

std::size_t find_large_areas(memory::LargeArea* areas, std::size_t room) noexcept {
  std::size_t found = 0;
  const auto allocations = reinterpret_cast<memory::LargeAllocations>(
      dlsym(RTLD_DEFAULT, memory::large_allocations_name));
  found = allocations != nullptr
              ? allocations(areas, room)
              : memory::find_mapped_pieces(memory::real_calls(), memory::real_maps(),
                                           memory::large_bytes, {areas, room});
  return found + memory::find_static_areas({areas + found, room - found});
}

void repair_now() noexcept {
  if (g_repairing.exchange(true, std::memory_order_acq_rel)) return;
  if (g_repair_looks.fetch_sub(1, std::memory_order_relaxed) > 0 && look()) {
    g_repair_looks.store(0, std::memory_order_relaxed);
  }
  g_repairing.store(false, std::memory_order_release);
}

void set_up_repair() noexcept {
  const auto sweeps = wanted_sweeps();
  if (!sweeps) return;
  const machine::Machine& machine = runtime::Engine::instance().machine();
  g_state =
      new (g_room.data()) State(machine, Bytes{static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE))});
  if (!g_state->nodes.several()) {
    note("repair: there is one memory node, so no data is far from anybody");
    return;
  }
  g_state->sweeps = *sweeps;
  if (pthread_atfork(settle_before_fork, resume_in_parent, forget_in_child) != 0) {
    note("repair: the C library cannot tell of forks, so nothing is moved");
    return;
  }
  g_repair_looks.store(most_looks, std::memory_order_relaxed);
}

}  // namespace lares::omp

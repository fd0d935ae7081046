// Where the threads of a parallel region run. Lares binds them itself, and only inside of regions:
// see docs/architecture.md, "Binding".
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "host/openmp/bubbles.hpp"
#include "host/openmp/processor_mask.hpp"
#include "host/openmp/stock.hpp"
#include "host/openmp/team_places.hpp"
#include "machine/machine.hpp"

namespace lares::runtime {
class Team;
}

namespace lares::omp {

/// Called once, when the library is loaded. `how` is LARES_BOUND; nullptr binds nothing. The places
/// in use are noted in a file of `session`, so that the processes of a run share them.
void set_up_binding(const machine::Machine& machine, const char* how, const char* session) noexcept;

/// Whether threads may go to their data (`--bind by-data`). Constant once Lares is set up.
extern bool g_binds_by_data;
/// Whether nothing of the program's data is watched to find out where they should go. Set by who
/// watches, one thread at a time; any thread may read it, a little late.
extern std::atomic<bool> g_learning_rests;

/// The places of the last team outside of all others that had several, by thread number. Kept only
/// with `--bind by-data`. Thread safe.
std::vector<std::uint16_t> last_team();
/// The core of a place, and the domain that it is in.
CoreId core_of_place(std::uint16_t place) noexcept;
std::size_t domain_of_place(std::uint16_t place) noexcept;
/// From the next outer region on, what ran on `before`[i] runs on `after`[i], the same places in
/// another order. `now`: null, or the team on these places for which the caller opens a barrier:
/// its threads go when they leave that. Once in a process. Thread safe.
void exchange_places(std::vector<std::uint16_t> before, std::vector<std::uint16_t> after,
                     const runtime::Team* now);
/// Whether that has happened.
bool are_places_exchanged() noexcept;

/// In the child of a fork: it gets the processors that it would have had.
void free_after_fork() noexcept;

/// The place of a thread that Lares has bound, or -1. Only that thread touches it.
__attribute__((tls_model("initial-exec"))) inline constinit thread_local int t_place = -1;

/// While it lives, the calling thread has the processors that it had before Lares bound it: around
/// everything that hands processors on. Invariant: undoes only what Lares did itself.
class Unbound {
 public:
  Unbound() noexcept : place_(t_place) {
    if (place_ >= 0) [[unlikely]]
      free();
  }
  Unbound(const Unbound&) = delete;
  Unbound& operator=(const Unbound&) = delete;
  ~Unbound() {
    if (place_ >= 0) [[unlikely]]
      bind_again();
  }

 private:
  void free() noexcept;
  void bind_again() noexcept;
  bubbles::HoldStill still_;  // until after bind_again()
  int place_;
};

/// The calling thread's processors as the program shall see them, if Lares has bound it.
const ProcessorMask* mask_before_binding() noexcept;
/// The program has chosen processors for the calling thread, which was bound: from now on they are
/// its own.
void leave_to_program() noexcept;
/// Whether it has done that for any thread.
bool has_program_bound() noexcept;

/// Binds the calling thread, a member of a team that a bubble scheduler places, to where that wants
/// it. `own`: its processors as it has them without Lares, if they are known.
void go_where_wanted(const ProcessorMask* own) noexcept;

/// Whether the calling thread is bound for the sake of its next region alone: it is in none that
/// has bound it.
bool is_bound_between_regions() noexcept;
/// Where a thread of a team is bound before it knows that it is one, and what it would have without
/// that.
struct Birthplace {
  int place;
  /// Lives until the thread's region ends. Null: what its master has now, which is to be asked.
  const ProcessorMask* before;
};

/// Whether any team within a region has found no places. Any thread reads it, a little late.
extern std::atomic<bool> g_some_had_none;
/// Whether the calling thread's last team in `depth` regions of its own had places, if that was of
/// `size` threads. 0: of any number, and whether it is not known that it had none.
bool is_inner_team_bound(std::size_t depth, std::size_t size) noexcept;
/// Where thread `number` of that team was, and is to stay, or nothing.
std::optional<Birthplace> last_birthplace(std::size_t depth, std::size_t number) noexcept;
/// A bound thread gets back what it had; and is bound again, unless the program has chosen other
/// processors for it since.
void let_go() noexcept;
void bind_again(int place) noexcept;

ProcessorMask mask_of_place(int place) noexcept;
/// By a thread that is in no team and begins as a new one would: it goes to `place`, and has `own`
/// without Lares; or it is nowhere in particular, and has `own` (if that is known).
void bind_as_new(int place, const ProcessorMask& own) noexcept;
void free_as_new(const ProcessorMask& own) noexcept;

/// What a master remembers of its last team: one of the same size comes back to its data.
struct TeamMemory;

class PlacedRegion;

/// All that the threads of a placed region read of it if nothing has changed since its master's
/// last one. Each cache line that a master writes anew in each region and its threads read goes
/// from core to core twice: so this stays as it is while it says the same.
/// Written by the master before its threads start; they read it until the join.
struct Seating {
  bubbles::Member* const* members = nullptr;  ///< by thread number, if `size` is not 0
  std::size_t size = 0;            ///< of a team that was chosen before its threads start, or 0
  PlacedRegion* region = nullptr;  ///< what it points to is written anew
  Stock* stock = nullptr;          ///< its runtime
  void* body = nullptr;            ///< what the program's threads run

  bool operator==(const Seating&) const = default;
};

/// Where the threads of one region run. Made by the master, which is also the last to touch it.
class TeamBinding {
 public:
  /// `thread`: the master's number in the system. `asks`: who gives the team its threads asks for
  /// their places.
  TeamBinding(int thread, bool asks) noexcept;
  TeamBinding(const TeamBinding&) = delete;
  TeamBinding& operator=(const TeamBinding&) = delete;
  /// After the join: the master goes back to where it was, and the places are free for other teams.
  ~TeamBinding();

  /// By the first thread, before any other goes on.
  void choose(std::size_t size) noexcept;
  /// The team that was chosen before there were other threads: its size, or 0. By the master,
  /// before there are others.
  [[nodiscard]] std::size_t chosen_before() const noexcept {
    return bubble_.is_chosen() ? bubble_.size() : 0;
  }
  /// What the master's last region of this depth was told, or null: there is no such thing. Only
  /// for the master, before there are other threads.
  [[nodiscard]] Seating* last_seating() const noexcept;
  /// The members of the team that was chosen before, if there is one.
  [[nodiscard]] bubbles::Member* const* members() const noexcept {
    return bubble_.is_chosen() ? bubble_.members() : nullptr;
  }
  /// The master is about to make the team's next thread: where that shall run, if it is known.
  [[nodiscard]] std::optional<Birthplace> next_birthplace() noexcept;
  /// Each thread binds itself before it becomes a worker.
  void enter(std::size_t number) noexcept;
  /// The same by any thread but the first, as a member of a team that was chosen before. Reads
  /// nothing of what the master has written.
  void enter_as(bubbles::Member& member) noexcept;
  /// It has done its part, and will wait for the others.
  void rest() noexcept {
    if (bubble_.is_chosen() && bubbles::g_crowded.load(std::memory_order_relaxed)) [[unlikely]]
      bubble_.rest();
  }
  /// It is a worker no longer.
  void leave(std::size_t number) noexcept {
    if (bubble_.is_chosen()) [[unlikely]]
      leave_bubble(number);
  }
  /// The same after enter_as().
  static void leave_own() noexcept;

 private:
  void leave_bubble(std::size_t number) noexcept;
  void enter_bubble(std::size_t number, const ProcessorMask* own) noexcept;
  static void begin(bubbles::Member& member, const ProcessorMask* own) noexcept;
  [[nodiscard]] bool is_last_team_likely() noexcept;
  bool learn_allowed() noexcept;
  bool take_places(std::size_t size) noexcept;
  void forgo() noexcept;
  template <class MayRun>
  void follow_exchange(std::vector<std::uint16_t>& team, MayRun may_run) noexcept;
  void let_master_go() const noexcept;

  TeamMemory* memory_ = nullptr;            ///< the master's; null: nothing is bound
  const ProcessorMask* allowed_ = nullptr;  ///< the master's, if it is bound; null: to be asked
  bubbles::Team bubble_;                    ///< with a bubble scheduler
  std::size_t births_ = 0;                  ///< threads that were made for it, of those it is told
  std::uint64_t allowed_version_ = 0;       ///< of `allowed_`; 0: it is null
  std::optional<bool> same_allowed_;        ///< what learn_allowed() said before there were threads
  int thread_;                              ///< the master's number in the system
  bool inner_ = false;                      ///< the master is in a region already
  std::size_t masters_ = 1;                 ///< threads of the team around it
  std::size_t sharing_ = 1;                 ///< of an inner team without places: with the master
  int processor_ = -1;                      ///< of the master of an inner team, when it began
  int outer_place_ = -1;                    ///< of the master in the team around this one
  bool chosen_ = false;                     ///< the team's places are in `memory_`, and in use
  bool alone_ = true;                       ///< a team of one stays where it is
};

/// The calling master's, between its making and the start of its team, if it is known where its
/// threads go. Only that thread touches it.
__attribute__((tls_model("initial-exec"))) inline constinit thread_local TeamBinding* t_births =
    nullptr;

}  // namespace lares::omp

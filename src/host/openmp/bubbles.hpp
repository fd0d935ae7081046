// Teams as bubbles (`lares run --bubbles`): a bubble scheduler says on which part of the machine
// each thread of each team may run, nested teams included, and moves threads that run already
// (Broquedis et al. 2010, 4.1).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "host/openmp/processor_mask.hpp"
#include "machine/machine.hpp"
#include "policy/bubbles/scheduler.hpp"

namespace lares::omp::bubbles {

/// Written when the library is loaded, and in the child of a fork, which has one thread.
inline constinit bool g_on = false;
/// True if a bubble scheduler places the threads of teams. A place (t_place) is then the number of
/// a run queue.
inline bool on() noexcept { return g_on; }

/// Called once, when the library is loaded. `name`: a bubble scheduler's; nullptr leaves all as it
/// is.
void set_up(const machine::Machine& machine, const char* name) noexcept;
/// In the child of a fork, whose only thread is in no team that anybody places.
void end_after_fork() noexcept;

/// The cores that a place stands for.
std::span<const CoreId> cores_of(int place) noexcept;

/// Memory that a thread uses, by what the program says.
struct Data {
  std::uintptr_t begin;
  std::size_t bytes;
};

/// What liblares does for us, which has the books of the program's memory.
struct DataCalls {
  /// lares_homes.
  int (*homes)(const void* memory, std::size_t bytes, std::uint64_t* pages, std::size_t count,
               std::uint64_t* absent, std::uint64_t* unknown);
  /// lares_migrate_on_next_touch.
  int (*follow)(void* memory, std::size_t bytes, std::size_t chunk, int way);
};

struct Squad;

/// A thread of a team that is placed. Invariant: `wanted` is where it shall run; it runs there, or
/// goes there itself when it looks next.
struct Member {
  policy::EntityId entity;                 ///< under the lock
  const ProcessorMask* allowed = nullptr;  ///< what the thread may use; constant in the team
  std::vector<Data> data;    ///< that others attached to it, or itself. Under the lock
  policy::RunQueueId given;  ///< where its team put it, before any steal. Under the lock
  bool has_settled = false;  ///< where it was seen to have its data. Under the lock
  bool brings_data = false;  ///< stolen: what it names later follows. Under the lock
  double load = 1;           ///< while it has something to do. Under the lock
  /// Data, load or intensity were told. Written under the lock; its masters read it.
  std::atomic<bool> is_told_of{false};
  std::atomic<int> wanted{-1};        ///< its place; written under the lock, any thread reads
  std::atomic<std::size_t> inner{1};  ///< threads of its last inner team; its own thread writes
  bool shakes = false;                ///< to be placed anew when it opens a region. Under the lock
  std::vector<Squad*> resting;        ///< teams whose master it is and that rest. Under the lock
  // What its own thread writes in each region has a line of its own: others read the rest.
  /// The system's number; 0: nobody can be moved. Its own thread writes it, while it holds still.
  alignas(64) std::atomic<int> thread{0};
  /// The thread is not in the team, hands its processors on or binds itself (`still`), or somebody
  /// else binds it (`moving`). Each sets its own flag before it looks at the other's, both seq_cst:
  /// so never both.
  std::atomic<bool> still{true};
  std::atomic<bool> moving{false};
};

/// The calling thread's, in its innermost placed team. Only that thread touches it.
__attribute__((tls_model("initial-exec"))) inline constinit thread_local Member* t_member = nullptr;

/// While it lives, nobody else binds the calling thread.
class HoldStill {
 public:
  HoldStill() noexcept : member_(t_member) {
    if (member_ != nullptr) [[unlikely]]
      hold();
  }
  HoldStill(const HoldStill&) = delete;
  HoldStill& operator=(const HoldStill&) = delete;
  ~HoldStill() {
    if (member_ != nullptr && !held_before_) [[unlikely]]
      member_->still.store(false, std::memory_order_seq_cst);
  }

 private:
  void hold() noexcept;
  Member* member_;
  bool held_before_ = false;  ///< by one around this one
};

/// The program has chosen the calling thread's processors: from now on nobody moves it.
void let_be() noexcept;
/// The calling thread is about to leave its team: nobody else binds it, or whoever has its place in
/// the team next, before that one has joined.
void leave_for_good() noexcept;

/// The threads of a team that runs, or that rests: then its master has it until its next region,
/// which need not be placed if nothing has changed. Under the lock but for what its team reads
/// while it runs.
struct Squad {
  /// A team rests by its master's word alone. Whoever next holds the lock to look at who has
  /// something to do tells the forest. Invariant: the forest has it as a team that runs, unless it
  /// is `settled`.
  enum class State : std::uint8_t {
    running,
    resting,  ///< the master may take it up again, or the lock's holder settle it: who exchanges it
    settled,  ///< the forest knows that it rests; written under the lock
  };
  std::atomic<State> state{State::running};
  /// By thread number. The first is `master`, if there is one; the others are those of `own`.
  std::vector<Member*> members;
  std::deque<Member> own;
  Member* master = nullptr;   ///< in the team around this one, while that is there
  policy::EntityId bubble;    ///< invalid: not placed, or no longer
  std::vector<double> loads;  ///< that its scheduler went by
  bool is_flat = true;        ///< all of them are 1: no thread has needed a team of its own
  // Written under the lock by the first thread of its region, before the others go on. Read without
  // by its master, before and after its regions.
  std::uint64_t layout = 0;      ///< the machine as it was filled then
  bool may_rest_at_once = true;  ///< nobody has to know at once that it rests
};

/// What a master remembers of its last team.
struct Memory {
  Memory() = default;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory();

  // By thread number.
  std::vector<double> loads;               ///< threads that each needed for its own team
  bool is_flat = true;                     ///< all of them are 1
  std::vector<policy::RunQueueId> queues;  ///< where each was put
  std::unique_ptr<Squad> resting;          ///< the team itself, or null
};

/// A team that is placed. Made by the master before the team starts, ended by it after the join.
class Team {
 public:
  Team() noexcept;
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  ~Team();

  /// By the master, before there are other threads: takes up its last team if nothing has changed
  /// and nobody has needed to know that it rests. Without a lock. False if not.
  bool take_up_at_once(Memory& memory) noexcept;
  /// The region is not for what was taken up, which rests again, for other regions also before this
  /// ends. Before anybody has joined.
  void give_up() noexcept;
  /// By the first thread, before any other goes on. `allowed`, the master's, and `memory` live as
  /// long as the team.
  void choose(std::size_t size, const ProcessorMask& allowed, Memory& memory) noexcept;
  [[nodiscard]] bool is_chosen() const noexcept { return squad_ != nullptr; }
  /// How many threads it has been chosen for.
  [[nodiscard]] std::size_t size() const noexcept { return squad_->members.size(); }
  /// Where thread `number` of a chosen team shall run.
  [[nodiscard]] int place_of(std::size_t number) const noexcept {
    return squad_->members[number]->wanted.load(std::memory_order_relaxed);
  }
  /// The calling thread is thread `number` from now on; it binds itself to the place of t_member,
  /// and nobody else does while it holds still.
  Member& join(std::size_t number) noexcept;
  /// The same by a thread that knows its member. Reads nothing of what the master has written.
  void join_as(Member& member) noexcept;
  /// It has done its part of the region, or up to a barrier, and will wait for the others: its core
  /// may be given to threads that share one. Takes a moment if there are such threads, since short
  /// waits are no idleness, but ends as soon as the whole team has come.
  void rest() noexcept;
  /// It goes on behind the barrier.
  void resume() noexcept;
  /// It leaves the team. Nobody moves it after let_be(), so it can find out before where it is.
  void leave(std::size_t number) noexcept;
  /// The same by any thread but the first. Reads nothing of what the master has written.
  static void leave_own() noexcept;
  /// The threads of a chosen team by their numbers: there as long as it is, and often when it comes
  /// again.
  [[nodiscard]] Member* const* members() const noexcept { return squad_->members.data(); }
  /// Waits until every thread of the team has called it; the last one places all anew.
  void shake_together() noexcept;
  /// The same for all teams that its master opens at this depth, and for no others.
  [[nodiscard]] const void* family() const noexcept { return memory_; }
  /// How many placed teams are around it.
  [[nodiscard]] std::size_t level() const noexcept { return level_; }
  /// True if the team around this one is placed, too: thread 0 stays its member.
  [[nodiscard]] bool is_inner() const noexcept { return master_ != nullptr; }

 private:
  [[nodiscard]] bool take_up_last(std::size_t size) noexcept;
  [[nodiscard]] bool rest_at_once() noexcept;
  void make_squad(std::size_t size, const ProcessorMask& allowed) noexcept;
  void place() noexcept;
  void enter_forest() noexcept;
  void attach_next_team_data() noexcept;
  void remember() noexcept;
  [[nodiscard]] double load_of(const Member& member) const noexcept;
  [[nodiscard]] bool may_rest() const noexcept;
  static void tick_siblings(policy::EntityId around) noexcept;
  [[nodiscard]] bool stays_idle() noexcept;

  Member* const master_;    ///< in the team around this one, or null
  Team* const outer_team_;  ///< of the master, or null
  const std::size_t level_;
  std::vector<Data> said_before_;  ///< data of a master that is in no team
  std::unique_ptr<Squad> squad_;   ///< null until it is chosen
  /// Threads that have done their part, and of those who have waited for the others; any thread.
  std::atomic<std::uint32_t> resting_{0};
  std::atomic<std::uint32_t> sleepers_{0};
  std::size_t said_ = 0;                  ///< threads in shake_together(); under the lock
  std::atomic<std::uint32_t> shakes_{0};  ///< how often all were; written under the lock
  Memory* memory_ = nullptr;
};

/// When the calling thread is placed anew, and whoever has to give way: as `enum lares_shake`.
enum class Shake : int { never, next_region, now, together };

/// The calling thread's innermost placed team. Only that thread touches it.
__attribute__((tls_model("initial-exec"))) inline constinit thread_local Team* t_team = nullptr;
/// Whether threads shared a core when the last team was placed. Any thread; nothing depends on it
/// but whether somebody looks.
inline constinit std::atomic<bool> g_crowded{false};

/// While it lives, the calling thread waits at a barrier that stands in the program, for its
/// innermost team. `idles`: it has nothing to do there.
class AtBarrier {
 public:
  explicit AtBarrier(bool idles) noexcept
      : team_(idles && g_crowded.load(std::memory_order_relaxed) ? t_team : nullptr) {
    if (team_ != nullptr) [[unlikely]]
      team_->rest();
  }
  AtBarrier(const AtBarrier&) = delete;
  AtBarrier& operator=(const AtBarrier&) = delete;
  ~AtBarrier() {
    if (team_ != nullptr) [[unlikely]]
      team_->resume();
  }

 private:
  Team* team_;
};

/// The calling thread uses `data`. It binds itself to the place of t_member afterwards.
void add_data(const Data& data, const DataCalls& calls, Shake shake) noexcept;
void clear_data() noexcept;
/// Thread i of the next team, whoever opens it, uses the chunk i of `data`.
void add_next_team_data(const Data& data, std::size_t chunk, const DataCalls& calls) noexcept;
void set_load(double work_left) noexcept;
void set_intensity(double intensity) noexcept;

}  // namespace lares::omp::bubbles

// What all placed teams share: the forest of their threads behind its lock, and the moves that a
// scheduler asks for. For the files of this folder that place teams.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "host/openmp/bubbles.hpp"
#include "machine/machine.hpp"
#include "policy/bubbles/scheduler.hpp"
#include "runtime/counters.hpp"
#include "runtime/process_lock.hpp"

namespace lares::omp::bubbles {

using policy::EntityId;
using policy::RunQueueId;

struct NextTeamData {
  Data data;
  std::size_t chunk;
};

inline constexpr double unknown_load = policy::Entity{}.load;

/// Made when the library is loaded; what it holds is under g_bubbles_lock.
struct SharedForest {
  SharedForest(const machine::Machine& of, const policy::BubbleSchedulerEntry& entry)
      : machine(of), queues(of), forest(queues), scheduler(entry.make()) {}

  const machine::Machine& machine;
  const policy::RunQueues queues;  // constant
  policy::Forest forest;
  std::unique_ptr<policy::BubbleScheduler> scheduler;
  std::vector<Member*> members;  // by entity; null: a bubble, or nobody
  DataCalls calls{};             // of liblares; null until the program uses it
  std::vector<NextTeamData> next_team;
  std::vector<Squad*> squads;  // all that the forest has
};
extern SharedForest* g_shared;  // lives as long as the process
extern runtime::ProcessLock g_bubbles_lock;

/// Changes with what a team that rests has been placed by: who else is where, or comes and goes.
/// Written under the lock, by any thread; a master reads it without.
extern std::atomic<std::uint64_t> g_layout;
inline void change_layout() noexcept { g_layout.fetch_add(1, std::memory_order_release); }
inline std::uint64_t layout() noexcept { return g_layout.load(std::memory_order_acquire); }

/// Whether something was said of the next team. Written under the lock.
inline constinit std::atomic<bool> g_next_team_told{false};

runtime::CounterSlot& counters() noexcept;

// --- All under the lock.

/// nullptr for a bubble, or if there is nobody of that name.
Member* member_of(EntityId entity) noexcept;
void enter_member(Member& member);
/// Answers the data that shall follow, for when the lock is free. `count`: of threads that move. A
/// steal is for once: the thread's next team begins where it would have without.
std::vector<Data> carry_out_moves(runtime::Counter& count) noexcept;
/// Threads of a team that have not opened a team yet will most likely open one as large as their
/// neighbour's: who opens the first does not need all of the machine.
void expect_as_much(EntityId bubble, std::size_t size) noexcept;
/// For threads of later teams to look whether they shall look.
void note_crowd() noexcept;

}  // namespace lares::omp::bubbles

// Teams that rest between two regions of their master. All under the lock of the forest.
#pragma once

#include <mutex>
#include <vector>

#include "host/openmp/bubbles_forest.hpp"

namespace lares::omp::bubbles {

/// Who went to what it was seen to use begins there the next time.
void remember_places(Memory& memory, const Squad& squad) noexcept;
/// Tells the forest.
void put_to_rest(Squad& squad) noexcept;
void resume_squad(Squad& squad) noexcept;
/// Tells the forest of all teams that rest by their master's word.
void settle_all() noexcept;
/// For good, with the teams within it that rest.
void end_squad(Squad& squad) noexcept;
/// After the forest has it. Where several masters are in no team, one is placed by what others do.
void note_placed(Squad& squad) noexcept;
/// Teams that rest are no part of what is placed: their threads need no cores, and their bubbles
/// lie between a master and its team.
void end_resting_among(const std::vector<EntityId>& threads) noexcept;
/// The member and its teammates, no other team: those may be about to say something else. The moves
/// are for carry_out_moves().
void place_anew(Member& member) noexcept;

/// The lock, for whoever looks at who has something to do.
class Books {
 public:
  Books() noexcept : lock_(g_bubbles_lock) { settle_all(); }
  void unlock() noexcept { lock_.unlock(); }

 private:
  std::unique_lock<runtime::ProcessLock> lock_;
};

}  // namespace lares::omp::bubbles

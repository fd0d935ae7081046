// Threads of placed teams that go to what they were seen to use, where the program has said
// nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.hpp"
#include "host/openmp/bubbles.hpp"

namespace lares::omp::bubbles {

/// A thread of a team that runs or rests, at a moment.
struct Runner {
  const Member* thread = nullptr;  ///< only to be compared: it may end at any time
  policy::EntityId entity;         ///< its, as long as it is there
  CoreId core;                     ///< that no other thread has; invalid: others have it, too
  DomainId domain;                 ///< in which it runs; invalid: in several, or in none any more
  /// Whatever it uses: the program has said which data somebody of its team has, or an idle core
  /// has taken it, for once.
  bool stays = false;
};

/// Whether a scheduler takes threads to their data, so that it makes sense to look at what they
/// use. Constant once Lares is set up.
bool follow_data() noexcept;

/// All of them; none unless follow_data(). Thread safe.
std::vector<Runner> runners() noexcept;

/// Where the memory lies that a thread was seen to use.
struct SeenData {
  Runner runner;
  std::vector<std::uint64_t> bytes;  ///< by domain
};

/// Places the teams around these threads anew, as if each had said that this is its data: who wants
/// to go must be in it, and who is at home and shall not give way. Whoever moves takes its own
/// team along, also one that rests. Afterwards the forest has forgotten that data, since nobody
/// knows where it begins and ends: it cannot follow a thread that is stolen. Who has ended is
/// passed over, and so is who has said something meanwhile. The calling thread binds itself to the
/// place of t_member afterwards. Gives how many threads move. Thread safe.
std::size_t go_to_seen(std::span<const SeenData> seen) noexcept;

}  // namespace lares::omp::bubbles

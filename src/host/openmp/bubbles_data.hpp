// Where the data of placed threads is, by what the program says of it.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "host/openmp/bubbles_forest.hpp"

namespace lares::omp::bubbles {

/// What the calling thread has said of its data where it was in no team: its next team's master
/// has it. Of the thread; ends with it.
struct Outside {
  std::vector<Data> data;
};
/// Whether there is one of any thread: each finds out for itself what it has said, so this costs
/// one load where nobody says anything.
inline constinit std::atomic<bool> g_said_outside{false};
/// `make`: if it has none yet; else nullptr.
Outside* outside_of_this_thread(bool make) noexcept;

/// By range, bytes by domain.
using Located = std::vector<std::vector<std::uint64_t>>;
/// Asks the kernel: not under the lock.
Located locate_all(const std::vector<Data>& data, const DataCalls& calls);
/// Tells the forest where some data of `member` is. Under the lock.
void attach(const Member& member, const Located& located);
/// The same for all of its data. What was told before is forgotten.
void attach_anew(const Member& member, const Located& located);

/// What is said of a thread, and by which functions it can be asked for.
struct Known {
  std::vector<Data> data;
  DataCalls calls;
};
Known data_of(const Member& member);

/// Marks it for its next touch. Asks the kernel: not under the lock.
void let_follow(const std::vector<Data>& data, const DataCalls& calls) noexcept;

}  // namespace lares::omp::bubbles

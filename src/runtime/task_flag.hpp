// How a task is treated, and how its body and its event race to complete it.
#pragma once

#include <cstdint>

namespace lares::runtime {

/// How a task is to be treated; set before it is submitted.
namespace task_flag {
inline constexpr std::uint16_t implicit = 1U << 0U;    ///< the task of a region's thread
inline constexpr std::uint16_t untied = 1U << 1U;      ///< may go on elsewhere
inline constexpr std::uint16_t final = 1U << 2U;       ///< its children are included in it
inline constexpr std::uint16_t depends = 1U << 3U;     ///< others may wait for it
inline constexpr std::uint16_t detachable = 1U << 4U;  ///< its event completes it
inline constexpr std::uint16_t waiter = 1U << 5U;    ///< stands for a thread that waits; never runs
inline constexpr std::uint16_t counted = 1U << 6U;   ///< counted in the team's created tasks
inline constexpr std::uint16_t must_run = 1U << 7U;  ///< even if cancelled: destructors wait in it
inline constexpr std::uint16_t exclusive = 1U << 8U;   ///< holds mutexinoutset locks while it runs
inline constexpr std::uint16_t undeferred = 1U << 9U;  ///< run by its creator at once
inline constexpr std::uint16_t held = 1U << 11U;  ///< if ready at once, until its series is known
inline constexpr std::uint16_t told = 1U << 10U;  ///< its `home` says more than its data's pages
inline constexpr std::uint16_t mergeable = 1U << 13U;  ///< the program allows; only told of
inline constexpr std::uint16_t watched = 1U << 12U;    ///< watch.hpp tells of it
}  // namespace task_flag

/// Who of the body and the event of a detachable task came first; the second completes the task.
namespace detach_state {
inline constexpr std::uint32_t open = 0;
inline constexpr std::uint32_t fulfilled = 1;
inline constexpr std::uint32_t body_ended = 2;
}  // namespace detach_state

}  // namespace lares::runtime

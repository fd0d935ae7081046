// What the user should do next, judged from the counts of a run alone: pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/run_stats.hpp"

namespace lares::analysis {

/// How the run was set up, beside what it counted.
struct Setting {
  std::size_t domains = 1;   ///< with cores, at the chosen level
  std::size_t cores = 1;     ///< that the run was allowed to use
  std::string level;         ///< the chosen level's name
  std::string finer_level;   ///< a level with more than one domain, if the chosen one has only one
  std::string distribution;  ///< names of the policies in force
  std::string push;
  std::string steal;
  bool push_uses_data = false;
  bool bound = true;  ///< threads are bound by Lares or by the user
};

/// One sentence for people, and a word for programs.
struct Advice {
  std::string_view rule;  ///< stable: documented in docs/run.md
  std::string sentence;
};

/// The advice that matters most, or nothing if nothing stands out. Runs with fewer tasks than
/// `enough_tasks` are never judged by their shares. O(1).
std::optional<Advice> advise(const RunStats& run, const Setting& setting);

inline constexpr std::uint64_t enough_tasks = 200;

// The rules, most important first; each looks at one thing only. `advise` asks them in this order.

/// More threads than cores in one team: they take turns, and waiting threads cost most.
std::optional<Advice> oversubscribed(const RunStats& run, const Setting& setting);
/// One thread makes nearly all tasks, and queueing costs much.
std::optional<Advice> single_producer(const RunStats& run, const Setting& setting);
/// Queueing takes more than a fifth of the threads' time.
std::optional<Advice> tasks_too_small(const RunStats& run, const Setting& setting);
/// Only one domain: nothing to gain at this level.
std::optional<Advice> one_domain(const RunStats& run, const Setting& setting);
/// Threads may wander, so that what was local is not any more.
std::optional<Advice> unbound(const RunStats& run, const Setting& setting);
/// Homes are known, and most tasks or bytes are remote to them.
std::optional<Advice> remote_data(const RunStats& run, const Setting& setting);
/// Nothing is known about the tasks' data, and many run far from their creator.
std::optional<Advice> no_data_known(const RunStats& run, const Setting& setting);
/// Most tasks were stolen from other domains.
std::optional<Advice> far_steals(const RunStats& run, const Setting& setting);

}  // namespace lares::analysis

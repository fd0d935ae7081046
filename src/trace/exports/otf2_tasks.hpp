// Teams and tasks of a trace as OTF2 names them: a team is a set of threads, and a task is a number
// that one thread of a team gave it.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.hpp"

namespace lares::trace {

/// A set of threads; regions of the same threads inside of the same team share one.
struct Otf2Team {
  std::vector<Index> threads;  ///< ascending; a thread's place in it is its rank
  Index outer = none;          ///< of the teams
};

struct Otf2Task {
  Index team = none;
  std::uint32_t rank = 0;    ///< of the thread that created it, in the team
  std::uint32_t number = 0;  ///< from 1; 0 is the implicit task of the thread of that rank
};

class Otf2Tasks {
 public:
  explicit Otf2Tasks(const Trace& trace);

  [[nodiscard]] const std::vector<Otf2Team>& teams() const noexcept { return teams_; }
  /// The team of a region; of none: all threads of the thread's process.
  [[nodiscard]] Index team_of(Index region, Index thread) const;
  [[nodiscard]] Otf2Task implicit_task(Index team, Index thread) const;
  /// Of a grain that is no chunk. Parts of an untied task have the same.
  [[nodiscard]] Otf2Task task_of(Index grain) const;
  /// First parts of tasks that the thread created, by the time of their creation.
  [[nodiscard]] const std::vector<Index>& created_on(Index thread) const {
    return created_[thread];
  }
  /// Whether the task ran in one piece, so that it never left its thread.
  [[nodiscard]] bool is_whole(Index grain) const;
  [[nodiscard]] bool is_last_part(Index grain) const { return !goes_on_[grain]; }

 private:
  void find_teams();
  void find_tasks();
  [[nodiscard]] Index creating_thread(const Grain& grain) const;
  [[nodiscard]] std::uint32_t rank_in(Index team, Index thread) const;

  const Trace& trace_;
  std::vector<Otf2Team> teams_;
  std::vector<Index> team_of_region_;
  std::vector<Index> team_of_thread_;  ///< for grains of no region
  std::vector<Index> first_part_;      ///< by grain
  std::vector<bool> goes_on_;          ///< by grain: it has a later part
  std::vector<Otf2Task> tasks_;        ///< by grain, of first parts
  std::vector<std::vector<Index>> created_;
};

}  // namespace lares::trace

// Teams of bound threads, as a bubble scheduler gets to know them. Plain data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lares::simulate {

/// Who is stolen from when cores have nothing left to run.
enum class Stealing : std::uint8_t {
  none,
  decided,  ///< by the scheduler
  given     ///< half of one team by hand, as the scheduler would take it
};

/// A program whose outer team's threads each open an inner team, under a scheduler of
/// policy/bubbles/.
struct TeamPlan {
  struct Team {
    std::size_t threads = 1;
    /// Each thread's part of the data, in equal pieces: the teams whose threads of the same number
    /// touched them first, where these were put at the start. Empty: it has none.
    std::vector<std::size_t> touched_by{};
    std::size_t rounds = 1;  ///< passes of a thread over its data
    double bytes = 0;        ///< of one pass
  };

  std::string scheduler;
  std::vector<Team> teams;
  bool shakes = false;      ///< before they run, and once it is known where their data is
  bool next_touch = false;  ///< by hand: each thread's data moves to it in its first pass
  Stealing stealing = Stealing::none;
  std::size_t victim = 0;    ///< if it is given
  bool brings_data = false;  ///< if it is given: stolen threads' data follows
};

}  // namespace lares::simulate

// The program that these commands start, once per variant and repetition.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/study/bench_child.hpp"
#include "cli/study/nested/variants.hpp"

namespace lares::cli::nested {

/// What one process does.
struct Work {
  Kind kind = Kind::stream;
  std::string program_kind;  ///< the program's name for it
  std::size_t teams = 1;
  std::size_t inner = 1;  ///< threads of each team
  double mb = 0;          ///< of one vector of one team, in 10^6 bytes
  std::size_t times = 10;
  std::size_t passes = 10;     ///< of twisted's phase 2
  std::string data{"remote"};  ///< of twisted's phase 2: remote or mixed
  std::vector<std::size_t> loads;
};

/// In 10^6 bytes a second.
struct Rate {
  double least = 0, mean = 0, most = 0;
};

/// One team in one phase.
struct TeamPhase {
  double seconds = 0;
  std::map<std::string, Rate> rates;  ///< by kernel; none of imbalanced
  double together = 0;                ///< share of its threads' passes in the domain with the most
  double local = 0;                   ///< share of the bytes that were first written where they ran
};

/// What one process told, checked: every value was right.
struct Outcome {
  std::vector<double>
      seconds;  ///< of each phase, from the first team's start to the last one's end
  std::vector<std::vector<TeamPhase>> phases;  ///< twisted has two
  double moved_bytes = 0;                      ///< whose home changed
};

/// The kernels that a command shows, in their order.
std::vector<std::string> kernels_of(Kind kind);

/// Reads the program's line and checks that it is about this work. An error says what is wrong.
Result<Outcome> read_line(const std::string& line, const Work& work, const Variant& variant);

/// Runs the program once and waits for it.
Result<Outcome> run_once(const std::string& program, const Variant& variant, const Work& work,
                         const BenchTeam& team);

}  // namespace lares::cli::nested

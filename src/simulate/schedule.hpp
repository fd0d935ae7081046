// How tasks are given to simulated workers.
#pragma once

#include <cstdint>

#include "policy/loop_choice.hpp"
#include "policy/registry.hpp"

namespace lares::simulate {

/// What gives tasks to workers.
struct Schedule {
  enum class Kind {
    policy,        ///< the runtime's queues, under `choice`
    static_loop,   ///< each worker runs the tasks it owns, in order
    dynamic_loop,  ///< workers fetch the next task from one counter, as schedule(dynamic)
    numa_loop      ///< schedule(dynamic) as `loops` says
  };
  Kind kind = Kind::policy;
  policy::Choice choice{};     ///< for Kind::policy
  bool forms_opinions = true;  ///< likewise: of data that the program does not name; opinions.hpp
  policy::LoopChoice loops{};  ///< for Kind::numa_loop
  /// How loops are scheduled that stand in a recorded program beside its tasks: `kind` if that is
  /// for loops.
  Kind recorded_loops = Kind::dynamic_loop;
};

}  // namespace lares::simulate

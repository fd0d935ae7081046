// What the workers of a simulated team did, one after another: tests have those of the real runtime
// do the same, and find the same decisions.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.hpp"
#include "decide/away.hpp"
#include "simulate/workload.hpp"

namespace lares::simulate {

struct Step {
  enum class Kind : std::uint8_t {
    create,    ///< hands `task` in, which is `found` if it runs at once
    help,      ///< runs `found` before it creates the next
    look,      ///< looks for a task, and finds `found`
    look_far,  ///< the same everywhere
    pass_on,   ///< has found one after a while, and there may be more
    end        ///< has run `task`, and releases what waited for it
  };
  enum class Sleep : std::uint8_t { awake, free, bound };  ///< bound: it may not run any task

  Kind kind = Kind::look;
  WorkerId worker;
  TaskIndex task = Script::none;
  TaskIndex found = Script::none;  ///< none: nothing, or it was queued

  // Before it.
  bool constrained = false;    ///< it looks for what descends from what it waits in
  bool tiny = false;           ///< Thrift::tasks_are_tiny of the worker
  bool learning = false;       ///< Thrift::is_learning
  bool pausing = false;        ///< Thrift::pauses
  bool staying = false;        ///< Restraint::would_stay
  std::vector<Sleep> sleep{};  ///< by worker
  std::vector<std::uint32_t>
      looking{};            ///< by domain: who looks around and is free to run any task
  std::vector<bool> fed{};  ///< by domain: has run a task that was at home there
  std::vector<decide::Away::State> away{};                 ///< by domain
  static constexpr std::uint64_t long_pace = 1ULL << 50U;  ///< of tasks that compute, by any clock
  std::int32_t coming = 0;                                 ///< who was woken and has not looked yet

  // After it.
  std::vector<std::uint32_t> lengths{};  ///< by place
  std::vector<std::uint32_t> woken{};    ///< by domain: who was woken in it
};

}  // namespace lares::simulate

// What the creator of simulated tasks concludes of where their data is, if the program does not
// tell: decide/ on books like the runtime's. The tasks of a new series wait here until they are
// dealt out.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/ids.hpp"
#include "decide/hold.hpp"
#include "decide/names.hpp"
#include "decide/opinion.hpp"
#include "decide/series.hpp"
#include "policy/places.hpp"
#include "simulate/workload.hpp"

namespace lares::simulate {

/// Of one team, whose tasks one worker makes.
class Opinions {
 public:
  /// A task of which it is decided now where it goes.
  struct Dealt {
    TaskIndex task = 0;
    DomainId home{};      ///< invalid: nobody knows
    bool strong = false;  ///< decide::Opinion::strong
  };

  /// All references outlive this. `homes` by block.
  Opinions(const Workload& workload, const policy::Places& places,
           const std::vector<DomainId>& homes, std::uint64_t ticks_per_microsecond);

  /// Of the next task that is made.
  decide::Opinion next(TaskIndex task);
  /// True if something is held that is no task of the same construct.
  [[nodiscard]] bool holds_others(TaskIndex task) const;
  [[nodiscard]] bool holds_any() const { return !held_.empty(); }
  [[nodiscard]] std::size_t held() const { return held_.size(); }
  /// True if there is no room for more.
  [[nodiscard]] bool is_full() const;

  /// What becomes of a task that is to be held: see decide::Hold.
  decide::Hold::Next hold(TaskIndex task, std::uint64_t now);
  /// A task has run at once, as hold() said, taken so long and come to new memory or not.
  void ran(decide::Hold::Next why, std::uint64_t duration, bool is_new) {
    hold_.touched(is_new ? 1 : 0);
    end_hold(hold_.ran(why, duration));
  }
  /// True if what is held shall wait no longer, and be dealt as take_unknown() says.
  [[nodiscard]] bool is_given_up() const { return is_given_up_; }
  /// All that is held, for its domains, in the order in which it is handed out.
  std::vector<Dealt> take_dealt();
  /// The same if nobody knows where it belongs.
  std::vector<Dealt> take_unknown();

  /// The creator has waited for all.
  void end_round();
  /// What is made now is new: what it touches first stays where it runs.
  [[nodiscard]] bool settles() const { return settles_; }

 private:
  class Creating;  // how decide/ sees the creator
  decide::Opinion opinion_of(TaskIndex task);
  [[nodiscard]] std::uintptr_t code_of(TaskIndex task) const;
  [[nodiscard]] std::uintptr_t name_of(TaskIndex task) const;
  [[nodiscard]] std::vector<std::uintptr_t> words_of(TaskIndex task) const;
  [[nodiscard]] DomainId home_of_page(std::uintptr_t address) const;
  void end_hold(decide::Hold::End why);
  void end_holding();
  [[nodiscard]] std::vector<Dealt> homes_of_held();

  const Workload& workload_;
  const policy::Places& places_;
  const std::vector<DomainId>& homes_;
  std::vector<std::uintptr_t> addresses_;  // by block: the pointers of the program
  decide::SeriesBook series_;
  decide::NameBook names_;
  std::uint32_t round_ = 1;
  decide::Hold hold_;
  decide::Series* held_series_ = nullptr;
  std::vector<TaskIndex> held_;  // in the order of their creation
  bool held_by_strong_names_ = false;
  std::uint32_t hurried_ = 0;  // see decide::limits::most_hurried
  std::uint64_t told_by_name_ = 0;
  std::int64_t enough_;  // held tasks that keep the others busy
  bool is_given_up_ = false;
  bool settles_ = false;
};

/// The domain that has most of what the task uses; what is written counts twice. An invalid id if
/// none of it is anywhere.
DomainId home_of_most(const Workload& workload, TaskIndex task, const std::vector<DomainId>& homes);

}  // namespace lares::simulate

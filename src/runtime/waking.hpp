// Who is woken for what.
#pragma once

#include <cstdint>

#include "base/disorder.hpp"
#include "base/ids.hpp"
#include "decide/wake.hpp"
#include "runtime/futex.hpp"
#include "runtime/team.hpp"

namespace lares::runtime {

using Offer = decide::Offer<const Task*>;

/// The part of notify() that is for teams with sleepers. False if nobody is woken.
bool wake_for(Team& team, const Offer& offer) noexcept;

/// Wakes at most one worker that may run what was offered: of its own domain, or, if all of that
/// domain's workers are busy and have more than they can take next, of the nearest one that has a
/// sleeper. Nobody if enough are on their way, or awake workers fill the cores. Any thread.
inline void notify(Team& team, const Offer& offer) noexcept {
  disorder::late(disorder::Point::notifying);
  if (disorder::omits(disorder::Fault::no_notice)) return;
  // Pairs with heavy_fence in Sleeper: either we see the sleeper or it sees the task.
  light_fence();
  if (team.sleepers->total() != 0) wake_for(team, offer);
}
/// Whoever was woken, or found work after a while without, passes the word on: wakes at most one
/// for what is queued anywhere, nearest places first. For a notify() counts on those who are on
/// their way or look already, wherever what they will find lies.
void pass_on(Worker& worker) noexcept;
/// Wakes the worker if it is asleep: what it waits for has come. nullptr stands for anybody's
/// guess: all of the team. Any thread.
void wake_waiter(Team& team, Worker* worker) noexcept;
/// Wakes one sleeper, whichever may run the task (nullptr: any), one of `domain` if there is one.
/// Any thread, also when the region may have ended meanwhile.
void wake_somebody(Team& team, const Task* task, DomainId domain) noexcept;
/// Wakes all, for what the caller has just written sequentially consistently. Any thread.
void wake_team(Team& team) noexcept;

}  // namespace lares::runtime

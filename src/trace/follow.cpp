#include "trace/follow.hpp"

#include <algorithm>

namespace lares::trace {

using analysis::RecordedAccess;
using analysis::RecordedEvent;
using runtime::RecordKind;
using runtime::RecordMode;
using runtime::RecordWait;

namespace {

WaitKind kind_of(std::uint32_t wait) noexcept {
  switch (static_cast<RecordWait>(wait)) {
    case RecordWait::accesses:
      return WaitKind::depend;
    case RecordWait::group:
      return WaitKind::taskgroup;
    case RecordWait::barrier:
      return WaitKind::barrier;
    case RecordWait::region_end:
      return WaitKind::region_end;
    case RecordWait::children:
      break;
  }
  return WaitKind::taskwait;
}

std::uint16_t domain_of(std::uint16_t told) noexcept {
  return told < most_domains ? told : no_domain;
}

Access access_of(const RecordedAccess& told) noexcept {
  Access access;
  access.address = told.address;
  access.bytes = told.bytes;
  if (told.home >= runtime::record_first_home) {
    access.home = domain_of(static_cast<std::uint16_t>(told.home - runtime::record_first_home));
  }
  access.writes = told.mode != RecordMode::in && told.mode != RecordMode::affinity;
  return access;
}

Locality locality_of(const RecordedEvent& event) noexcept {
  switch (event.locality) {
    case runtime::Locality::local:
      return Locality::local;
    case runtime::Locality::same_domain:
      return Locality::same_domain;
    case runtime::Locality::remote:
      return Locality::remote;
  }
  return Locality::unknown;
}

}  // namespace

// Numbers of a stream's tasks are given in turn, so the list grows by little at a time.
TaskBook& Follower::task(std::uint64_t number) {
  const std::uint64_t index = number & task_number_mask;
  if (index >= book_.tasks.size()) {
    if (index > most_tasks_) return lost_ = {};
    book_.tasks.resize(index + 1);
  }
  return book_.tasks[index];
}

void Follower::see(const RecordedEvent& event, std::span<const RecordedAccess> accesses) {
  book_.last = std::max(book_.last, event.at);
  if (event.kind == RecordKind::chunk) book_.last = std::max(book_.last, event.words[2]);
  if (event.kind == RecordKind::loop_end) book_.last = std::max(book_.last, event.words[1]);
  switch (event.kind) {
    case RecordKind::enter:
      return enter(event);
    case RecordKind::leave:
      return leave(event.at);
    case RecordKind::create:
      return create(event, accesses);
    case RecordKind::resume:
      return resume(event.at);
    case RecordKind::begin:
      return begin(event);
    case RecordKind::end:
      return end(event.at);
    case RecordKind::wait:
      return wait(event);
    case RecordKind::loop:
      return begin_loop(event);
    case RecordKind::chunk:
      return begin_chunk(event);
    case RecordKind::loop_end:
      return end_loop(event);
    case RecordKind::ready:
      return ready(event);
    default:
      return;
  }
}

void Follower::finish() {
  while (!frames_.empty()) {
    Frame& top = frames_.back();
    if (top.grain != none) book_.grains[top.grain].flags |= grain_flag::unfinished;
    if (top.grain != none) {
      end(book_.last);
    } else {
      leave(book_.last);
    }
  }
}

// The innermost body does not go on for now.
void Follower::stop(Time at) {
  if (frames_.empty()) return;
  Frame& top = frames_.back();
  const Time took = at > top.since ? at - top.since : 0;
  if (top.does == Frame::Does::runs) {
    const Index grain = top.chunk != none ? top.chunk : top.grain;
    if (grain != none) book_.grains[grain].self += took;
  } else if (top.does == Frame::Does::creates) {
    task(top.child).create_cost += took;
  }
  top.since = std::max(top.since, at);
}

void Follower::enter(const RecordedEvent& event) {
  stop(event.at);
  TaskBook& own = task(event.words[1]);
  own.is_implicit = true;
  Frame frame;
  frame.task = event.words[1];
  frame.visit = static_cast<Index>(book_.visits.size());
  frame.since = event.at;
  book_.visits.push_back(
      {event.words[0], event.words[2], event.at, event.at, event.argument, event.team});
  own.region = frame.visit;
  frames_.push_back(frame);
  if (event.domain != analysis::no_recorded_domain) book_.thread.domain = domain_of(event.domain);
  if (event.core != analysis::no_recorded_domain) book_.thread.core = event.core;
}

void Follower::leave(Time at) {
  if (frames_.empty()) return;
  if (frames_.back().grain != none) return end(at);  // what came before was lost
  stop(at);
  Frame& top = frames_.back();
  if (top.does == Frame::Does::waits) end_wait(top, at);
  if (top.chunk != none) end_chunk(top, at);
  if (top.visit != none) book_.visits[top.visit].end = at;
  frames_.pop_back();
  if (!frames_.empty()) frames_.back().since = std::max(frames_.back().since, at);
}

void Follower::create(const RecordedEvent& event, std::span<const RecordedAccess> accesses) {
  stop(event.at);
  TaskBook& child = task(event.words[0]);
  child.is_known = true;
  child.created = event.at;
  child.construct = event.construct;
  child.undeferred = (event.argument & runtime::record_flag::undeferred) != 0;
  child.first_access = static_cast<Index>(book_.accesses.size());
  const std::size_t count = std::min<std::size_t>(accesses.size(), 0xFFFF);
  child.accesses = static_cast<std::uint16_t>(count);
  for (const RecordedAccess& each : accesses.first(count)) {
    book_.accesses.push_back(access_of(each));
  }
  if (frames_.empty()) return;
  Frame& top = frames_.back();
  child.creator = top.grain;
  child.region = top.visit;
  top.does = Frame::Does::creates;
  top.child = event.words[0];
  // Writing it down is not the creator's cost.
  top.since = std::max(top.since, event.words[2]);
}

void Follower::resume(Time at) {
  if (frames_.empty()) return;
  stop(at);
  Frame& top = frames_.back();
  if (top.does == Frame::Does::waits) end_wait(top, at);
  top.does = Frame::Does::runs;
}

Index Follower::add_grain(const RecordedEvent& event, Time begin, std::uint64_t number) {
  Grain grain;
  grain.begin = grain.end = grain.created = grain.ready = begin;
  grain.home = domain_of(event.domain);
  grain.domain = book_.thread.domain;
  grain.locality = locality_of(event);
  grain.located = event.located;
  if (event.by_home) grain.flags |= grain_flag::has_data;
  grain.construct = 0;
  if (!frames_.empty()) grain.region = frames_.back().visit;
  book_.grains.push_back(grain);
  book_.task_of.push_back(number);
  return static_cast<Index>(book_.grains.size() - 1);
}

void Follower::begin(const RecordedEvent& event) {
  stop(event.at);
  const Index index = add_grain(event, event.at, event.words[0]);
  book_.grains[index].stolen_from = domain_of(event.stolen_from);
  Frame frame;
  frame.task = event.words[0];
  frame.grain = index;
  frame.visit = frames_.empty() ? none : frames_.back().visit;
  frame.since = event.at;
  frames_.push_back(frame);
}

void Follower::end(Time at) {
  if (frames_.empty()) return;
  stop(at);
  Frame& top = frames_.back();
  if (top.grain == none) return;  // of a begin that was lost
  if (top.does == Frame::Does::waits) end_wait(top, at);
  Grain& grain = book_.grains[top.grain];
  grain.end = at;
  last_ended_ = top.grain;
  const Time length = grain.length();
  frames_.pop_back();
  if (frames_.empty()) return;
  frames_.back().inside += length;
  frames_.back().since = std::max(frames_.back().since, at);
}

void Follower::wait(const RecordedEvent& event) {
  stop(event.at);
  if (frames_.empty()) return;
  Frame& top = frames_.back();
  top.does = Frame::Does::waits;
  top.wait = static_cast<Index>(book_.waits.size());
  top.inside = 0;
  Wait wait;
  wait.begin = wait.end = event.at;
  wait.kind = kind_of(event.argument);
  wait.region = top.visit;
  book_.waits.push_back(wait);
}

void Follower::end_wait(Frame& frame, Time at) {
  Wait& wait = book_.waits[frame.wait];
  wait.end = at;
  const Time length = wait.end - wait.begin;
  wait.idle = length > frame.inside ? length - frame.inside : 0;
  frame.does = Frame::Does::runs;
}

void Follower::begin_loop(const RecordedEvent& event) {
  stop(event.at);
  if (frames_.empty()) return;
  Frame& top = frames_.back();
  top.in_loop = true;
  top.loop = static_cast<Index>(book_.loops.size());
  LoopVisit loop;
  loop.begin = loop.end = event.at;
  loop.iterations = event.words[1];
  loop.chunk = event.words[2];
  loop.construct = event.construct;
  loop.region = top.visit;
  book_.loops.push_back(loop);
}

void Follower::end_chunk(Frame& frame, Time at) {
  Grain& chunk = book_.grains[frame.chunk];
  // Where events are missing it may have gone on later than it was asked for the next.
  chunk.end = std::max({chunk.begin, at, std::min(frame.since, book_.last)});
  frame.chunk = none;
}

// The times before it: the chunk before ends when the thread asks for another.
void Follower::begin_chunk(const RecordedEvent& event) {
  stop(event.at);
  if (frames_.empty() || !frames_.back().in_loop) return;
  if (frames_.back().chunk != none) end_chunk(frames_.back(), event.at);
  const Time begin = std::max(event.at, event.words[2]);
  const Index index = add_grain(event, begin, 0);
  Frame& top = frames_.back();
  Grain& chunk = book_.grains[index];
  chunk.created = chunk.ready = event.at;
  chunk.construct = book_.loops[top.loop].construct;
  chunk.flags |= grain_flag::is_chunk;
  chunk.first = event.words[0];
  chunk.iterations =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(event.words[1], 0xFFFFFFFF));
  chunk.creator = top.grain;
  top.chunk = index;
  top.does = Frame::Does::runs;
  top.since = begin;
}

void Follower::end_loop(const RecordedEvent& event) {
  stop(event.at);
  if (frames_.empty() || !frames_.back().in_loop) return;
  Frame& top = frames_.back();
  if (top.chunk != none) end_chunk(top, event.at);
  book_.loops[top.loop].end = std::max(event.at, event.words[1]);
  top.in_loop = false;
  top.does = Frame::Does::runs;
  top.since = std::max(event.at, event.words[1]);
}

void Follower::ready(const RecordedEvent& event) {
  book_.releases.push_back({event.words[0], event.at, last_ended_});
}

}  // namespace lares::trace

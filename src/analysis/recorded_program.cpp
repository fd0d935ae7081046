#include "analysis/recorded_program.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace lares::analysis {
namespace {

using runtime::RecordKind;
using runtime::RecordWait;
using Step = RecordedStep;

constexpr std::uint32_t nobody = 0xFFFFFFFFU;

/// A region as its threads tell of it. Inner regions belong to the task that opened them.
struct Region {
  std::uint64_t number = 0;
  std::uint64_t parent = 0;  // number of the task, 0: none
  std::uint64_t first = ~std::uint64_t{0};
  std::uint64_t last = 0;
  std::uint64_t serial_before = 0;
  std::vector<std::uint32_t> threads;  // actors
};

// Steps at the same time keep their order.
void sort_by_time(std::vector<Step>& steps) {
  const auto earlier = [](const Step& a, const Step& b) { return a.at < b.at; };
  if (std::is_sorted(steps.begin(), steps.end(), earlier)) return;
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  order.reserve(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) order.emplace_back(steps[i].at, i);
  std::sort(order.begin(), order.end());
  std::vector<Step> sorted;
  sorted.reserve(steps.size());
  for (const auto& each : order) sorted.push_back(std::move(steps[each.second]));
  steps = std::move(sorted);
}

/// A body that a thread is in.
struct Frame {
  std::uint32_t actor = nobody;
  std::uint64_t since = 0;
  bool runs = true;       // its own code, rather than the engine on its behalf
  bool creates = false;   // the engine makes a deferred task for it
  std::uint64_t own = 0;  // nanoseconds of that until `since`, without bodies that ran inside
  bool in_loop = false;
  std::uint32_t chunk = nobody;  // that it is in, of its actor's
};

class Assembler {
 public:
  RecordedProgram assemble(std::span<const RecordedStream> streams) {
    for (const RecordedStream& stream : streams) note_actors(stream);
    for (const RecordedStream& stream : streams) follow(stream);
    for (RecordedActor& actor : program_.actors) sort_by_time(actor.steps);
    std::sort(regions_.begin(), regions_.end(),
              [](const Region& a, const Region& b) { return a.first < b.first; });
    // The innermost first: their steps go to tasks that may be in other inner regions.
    for (std::size_t r = regions_.size(); r-- > 0;) place(regions_[r]);
    std::reverse(program_.regions.begin(), program_.regions.end());
    return std::move(program_);
  }

 private:
  // Numbers of tasks are known before any stream is followed: one may tell of another's tasks.
  void note_actors(const RecordedStream& stream) {
    for (const RecordedEvent& event : stream.events) {
      if (event.kind == RecordKind::create) {
        RecordedActor* actor = add(event.words[0]);
        if (actor == nullptr) continue;
        actor->undeferred = (event.argument & runtime::record_flag::undeferred) != 0;
        const auto first =
            stream.accesses.begin() + static_cast<std::ptrdiff_t>(event.first_access);
        actor->accesses.assign(first, first + event.access_count);
      } else if (event.kind == RecordKind::enter) {
        RecordedActor* actor = add(event.words[1]);
        if (actor == nullptr) continue;
        actor->is_thread = true;
        actor->begun = true;
        actor->worker = event.argument;
        Region& region = region_of(event);
        region.first = std::min(region.first, event.at);
        region.last = std::max(region.last, event.at);
        region.threads.push_back(actor_of_[event.words[1]]);
      }
    }
  }

  RecordedActor* add(std::uint64_t number) {
    const auto index = static_cast<std::uint32_t>(program_.actors.size());
    if (!actor_of_.try_emplace(number, index).second) return nullptr;
    return &program_.actors.emplace_back();
  }

  Region& region_of(const RecordedEvent& event) {
    const auto [at, is_new] = region_at_.try_emplace(event.words[0], regions_.size());
    if (is_new) {
      regions_.emplace_back();
      regions_.back().number = event.words[0];
      regions_.back().parent = event.words[2];
    }
    return regions_[at->second];
  }

  [[nodiscard]] std::uint32_t find(std::uint64_t number) const {
    const auto at = actor_of_.find(number);
    return at == actor_of_.end() ? nobody : at->second;
  }

  // --- one thread's events

  void follow(const RecordedStream& stream) {
    frames_.clear();
    outside_since_ = 0;
    for (std::size_t i = 0; i < stream.events.size(); ++i) {
      const RecordedEvent& event = stream.events[i];
      switch (event.kind) {
        case RecordKind::enter:
          enter(event);
          break;
        case RecordKind::leave:
          leave(event);
          break;
        case RecordKind::create:
          create(stream, i);
          break;
        case RecordKind::resume:
          resume(event.at);
          break;
        case RecordKind::begin:
          begin(event);
          break;
        case RecordKind::end:
          end(event.words[0], event.at);
          break;
        case RecordKind::wait:
          wait(stream, event);
          break;
        case RecordKind::group:
          add_step(find(event.words[0]), Step::Kind::group, event.at);
          break;
        case RecordKind::loop:
          begin_loop(event);
          break;
        case RecordKind::chunk:
          begin_chunk(event);
          break;
        case RecordKind::loop_end:
          end_loop(event);
          break;
        default:
          break;
      }
    }
  }

  Step* add_step(std::uint32_t actor, Step::Kind kind, std::uint64_t at) {
    if (actor == nobody) return nullptr;
    auto& steps = program_.actors[actor].steps;
    steps.emplace_back();
    steps.back().kind = kind;
    steps.back().at = at;
    return &steps.back();
  }

  // The innermost body has computed until now.
  void pause(std::uint64_t at) {
    if (frames_.empty()) return;
    Frame& top = frames_.back();
    if (top.runs && at > top.since && top.actor != nobody) {
      const bool shares = top.chunk != nobody;
      if (Step* step =
              add_step(top.actor, shares ? Step::Kind::chunk : Step::Kind::compute, top.since)) {
        step->nanoseconds = at - top.since;
        if (shares) step->child = top.chunk;
      }
    }
    top.since = std::max(top.since, at);
  }
  void stop(std::uint64_t at) {
    pause(at);
    if (!frames_.empty()) frames_.back().runs = false;
  }

  void resume(std::uint64_t at) {
    if (frames_.empty()) return;
    Frame& top = frames_.back();
    if (top.creates && at >= top.since) {
      ++program_.creation.tasks;
      program_.creation.nanoseconds += top.own + (at - top.since);
    }
    go_on(top, at);
  }
  static void go_on(Frame& frame, std::uint64_t at) {
    frame.since = at;
    frame.runs = true;
    frame.creates = false;
    frame.own = 0;
  }
  // A body starts while the engine makes a task, which then waits.
  void interrupt(std::uint64_t at) {
    if (!frames_.empty() && frames_.back().creates && at > frames_.back().since) {
      frames_.back().own += at - frames_.back().since;
    }
    pause(at);
  }

  void enter(const RecordedEvent& event) {
    interrupt(event.at);
    Region& region = region_of(event);
    if (frames_.empty() && outside_since_ != 0 && event.argument == 0 &&
        event.at > outside_since_) {
      region.serial_before = event.at - outside_since_;
    }
    frames_.push_back({find(event.words[1]), event.at});
  }

  void leave(const RecordedEvent& event) {
    const std::uint32_t actor = find(event.words[0]);
    end(event.words[0], event.at);
    if (frames_.empty()) outside_since_ = event.at;
    if (actor == nobody || !program_.actors[actor].is_thread) return;
    left_at_[actor] = event.at;
  }

  void create(const RecordedStream& stream, std::size_t index) {
    const RecordedEvent& event = stream.events[index];
    stop(event.at);
    const std::uint32_t creator = find(event.words[1]);
    const std::uint32_t child = find(event.words[0]);
    if (creator == nobody || child == nobody || creator == child) return;
    if (program_.actors[child].undeferred && event.access_count == 0) {
      take_waited(stream, index, creator, child);
    }
    if (Step* step = add_step(creator, Step::Kind::create, event.at)) step->child = child;
    const std::uint64_t written = event.words[2];
    if (frames_.empty() || program_.actors[child].undeferred || written < event.at) return;
    program_.creation.recording += written - event.at;
    frames_.back().creates = true;
    frames_.back().since = written;
  }

  // Clang waits for what an undeferred task depends on before it starts it: one construct.
  void take_waited(const RecordedStream& stream, std::size_t index, std::uint32_t creator,
                   std::uint32_t child) {
    if (index == 0 || stream.events[index - 1].kind != RecordKind::resume) return;
    auto& steps = program_.actors[creator].steps;
    const auto at = std::find_if(steps.rbegin(), steps.rend(),
                                 [](const Step& s) { return s.kind != Step::Kind::compute; });
    if (at == steps.rend() || at->kind != Step::Kind::wait || at->accesses.empty()) return;
    program_.actors[child].accesses = std::move(at->accesses);
    at->kind = Step::Kind::compute;  // of no time
  }

  void begin(const RecordedEvent& event) {
    interrupt(event.at);
    const std::uint32_t actor = find(event.words[0]);
    if (actor != nobody) program_.actors[actor].begun = true;
    frames_.push_back({actor, event.at});
  }

  void end(std::uint64_t number, std::uint64_t at) {
    const std::uint32_t actor = find(number);
    const auto frame = std::find_if(frames_.rbegin(), frames_.rend(),
                                    [actor](const Frame& f) { return f.actor == actor; });
    if (frame == frames_.rend()) return;
    pause(at);
    frames_.resize(static_cast<std::size_t>(frames_.rend() - frame) - 1);
    if (!frames_.empty()) frames_.back().since = at;
  }

  void wait(const RecordedStream& stream, const RecordedEvent& event) {
    stop(event.at);
    const std::uint32_t actor = find(event.words[0]);
    Step::Kind kind = Step::Kind::wait;
    switch (static_cast<RecordWait>(event.argument)) {
      case RecordWait::region_end:
        return;
      case RecordWait::barrier:
        kind = Step::Kind::barrier;
        break;
      case RecordWait::group:
        kind = Step::Kind::end_group;
        break;
      default:
        break;
    }
    Step* step = add_step(actor, kind, event.at);
    if (step == nullptr) return;
    const auto first = stream.accesses.begin() + static_cast<std::ptrdiff_t>(event.first_access);
    step->accesses.assign(first, first + event.access_count);
  }

  // --- loops

  // Its frame, if the thread may have a loop now.
  Frame* thread_frame() {
    if (frames_.empty() || frames_.back().actor == nobody) return nullptr;
    return program_.actors[frames_.back().actor].is_thread ? &frames_.back() : nullptr;
  }

  void begin_loop(const RecordedEvent& event) {
    stop(event.at);
    Frame* const frame = thread_frame();
    if (frame == nullptr || event.words[2] == 0) return;
    program_.actors[frame->actor].loops.push_back({event.words[1], event.words[2]});
    frame->in_loop = true;
    frame->chunk = nobody;
  }

  void begin_chunk(const RecordedEvent& event) {
    stop(event.at);
    Frame* const frame = thread_frame();
    if (frame == nullptr || !frame->in_loop) return;
    RecordedActor& thread = program_.actors[frame->actor];
    const std::uint64_t first = event.words[0];
    const std::uint64_t count = event.words[1];
    const std::uint64_t iterations = thread.loops.back().iterations;
    if (count == 0 || first >= iterations || count > iterations - first) return;
    frame->chunk = static_cast<std::uint32_t>(thread.chunks.size());
    thread.chunks.push_back({static_cast<std::uint32_t>(thread.loops.size() - 1), first, count});
    go_on(*frame, std::max(event.at, event.words[2]));
  }

  void end_loop(const RecordedEvent& event) {
    stop(event.at);
    Frame* const frame = thread_frame();
    if (frame == nullptr || !frame->in_loop) return;
    frame->in_loop = false;
    frame->chunk = nobody;
    go_on(*frame, std::max(event.at, event.words[1]));
  }

  // --- regions

  void place(Region& region) {
    for (const std::uint32_t actor : region.threads) {
      const auto left = left_at_.find(actor);
      if (left != left_at_.end()) region.last = std::max(region.last, left->second);
    }
    const std::uint32_t parent = region.parent == 0 ? nobody : find(region.parent);
    if (parent != nobody) return merge_into(parent, region);
    RecordedRegion& placed = program_.regions.emplace_back();
    placed.first = region.first;
    placed.serial_before = region.serial_before;
    placed.threads = std::move(region.threads);
    const auto index = static_cast<std::uint32_t>(program_.regions.size() - 1);
    for (const std::uint32_t actor : placed.threads) program_.actors[actor].region = index;
  }

  // An inner region is a group of the task that opened it; of what its threads compute, the time of
  // the first one counts.
  void merge_into(std::uint32_t parent, const Region& region) {
    std::vector<Step> all;
    std::vector<std::uint64_t> barriers;  // when the last thread came to each
    for (const std::uint32_t thread : region.threads) {
      if (thread == parent) return;
      std::size_t met = 0;
      for (Step& step : program_.actors[thread].steps) {
        if (step.kind == Step::Kind::barrier) {
          if (met == barriers.size()) barriers.push_back(0);
          barriers[met] = std::max(barriers[met], step.at);
          ++met;
        } else if (!step.computes() || program_.actors[thread].worker == 0) {
          if (step.kind == Step::Kind::chunk) step.kind = Step::Kind::compute;
          all.push_back(std::move(step));
        }
      }
      program_.actors[thread].steps.clear();
    }
    const auto mark = [&all](Step::Kind kind, std::uint64_t at) {
      all.emplace_back();
      all.back().kind = kind;
      all.back().at = at;
    };
    for (const std::uint64_t at : barriers) {
      mark(Step::Kind::end_group, at);
      mark(Step::Kind::group, at);
    }
    sort_by_time(all);
    mark(Step::Kind::end_group, region.last);
    mark(Step::Kind::group, region.first);
    std::rotate(all.begin(), all.end() - 1, all.end());
    // The task itself does nothing while the region lasts.
    auto& steps = program_.actors[parent].steps;
    const auto where = std::find_if(steps.begin(), steps.end(),
                                    [&](const Step& step) { return step.at >= region.first; });
    steps.insert(where, std::make_move_iterator(all.begin()), std::make_move_iterator(all.end()));
  }

  RecordedProgram program_;
  std::unordered_map<std::uint64_t, std::uint32_t> actor_of_;
  std::unordered_map<std::uint64_t, std::size_t> region_at_;
  std::unordered_map<std::uint32_t, std::uint64_t> left_at_;  // by thread's actor
  std::vector<Region> regions_;
  std::vector<Frame> frames_;  // of the stream that is followed
  std::uint64_t outside_since_ = 0;
};

}  // namespace

RecordedProgram put_together(std::span<const RecordedStream> streams) {
  return Assembler().assemble(streams);
}

}  // namespace lares::analysis

#include "analysis/task_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <queue>
#include <span>
#include <unordered_map>
#include <utility>

#include "analysis/loop_pieces.hpp"
#include "analysis/recorded_blocks.hpp"
#include "analysis/recorded_program.hpp"
#include "analysis/stats_file.hpp"

namespace lares::analysis {
namespace {

using runtime::RecordMode;
using Step = RecordedStep;

// Shorter stretches of computing between two steps are added up until they are worth a line.
constexpr std::uint64_t least_spend_ns = 5000;
constexpr std::uint32_t no_number = 0xFFFFFFFFU;
// Stands for all memory where a task names it: such a task writes it, its siblings read it.
constexpr std::uint64_t all_memory_address = 0;

std::string_view word_of(RecordMode mode) {
  switch (mode) {
    case RecordMode::in:
      return "r";
    case RecordMode::mutexinoutset:
      return "x";
    case RecordMode::inoutset:
      return "s";
    case RecordMode::affinity:
      return "a";
    case RecordMode::out:
    case RecordMode::all_memory:
      break;
  }
  return "rw";
}

// As many as a graph may have.
std::string seconds_text(std::uint64_t nanoseconds) {
  return fmt::format("{:.10g}", std::min(static_cast<double>(nanoseconds) * 1e-9, 1e9));
}

class Writer {
 public:
  Writer(const RecordedProgram& program, RecordedBlocks blocks)
      : program_(program), blocks_(std::move(blocks)), state_(program.actors.size()) {
    find_all_memory();
  }

  void write() {
    for (const RecordedRegion& region : program_.regions) write_region(region);
  }

  std::string text;
  std::uint32_t tasks = 0;
  std::size_t loops = 0;
  std::size_t not_started = 0;

 private:
  /// How far an actor's steps have been written.
  struct State {
    std::size_t next = 0;
    std::uint64_t unspent = 0;  // nanoseconds
    std::uint32_t number = no_number;
    std::uint32_t thread = 0;  // as it is called in this phase
    std::uint32_t groups = 0;  // open
  };
  /// An actor whose next step starts at `at`. Those that come later were known later.
  struct Cursor {
    std::uint64_t at = 0;
    std::uint64_t order = 0;
    std::uint32_t actor = 0;
    bool operator>(const Cursor& other) const {
      return std::pair(at, order) > std::pair(other.at, other.order);
    }
  };

  // --- what tasks name

  void find_all_memory() {
    for (std::uint32_t i = 0; i < program_.actors.size(); ++i) {
      for (const Step& step : program_.actors[i].steps) {
        if (step.kind != Step::Kind::create) continue;
        for (const RecordedAccess& access : program_.actors[step.child].accesses) {
          if (access.mode == RecordMode::all_memory) whole_scopes_[i] = true;
        }
      }
    }
    if (!whole_scopes_.empty()) blocks_[all_memory_address] = {};
  }

  void define(std::uint64_t address) {
    const auto [at, is_new] = numbers_.try_emplace(address, numbers_.size());
    if (!is_new) return;
    const RecordedBlock& block = blocks_[address];
    text += fmt::format("block {} {}\n", block.bytes,
                        block.home < 0 ? std::string("-") : std::to_string(block.home));
  }

  std::string words_of(std::uint32_t creator, const std::vector<RecordedAccess>& accesses) {
    std::string words;
    bool depends = false;
    bool names_all = false;
    for (const RecordedAccess& access : accesses) {
      names_all = names_all || access.mode == RecordMode::all_memory;
      depends = depends || access.mode != RecordMode::affinity;
      if (access.mode == RecordMode::all_memory) continue;
      define(access.address);
      const bool whole = access.bytes == 0 || access.bytes == blocks_[access.address].bytes;
      words += fmt::format(" {}:{}{}", word_of(access.mode), numbers_[access.address],
                           whole ? std::string() : fmt::format(":{}", access.bytes));
    }
    if (depends && whole_scopes_.contains(creator)) {
      define(all_memory_address);
      words += fmt::format(" {}:{}", names_all ? "rw" : "r", numbers_[all_memory_address]);
    }
    return words;
  }

  // --- phases

  void write_region(const RecordedRegion& region) {
    if (begun_) serial_ += region.serial_before;
    const std::size_t before = tasks + loops;
    for (bool more = true; more;) {
      more = false;
      for (const std::uint32_t thread : region.threads) more = to_barrier(thread) || more;
      write_phase(region);
      for (const std::uint32_t thread : region.threads) {
        auto& next = state_[thread].next;
        if (next < program_.actors[thread].steps.size()) ++next;  // the barrier
      }
    }
    for (const std::uint32_t thread : region.threads) {
      const bool is_master = program_.actors[thread].worker == 0;
      if (is_master && tasks + loops != before) serial_ += state_[thread].unspent;
    }
    if (!begun_) serial_ = 0;
  }

  /// True if the thread has a barrier before it.
  [[nodiscard]] bool to_barrier(std::uint32_t thread) const {
    return end_of_phase(thread) < program_.actors[thread].steps.size();
  }
  [[nodiscard]] std::size_t end_of_phase(std::uint32_t thread) const {
    const auto& steps = program_.actors[thread].steps;
    const auto from = steps.begin() + static_cast<std::ptrdiff_t>(state_[thread].next);
    const auto barrier = std::find_if(
        from, steps.end(), [](const Step& step) { return step.kind == Step::Kind::barrier; });
    return static_cast<std::size_t>(barrier - steps.begin());
  }
  [[nodiscard]] bool creates(std::uint32_t thread) const {
    const auto& steps = program_.actors[thread].steps;
    const auto from = steps.begin() + static_cast<std::ptrdiff_t>(state_[thread].next);
    const auto to = steps.begin() + static_cast<std::ptrdiff_t>(end_of_phase(thread));
    return std::any_of(from, to, [this](const Step& step) { return is_created(step); });
  }
  [[nodiscard]] bool is_created(const Step& step) const {
    if (step.kind != Step::Kind::create) return false;
    const RecordedActor& child = program_.actors[step.child];
    return child.begun && !child.is_thread;
  }

  // The only thread that creates tasks is the first one, whichever the program took.
  void name_threads(const RecordedRegion& region) {
    std::vector<std::uint32_t> creating;
    for (const std::uint32_t thread : region.threads) {
      state_[thread].thread = program_.actors[thread].worker;
      if (creates(thread)) creating.push_back(thread);
    }
    if (creating.size() != 1) return;
    const std::uint32_t name = state_[creating.front()].thread;
    for (const std::uint32_t thread : region.threads) {
      if (state_[thread].thread == 0) state_[thread].thread = name;
    }
    state_[creating.front()].thread = 0;
  }

  void write_phase(const RecordedRegion& region) {
    const bool has_tasks = std::any_of(region.threads.begin(), region.threads.end(),
                                       [this](std::uint32_t thread) { return creates(thread); });
    if (!has_tasks) return write_loops(region);
    name_threads(region);
    for (const std::uint32_t thread : region.threads) state_[thread].groups = 0;
    if (begun_) text += "barrier\n";
    begun_ = true;
    if (serial_ >= least_spend_ns) text += fmt::format("spend {} -\n", seconds_text(serial_));
    serial_ = 0;
    for (const std::uint32_t thread : region.threads) push(thread);
    while (!cursors_.empty()) {
      const std::uint32_t actor = cursors_.top().actor;
      cursors_.pop();
      write_step(actor);
      push(actor);
    }
    for (const std::uint32_t thread : region.threads) write_spend(thread);
  }

  // What threads compute where nobody creates tasks is added to what comes next.
  void write_loops(const RecordedRegion& region) {
    LoopShares shares;
    for (const std::uint32_t thread : region.threads) gather_loops(thread, shares);
    for (const std::uint32_t thread : region.threads) {
      State& state = state_[thread];
      const RecordedActor& actor = program_.actors[thread];
      const std::size_t end = end_of_phase(thread);
      for (; state.next < end; ++state.next) {
        const Step& step = actor.steps[state.next];
        if (step.kind == Step::Kind::create) ++not_started;
        if (step.kind == Step::Kind::compute) state.unspent += step.nanoseconds;
        if (step.kind != Step::Kind::chunk || actor.worker != 0) continue;
        serial_ += std::exchange(state.unspent, 0);
        write_loops_until(actor.chunks[step.child].loop + 1, shares);
      }
    }
    write_loops_until(no_number, shares);
  }

  // --- loops

  /// What the threads did of each loop of a phase.
  struct LoopShare {
    RecordedLoop loop;
    std::vector<std::pair<RecordedChunk, std::uint64_t>> chunks;  // and their nanoseconds
  };
  using LoopShares = std::map<std::uint32_t, LoopShare>;  // by the loop's number in its region

  void gather_loops(std::uint32_t thread, LoopShares& shares) const {
    const RecordedActor& actor = program_.actors[thread];
    const std::size_t end = end_of_phase(thread);
    for (std::size_t i = state_[thread].next; i < end; ++i) {
      const Step& step = actor.steps[i];
      if (step.kind != Step::Kind::chunk) continue;
      const RecordedChunk& chunk = actor.chunks[step.child];
      LoopShare& share = shares[chunk.loop];
      const RecordedLoop& loop = actor.loops[chunk.loop];
      // Threads of a damaged record may not agree: each one's chunks lie in its own.
      if (loop.iterations > share.loop.iterations) share.loop = loop;
      share.chunks.emplace_back(chunk, step.nanoseconds);
    }
  }

  void write_loops_until(std::uint32_t end, LoopShares& shares) {
    while (!shares.empty() && shares.begin()->first < end) {
      write_loop(shares.begin()->second);
      shares.erase(shares.begin());
    }
  }

  void write_loop(const LoopShare& share) {
    if (begun_ && serial_ >= least_spend_ns) {
      text += fmt::format("barrier\nspend {} -\n", seconds_text(serial_));
    }
    begun_ = true;
    serial_ = 0;
    const LoopPieces pieces(share.loop, share.chunks);
    text += fmt::format("loop {}\n", pieces.iterations());
    for (const double nanoseconds : pieces.nanoseconds()) {
      text += fmt::format("piece {}\n", seconds_text(static_cast<std::uint64_t>(nanoseconds)));
    }
    ++loops;
  }

  void push(std::uint32_t actor) {
    const State& state = state_[actor];
    const auto& steps = program_.actors[actor].steps;
    if (state.next >= steps.size() || steps[state.next].kind == Step::Kind::barrier) return;
    cursors_.push({std::max(steps[state.next].at, clock_), order_++, actor});
  }

  // --- steps

  [[nodiscard]] std::string name_of(std::uint32_t actor) const {
    const State& state = state_[actor];
    if (!program_.actors[actor].is_thread) return std::to_string(state.number);
    return state.thread == 0 ? std::string("-") : fmt::format("@{}", state.thread);
  }

  void write_spend(std::uint32_t actor) {
    std::uint64_t& unspent = state_[actor].unspent;
    if (unspent < least_spend_ns) return;
    text += fmt::format("spend {} {}\n", seconds_text(unspent), name_of(actor));
    unspent = 0;
  }

  void write_step(std::uint32_t actor) {
    const Step& step = program_.actors[actor].steps[state_[actor].next++];
    clock_ = std::max(clock_, step.at);
    if (step.computes()) {
      state_[actor].unspent += step.nanoseconds;
      if (!program_.actors[actor].is_thread &&
          state_[actor].next == program_.actors[actor].steps.size()) {
        write_spend(actor);
      }
      return;
    }
    if (step.kind == Step::Kind::create && !is_created(step)) {
      ++not_started;
      return;
    }
    write_spend(actor);
    switch (step.kind) {
      case Step::Kind::create:
        return write_task(actor, step.child);
      case Step::Kind::wait: {
        const std::string words = words_of(actor, step.accesses);
        text += fmt::format("wait {}{}\n", name_of(actor), words);
        return;
      }
      case Step::Kind::group:
        ++state_[actor].groups;
        text += fmt::format("group {}\n", name_of(actor));
        return;
      default:
        if (state_[actor].groups == 0) return;
        --state_[actor].groups;
        text += fmt::format("end {}\n", name_of(actor));
    }
  }

  void write_task(std::uint32_t creator, std::uint32_t task) {
    const RecordedActor& actor = program_.actors[task];
    State& state = state_[task];
    if (state.number != no_number) return;  // two events made it: the first counts
    const std::string words = words_of(creator, actor.accesses);
    std::uint64_t own = 0;
    while (state.next < actor.steps.size() && actor.steps[state.next].computes()) {
      own += actor.steps[state.next++].nanoseconds;
    }
    text += fmt::format("{} {} {}{}\n", actor.undeferred ? "now" : "task", seconds_text(own),
                        name_of(creator), words);
    state.number = tasks++;
    push(task);
  }

  const RecordedProgram& program_;
  RecordedBlocks blocks_;
  std::vector<State> state_;                                // by actor
  std::unordered_map<std::uint64_t, std::size_t> numbers_;  // of blocks, by address
  std::map<std::uint32_t, bool> whole_scopes_;  // creators of tasks that name all memory
  std::priority_queue<Cursor, std::vector<Cursor>, std::greater<>> cursors_;
  std::uint64_t order_ = 0;
  std::uint64_t clock_ = 0;
  std::uint64_t serial_ = 0;  // nanoseconds outside of phases with tasks and of loops
  bool begun_ = false;        // with the first task or loop
};

std::string creation_text(const RecordedCreation& creation) {
  if (creation.tasks == 0) return {};
  return fmt::format("# recording took its creator {} seconds a task besides\ncreate {}\n",
                     seconds_text(creation.recording / creation.tasks),
                     seconds_text(creation.nanoseconds / creation.tasks));
}

TaskGraph write_one(std::span<const RecordedStream> streams) {
  const RecordedProgram program = put_together(streams);
  Writer writer(program, find_blocks(streams));
  writer.write();
  TaskGraph graph;
  graph.text = creation_text(program.creation) + writer.text;
  graph.tasks = writer.tasks;
  graph.loops = writer.loops;
  graph.not_started = writer.not_started;
  graph.pid = streams.front().pid;
  graph.full = std::any_of(streams.begin(), streams.end(),
                           [](const RecordedStream& stream) { return stream.full; });
  return graph;
}

}  // namespace

TaskGraph write_task_graph(std::vector<RecordedStream> streams, const std::string& about) {
  std::sort(streams.begin(), streams.end(), [](const auto& a, const auto& b) {
    return std::pair(a.pid, a.number) < std::pair(b.pid, b.number);
  });
  TaskGraph best;
  std::size_t processes = 0;
  for (auto first = streams.begin(); first != streams.end();) {
    const auto end = std::find_if(first, streams.end(),
                                  [&](const auto& stream) { return stream.pid != first->pid; });
    TaskGraph graph = write_one({first, end});
    if (graph.tasks + graph.loops > 0) ++processes;
    const auto size = [](const TaskGraph& of) { return std::pair(of.tasks, of.loops); };
    if (size(graph) > size(best) || best.text.empty()) best = std::move(graph);
    first = end;
  }
  best.processes = processes;
  const std::string missing =
      best.full ? "# incomplete: the record ended before the program did\n" : "";
  best.text = "lares-graph 2\n# " + printable(about) + "\n" + missing + best.text;
  return best;
}

}  // namespace lares::analysis

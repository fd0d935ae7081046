#include "trace/assemble.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>

#include "trace/follow.hpp"

namespace lares::trace {

namespace {

std::uint32_t stream_of(std::uint64_t task) noexcept {
  return static_cast<std::uint32_t>(task >> runtime::record_stream_shift) - 1;
}

/// The times that a thread is in regions, nested ones and their outer ones together.
class TimesInRegions {
 public:
  explicit TimesInRegions(const std::vector<ThreadBook::Visit>& visits) {
    for (const ThreadBook::Visit& visit : visits) {
      if (times_.empty() || visit.begin > times_.back().end) {
        times_.push_back({visit.begin, visit.end});
      } else {
        times_.back().end = std::max(times_.back().end, visit.end);
      }
    }
  }

  [[nodiscard]] Moment at(Time time) const {
    const auto later =
        std::upper_bound(times_.begin(), times_.end(), time,
                         [](Time wanted, const Stay& each) { return wanted < each.begin; });
    if (later == times_.begin()) return Moment::before_regions;
    return time < std::prev(later)->end ? Moment::in_region : Moment::between_regions;
  }

 private:
  struct Stay {
    Time begin;
    Time end;
  };
  std::vector<Stay> times_;  ///< apart, by time
};

// What lies at an address is where it was when somebody asked last; most threads ask only once.
class Homes {
 public:
  void tell(const Access& access) {
    if (access.home != no_domain) homes_[access.address] = access.home;
  }
  void complete(Access& access) const {
    if (access.home != no_domain) return;
    const auto at = homes_.find(access.address);
    if (at != homes_.end()) access.home = at->second;
  }

 private:
  std::unordered_map<std::uint64_t, std::uint16_t> homes_;
};

}  // namespace

std::optional<Error> Assembler::add(std::span<const std::byte> record) {
  ThreadBook book;
  Follower follower(book, record.size());
  analysis::BlockSightings blocks;
  const auto stream =
      analysis::read_record(record, [&](const analysis::RecordedEvent& event,
                                        std::span<const analysis::RecordedAccess> accesses) {
        follower.see(event, accesses);
        for (const analysis::RecordedAccess& each : accesses) blocks.see(each, event.at);
      });
  if (!stream) return stream.error();
  follower.finish();
  book.process = stream.value().pid;
  blocks_[book.process].merge(blocks);
  book.number = stream.value().number;
  book.system_threads = stream.value().system_threads;
  book.thread.process = book.process;
  book.thread.number = book.number;
  book.thread.is_cut = stream.value().full;
  const std::vector<Index> constructs = intern(stream.value());
  for (TaskBook& task : book.tasks) task.construct = constructs[task.construct];
  for (Grain& grain : book.grains) grain.construct = constructs[grain.construct];
  for (LoopVisit& loop : book.loops) {
    loop.construct = constructs[loop.construct];
    if (loop.construct != none) trace_.constructs[loop.construct].is_loop = true;
  }
  books_.push_back(std::move(book));
  return std::nullopt;
}

// By the numbers that the stream's events have: 0 is a construct that nobody knows.
std::vector<Index> Assembler::intern(const analysis::RecordedStream& stream) {
  std::vector<Index> constructs{none};
  for (const analysis::RecordedConstruct& each : stream.constructs) {
    const auto next = static_cast<Index>(trace_.constructs.size());
    const auto [at, is_new] = construct_at_.try_emplace({each.file, each.offset}, next);
    if (is_new) trace_.constructs.push_back({"", each.file, each.offset, false});
    constructs.push_back(at->second);
  }
  return constructs;
}

TaskBook* Assembler::find(std::uint32_t process, std::uint64_t task) {
  const auto at = book_at_.find({process, stream_of(task)});
  if (at == book_at_.end()) return nullptr;
  std::vector<TaskBook>& tasks = books_[at->second].tasks;
  const std::uint64_t number = task & task_number_mask;
  return number < tasks.size() ? &tasks[number] : nullptr;
}

void Assembler::number_threads() {
  std::sort(books_.begin(), books_.end(), [](const ThreadBook& a, const ThreadBook& b) {
    return std::pair(a.process, a.number) < std::pair(b.process, b.number);
  });
  for (std::size_t i = 0; i < books_.size(); ++i) {
    book_at_.try_emplace({books_[i].process, books_[i].number}, i);
    trace_.threads.push_back(books_[i].thread);
    if (books_[i].thread.domain != no_domain) {
      trace_.domains = std::max<std::uint32_t>(trace_.domains, books_[i].thread.domain + 1U);
    }
  }
}

// Visits become numbers of regions; then tasks and grains name those.
void Assembler::make_regions() {
  for (std::size_t t = 0; t < books_.size(); ++t) {
    for (const ThreadBook::Visit& visit : books_[t].visits) {
      const auto next = static_cast<Index>(trace_.regions.size());
      const auto [at, is_new] = region_at_.try_emplace({books_[t].process, visit.region}, next);
      if (is_new) trace_.regions.push_back({visit.begin, visit.end, visit.team, none, none});
      Region& region = trace_.regions[at->second];
      region.begin = std::min(region.begin, visit.begin);
      region.end = std::max(region.end, visit.end);
      if (visit.worker == 0) region.master = static_cast<Index>(t);
    }
  }
  std::vector<Index> order(trace_.regions.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [this](Index a, Index b) {
    return std::pair(trace_.regions[a].begin, a) < std::pair(trace_.regions[b].begin, b);
  });
  std::vector<Region> sorted;
  std::vector<Index> now(order.size());
  for (const Index old : order) {
    now[old] = static_cast<Index>(sorted.size());
    sorted.push_back(trace_.regions[old]);
  }
  trace_.regions = std::move(sorted);
  for (auto& [key, index] : region_at_) index = now[index];
  for (ThreadBook& book : books_) {
    const auto region_of = [&](Index visit) {
      return visit == none ? none : region_at_.at({book.process, book.visits[visit].region});
    };
    for (TaskBook& task : book.tasks) task.region = region_of(task.region);
    for (Grain& grain : book.grains) grain.region = region_of(grain.region);
    for (Wait& wait : book.waits) wait.region = region_of(wait.region);
    for (LoopVisit& loop : book.loops) loop.region = region_of(loop.region);
  }
  for (const ThreadBook& book : books_) {
    for (const ThreadBook::Visit& visit : book.visits) {
      if (visit.parent == 0) continue;
      const Index inner = region_at_.at({book.process, visit.region});
      const TaskBook* const parent = find(book.process, visit.parent);
      if (parent != nullptr && parent->region != inner) {
        trace_.regions[inner].outer = parent->region;
      }
    }
  }
}

void Assembler::release() {
  for (std::size_t t = 0; t < books_.size(); ++t) {
    for (const ThreadBook::Release& each : books_[t].releases) {
      TaskBook* const task = find(books_[t].process, each.task);
      if (task == nullptr || !task->is_known) continue;
      task->ready = each.at;
      task->released_by = each.by;
      task->released_on = static_cast<Index>(t);
    }
  }
}

void Assembler::move_accesses() {
  Homes homes;
  std::map<std::uint32_t, analysis::RecordedBlocks> blocks;
  for (const auto& [process, seen] : blocks_) blocks[process] = seen.blocks();
  std::size_t count = 0;
  for (const ThreadBook& book : books_) {
    for (const Access& each : book.accesses) homes.tell(each);
    count += book.accesses.size();
  }
  trace_.accesses.reserve(count);
  for (ThreadBook& book : books_) {
    const auto first = static_cast<Index>(trace_.accesses.size());
    for (TaskBook& task : book.tasks) task.first_access += first;
    const analysis::RecordedBlocks& known = blocks[book.process];
    for (Access& each : book.accesses) {
      homes.complete(each);
      if (const auto at = known.find(each.address); each.bytes == 0 && at != known.end()) {
        each.bytes = at->second.bytes;
        trace_.estimates_lengths |= each.bytes != 0;
      }
      if (each.home != no_domain) {
        trace_.domains = std::max<std::uint32_t>(trace_.domains, each.home + 1U);
      }
      trace_.accesses.push_back(each);
    }
    book.accesses = {};
  }
}

void Assembler::move_grains() {
  std::vector<std::size_t>& first = trace_.grains_of;
  first.push_back(0);
  for (const ThreadBook& book : books_) first.push_back(first.back() + book.grains.size());
  trace_.grains.reserve(first.back());
  for (std::size_t t = 0; t < books_.size(); ++t) {
    ThreadBook& book = books_[t];
    const auto in_trace = [&first](Index grain, std::size_t thread) {
      return grain == none ? none : static_cast<Index>(first[thread] + grain);
    };
    for (std::size_t i = 0; i < book.grains.size(); ++i) {
      Grain grain = book.grains[i];
      grain.thread = static_cast<Index>(t);
      grain.creator = in_trace(grain.creator, t);  // of a chunk
      const TaskBook* const task =
          grain.has(grain_flag::is_chunk) ? nullptr : find(book.process, book.task_of[i]);
      if (task != nullptr && task->is_known) {
        const auto maker = book_at_.at({book.process, stream_of(book.task_of[i])});
        grain.created = std::min(task->created, grain.begin);
        grain.ready = std::clamp(task->ready, grain.created, grain.begin);
        grain.create_cost = task->create_cost;
        grain.construct = task->construct;
        grain.creator = in_trace(task->creator, maker);
        grain.created_on = static_cast<Index>(maker);
        if (task->released_by != none) {
          grain.released_by = in_trace(task->released_by, task->released_on);
        }
        grain.region = task->region;
        grain.first_access = task->first_access;
        grain.accesses = task->accesses;
        if (task->undeferred) grain.flags |= grain_flag::undeferred;
      }
      trace_.grains.push_back(grain);
    }
    book.grains = {};
  }
}

// Grains of the same task are its parts, in the order of time.
void Assembler::link_parts() {
  std::vector<std::pair<TaskBook*, Index>> parts;
  Index index = 0;
  for (const ThreadBook& book : books_) {
    for (const std::uint64_t number : book.task_of) {
      TaskBook* const task = number == 0 ? nullptr : find(book.process, number);
      if (task != nullptr && task->is_known) {
        if (task->last_part == none) {
          task->last_part = index;
        } else {
          parts.emplace_back(task, index);
        }
      }
      ++index;
    }
  }
  if (parts.empty()) return;
  // With the first that was met of each.
  const std::size_t later = parts.size();
  for (std::size_t i = 0; i < later; ++i) {
    if (parts[i].first->last_part == none) continue;
    parts.emplace_back(parts[i].first, parts[i].first->last_part);
    parts[i].first->last_part = none;
  }
  std::sort(parts.begin(), parts.end(), [this](const auto& a, const auto& b) {
    return std::tuple(a.first, trace_.grains[a.second].begin, a.second) <
           std::tuple(b.first, trace_.grains[b.second].begin, b.second);
  });
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (parts[i].first != parts[i - 1].first) continue;
    Grain& part = trace_.grains[parts[i].second];
    part.part_of = parts[i - 1].second;
    part.flags |= grain_flag::goes_on;
    part.create_cost = 0;
    part.ready = std::clamp(trace_.grains[part.part_of].end, part.created, part.begin);
  }
}

void Assembler::tell_homes() {
  for (Grain& grain : trace_.grains) {
    for (std::size_t i = 0; i < grain.accesses; ++i) {
      grain.bytes += trace_.accesses[grain.first_access + i].bytes;
    }
    if (grain.home != no_domain) {
      trace_.domains = std::max<std::uint32_t>(trace_.domains, grain.home + 1U);
    }
    if (grain.stolen_from != no_domain) {
      trace_.domains = std::max<std::uint32_t>(trace_.domains, grain.stolen_from + 1U);
    }
  }
}

void Assembler::move_waits_and_loops() {
  for (std::size_t t = 0; t < books_.size(); ++t) {
    for (Wait& wait : books_[t].waits) {
      wait.thread = static_cast<Index>(t);
      trace_.waits.push_back(wait);
    }
    for (LoopVisit& loop : books_[t].loops) {
      loop.thread = static_cast<Index>(t);
      trace_.loops.push_back(loop);
    }
  }
}

// Who made what, the earlier first. Where the clocks of two threads contradict that, nobody did.
void Assembler::count_depths() {
  std::vector<Index> order(trace_.grains.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [this](Index a, Index b) {
    return std::pair(trace_.grains[a].begin, a) < std::pair(trace_.grains[b].begin, b);
  });
  std::uint64_t contradictions = 0;
  const auto check = [&](Index& earlier, const Grain& grain) {
    if (earlier == none || trace_.grains[earlier].begin <= grain.begin) return;
    earlier = none;
    ++contradictions;
  };
  for (const Index index : order) {
    Grain& grain = trace_.grains[index];
    check(grain.creator, grain);
    check(grain.released_by, grain);
    if (grain.creator == none) continue;
    grain.depth =
        static_cast<std::uint16_t>(std::min(trace_.grains[grain.creator].depth + 1, 0xFFFF));
  }
  if (contradictions != 0) {
    trace_.notes.push_back("the clocks of some threads contradict each other: " +
                           std::to_string(contradictions) + " creators or releases were left out");
  }
}

void Assembler::number_system_threads() {
  for (std::size_t t = 0; t < books_.size(); ++t) {
    auto& of_process = system_threads_[books_[t].process];
    for (const std::uint32_t each : books_[t].system_threads) {
      of_process.try_emplace(each, static_cast<Index>(t));
    }
  }
}

// Precondition: the process has threads here.
Index Assembler::thread_of(std::uint32_t process, std::uint32_t system_thread) const {
  const auto& threads = system_threads_.at(process);
  const auto thread = threads.find(system_thread);
  return thread == threads.end() ? none : thread->second;
}

// Of the program's processes that were in regions; of others nothing is known besides.
void Assembler::move_touches() {
  if (!touches_) return;
  Touches& touches = trace_.touches;
  touches.are_known = true;
  touches.lost = touches_->head.lost;
  touches.over_limit = touches_->head.over_limit;
  touches.sees_system_calls = touches_->head.sees_system_calls != 0;
  std::vector<TimesInRegions> stays;
  for (const ThreadBook& book : books_) stays.emplace_back(book.visits);
  for (const analysis::TouchRun& run : touches_->runs) {
    if (!system_threads_.contains(run.process)) {
      touches.bytes_of_others += run.bytes();
      continue;
    }
    const Index thread = thread_of(run.process, run.thread);
    touches.list.push_back(
        {run.begin_ns, run.address, run.bytes(), thread, run.process,
         run.domain < most_domains ? run.domain : no_domain,
         thread == none ? Moment::before_regions : stays[thread].at(run.begin_ns)});
  }
  std::sort(touches.list.begin(), touches.list.end(), [](const Touch& a, const Touch& b) {
    return std::tie(a.at, a.address, a.thread) < std::tie(b.at, b.address, b.thread);
  });
}

// Of all processes: moving memory is what they do with regions or without.
void Assembler::tell_moves() {
  Moves& moves = trace_.moves;
  moves.over_limit = moves_.over_limit;
  for (const memory::MoveEvent& event : moves_.events) {
    if (event.kind == memory::MoveKind::thread) {
      tell_move_of_thread(event);
      continue;
    }
    const Index thread =
        system_threads_.contains(event.process) ? thread_of(event.process, event.thread) : none;
    moves.list.push_back(
        {event.begin_ns, event.took_ns, event.address, event.bytes, event.arrived, thread,
         event.process, event.to < most_domains ? static_cast<std::uint16_t>(event.to) : no_domain,
         event.kind});
  }
  std::sort(moves.list.begin(), moves.list.end(), [](const Move& a, const Move& b) {
    return std::tie(a.at, a.address, a.kind) < std::tie(b.at, b.address, b.kind);
  });
  std::sort(moves.threads.begin(), moves.threads.end(),
            [](const ThreadMove& a, const ThreadMove& b) {
              return std::tie(a.thread, a.at) < std::tie(b.thread, b.at);
            });
}

void Assembler::tell_move_of_thread(const memory::MoveEvent& event) {
  if (!system_threads_.contains(event.process)) return;
  ThreadMove move{event.begin_ns, thread_of(event.process, event.thread)};
  if (move.thread == none) return;
  if (event.core != 0 && event.core <= no_domain) {
    move.core = static_cast<std::uint16_t>(event.core - 1);
  }
  if (event.to < most_domains) {
    move.domain = static_cast<std::uint16_t>(event.to);
    trace_.domains = std::max(trace_.domains, event.to + 1);
  }
  trace_.moves.threads.push_back(move);
}

namespace {

/// By where its data is or, where nobody knows that, by who created it.
Locality locality_in(const Trace& trace, const Grain& grain, std::uint16_t domain) {
  if (grain.has(grain_flag::has_data)) {
    return grain.home == domain ? Locality::local : Locality::remote;
  }
  if (grain.created_on == grain.thread) return Locality::local;
  if (grain.creator == none) return grain.locality;
  return trace.grains[grain.creator].domain == domain ? Locality::same_domain : Locality::remote;
}

/// When the thread enters its next region, which tells anew where it is.
Time next_visit_after(const ThreadBook& book, Time at) {
  const auto visit =
      std::upper_bound(book.visits.begin(), book.visits.end(), at,
                       [](Time time, const ThreadBook::Visit& each) { return time < each.begin; });
  return visit == book.visits.end() ? ~Time{0} : visit->begin;
}

}  // namespace

// What the engine says of a grain is by where its thread entered the region.
void Assembler::tell_where_moved_threads_ran() {
  const std::vector<ThreadMove>& moves = trace_.moves.threads;
  for (std::size_t i = 0; i < moves.size(); ++i) {
    const ThreadMove& move = moves[i];
    if (move.domain == no_domain) continue;
    Time until = next_visit_after(books_[move.thread], move.at);
    if (i + 1 < moves.size() && moves[i + 1].thread == move.thread) {
      until = std::min(until, moves[i + 1].at);
    }
    const auto first = trace_.grains.begin();
    const auto begin = first + static_cast<std::ptrdiff_t>(trace_.grains_of[move.thread]);
    const auto end = first + static_cast<std::ptrdiff_t>(trace_.grains_of[move.thread + 1]);
    auto grain = std::partition_point(begin, end,
                                      [&move](const Grain& each) { return each.begin < move.at; });
    for (; grain != end && grain->begin < until; ++grain) {
      grain->domain = move.domain;
      grain->locality = locality_in(trace_, *grain, move.domain);
    }
  }
}

namespace {

// All times since the trace's first event.
void begin_at_zero(Trace& trace, const std::vector<ThreadBook>& books) {
  Time first = ~Time{0};
  Time last = 0;
  for (const ThreadBook& book : books) {
    for (const auto& visit : book.visits) first = std::min(first, visit.begin);
    last = std::max(last, book.last);
  }
  for (const Grain& grain : trace.grains) first = std::min(first, grain.created);
  if (first > last) return;
  trace.duration = last - first;
  const auto shift = [first](Time& time) { time = time > first ? time - first : 0; };
  for (Grain& grain : trace.grains) {
    shift(grain.begin);
    shift(grain.end);
    shift(grain.created);
    shift(grain.ready);
  }
  for (Wait& wait : trace.waits) {
    shift(wait.begin);
    shift(wait.end);
  }
  for (Region& region : trace.regions) {
    shift(region.begin);
    shift(region.end);
  }
  for (LoopVisit& loop : trace.loops) {
    shift(loop.begin);
    shift(loop.end);
  }
  for (Touch& touch : trace.touches.list) shift(touch.at);
  for (Move& move : trace.moves.list) shift(move.at);
  for (ThreadMove& move : trace.moves.threads) shift(move.at);
}

}  // namespace

Trace Assembler::finish() {
  number_threads();
  make_regions();
  release();
  move_accesses();
  move_grains();
  link_parts();
  tell_homes();
  move_waits_and_loops();
  count_depths();
  number_system_threads();
  move_touches();
  tell_moves();
  tell_where_moved_threads_ran();
  begin_at_zero(trace_, books_);
  return std::move(trace_);
}

}  // namespace lares::trace

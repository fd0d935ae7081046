#include "runtime/series.hpp"

#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "decide/follow.hpp"
#include "decide/opinion.hpp"
#include "decide/series.hpp"
#include "memory/page_query.hpp"
#include "memory/words.hpp"
#include "runtime/completion.hpp"
#include "runtime/execution.hpp"
#include "runtime/first_touch_count.hpp"
#include "runtime/group_data.hpp"
#include "runtime/placing.hpp"
#include "runtime/process_lock.hpp"
#include "runtime/record.hpp"
#include "runtime/task_pool.hpp"
#include "runtime/waking.hpp"
#include "runtime/watch.hpp"
#include "runtime/weaving.hpp"

namespace lares::runtime {

namespace {

// Threads that make tasks one after the other, each in a `single nowait`, are no several creators.
constexpr std::uint32_t most_creator_changes = 4;

// True if no other thread makes tasks at the same time: each has its own part of the data then,
// perhaps, and nobody knows which. Remembered of the region, if it has a name.
bool is_sole_creator(Worker& worker) noexcept {
  Team& team = *worker.team;
  RegionHint* const hint = team.hint;
  // relaxed, all of it: a hint, that orders nothing.
  if (hint != nullptr && hint->several_creators.load(std::memory_order_relaxed)) return false;
  const auto self = static_cast<std::uint32_t>(worker.id.index()) + 1;
  if (team.creator.load(std::memory_order_relaxed) != self) {
    team.creator.store(self, std::memory_order_relaxed);
    team.creator_changes.fetch_add(1, std::memory_order_relaxed);
  }
  if (team.creator_changes.load(std::memory_order_relaxed) <= most_creator_changes) return true;
  if (hint != nullptr) hint->several_creators.store(true, std::memory_order_relaxed);
  return false;
}

// What new tasks touch first stays where they run.
void settle(Worker& worker) noexcept {
  if (worker.settles_series) return;
  worker.settles_series = true;
  worker.told_by_name = 0;
  worker.team->settling.begin();
}

/// While it lives, the worker has its team's books, unless another thread has them.
class OwnBooks {
 public:
  explicit OwnBooks(Worker& worker) noexcept : worker_(worker), had_(worker.has_books) {
    if (had_) return;
    lock_.emplace(worker.team->books.lock);
    worker.has_books = static_cast<bool>(*lock_);
  }
  OwnBooks(const OwnBooks&) = delete;
  OwnBooks& operator=(const OwnBooks&) = delete;
  ~OwnBooks() { worker_.has_books = had_; }
  explicit operator bool() const noexcept { return worker_.has_books; }

 private:
  Worker& worker_;
  bool had_;
  std::optional<memory::TryLock::Guard> lock_;
};

// False if nobody shall wait for the series to be complete.
bool begin_hold(Worker& worker, decide::Series& series, std::uintptr_t code) noexcept {
  const std::uint32_t hurried = worker.team->hurried.load(std::memory_order_relaxed);
  if (hurried >= decide::limits::most_hurried) return false;
  if (worker.held_series != &series) {
    release_held(worker);
    worker.held_series = &series;
    worker.held_code = code;
  }
  if (worker.hold.count() == 0) worker.hold.begin(ticks());
  return true;
}

void hold_no_more(Worker& worker) noexcept {
  worker.hold.end();
  worker.deque.hold(0);
}

// Of tasks whose whole nobody knows, nobody knows where they belong.
void let_go(Worker& worker) noexcept {
  hold_no_more(worker);
  worker.held_by_strong_names = false;
  notify(*worker.team, {worker.domain, nullptr, worker.deque.size(), false});
}

// Its next rounds hold nothing, or not for now.
void tell_held_series(Worker& worker, decide::Hold::End why) noexcept {
  const OwnBooks books(worker);
  if (!books || worker.held_series == nullptr) return;
  decide::give_up(*worker.held_series, why);
}

// True if the hold goes on.
bool end_hold(Worker& worker, decide::Hold::End why) noexcept {
  std::atomic<std::uint32_t>& hurried = worker.team->hurried;
  // relaxed: a hint.
  const std::uint32_t pauses =
      decide::Hold::is_hurry(why) ? hurried.fetch_add(1, std::memory_order_relaxed) + 1 : 0;
  if (decide::Hold::goes_on_after(why, pauses)) return true;
  tell_held_series(worker, why);
  let_go(worker);
  return false;
}

// The task may be gone afterwards.
void hold_back(Worker& worker, Task& task) noexcept {
  const std::int64_t enough = decide::enough_held(worker.own_queue_limits[0]);
  const decide::Hold::Next next = worker.hold.next(enough, !task.has(task_flag::depends));
  if (next != decide::Hold::Next::keep) {
    const std::uint64_t pages = pages_touched_first();
    const std::uint64_t start = ticks();
    execute(worker, task);
    const std::uint64_t duration = ticks() - start;
    worker.hold.touched(pages_touched_first() - pages);
    end_hold(worker, worker.hold.ran(next, duration));
    return;
  }
  // Before anybody sees the first one.
  if (worker.hold.count() == 0) {
    const std::uint64_t now = ticks();
    worker.deque.hold(decide::held_until(now, now, ticks_per_microsecond()));
  }
  if (!worker.deque.push(task)) {
    worker.deque.hold(0);
    release_held(worker);
    return place_ready(worker, task);
  }
  if (end_hold(worker, worker.hold.kept(ticks()))) worker.deque.hold(worker.hold.until());
}

/// Tasks by the domain that they are at home with, the oldest first.
class Dealt {
 public:
  explicit Dealt(Worker& worker) noexcept : worker_(worker), heads_(worker.dealt_storage) {
    for (Task*& head : heads_) head = nullptr;
  }
  void add_older(Task& task, DomainId home, Located located) noexcept {
    task.home = home;
    task.located = located;
    if (located == Located::name) task.flags |= task_flag::told;
    task.next = heads_[home.index()];
    heads_[home.index()] = &task;
  }
  // In turn: the domains that come last would be idle meanwhile, and rob the first.
  void hand_out() noexcept {
    for (bool more = true; more;) {
      more = false;
      for (Task*& head : heads_) {
        if (head == nullptr) continue;
        Task& task = *head;
        head = task.next;
        more = more || head != nullptr;
        enqueue(worker_, task);
      }
    }
  }

 private:
  Worker& worker_;
  std::span<Task*> heads_;
};

bool is_written(const Dependence& dependence) noexcept {
  return dependence.address != 0 && dependence.kind != DependKind::in &&
         dependence.kind != DependKind::all_memory;
}

/// How decide/ sees what a task depends on.
class NamesOf {
 public:
  explicit NamesOf(std::span<const Dependence> all) noexcept : all_(all) {}
  [[nodiscard]] std::uintptr_t first_written() const noexcept {
    const auto written = std::find_if(all_.begin(), all_.end(), is_written);
    return written == all_.end() ? 0 : written->address;
  }
  [[nodiscard]] bool writes_several() const noexcept {
    return std::count_if(all_.begin(), all_.end(), is_written) > 1;
  }
  [[nodiscard]] bool reads(std::uintptr_t name) const noexcept {
    return std::any_of(all_.begin(), all_.end(), [name](const Dependence& other) {
      return other.address == name && other.kind == DependKind::in;
    });
  }
  template <class Use>
  void for_each(Use use) const {
    for (const Dependence& each : all_) {
      if (each.address != 0 && each.kind != DependKind::all_memory) {
        use(each.address, is_written(each));
      }
    }
  }

 private:
  std::span<const Dependence> all_;
};

int place_of_address(std::uintptr_t address) noexcept {
  memory::Homes& homes = *Engine::instance().homes();
  const DomainId home = homes.find(address, Bytes{}, policy::AccessMode::read).home;
  if (home.valid()) return home.value();
  const Bytes page{static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE))};
  const bool is_memory =
      !homes.are_of_pages() ||
      memory::is_mapped(memory::real_calls(), address / page.count * page.count, page);
  return is_memory ? home.value() : decide::NameBook::no_memory;
}

Located located_by(decide::Basis basis) noexcept {
  switch (basis) {
    case decide::Basis::name:
      return Located::name;
    case decide::Basis::argument:
      return Located::argument;
    case decide::Basis::series:
      break;
  }
  return Located::series;
}

void settle_no_more(Worker& worker) noexcept {
  if (!worker.settles_series) return;
  worker.settles_series = false;
  worker.team->settling.end();
}

// The tasks of a series that is dealt.
struct HeldSeries {
  std::span<Task*> tasks;  ///< by position; null for those that are not there any more
  std::size_t first = 0;   ///< the first that is there: all behind it are
  std::vector<Tried> tried;
};

// The oldest comes last, and all who are idle look for it: they leave it alone until it is there.
HeldSeries take_held(Worker& worker, std::size_t count) {
  const std::uint64_t now = ticks();
  worker.deque.hold(decide::held_until(now, now, ticks_per_microsecond()));
  std::vector<Task*>& tasks = worker.held_storage;
  tasks.assign(count, nullptr);
  std::size_t first = count;
  while (first > 0 && (tasks[first - 1] = worker.deque.pop()) != nullptr) --first;
  return {tasks, first, {}};
}

// From the newest on. What others have taken is null afterwards, and so is all if tasks that were
// made meanwhile lie above it: then it stays where it is, for everybody.
void take_back(Worker& worker, std::span<Task*> tasks) noexcept {
  for (std::size_t i = tasks.size(); i-- > 0;) {
    if (tasks[i] == nullptr) continue;
    Task* const found = worker.deque.pop();
    if (found == tasks[i]) continue;
    std::fill_n(tasks.begin(), i + 1, nullptr);
    if (found == nullptr) return;
    worker.deque.push(*found);
    return let_go(worker);
  }
}

// The others lie in the deque meanwhile: it may be they that the task waits for, and then somebody
// has to find them once the trial has taken too long.
void run_beside_the_others(Worker& worker, HeldSeries& held, std::size_t position) noexcept {
  Task& task = *std::exchange(held.tasks[position], nullptr);
  const std::span<Task*> there = held.tasks.subspan(held.first);
  for (Task* const other : there) {
    if (other != nullptr) worker.deque.push(*other);  // where all of them fitted in
  }
  execute(worker, task);
  take_back(worker, there);
}

decide::MemoryOrder shown_by_trial(Worker& worker, HeldSeries& held,
                                   const decide::Weave& weave) noexcept {
  WeaveTrial trial(worker, held.first > 0);
  for (const std::size_t position :
       {held.first, weave.period - 1, held.first + static_cast<std::size_t>(weave.period)}) {
    if (trial.is_over() || held.tasks[position] == nullptr) break;
    run_beside_the_others(worker, held, position);
    const std::span<const std::uintptr_t> pages = trial.look();
    held.tried.push_back({position, {pages.begin(), pages.end()}});
  }
  return trial.shown();
}

// Where the first ones were taken, by whom nobody knows, a trial is of memory beside theirs.
bool may_try(CreatorBooks& books, const HeldSeries& held, const decide::Weave& weave) noexcept {
  if (held.first + 1 >= weave.period) return false;
  const memory::TryLock::Guard lock(books.lock);
  if (!lock || books.weave_trials == decide::limits::weave_trials) return false;
  ++books.weave_trials;
  return true;
}

// What series have shown in any team: a construct's order in memory is the program's. One that
// makes its teams by several threads in turn, each inside of an outer region, has several of them.
LARES_PROCESS_LOCK(g_weaves_lock);
decide::Weaves g_weaves;  // under g_weaves_lock

// Shown by a trial, or else before, by this series or another one.
bool is_woven(Worker& worker, HeldSeries& held, const decide::Weave& weave) noexcept {
  auto shown = decide::MemoryOrder::unknown;
  if (may_try(worker.team->books, held, weave)) shown = shown_by_trial(worker, held, weave);
  const std::lock_guard lock(g_weaves_lock);
  return g_weaves.order_of(worker.held_code, weave, shown) == decide::MemoryOrder::woven;
}

// Some of its tasks may have run when it is known.
decide::Weave weave_of(Worker& worker, HeldSeries& held) noexcept {
  if (held.tasks.size() < decide::limits::woven_per_worker * worker.team->size()) return {};
  decide::Series* const series = worker.held_series;
  const decide::Weave weave = weave_by_arguments(held.tasks, held.first);
  if (!weave.is_known() || !is_woven(worker, held, weave)) return {};
  const OwnBooks books(worker);
  if (books && series != nullptr) series->is_woven(weave);
  return weave;
}

const Access* first_written(const Task& task) noexcept {
  const std::span<Access> all = task.data_accesses();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [](const Access& each) { return policy::writes(each.mode); });
  return found == all.end() ? nullptr : &*found;
}

// Tasks that write what has names are dealt in the order of these.
bool sort_by_name(std::span<Task*> held) noexcept {
  const auto has_name = [](const Task* task) {
    return task->has(task_flag::depends) && first_written(*task) != nullptr;
  };
  if (!std::all_of(held.begin(), held.end(), has_name)) return false;
  std::sort(held.begin(), held.end(), [](const Task* a, const Task* b) {
    return first_written(*a)->address < first_written(*b)->address;
  });
  return true;
}

// What the arguments of tasks without names say; nothing if somebody else has the books.
decide::PointerArguments arguments_of_held(Worker& worker) noexcept {
  const OwnBooks books(worker);
  const bool has_names = worker.held_by_strong_names || !Engine::instance().homes()->are_of_pages();
  if (!books || has_names || worker.held_series == nullptr) return {};
  return worker.held_series->arguments();
}

// Where tasks belong whose data is in that page: an invalid id if it is not there yet. Memory may
// be where no cores are, or none of the team.
auto home_of_page(const Worker& worker) noexcept {
  return [&places = *worker.team->places](std::uintptr_t address) {
    memory::Homes& homes = *Engine::instance().homes();
    const DomainId there = homes.find(address, Bytes{}, policy::AccessMode::read).home;
    return there.valid() ? places.with_workers(places.with_cores(there)) : there;
  };
}

DomainId home_by_arguments(const Worker& worker, const decide::PointerArguments& arguments,
                           const Task& task, DomainId otherwise) noexcept {
  if (task.has(task_flag::depends)) return {};
  const auto words = words_of(task.payload(), TaskPool::payload_room(task));
  const std::size_t domains = worker.team->places->domains_with_workers().size();
  return arguments.again(words, domains, otherwise, home_of_page(worker));
}

// Each to the domain that has its data, by its arguments, or else its part of them in the order of
// memory.
void deal(Worker& worker, std::span<Task*> held, const decide::Weave& weave) noexcept {
  const policy::Places& places = *worker.team->places;
  const Located located = worker.held_by_strong_names ? Located::name : Located::series;
  const decide::PointerArguments arguments = arguments_of_held(worker);
  Dealt dealt(worker);
  // The newest first, since the oldest is handed out first.
  for (std::uint64_t position = held.size(); position-- > 0;) {
    if (held[position] == nullptr) continue;
    const WorkerId part =
        decide::worker_of_part(weave.rank(position), held.size(), worker.team->size());
    const DomainId home = places.domain_of(part);
    const DomainId told = home_by_arguments(worker, arguments, *held[position], home);
    dealt.add_older(*held[position], told.valid() ? told : home,
                    told.valid() ? Located::argument : located);
  }
  dealt.hand_out();
}

DomainId home_of_part(const Worker& worker, std::uint64_t position, std::uint64_t count) noexcept {
  return decide::home_of_part(*worker.team->places, position, count, worker.team->size());
}

// The others are at work already.
void bring_tried(const Worker& worker, std::span<Tried> all, const decide::Weave& weave,
                 std::size_t count) noexcept {
  if (!Engine::instance().homes()->are_of_pages()) return;
  for (Tried& tried : all) {
    const DomainId home = home_of_part(worker, weave.rank(tried.position), count);
    if (home.valid() && !tried.pages.empty()) bring_home(worker, std::move(tried), home);
  }
}

// Later rounds go where these have gone, also if there was no room for all at once.
void tell_dealt(Worker& worker, bool is_new) noexcept {
  const OwnBooks books(worker);
  if (!books || worker.held_series == nullptr) return;
  worker.held_series->was_dealt(is_new);
  worker.team->books.names.was_dealt(worker.held_code, is_new);
}

}  // namespace

void release_held_tasks(Worker& worker) noexcept {
  const policy::Places& places = *worker.team->places;
  const auto count = static_cast<std::size_t>(worker.hold.count());
  const bool is_new = worker.hold.comes_to_new_memory();
  if (!is_sole_creator(worker) || count < places.domains_with_workers().size()) {
    return let_go(worker);
  }
  worker.team->hurried.store(0, std::memory_order_relaxed);
  settle(worker);  // only now: of what is let go nobody knows where it belongs
  HeldSeries held = take_held(worker, count);
  hold_no_more(worker);
  const bool named = sort_by_name(held.tasks.subspan(held.first));
  const decide::Weave weave = named ? decide::Weave{} : weave_of(worker, held);
  deal(worker, held.tasks, weave);
  bring_tried(worker, held.tried, weave, count);
  tell_dealt(worker, is_new);
  worker.held_by_strong_names = false;
}

namespace {

/// How decide/ sees a worker that makes tasks alone, and has the books.
class CreatingAlone {
 public:
  CreatingAlone(Worker& worker, CreatorBooks& books, std::uintptr_t code) noexcept
      : worker_(&worker), books_(&books), code_(code) {}
  [[nodiscard]] const policy::Places& places() const noexcept { return *worker_->team->places; }
  [[nodiscard]] std::size_t workers() const noexcept { return worker_->team->size(); }
  [[nodiscard]] std::uint32_t round() const noexcept { return books_->round; }
  [[nodiscard]] decide::NameBook& names() const noexcept { return books_->names; }
  [[nodiscard]] bool begins_hold(decide::Series& series) const noexcept {
    return begin_hold(*worker_, series, code_);
  }
  void settles() const noexcept { settle(*worker_); }
  [[nodiscard]] DomainId home_of_page(std::uintptr_t address) const noexcept {
    return runtime::home_of_page(*worker_)(address);
  }
  [[nodiscard]] int place_of(std::uintptr_t address) const noexcept {
    return place_of_address(address);
  }

 private:
  Worker* worker_;
  CreatorBooks* books_;
  std::uintptr_t code_;
};

InSeries in_series(const decide::Opinion& opinion) noexcept {
  return {opinion.home, opinion.held, opinion.begins, located_by(opinion.basis)};
}

// What one thread has written and shall go to the domains whose tasks write it: once, when one of
// them is made that is called `name`. Best at the begin of a round, when most of what the program
// had to do before is done: to move a page takes longer the more processors are at work in the same
// memory. Where no begin comes that can be seen it is done later.
decide::PartsByHome parts_to_bring(const Worker& worker, CreatorBooks& books, std::uintptr_t name,
                                   bool begins) noexcept {
  if (Engine::bringer() == nullptr) return {};
  constexpr std::uint32_t later = 8;
  const bool is_new_round = std::exchange(books.asked_in, books.round) != books.round;
  const auto domain_of = [&worker](std::uint32_t position, std::uint32_t count) {
    return home_of_part(worker, position, count);
  };
  const auto read = [](std::span<const std::uintptr_t> addresses, std::span<std::uintptr_t> words) {
    return memory::read_words(memory::real_calls(), addresses, words);
  };
  const std::size_t domains = worker.team->places->domains_with_workers().size();
  const std::uint32_t rounds =
      decide::rounds_to_pay(domains) * (begins || is_new_round ? 1 : later);
  return books.names.bring(name, rounds, domain_of, place_of_address, read);
}

// Without the books: it takes long.
void bring(const decide::PartsByHome& parts) noexcept {
  if (!parts.empty()) Engine::bringer()(parts);
}

// Of a task whose argument points to what one thread has written, that is brought meanwhile.
InSeries next_by_pointer(const Worker& worker, CreatorBooks& books, std::uintptr_t code,
                         std::uintptr_t block, decide::PartsByHome& to_bring) noexcept {
  books.names.expect_samples_away();
  const auto reads_none = [](std::uintptr_t) { return false; };
  const decide::NameBook::Told told = books.names.next(code, block, reads_none, place_of_address);
  if (told.count == 0 || !told.strong) return {};
  const DomainId home = home_of_part(worker, told.position, told.count);
  if (home.valid()) to_bring = parts_to_bring(worker, books, block, told.begins);
  return {home, false, told.begins, Located::argument};
}

// The same of one that names no data: its arguments may say where that is.
InSeries next_by_arguments(Worker& worker, CreatorBooks& books, std::uintptr_t code,
                           std::span<const std::uintptr_t> words,
                           decide::PartsByHome& to_bring) noexcept {
  if (!Engine::instance().homes()->are_of_pages()) words = {};
  decide::Series& series = books.series.of(code);
  const InSeries known =
      in_series(decide::by_arguments(CreatingAlone(worker, books, code), series, words));
  const bool is_told = known.held || known.located == Located::argument;
  if (words.empty() || is_told || series.has_tiny_tasks() || Engine::bringer() == nullptr) {
    return known;
  }
  const std::size_t domains = worker.team->places->domains_with_workers().size();
  const auto word = series.arguments().in_one_place(domains);
  if (!word) return known;
  const InSeries named = next_by_pointer(worker, books, code, words[*word], to_bring);
  return named.known() ? named : known;
}

// What `ask(books)` answers if this worker is the only creator.
template <class Ask>
InSeries ask_alone(Worker& worker, Ask ask) noexcept {
  if (is_sole_creator(worker)) {
    const OwnBooks books(worker);
    worker.made_series = true;
    if (books) return ask(worker.team->books);
  }
  release_held(worker);
  return {};
}

template <class Ask>
InSeries ask_books(Worker& worker, std::uintptr_t code, Ask ask) noexcept {
  const InSeries known = ask_alone(worker, ask);
  if (known.begins) [[unlikely]]
    Engine::tell_of_stable_work({code, worker.team->size()});
  return known;
}

// By what its arguments point to in memory that tasks share out.
InSeries next_by_share(const Worker& worker, std::span<const std::uintptr_t> words) noexcept {
  if (!SharedOut::is_on() || !Engine::instance().homes()->are_of_pages()) return {};
  const std::span<const DomainId> domains = worker.team->places->domains_with_workers();
  return {SharedOut::instance().home_of(words, domains), false, false, Located::argument};
}

// What else is known of one of that kind, so deep: where a branch made tasks the last time says
// more than its own arguments. That is learned before tasks are sent home by it.
void add_branch(const Worker& worker, std::span<const std::uintptr_t> words, std::uint32_t depth,
                InSeries& known) noexcept {
  const Branches& branches = Branches::instance();
  if (!branches.are_branches(known.kind, depth)) return;
  known.is_branch = known.home.valid();
  known.branch = Branches::name_of(known.kind, depth, SharedOut::instance().pointers_among(words));
  if (!known.is_branch) return;
  const DomainId parts = branches.home_of_parts(known.branch);
  const std::span<const DomainId> domains = worker.team->places->domains_with_workers();
  if (std::find(domains.begin(), domains.end(), parts) != domains.end()) known.home = parts;
}

// The current task makes one with these words.
void tell_maker(const Worker& worker, std::span<const std::uintptr_t> words,
                DomainId home) noexcept {
  const Task& maker = *worker.current;
  Branches& branches = Branches::instance();
  branches.tell(maker.kind, maker.depth.load(std::memory_order_relaxed));
  if (maker.branch == 0) return;
  const std::span<const DomainId> domains = worker.team->places->domains_with_workers();
  branches.tell_part(maker.branch,
                     home.valid() ? home : SharedOut::instance().future_home_of(words, domains));
}

// The same of one that the current task makes.
InSeries next_in_recursion(const Worker& worker, std::uintptr_t code,
                           std::span<const std::uintptr_t> words) noexcept {
  if (!SharedOut::is_on() || !Engine::instance().homes()->are_of_pages()) return {};
  InSeries known = next_by_share(worker, words);
  tell_maker(worker, words, known.home);
  known.kind = Branches::instance().kind_of(code);
  add_branch(worker, words, worker.current->depth.load(std::memory_order_relaxed) + 1, known);
  return known;
}

// The same of one that begins a recursion: with a home if it is known as that.
InSeries next_trunk(Worker& worker, std::uintptr_t code,
                    std::span<const std::uintptr_t> words) noexcept {
  InSeries known;
  if (!SharedOut::is_on() || !worker.share_looks.next()) return known;
  known.kind = Branches::instance().kind_of(code);
  const bool begins_recursion = Branches::instance().are_branches(known.kind, 1);
  if (begins_recursion && SharedOut::gives_homes()) known.home = next_by_share(worker, words).home;
  if (known.home.valid()) known.located = Located::argument;
  add_branch(worker, words, 1, known);
  return known;
}

InSeries next_in_books(Worker& worker, std::uintptr_t code,
                       std::span<const std::uintptr_t> words) noexcept {
  decide::PartsByHome to_bring;
  const InSeries known = ask_books(worker, code, [&](CreatorBooks& books) {
    return next_by_arguments(worker, books, code, words, to_bring);
  });
  bring(to_bring);
  if (known.home.valid()) go_on(worker);
  return known.known() ? known : next_by_share(worker, words);
}

bool is_made_by_task(const Worker& worker) noexcept {
  return worker.current != &worker.implicit_task;
}

}  // namespace

InSeries next_in_series(Worker& worker, std::uintptr_t code,
                        std::span<const std::uintptr_t> words) noexcept {
  if (is_made_by_task(worker)) {
    return worker.share_looks.next() ? next_in_recursion(worker, code, words) : InSeries{};
  }
  const InSeries trunk = next_trunk(worker, code, words);
  if (trunk.home.valid()) return trunk;
  InSeries known = next_in_books(worker, code, words);
  known.kind = trunk.kind;
  known.branch = trunk.branch;
  return known;
}

namespace {

// Of a task with dependences: its name's home, or else its place in the series.
InSeries next_by_name(Worker& worker, Task& task, std::uintptr_t code,
                      std::span<const Dependence> dependences) noexcept {
  decide::PartsByHome to_bring;
  const InSeries known = ask_books(worker, code, [&](CreatorBooks& books) {
    if (Engine::bringer() != nullptr) books.names.expect_samples_away();
    const NamesOf names(dependences);
    const decide::Opinion opinion =
        decide::by_name(CreatingAlone(worker, books, code), books.series.of(code), code, names);
    worker.held_by_strong_names = opinion.strong;
    task.located = located_by(opinion.basis);
    const bool is_told_anew = opinion.names != 0 && worker.settles_series;
    if (is_told_anew && decide::are_settled(++worker.told_by_name, opinion.names)) {
      settle_no_more(worker);
    }
    // What holds the names of strong ones says nothing, whether their home is known or not.
    if (opinion.strong) task.flags |= task_flag::told;
    if (opinion.names != 0 && opinion.strong && opinion.home.valid()) {
      to_bring = parts_to_bring(worker, books, names.first_written(), opinion.begins);
    }
    return in_series(opinion);
  });
  bring(to_bring);
  return known;
}

}  // namespace

void submit_in_series(Worker& worker, Task& task, InSeries known) noexcept {
  record::created(worker, task, {}, 0);
  watch::created(worker, task, {}, false);
  count_child(task);
  count_created(worker, task);
  task.kind = known.kind;
  task.branch = known.branch;
  if (known.held) {
    hold_back(worker, task);
  } else {
    task.home = known.home;
    task.located = known.located;
    task.is_branch.store(known.is_branch, std::memory_order_relaxed);
    place_ready(worker, task);
  }
  record::resumed(worker);
}

void submit_perhaps_known(Worker& worker, Task& task, std::uintptr_t code,
                          std::span<const std::uintptr_t> words,
                          std::span<const Dependence> dependences) noexcept {
  give_group_data(worker, task);
  if (!may_be_in_series(worker)) return submit(worker, task, dependences);
  const bool plain = task.access_count == 0 && !task.home.valid() && task.priority == 0 &&
                     !task.has(task_flag::detachable);
  if (!plain) return submit(worker, task, dependences);
  if (dependences.empty()) {
    const InSeries known = next_in_series(worker, code, words);
    if (known.known()) return submit_in_series(worker, task, known);
    task.kind = known.kind;
    task.branch = known.branch;
    return submit(worker, task, {});
  }
  // Who used it last is known by its name alone where caches make the domains.
  if (!is_made_by_task(worker) && Engine::instance().homes()->are_of_pages()) {
    const InSeries known = next_by_name(worker, task, code, dependences);
    task.home = known.home;
    if (known.held) {
      task.flags |= task_flag::held;
    } else {
      release_held(worker);
    }
  }
  submit(worker, task, dependences);
}

void hold(Worker& worker, Task& task) noexcept { hold_back(worker, task); }

void stop_going_on_now(Worker& worker) noexcept {
  worker.goes_on = false;
  worker.team->goes_on.store(false, std::memory_order_relaxed);
  // Some may sleep although there is something, since that was left to others.
  pass_on(worker);
}

void end_round_of_series(Worker& worker) noexcept {
  worker.made_series = false;
  stop_going_on(worker);
  settle_no_more(worker);
  CreatorBooks& books = worker.team->books;
  const memory::TryLock::Guard lock(books.lock);
  if (lock) ++books.round;
}

}  // namespace lares::runtime

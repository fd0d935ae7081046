#include "host/openmp/binding.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <mutex>

#include "base/clock.hpp"
#include "base/file_size_limit.hpp"
#include "base/tick_rate.hpp"
#include "host/openmp/thread_moves.hpp"
#include "runtime/engine.hpp"
#include "runtime/first_domain.hpp"
#include "runtime/process_lock.hpp"

namespace lares::omp {

bool g_binds_by_data = false;
std::atomic<bool> g_some_had_none{false};
std::atomic<bool> g_learning_rests{true};

/// Complete before anybody sees it; never destroyed.
struct PlaceExchange {
  std::vector<std::uint16_t> to;       ///< where threads go that ran on a place, by place
  const runtime::Team* now = nullptr;  ///< whose threads go in the middle of their region
};

/// A master's team of one nesting level. The master's, and of the first thread of its next region.
/// Invariant: of one region at a time.
struct TeamMemory {
  bool is_used = false;                      ///< by a region; only its master touches it
  std::vector<std::uint16_t> places;         ///< of the last team that had some, by thread number
  bool had_none = false;                     ///< the last team of several threads
  bubbles::Memory bubble;                    ///< the same where a bubble scheduler places teams
  ProcessorMask allowed;                     ///< of the master, outside of the region
  std::uint64_t allowed_of = 0;              ///< t_before's version, if `allowed` is that; else 0
  const PlaceExchange* exchanged = nullptr;  ///< that `places` are after
  /// Apart from all that changes, also from what a processor fetches with its neighbour.
  alignas(128) Seating seating;
};

namespace {

struct Place {
  CoreId core;
  std::uint16_t domain = 0;
};

// Written when the library is loaded, then constant.
const std::vector<Place>* g_places = nullptr;  // never destroyed; null: Lares binds nothing
TeamOrder g_order = TeamOrder::spread;

// The process number of the team that uses a place, or 0. All processes of a run write and read it:
// a thread owns the place whose number it has changed from 0 to its own. Invariant: a place has one
// thread at a time, so no core is shared while another is idle.
std::atomic<std::uint32_t>* g_owners = nullptr;
std::atomic<std::uint32_t> g_process{0};  // our number; written at load and after a fork

LARES_PROCESS_LOCK(g_places_lock);
const void** g_last_master = nullptr;  // by place: whose team was there last; under g_places_lock

// Null until threads go to their data, then constant; any thread.
std::atomic<const PlaceExchange*> g_exchange{nullptr};
std::vector<std::uint16_t>* g_last_team = nullptr;  // the vector: under g_places_lock

std::atomic<bool> g_refused{false};  // any thread: the kernel lets nobody be bound
std::atomic<bool> g_program_binds{
    false};  // any thread: the program has bound one that we had bound

/// When the calling thread was bound, and what that cost it.
struct BoundTime {
  std::int64_t at = 0;
  std::int64_t binding_took = 0;
  std::int64_t letting_go_took = 0;  ///< the last time
  // In ticks, which cost little: each region asks for two.
  std::uint64_t left = 0;  ///< when its last region as a master ended; 0: in one, or never
  std::uint64_t gap = std::numeric_limits<std::uint64_t>::max();  ///< from one to its next
};

// Of a thread with a place: what it had before, and when it was bound.
__attribute__((tls_model("initial-exec"))) constinit thread_local ProcessorMask t_before;
__attribute__((tls_model("initial-exec"))) constinit thread_local std::uint64_t t_before_version =
    0;
__attribute__((tls_model("initial-exec"))) constinit thread_local BoundTime t_bound;
// What the thread's place is after.
__attribute__((tls_model("initial-exec"))) constinit thread_local const PlaceExchange* t_exchanged =
    nullptr;

constexpr std::size_t most_levels = 4;  // teams nested deeper are not bound
__attribute__((
    tls_model("initial-exec"))) constinit thread_local TeamMemory* t_memories[most_levels] = {};

std::span<const CoreId> cores_of(int place) noexcept {
  if (bubbles::on()) return bubbles::cores_of(place);
  return {&(*g_places)[static_cast<std::size_t>(place)].core, 1};
}

ProcessorMask mask_of(int place) noexcept {
  return omp::mask_of(runtime::Engine::instance().machine(), cores_of(place));
}

// The engine then need not ask the kernel where the thread runs. Not for a thread that the engine
// does not know: those of libgomp's inner teams live for one region, which mostly makes no tasks.
void tell_engine(std::span<const CoreId> cores) noexcept {
  const CoreId core = cores.size() == 1 ? cores[0] : CoreId{};
  runtime::ThreadState* thread = runtime::known_thread();
  if (thread == nullptr) return;
  thread->core = core;
  thread->core_known = core.valid();
  thread->core_followed = core.valid();
  if (thread->whereabouts == nullptr) return;
  const machine::Machine& machine = runtime::Engine::instance().machine();
  const OsCpu cpu = core.valid() ? machine.cores[core.index()].cpus.front() : OsCpu{};
  thread->whereabouts->cpu.store(cpu.value(), std::memory_order_relaxed);
}

void forget_binding() noexcept {
  if (t_place < 0) return;
  t_place = -1;
  tell_engine({});
}

void note_refusal() noexcept {
  if (g_refused.exchange(true, std::memory_order_relaxed)) return;
  runtime::Engine::instance().note(
      "threads are not bound, because the system refuses sched_setaffinity");
}

/// A bubble scheduler may have moved the calling thread, which nobody else binds now.
void catch_up() noexcept {
  if (t_place < 0 || bubbles::t_member == nullptr) return;
  const int wanted = bubbles::t_member->wanted.load(std::memory_order_seq_cst);
  if (wanted == t_place) return;
  mask_of(wanted).apply();  // once more, if somebody else has bound it already
  t_place = wanted;
  tell_engine(cores_of(wanted));
}

/// True if the thread is still where Lares put it; else somebody else has chosen its processors.
bool is_where_put() noexcept {
  const bubbles::HoldStill still;
  catch_up();
  return ProcessorMask::of_thread(0) == mask_of(t_place);
}

/// Binds the calling thread, or with -1 lets it go. Invariant: a bound thread's processors are some
/// of those that it had, and those that it had come back; what the program has changed, it keeps.
/// `own`: those of a thread that is not bound, if they are known.
void bind_to(int place, const ProcessorMask* own = nullptr) noexcept {
  if (place == t_place || g_refused.load(std::memory_order_relaxed)) return;
  if (t_place >= 0 && !is_where_put()) forget_binding();
  if (place < 0) {
    if (t_place >= 0) t_before.apply();
    forget_binding();
    return;
  }
  if (t_place < 0) {
    t_before = own != nullptr ? *own : ProcessorMask::of_thread(0);
    ++t_before_version;
  }
  const ProcessorMask wanted = mask_of(place);
  if (!t_before.contains(wanted)) return;
  const std::int64_t start = now().count;
  if (!wanted.apply()) return note_refusal();
  t_place = place;
  t_bound.at = now().count;
  t_bound.binding_took = t_bound.at - start;
  tell_engine(cores_of(place));
}

// --- who uses which place

bool is_gone(std::uint32_t process) noexcept {
  return kill(static_cast<pid_t>(process), 0) != 0 && errno == ESRCH;
}

/// Takes the place of a process that has ended in a region away from it.
bool is_free(std::size_t place) noexcept {
  std::uint32_t owner = g_owners[place].load(std::memory_order_relaxed);
  if (owner == 0) return true;
  if (owner == g_process.load(std::memory_order_relaxed) || !is_gone(owner)) return false;
  return g_owners[place].compare_exchange_strong(owner, 0, std::memory_order_relaxed);
}

// relaxed: the number itself is all that is shared.
bool take(std::size_t place) noexcept {
  std::uint32_t nobody = 0;
  return g_owners[place].compare_exchange_strong(nobody, g_process.load(std::memory_order_relaxed),
                                                 std::memory_order_relaxed);
}

/// A place of the parent's, after a fork inside of a region, stays the parent's.
void give_back(std::size_t place) noexcept {
  std::uint32_t us = g_process.load(std::memory_order_relaxed);
  g_owners[place].compare_exchange_strong(us, 0, std::memory_order_relaxed);
}

std::atomic<std::uint32_t>* map_owners(const char* session, std::size_t count) noexcept {
  char path[600];
  std::snprintf(path, sizeof(path), "%s/places", session);
  const std::size_t bytes = count * sizeof(std::atomic<std::uint32_t>);
  void* memory = MAP_FAILED;
  const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file >= 0) {
    if (bytes <= file_size_limit() && ftruncate(file, static_cast<off_t>(bytes)) == 0) {
      memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    }
    close(file);
  }
  if (memory == MAP_FAILED) memory = std::calloc(count, sizeof(std::atomic<std::uint32_t>));
  return static_cast<std::atomic<std::uint32_t>*>(memory);
}

// --- what masters remember

pthread_key_t g_memory_key;
pthread_once_t g_memory_key_once = PTHREAD_ONCE_INIT;

// At the end of a thread.
void forget_teams(void*) {
  for (TeamMemory*& memory : t_memories) {
    delete memory;
    memory = nullptr;
  }
}

}  // namespace

void set_up_binding(const machine::Machine& machine, const char* how,
                    const char* session) noexcept {
  if (how == nullptr) return;
  auto* places = new std::vector<Place>;
  for (std::size_t d = 0; d < machine.domains_with_cores(); ++d) {
    for (const CoreId core : machine.domains[d].cores) {
      places->push_back({core, static_cast<std::uint16_t>(d)});
    }
  }
  g_order = std::strcmp(how, "close") == 0 ? TeamOrder::close : TeamOrder::spread;
  g_last_team = new std::vector<std::uint16_t>;
  g_process.store(static_cast<std::uint32_t>(getpid()), std::memory_order_relaxed);
  g_owners = map_owners(session, places->size());
  g_last_master = static_cast<const void**>(std::calloc(places->size(), sizeof(void*)));
  if (g_owners != nullptr && g_last_master != nullptr) g_places = places;
  g_binds_by_data = g_places != nullptr && std::strcmp(how, "by-data") == 0;
  bubbles::set_up(machine, std::getenv("LARES_BUBBLES"));
}

std::vector<std::uint16_t> last_team() {
  const std::lock_guard lock(g_places_lock);
  return *g_last_team;
}

CoreId core_of_place(std::uint16_t place) noexcept { return (*g_places)[place].core; }
std::size_t domain_of_place(std::uint16_t place) noexcept { return (*g_places)[place].domain; }

namespace {

// The team's places are those of the exchange, so that whoever leaves one finds another thread's.
// A worker's place in the engine stays as it is: its region has had no tasks.
void go_where_exchanged(runtime::Worker& worker) noexcept {
  // acquire: it is complete.
  const PlaceExchange* const exchange = g_exchange.load(std::memory_order_acquire);
  if (exchange == t_exchanged) return;
  t_exchanged = exchange;
  if (worker.team != exchange->now || t_place < 0) return;
  bind_to(exchange->to[static_cast<std::size_t>(t_place)]);
  if (t_place >= 0) note_thread_move(0, cores_of(t_place));
}

}  // namespace

void exchange_places(std::vector<std::uint16_t> before, std::vector<std::uint16_t> after,
                     const runtime::Team* now) {
  auto* exchange = new PlaceExchange;
  exchange->now = now;
  for (std::size_t place = 0; place < g_places->size(); ++place) {
    exchange->to.push_back(static_cast<std::uint16_t>(place));
  }
  for (std::size_t i = 0; i < before.size(); ++i) exchange->to[before[i]] = after[i];
  g_exchange.store(exchange, std::memory_order_release);
  if (now != nullptr) runtime::Engine::set_after_barrier(go_where_exchanged);
}

bool are_places_exchanged() noexcept {
  return g_exchange.load(std::memory_order_relaxed) != nullptr;
}

void free_after_fork() noexcept {
  if (g_places == nullptr) return;
  g_process.store(static_cast<std::uint32_t>(getpid()), std::memory_order_relaxed);
  bind_to(-1);
  bubbles::end_after_fork();
}

// --- handing processors on

void Unbound::free() noexcept {
  const int error = errno;
  if (is_where_put()) {
    place_ = t_place;  // a bubble scheduler has moved it, perhaps
    t_before.apply();
  } else {
    place_ = -1;
  }
  errno = error;
}

void Unbound::bind_again() noexcept {
  const int error = errno;
  mask_of(place_).apply();
  errno = error;
}

const ProcessorMask* mask_before_binding() noexcept {
  if (t_place < 0) return nullptr;
  if (is_where_put()) return &t_before;
  forget_binding();
  return nullptr;
}

void leave_to_program() noexcept {
  g_program_binds.store(true, std::memory_order_relaxed);
  forget_binding();
}

bool has_program_bound() noexcept { return g_program_binds.load(std::memory_order_relaxed); }

// --- teams

namespace {

// Regions of ours that the calling thread is in; with a bubble scheduler, teams that are placed: a
// region of one thread may be the stock runtime's then.
std::size_t nesting_level() noexcept {
  if (bubbles::on()) return bubbles::t_team != nullptr ? bubbles::t_team->level() + 1 : 0;
  std::size_t level = 0;
  for (const runtime::Worker* worker = runtime::this_worker(); worker != nullptr;
       worker = worker->outer) {
    ++level;
  }
  return level;
}

std::uint16_t first_place() noexcept {
  const auto domain = static_cast<std::uint16_t>(runtime::first_domain().index());
  const auto at = std::find_if(g_places->begin(), g_places->end(),
                               [domain](const Place& place) { return place.domain == domain; });
  return at == g_places->end() ? std::uint16_t{0}
                               : static_cast<std::uint16_t>(at - g_places->begin());
}

// A task that a master runs while it joins a region may open one at the level of that.
TeamMemory* memory_of_this_thread(std::size_t level) noexcept {
  while (level < most_levels && t_memories[level] != nullptr && t_memories[level]->is_used) ++level;
  if (level >= most_levels) return nullptr;
  if (t_memories[level] != nullptr) return t_memories[level];
  pthread_once(&g_memory_key_once, [] { pthread_key_create(&g_memory_key, forget_teams); });
  t_memories[level] = new TeamMemory;
  pthread_setspecific(g_memory_key, &t_memories);
  return t_memories[level];
}

}  // namespace

void go_where_wanted(const ProcessorMask* own) noexcept {
  const bubbles::Member* const member = bubbles::t_member;
  if (member == nullptr || member->wanted.load(std::memory_order_seq_cst) == t_place) return;
  const bubbles::HoldStill still;
  bind_to(member->wanted.load(std::memory_order_seq_cst), own);
  catch_up();
}

TeamBinding::TeamBinding(int thread, bool asks) noexcept : thread_(thread) {
  if (g_places == nullptr || g_refused.load(std::memory_order_relaxed)) return;
  const std::size_t level = nesting_level();
  memory_ = memory_of_this_thread(level);
  if (memory_ == nullptr) return;
  memory_->is_used = true;
  inner_ = level > 0;
  if (inner_ && !bubbles::on()) {
    const runtime::Worker* const master = runtime::this_worker();
    masters_ = master != nullptr ? master->team->size() : 1;
    processor_ = sched_getcpu();
  }
  // Its own last region has left it bound, perhaps, in a region around that binds nobody.
  outer_place_ = inner_ && !is_bound_between_regions() ? t_place : -1;
  // By the master, which has written the program's data until now, perhaps.
  if (memory_->places.empty()) runtime::first_domain();
  if (t_place >= 0) {
    allowed_ = &t_before;
    allowed_version_ = t_before_version;
  }
  if (bubbles::on()) {
    if (t_place < 0 || memory_->allowed_of != allowed_version_ ||
        !bubble_.take_up_at_once(memory_->bubble)) {
      return;
    }
    chosen_ = true;
    alone_ = false;
    if (asks) t_births = this;
  } else if (asks && is_last_team_likely()) {
    t_births = this;
  }
}

// Whether a team is likely to get the places of the master's last one. Then its threads stay there,
// if they are kept: where one has its master's processors it may run on the master's core, and then
// one of the two waits for the other for a time slice.
bool TeamBinding::is_last_team_likely() noexcept {
  const auto& places = memory_->places;
  if (places.size() < 2 || (outer_place_ >= 0 && places[0] != outer_place_)) return false;
  same_allowed_ = learn_allowed();
  return *same_allowed_;
}

TeamBinding::~TeamBinding() {
  if (t_births == this) t_births = nullptr;
  if (memory_ == nullptr) return;
  memory_->is_used = false;
  if (alone_) return;
  let_master_go();
  if (!chosen_ || bubble_.is_chosen()) return;
  for (std::size_t i = outer_place_ >= 0 ? 1 : 0; i < memory_->places.size(); ++i) {
    give_back(memory_->places[i]);
  }
}

// What the master may use outside of the region. True if that is what it was for its last team.
// Asked for each team of a master that is not bound, since anybody may have changed it.
bool TeamBinding::learn_allowed() noexcept {
  ProcessorMask asked;
  if (allowed_ == nullptr) asked = ProcessorMask::of_thread(thread_);
  const ProcessorMask& allowed = allowed_ != nullptr ? *allowed_ : asked;
  memory_->allowed_of = allowed_version_;
  if (allowed == memory_->allowed) return true;
  memory_->allowed = allowed;
  return false;
}

void TeamBinding::choose(std::size_t size) noexcept {
  alone_ = size <= 1;
  if (memory_ == nullptr) return;
  if (alone_) return forgo();
  if (bubbles::on()) {
    learn_allowed();
    bubble_.choose(size, memory_->allowed, memory_->bubble);
    chosen_ = true;
    return;
  }
  memory_->had_none = !take_places(size);
  if (!inner_ || !memory_->had_none) return;
  g_some_had_none.store(true, std::memory_order_relaxed);
  // Threads that meet often are best on one processor: as many of each team as have to share one,
  // if all around have a team, begin on their master's. The system may move them.
  sharing_ = (masters_ * size + g_places->size() - 1) / g_places->size();
}

// True if the team has some now.
bool TeamBinding::take_places(std::size_t size) noexcept {
  if (size > g_places->size()) return false;  // some would share a core, so nothing is asked
  const bool same_allowed = same_allowed_ ? *same_allowed_ : learn_allowed();
  const std::lock_guard lock(g_places_lock);
  const std::size_t first = outer_place_ >= 0 ? 1 : 0;
  const auto may_run = [&](std::uint16_t place) {
    return memory_->allowed.contains(mask_of(place));
  };
  auto& team = memory_->places;
  if (!inner_) follow_exchange(team, may_run);
  const bool same = same_allowed && team.size() == size &&
                    (first == 0 || team[0] == outer_place_) &&
                    std::all_of(team.begin() + static_cast<std::ptrdiff_t>(first), team.end(),
                                [](std::uint16_t place) { return is_free(place); });
  if (!same) {
    std::vector<PlaceState> states(g_places->size());
    for (std::size_t i = 0; i < states.size(); ++i) {
      const void* last = g_last_master[i];
      states[i] = {(*g_places)[i].domain, is_free(i) && may_run(static_cast<std::uint16_t>(i)),
                   last != nullptr && last != memory_};
    }
    std::optional<std::uint16_t> master;
    if (first == 1) master = static_cast<std::uint16_t>(outer_place_);
    auto found = places_for_team(states, size, g_order, master, first_place());
    if (!found) return false;
    team = std::move(*found);
    memory_->exchanged = nullptr;
    if (!inner_) follow_exchange(team, may_run);
  }
  for (std::size_t i = first; i < size; ++i) {
    if (!take(team[i])) {  // another process was faster
      while (i-- > first) give_back(team[i]);
      return false;
    }
  }
  for (const std::uint16_t place : team) g_last_master[place] = memory_;
  if (g_binds_by_data && !inner_ && *g_last_team != team) *g_last_team = team;
  chosen_ = true;
  return true;
}

// Regions within this one are at its level: what was taken up for it is for them.
void TeamBinding::forgo() noexcept {
  bubble_.give_up();
  chosen_ = false;
  memory_->is_used = false;
}

/// With the lock of the places. A team that may not be where the exchange would put it stays.
template <class MayRun>
void TeamBinding::follow_exchange(std::vector<std::uint16_t>& team, MayRun may_run) noexcept {
  // acquire: it is complete.
  const PlaceExchange* const exchange = g_exchange.load(std::memory_order_acquire);
  if (exchange == memory_->exchanged) return;
  memory_->exchanged = exchange;
  const bool possible = std::all_of(team.begin(), team.end(), [&](std::uint16_t place) {
    return is_free(exchange->to[place]) && may_run(exchange->to[place]);
  });
  if (!possible) return;
  for (std::uint16_t& place : team) place = exchange->to[place];
}

std::optional<Birthplace> TeamBinding::next_birthplace() noexcept {
  // The runtimes make a team's threads in the order of their numbers; one of another number goes to
  // its own place as it enters. None of them runs the program before all are made, so nobody
  // chooses anew meanwhile.
  ++births_;
  if (g_refused.load(std::memory_order_relaxed)) return std::nullopt;
  if (bubbles::on()) {
    if (births_ >= bubble_.size()) return std::nullopt;
    return Birthplace{bubble_.place_of(births_), &memory_->allowed};
  }
  // Of the last team. It is taken as the team is chosen; who has lost it by then goes elsewhere.
  if (births_ >= memory_->places.size() || !is_free(memory_->places[births_])) return std::nullopt;
  return Birthplace{memory_->places[births_], &memory_->allowed};
}

ProcessorMask mask_of_place(int place) noexcept { return mask_of(place); }

void bind_as_new(int place, const ProcessorMask& own) noexcept {
  if (place != t_place && !mask_of(place).apply()) {
    note_refusal();
    return free_as_new(own);
  }
  t_before = own;
  ++t_before_version;
  t_place = place;
  t_bound.at = now().count;
  tell_engine(cores_of(place));
}

void free_as_new(const ProcessorMask& own) noexcept {
  forget_binding();
  if (own.bytes != 0 && !(ProcessorMask::of_thread(0) == own)) own.apply();
}

bool is_bound_between_regions() noexcept { return t_place >= 0 && t_bound.left != 0; }

namespace {
const TeamMemory* inner_team(std::size_t depth) noexcept {
  return depth < most_levels && t_memories[depth] != nullptr && !t_memories[depth]->is_used
             ? t_memories[depth]
             : nullptr;
}
}  // namespace

bool is_inner_team_bound(std::size_t depth, std::size_t size) noexcept {
  const TeamMemory* const memory = inner_team(depth);
  if (size == 0) return memory == nullptr || !memory->had_none;
  return memory != nullptr && !memory->had_none && memory->places.size() == size;
}

std::optional<Birthplace> last_birthplace(std::size_t depth, std::size_t number) noexcept {
  const TeamMemory* const memory = inner_team(depth);
  const bool may_stay = memory != nullptr && !memory->had_none && number < memory->places.size() &&
                        !g_refused.load(std::memory_order_relaxed) &&
                        is_free(memory->places[number]);
  if (!may_stay) return std::nullopt;
  return Birthplace{memory->places[number], nullptr};
}

void let_go() noexcept { bind_to(-1); }

void bind_again(int place) noexcept {
  if (t_place >= 0) return bind_to(place);  // by a region in between
  if (ProcessorMask::of_thread(0) == t_before) bind_to(place, &t_before);
}

void TeamBinding::enter(std::size_t number) noexcept {
  if (t_births == this) t_births = nullptr;
  if (alone_ || memory_ == nullptr) return;
  // Thread 0 is the master.
  if (number == 0 && t_bound.left != 0) {
    t_bound.gap = ticks() - t_bound.left;
    t_bound.left = 0;  // what it opens inside of this region tells nothing
  }
  if (number != 0) t_bound.left = 0;  // it is bound for the sake of this one
  const ProcessorMask* const own = number == 0 ? &memory_->allowed : nullptr;
  if (bubbles::on() && chosen_) return enter_bubble(number, own);
  // Inner teams have chosen their places without regard to any.
  t_exchanged = inner_ ? g_exchange.load(std::memory_order_relaxed) : memory_->exchanged;
  bind_to(chosen_ ? memory_->places[number] : -1, own);
  if (number != 0 && number < sharing_) go_to_processor(processor_);
}

namespace {
int system_number() noexcept {
  const runtime::ThreadState* const known = runtime::known_thread();
  return known != nullptr ? known->system_id.load(std::memory_order_relaxed) : gettid();
}
}  // namespace

void TeamBinding::enter_bubble(std::size_t number, const ProcessorMask* own) noexcept {
  bubbles::Member& member = bubble_.join(number);
  if (number == 0 && bubble_.is_inner()) return go_where_wanted(own);
  begin(member, own);
}

Seating* TeamBinding::last_seating() const noexcept {
  return memory_ != nullptr ? &memory_->seating : nullptr;
}

void TeamBinding::enter_as(bubbles::Member& member) noexcept {
  bubble_.join_as(member);
  begin(member, nullptr);
}

void TeamBinding::begin(bubbles::Member& member, const ProcessorMask* own) noexcept {
  // It is held still since its last thread has left: nobody else binds it before it knows which
  // processors it had.
  member.thread.store(system_number(), std::memory_order_relaxed);  // seen by whoever sees it go on
  bind_to(member.wanted.load(std::memory_order_seq_cst), own);
  member.still.store(false, std::memory_order_seq_cst);
  go_where_wanted(own);  // whoever moved it before could not bind it
  // It was bound before the engine knew it.
  const runtime::ThreadState* const known = runtime::known_thread();
  if (known != nullptr && !known->core_known && t_place >= 0) tell_engine(cores_of(t_place));
}

void TeamBinding::leave_bubble(std::size_t number) noexcept {
  if (number != 0) return leave_own();
  if (!bubble_.is_inner()) {
    bubbles::leave_for_good();
    catch_up();
  }
  bubble_.leave(number);
}

void TeamBinding::leave_own() noexcept {
  bubbles::leave_for_good();
  catch_up();
  bubbles::Team::leave_own();
}

// To be bound and let go takes some microseconds: what the many small regions of a loop would feel.
// Where other programs compete for the cores it takes a time slice of milliseconds, as a thread
// whose processors change queues for its core anew. So the master stays bound between regions
// until that is a small part of the time, and nothing that it starts notices (inheritance.cpp). It
// also does so where the next region follows soon, as far as the last one tells: tasks of regions
// of a millisecond took up to 1.6 times as long with a master that was let go between them.
void TeamBinding::let_master_go() const noexcept {
  if (bubble_.is_inner()) return go_where_wanted(nullptr);
  if (outer_place_ >= 0) return bind_to(outer_place_);
  if (t_place < 0) return;
  constexpr std::int64_t least = 100'000;
  constexpr std::int64_t most = 200'000'000;
  constexpr std::int64_t part = 50;
  // The rate is right within a factor of two.
  const std::uint64_t surely_less =
      static_cast<std::uint64_t>(least / 2'000) * ticks_per_microsecond();
  t_bound.left = ticks() | 1U;
  if (t_bound.gap < surely_less) return;
  const std::int64_t price = t_bound.binding_took + t_bound.letting_go_took;
  const std::int64_t worthwhile = std::clamp(part * price, least, most);
  const auto gap = static_cast<std::int64_t>(t_bound.gap / ticks_per_microsecond()) * 1'000;
  const std::int64_t start = now().count;
  if (start - t_bound.at < worthwhile || gap < worthwhile) return;
  bind_to(-1);
  t_bound.letting_go_took = now().count - start;
}

}  // namespace lares::omp

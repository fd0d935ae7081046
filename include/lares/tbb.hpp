// Locality queues on top of oneTBB (Wittmann & Hager 2010, section 3.2), for C++20 and oneTBB
// 2021.6 or newer: an arena for each locality domain with threads bound to it, loops and task
// groups whose pieces run in the domain of their data while that domain has threads for them, and
// elsewhere before a thread stays idle. Needs liblares and libtbb: target_link_libraries(...
// Lares::lares TBB::tbb).
#ifndef LARES_TBB_HPP
#define LARES_TBB_HPP

#include <lares/lares.h>
#include <lares/memory.h>
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/concurrent_queue.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <oneapi/tbb/task_scheduler_observer.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace lares {

/// Whether an arena's threads stay on the processors of their domain while they are in it.
enum class Binding : unsigned char { domain, none };

namespace internal {

/// Processors, as the system's calls take them: as many words as the machine needs.
class ProcessorMask {
 public:
  ProcessorMask() = default;
  explicit ProcessorMask(const std::vector<int>& cpus) {
    for (const int cpu : cpus) {
      const auto at = static_cast<std::size_t>(cpu);
      if (words_.size() <= at / bits) words_.resize(at / bits + 1);
      words_[at / bits] |= 1UL << at % bits;
    }
  }
  /// The calling thread's; empty if the system does not tell.
  static ProcessorMask of_this_thread() {
    ProcessorMask mask;
    for (std::size_t words = 16; words <= 1024; words *= 2) {
      mask.words_.assign(words, 0);
      if (sched_getaffinity(0, mask.bytes(), mask.set()) == 0) return mask;
    }
    return {};
  }
  [[nodiscard]] std::vector<int> list() const {
    std::vector<int> cpus;
    for (std::size_t at = 0; at < words_.size() * bits; ++at) {
      if ((words_[at / bits] >> at % bits & 1UL) != 0) cpus.push_back(static_cast<int>(at));
    }
    return cpus;
  }
  /// 0, or an errno.
  [[nodiscard]] int bind_this_thread() const {
    if (words_.empty()) return EINVAL;
    return sched_setaffinity(0, bytes(), const_cast<ProcessorMask*>(this)->set()) == 0 ? 0 : errno;
  }

 private:
  static constexpr std::size_t bits = 8 * sizeof(unsigned long);
  [[nodiscard]] std::size_t bytes() const { return words_.size() * sizeof(unsigned long); }
  cpu_set_t* set() { return reinterpret_cast<cpu_set_t*>(words_.data()); }
  std::vector<unsigned long> words_;
};

/// Binds whoever enters an arena, and gives threads back as they came.
class Binder final : public oneapi::tbb::task_scheduler_observer {
 public:
  Binder(oneapi::tbb::task_arena& arena, const std::vector<int>& cpus)
      : task_scheduler_observer(arena), mask_(cpus) {
    observe(true);
  }
  ~Binder() override { close(); }
  Binder(const Binder&) = delete;
  Binder& operator=(const Binder&) = delete;

  void on_scheduler_entry(bool /*worker*/) override {
    inside_.fetch_add(1);
    came_with().push_back(ProcessorMask::of_this_thread());
    if (const int error = mask_.bind_this_thread(); error != 0) {
      refused_.store(error, std::memory_order_relaxed);
    }
  }
  void on_scheduler_exit(bool /*worker*/) override {
    if (!came_with().empty()) {
      static_cast<void>(came_with().back().bind_this_thread());
      came_with().pop_back();
    }
    inside_.fetch_sub(1);
  }
  /// Lets the threads go that are still about to leave, as they do when they find no work, and
  /// binds nobody from then on.
  void close() {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    while (is_observing() && inside_.load() > 0 && std::chrono::steady_clock::now() < limit) {
      std::this_thread::yield();
    }
    observe(false);
  }
  /// An errno if some thread could not be bound, else 0.
  [[nodiscard]] int refused() const { return refused_.load(std::memory_order_relaxed); }

 private:
  // A thread that enters an arena from inside another leaves it before it goes on there.
  static std::vector<ProcessorMask>& came_with() {
    static thread_local std::vector<ProcessorMask> masks;
    return masks;
  }
  ProcessorMask mask_;
  std::atomic<int> refused_{0};
  std::atomic<int> inside_{0};  ///< threads that entered and have not left
};

/// What DomainArenas is made of. Runners that come late, when nothing is left to do, may outlive
/// it: they share this.
class ArenaSet : public std::enable_shared_from_this<ArenaSet> {
 public:
  ArenaSet(const std::vector<std::vector<int>>& cpus, Binding binding) {
    for (std::size_t d = 0; d < cpus.size(); ++d) add(static_cast<int>(d), cpus[d], binding);
    if (domains_.empty()) throw std::invalid_argument("DomainArenas: no domain has a processor");
    for (std::size_t d = 0; d < cpus.size(); ++d) {
      arena_of_.push_back(nearest_first(static_cast<int>(d)).front());
    }
    for (const auto& domain : domains_) domain->visits = nearest_first(domain->number);
  }

  [[nodiscard]] std::size_t size() const noexcept { return domains_.size(); }
  [[nodiscard]] bool is_domain(int domain) const noexcept {
    return domain >= 0 && static_cast<std::size_t>(domain) < arena_of_.size();
  }
  [[nodiscard]] std::size_t index_of(int domain) const noexcept {
    return is_domain(domain) ? arena_of_[static_cast<std::size_t>(domain)] : 0;
  }
  [[nodiscard]] oneapi::tbb::task_arena& arena(std::size_t index) { return domains_[index]->arena; }
  [[nodiscard]] int domain(std::size_t index) const { return domains_[index]->number; }
  [[nodiscard]] const std::vector<int>& processors(std::size_t index) const {
    return domains_[index]->cpus;
  }
  [[nodiscard]] const std::vector<std::size_t>& visits(std::size_t index) const {
    return domains_[index]->visits;
  }
  [[nodiscard]] std::size_t here() const {
    const Inside& inside = inside_now();
    if (inside.arenas == this) return inside.index;
    const int cpu = sched_getcpu();
    for (std::size_t i = 0; i < size(); ++i) {
      const std::vector<int>& cpus = domains_[i]->cpus;
      if (std::find(cpus.begin(), cpus.end(), cpu) != cpus.end()) return i;
    }
    return 0;
  }
  [[nodiscard]] std::string refusal() const {
    for (const auto& domain : domains_) {
      const int error = domain->binder ? domain->binder->refused() : 0;
      if (error == 0) continue;
      return "threads could not be bound to domain " + std::to_string(domain->number) + ": " +
             std::strerror(error);
    }
    return {};
  }
  /// Binds nobody from now on.
  void close() {
    for (const auto& domain : domains_) {
      if (domain->binder) domain->binder->close();
    }
  }

  /// Runs `work()` in an arena, on this thread where there is a slot for it.
  template <class Work>
  void execute_in(std::size_t index, Work&& work) {
    if (inside_now().arenas == this) return work();
    arena(index).execute([&] {
      const Scope scope(*this, index);
      work();
    });
  }
  /// Has `work()` run in an arena by one of its threads. It must not throw.
  template <class Work>
  void enqueue_in(std::size_t index, Work work) {
    arena(index).enqueue([self = shared_from_this(), index, work = std::move(work)] {
      const Scope scope(*self, index);
      work();
    });
  }

 private:
  struct Domain {
    Domain(int id, const std::vector<int>& processors, Binding binding)
        : number(id), cpus(processors), arena(static_cast<int>(processors.size()), 0) {
      if (binding == Binding::domain) binder = std::make_unique<Binder>(arena, processors);
    }
    int number;
    std::vector<int> cpus;
    oneapi::tbb::task_arena arena;
    std::unique_ptr<Binder> binder;
    std::vector<std::size_t> visits;
  };
  /// In whose work a thread is.
  struct Inside {
    const ArenaSet* arenas = nullptr;
    std::size_t index = 0;
  };
  class Scope {
   public:
    Scope(const ArenaSet& arenas, std::size_t index)
        : before_(std::exchange(inside_now(), Inside{&arenas, index})) {}
    ~Scope() { inside_now() = before_; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Inside before_;
  };
  static Inside& inside_now() {
    static thread_local Inside inside;
    return inside;
  }

  void add(int number, const std::vector<int>& cpus, Binding binding) {
    if (std::any_of(cpus.begin(), cpus.end(), [](int cpu) { return cpu < 0; })) {
      throw std::invalid_argument("DomainArenas: a processor's number is negative");
    }
    if (!cpus.empty()) domains_.push_back(std::make_unique<Domain>(number, cpus, binding));
  }
  /// The arenas, nearest to a domain first; those that nobody knows a distance of by their numbers.
  [[nodiscard]] std::vector<std::size_t> nearest_first(int from) const {
    const auto distance = [&](std::size_t index) {
      const int to = domains_[index]->number;
      if (to == from) return 0;
      const int known = lares_distance(from, to);
      return known > 0 ? known : std::numeric_limits<int>::max();
    };
    std::vector<std::size_t> order(domains_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return distance(a) < distance(b); });
    return order;
  }

  std::vector<std::unique_ptr<Domain>> domains_;
  std::vector<std::size_t> arena_of_;  ///< by domain
};

}  // namespace internal

/// A oneTBB arena for each locality domain that has processors. Unlike
/// oneapi::tbb::info::numa_nodes() it never answers that it does not know: where the system shows
/// no domains there is one arena with all processors, and shortfall() says why.
///
/// The threads are oneTBB's own; a domain's arena has as many slots as the domain has processors.
/// Thread safety: all member functions but the destructor, which must not be called from inside the
/// arenas nor while work is in them.
class DomainArenas {
 public:
  /// The domains of lares_domain_count(): under `lares run` those of the run, else the NUMA nodes
  /// that the process may use.
  explicit DomainArenas(Binding binding = Binding::domain)
      : DomainArenas(processors_of_domains(), binding) {
    if (size() > 1) return;
    shortfall_ = lares_domain_count() > 1
                     ? "only one domain has processors that this process may use"
                     : "the system shows one domain: there is one arena, and all data is at home";
  }
  /// Domains of the caller's choice: `cpus[d]` are the system's numbers of domain d's processors. A
  /// domain may have none: its work goes to the nearest one that has. Throws std::invalid_argument
  /// if all are empty or a number is negative.
  explicit DomainArenas(const std::vector<std::vector<int>>& cpus,
                        Binding binding = Binding::domain)
      : set_(std::make_shared<internal::ArenaSet>(cpus, binding)) {}
  ~DomainArenas() { set_->close(); }
  DomainArenas(const DomainArenas&) = delete;
  DomainArenas& operator=(const DomainArenas&) = delete;

  /// One for the whole process, made at its first use and never destroyed.
  static DomainArenas& usual() {
    static auto* const arenas = new DomainArenas;
    return *arenas;
  }

  /// Arenas: the domains that have processors.
  [[nodiscard]] std::size_t size() const noexcept { return set_->size(); }
  [[nodiscard]] bool is_domain(int domain) const noexcept { return set_->is_domain(domain); }
  /// The arena that serves a domain; any arena for a number that is no domain's.
  [[nodiscard]] std::size_t index_of(int domain) const noexcept { return set_->index_of(domain); }
  [[nodiscard]] oneapi::tbb::task_arena& arena(std::size_t index) { return set_->arena(index); }
  /// The domain's number, and its processors.
  [[nodiscard]] int domain(std::size_t index) const { return set_->domain(index); }
  [[nodiscard]] const std::vector<int>& processors(std::size_t index) const {
    return set_->processors(index);
  }
  /// All arenas as seen from one of them, itself first, by lares_distance().
  [[nodiscard]] const std::vector<std::size_t>& visits(std::size_t index) const {
    return set_->visits(index);
  }
  /// The arena of the domain that the calling thread is in: the one whose work it runs, else that
  /// of the processor that it is on.
  [[nodiscard]] std::size_t here() const { return set_->here(); }
  /// Empty, or one sentence that says what is less than one would expect, and why.
  [[nodiscard]] std::string shortfall() const {
    const std::string refusal = set_->refusal();
    return refusal.empty() ? shortfall_ : refusal;
  }

  [[nodiscard]] const std::shared_ptr<internal::ArenaSet>& internal_set() const { return set_; }

 private:
  static std::vector<std::vector<int>> processors_of_domains() {
    std::vector<std::vector<int>> all;
    for (int d = 0; d < lares_domain_count(); ++d) {
      std::vector<int> cpus(lares_domain_processors(d, nullptr, 0));
      cpus.resize(std::min(cpus.size(), lares_domain_processors(d, cpus.data(), cpus.size())));
      all.push_back(std::move(cpus));
    }
    const bool none = std::all_of(all.begin(), all.end(), [](auto& cpus) { return cpus.empty(); });
    if (none) all = {internal::ProcessorMask::of_this_thread().list()};
    if (none && all.front().empty()) all = {{0}};
    return all;
  }

  std::shared_ptr<internal::ArenaSet> set_;
  std::string shortfall_;
};

namespace internal {

/// A locality queue for each arena, and the runners that empty them.
///
/// Invariant: while something is queued, either a runner is coming or looking that has not yet seen
/// all queues empty since, or every arena has as many runners as processors. A runner leaves only
/// after it has counted itself out and then seen nothing queued; who queues something counts it
/// first and then looks for an arena that is short of runners. Both orders are sequentially
/// consistent, so one of the two sees the other.
template <class Item, class Run>
class LocalityQueues : public std::enable_shared_from_this<LocalityQueues<Item, Run>> {
 public:
  LocalityQueues(std::shared_ptr<ArenaSet> arenas, Run run)
      : arenas_(std::move(arenas)), run_(std::move(run)), queues_(arenas_->size()) {}

  /// Thread safe.
  void push(std::size_t home, Item item) {
    queues_[home].entries.push(Entry{std::move(item), group_.defer([] {})});
    queued_.fetch_add(1, std::memory_order_seq_cst);
    hire(home);
  }
  /// Calls `fill()`, which pushes, from inside the arena of the domain that the thread is in; then
  /// runs what is queued and waits for what others run. Throws what the first of them threw, or
  /// what `fill()` throws.
  template <class Fill>
  void run_all(Fill fill) {
    arenas_->execute_in(arenas_->here(), [this, &fill] {
      const std::size_t index = arenas_->here();
      // A runner where this thread has the last slot would wait for it, and keep one of oneTBB's
      // threads from where it is needed.
      const bool counted = take_place(index);
      try {
        fill();
      } catch (...) {
        fail();
      }
      counted ? serve(index) : empty_queues(index);
      group_.wait();
    });
    const std::lock_guard lock(lock_);
    stopped_.store(false, std::memory_order_relaxed);
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }
  /// What has not begun is dropped, until the next run_all() is over.
  void stop() noexcept { stopped_.store(true, std::memory_order_relaxed); }

 private:
  struct Entry {
    Item item{};
    oneapi::tbb::task_handle open;  ///< keeps run_all() waiting until it is dropped
  };
  struct alignas(128) Queue {
    oneapi::tbb::concurrent_queue<Entry> entries;
    std::atomic<std::size_t> runners{0};  ///< in this arena, those to come included
  };

  bool take_place(std::size_t index) {
    std::atomic<std::size_t>& runners = queues_[index].runners;
    std::size_t now = runners.load(std::memory_order_seq_cst);
    while (now < arenas_->processors(index).size()) {
      if (runners.compare_exchange_weak(now, now + 1, std::memory_order_seq_cst)) return true;
    }
    return false;
  }
  /// At home if there is a place, else as near as there is one.
  void hire(std::size_t home) {
    for (const std::size_t index : arenas_->visits(home)) {
      if (!take_place(index)) continue;
      arenas_->enqueue_in(index, [self = this->shared_from_this(), index] { self->serve(index); });
      return;
    }
  }
  void serve(std::size_t index) {
    do {
      empty_queues(index);
      queues_[index].runners.fetch_sub(1, std::memory_order_seq_cst);
    } while (queued_.load(std::memory_order_seq_cst) > 0 && take_place(index));
  }
  void empty_queues(std::size_t index) {
    for (Entry entry; take(index, entry);) {
      perform(entry);
      entry = Entry{};
    }
  }
  /// The oldest of the own queue, else of the nearest that has one.
  bool take(std::size_t index, Entry& entry) {
    for (const std::size_t from : arenas_->visits(index)) {
      if (!queues_[from].entries.try_pop(entry)) continue;
      queued_.fetch_sub(1, std::memory_order_seq_cst);
      return true;
    }
    return false;
  }
  void perform(Entry& entry) noexcept {
    if (stopped_.load(std::memory_order_relaxed)) return;
    try {
      run_(entry.item);
    } catch (...) {
      fail();
    }
  }
  void fail() noexcept {
    const std::lock_guard lock(lock_);
    if (!error_) error_ = std::current_exception();
    stop();
  }

  std::shared_ptr<ArenaSet> arenas_;
  Run run_;
  std::vector<Queue> queues_;
  alignas(128) std::atomic<std::ptrdiff_t> queued_{0};  ///< below 0 for a moment, if taken at once
  std::atomic<bool> stopped_{false};
  std::mutex lock_;
  std::exception_ptr error_;  ///< under the lock
  oneapi::tbb::task_group group_;
};

}  // namespace internal

/// Runs `body(piece)` for pieces of `range` that cover it, each once, and returns when all have
/// ended. The range is divided as oneTBB's simple_partitioner divides it, so its grain is the size
/// of a piece. `homes(piece)` is the domain of a piece's data; a piece for which it is no domain's
/// number is dealt to the domains in turn.
///
/// Inside a domain scheduling is dynamic. A thread whose domain has nothing left takes pieces of
/// the nearest other domain: no idle threads go before locality (Wittmann & Hager 2010, 2.2).
///
/// The calling thread divides the range, then works, in the arena of the domain it is in; it is as
/// bound as before when the call returns. `body` is called by several threads at once, as in
/// oneapi::tbb::parallel_for. If one throws, pieces that have not begun are dropped and the call
/// throws that. May be called by any thread, from inside other work as well, of these arenas too. A
/// oneTBB context around the call that is cancelled does not reach into it: its pieces end first.
template <class Range, class Homes, class Body>
  requires std::is_invocable_r_v<int, Homes&, const Range&> && std::invocable<const Body&, Range&>
void parallel_for(DomainArenas& arenas, const Range& range, Homes homes, const Body& body) {
  if (range.empty()) return;
  const auto run = [&body](std::unique_ptr<Range>& piece) { body(*piece); };
  using Queues = internal::LocalityQueues<std::unique_ptr<Range>, decltype(run)>;
  const auto queues = std::make_shared<Queues>(arenas.internal_set(), run);
  queues->run_all([&, in_turn = std::size_t{0}]() mutable {
    std::vector<Range> left;  // the front of the range last
    left.push_back(range);
    while (!left.empty()) {
      while (left.back().is_divisible()) {
        Range front(left.back());
        left.pop_back();
        const Range back(front, oneapi::tbb::split());
        left.push_back(back);
        left.push_back(front);
      }
      const int home = homes(std::as_const(left.back()));
      const std::size_t index =
          arenas.is_domain(home) ? arenas.index_of(home) : in_turn++ % arenas.size();
      queues->push(index, std::make_unique<Range>(left.back()));
      left.pop_back();
    }
  });
}

/// The same with the arenas of the process.
template <class Range, class Homes, class Body>
  requires std::is_invocable_r_v<int, Homes&, const Range&> && std::invocable<const Body&, Range&>
void parallel_for(const Range& range, Homes homes, const Body& body) {
  parallel_for(DomainArenas::usual(), range, std::move(homes), body);
}

/// The homes of an array's elements for parallel_for over their indices: the domain of a piece's
/// middle element, as its page is now; asked once, when this is made. Pages that nobody has touched
/// have no home. A value; copies share nothing.
class PageHomes {
 public:
  /// `data` are `count` elements of type T, one for each index.
  template <class T>
  PageHomes(const T* data, std::size_t count)
      : begin_(reinterpret_cast<std::uintptr_t>(data)),
        element_(sizeof(T)),
        page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
    domains_.resize(lares_page_homes(data, count * sizeof(T), nullptr, 0));
    lares_page_homes(data, count * sizeof(T), domains_.data(), domains_.size());
  }
  template <class Index>
  int operator()(const oneapi::tbb::blocked_range<Index>& piece) const {
    const auto middle = static_cast<std::size_t>(piece.begin() + (piece.end() - piece.begin()) / 2);
    const std::size_t page = (begin_ + middle * element_) / page_ - begin_ / page_;
    return page < domains_.size() ? domains_[page] : -1;
  }

 private:
  std::uintptr_t begin_;
  std::size_t element_;
  std::size_t page_;
  std::vector<int> domains_;
};

/// Homes by index: each domain gets one part of [0, count), as large as its share of the
/// processors. The same in the loop that initialises an array and in those that work on it, it
/// keeps them at home wherever that is.
class StaticHomes {
 public:
  explicit StaticHomes(std::size_t count, const DomainArenas& arenas = DomainArenas::usual()) {
    std::size_t all = 0;
    for (std::size_t i = 0; i < arenas.size(); ++i) all += arenas.processors(i).size();
    std::size_t before = 0;
    for (std::size_t i = 0; i < arenas.size(); ++i) {
      before += arenas.processors(i).size();
      parts_.push_back({count / all * before + count % all * before / all, arenas.domain(i)});
    }
  }
  template <class Index>
  int operator()(const oneapi::tbb::blocked_range<Index>& piece) const {
    const auto middle = static_cast<std::size_t>(piece.begin() + (piece.end() - piece.begin()) / 2);
    for (const Part& part : parts_) {
      if (middle < part.end) return part.domain;
    }
    return -1;
  }

 private:
  struct Part {
    std::size_t end;
    int domain;
  };
  std::vector<Part> parts_;
};

/// Tasks with homes, as oneapi::tbb::task_group without. Thread safe but for wait() and the
/// destructor, which are for one thread at a time.
class TaskGroup {
 public:
  explicit TaskGroup(DomainArenas& arenas = DomainArenas::usual())
      : arenas_(arenas), queues_(std::make_shared<Queues>(arenas.internal_set(), RunTask{})) {}
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;
  /// Drops what has not begun and waits for the rest; what that throws is lost. Call wait().
  ~TaskGroup() {
    queues_->stop();
    try {
      wait();
    } catch (...) {  // the caller did not want to know
    }
  }

  /// Queues `work` in the domain `home`, or anywhere if that is no domain's number. Tasks may call
  /// it, of the same group as well.
  template <class Work>
    requires std::invocable<std::decay_t<Work>&>
  void run(int home, Work&& work) {
    const std::size_t index =
        arenas_.is_domain(home) ? arenas_.index_of(home)
                                : in_turn_.fetch_add(1, std::memory_order_relaxed) % arenas_.size();
    queues_->push(index, std::make_unique<TaskOf<std::decay_t<Work>>>(std::forward<Work>(work)));
  }
  /// Works until all tasks of the group have ended, those made meanwhile included; throws what the
  /// first one threw, after which those that had not begun were dropped.
  void wait() {
    queues_->run_all([] {});
  }
  /// Drops what has not begun, until the next wait() is over.
  void cancel() noexcept { queues_->stop(); }

 private:
  struct Task {
    virtual ~Task() = default;
    virtual void run() = 0;
  };
  template <class Work>
  struct TaskOf final : Task {
    template <class From>
    explicit TaskOf(From&& from) : work(std::forward<From>(from)) {}
    void run() override { work(); }
    Work work;
  };
  struct RunTask {
    void operator()(std::unique_ptr<Task>& task) const { task->run(); }
  };
  using Queues = internal::LocalityQueues<std::unique_ptr<Task>, RunTask>;

  DomainArenas& arenas_;
  std::shared_ptr<Queues> queues_;
  std::atomic<std::size_t> in_turn_{0};
};

}  // namespace lares

#endif  // LARES_TBB_HPP

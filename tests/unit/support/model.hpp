// A model of the engine's threads: its own code, with each worker a fiber of one thread, under a
// scheduler that decides at every point of disorder (base/disorder.hpp) who goes on.
//
// The scheduler is deterministic: a fiber runs until it sleeps, gives way or ends, and then the
// next in turn runs. A schedule is a list of delays: at the n-th point whoever would go on lets the
// others come first. All schedules of up to so many delays are tried (delay-bounded scheduling:
// Emmi, Qadeer & Rakamaric 2011), or random ones. A sleep never times out, so a wake-up that is
// lost leaves all asleep with something unfinished: that fails, with the schedule, which can be run
// again.
//
// What it cannot show: it runs one fiber at a time, so every access is sequentially consistent.
#pragma once

#include <ucontext.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/disorder.hpp"
#include "base/random.hpp"
#include "runtime/engine.hpp"
#include "runtime/team.hpp"
#include "runtime/thread_state.hpp"
#include "support/runtime_host.hpp"

namespace lares::runtime::model {

using disorder::Fault;
using disorder::Limit;
using disorder::Point;

/// Points at which whoever would go on lets the others come first; ascending.
using Schedule = std::vector<std::uint32_t>;

class Model;

/// What the workers do, and what must be true in the end.
struct Scenario {
  std::vector<std::size_t> cores;  ///< of each domain
  std::string policy = "auto";
  std::size_t workers = 2;
  std::function<void()> reset;                         ///< before each run
  std::function<void(Model&, Worker&)> body;           ///< each worker's part of the region
  std::function<void(Model&)> outside;                 ///< a thread that is not of the team, if any
  std::function<std::string(const Model&)> complaint;  ///< after a run; empty if all is well
  std::vector<std::pair<Limit, std::uint32_t>> limits;
  std::vector<Fault> faults;
};

/// One who was woken, and by whom. Fibers are numbered as workers; the outside is the last.
struct Wake {
  std::size_t waker;
  std::size_t woken;
  int phase;
};

class Model final : public disorder::Director {
 public:
  explicit Model(const Scenario& scenario)
      : scenario_(scenario),
        machine_(scenario.cores, scenario.policy),
        fibers_(scenario.workers + (scenario.outside ? 1U : 0U)) {
    for (Fiber& fiber : fibers_) fiber.stack = std::make_unique<char[]>(stack_bytes);
    limits_[index(Limit::spin_rounds)] = 1;
    limits_[index(Limit::longest_spin_ns)] = 1'000'000'000;  // rounds count here, and not time
    limits_[index(Limit::barrier_spins)] = 1;
    limits_[index(Limit::looks)] = 1;
    for (const auto& [which, value] : scenario.limits) limits_[index(which)] = value;
    for (const Fault fault : scenario.faults) faults_ |= 1U << static_cast<unsigned>(fault);
  }
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;
  ~Model() override = default;

  /// Runs the scenario once. Empty if all went well.
  std::string run(const Schedule& schedule) {
    prepare([&schedule](std::uint32_t step, std::size_t& at) {
      if (at == schedule.size() || schedule[at] != step) return false;
      ++at;
      return true;
    });
    perform();
    if (complaint_.empty() && used_ != schedule.size())
      complaint_ = "the schedule was not followed";
    return complaint_;
  }
  /// The same with a delay at one point in `rarity`.
  std::string run_random(std::uint64_t seed, std::uint32_t rarity) {
    auto random = std::make_shared<Random>(seed);
    prepare([random, rarity](std::uint32_t, std::size_t&) { return random->below(rarity) == 0; });
    perform();
    return complaint_;
  }

  /// Of the last run: at which points another fiber could have gone on.
  [[nodiscard]] const std::vector<bool>& branches() const { return branches_; }
  [[nodiscard]] const Schedule& delays() const { return delays_; }
  [[nodiscard]] const std::vector<Wake>& wakes() const { return wakes_; }
  [[nodiscard]] std::string trace() const {
    std::ostringstream text;
    for (const Step& step : trace_) {
      if (step.what == gave_way) continue;  // most of the lines, and they say the least
      text << "\n  " << step.number << ": " << step.fiber << " " << step.what << " -> "
           << step.next;
    }
    return text.str();
  }

  /// For bodies: marks what happens from here on.
  void set_phase(int phase) { phase_ = phase; }
  /// For bodies: spins until `done()`, as a body that waits for what others do.
  template <class Done>
  void until(Done done) {
    while (!done()) gives_way();
  }
  /// For bodies: who runs.
  [[nodiscard]] std::size_t self() const { return current_; }
  [[nodiscard]] bool is_asleep(std::size_t fiber) const {
    return fibers_[fiber].state == State::asleep;
  }

  void at(Point where) noexcept override {
    if (!counting_ || !running_) return;
    if (step_ > most_steps) return fail("does not end");
    if (branch()) go_on(name_of(where), next_ready(1));
  }
  void gives_way() noexcept override {
    if (!running_) return;
    if (++idle_ > most_idle) return fail("spins for ever");
    const bool delayed = counting_ && branch();
    const std::size_t next = next_ready(delayed ? 2 : 1);
    if (next != current_) go_on(delayed ? "gives way for longer" : gave_way, next);
  }
  void sleep(std::atomic<std::uint32_t>& word, std::uint32_t expected) noexcept override {
    if (word.load() != expected) return;
    fibers_[current_].state = State::asleep;
    fibers_[current_].word = &word;
    idle_ = 0;
    leave_to_next("sleeps");
  }
  std::uint32_t wake(std::atomic<std::uint32_t>& word, std::uint32_t count) noexcept override {
    std::uint32_t woken = 0;
    for (std::size_t i = 0; i < fibers_.size() && woken < count; ++i) {
      Fiber& fiber = fibers_[i];
      if (fiber.state != State::asleep || fiber.word != &word) continue;
      fiber.state = State::ready;
      wakes_.push_back({current_, i, phase_});
      trace_.push_back({step_, current_, "wakes", i});
      idle_ = 0;
      ++woken;
    }
    return woken;
  }
  std::uint32_t limit(Limit which, std::uint32_t usual) noexcept override {
    const std::uint32_t chosen = limits_[index(which)];
    return chosen != 0 ? chosen : usual;
  }
  std::uint64_t ticks() noexcept override { return now_ += 1U << 24U; }
  [[nodiscard]] bool omits(Fault what) const noexcept override {
    return (faults_ >> static_cast<unsigned>(what) & 1U) != 0;
  }

 private:
  enum class State : std::uint8_t { ready, asleep, done };
  struct Fiber {
    std::unique_ptr<char[]> stack;
    ucontext_t context{};
    ThreadState* thread = nullptr;
    Worker* worker = nullptr;
    State state = State::ready;
    std::atomic<std::uint32_t>* word = nullptr;
  };
  struct Step {
    std::uint32_t number;
    std::size_t fiber;
    std::string_view what;
    std::size_t next;
  };
  static constexpr std::string_view gave_way = "gives way";
  using Decide = std::function<bool(std::uint32_t, std::size_t&)>;

  static constexpr std::size_t stack_bytes = 256UL * 1024;
  static constexpr std::uint32_t most_idle = 2000;
  static constexpr std::uint32_t most_steps = 1'000'000;

  static std::size_t index(Limit which) { return static_cast<std::size_t>(which); }

  template <Point P>
  static constexpr std::string_view name() {
    const std::string_view text = __PRETTY_FUNCTION__;
    const std::size_t end = text.find_first_of(";]", text.find("P = "));
    const std::size_t begin = text.rfind(':', end) + 1;
    return text.substr(begin, end - begin);
  }
  template <std::size_t... I>
  static constexpr std::array<std::string_view, sizeof...(I)> names(std::index_sequence<I...>) {
    return {name<static_cast<Point>(I)>()...};
  }
  static std::string_view name_of(Point where) {
    static constexpr auto all =
        names(std::make_index_sequence<static_cast<std::size_t>(Point::page_query) + 1>());
    return all[static_cast<std::size_t>(where)];
  }

  void prepare(Decide decide) {
    decide_ = std::move(decide);
    used_ = 0;
    step_ = 0;
    idle_ = 0;
    now_ = 0;
    phase_ = 0;
    entered_ = 0;
    counting_ = false;
    complaint_.clear();
    branches_.clear();
    delays_.clear();
    wakes_.clear();
    trace_.clear();
    if (scenario_.reset) scenario_.reset();
  }

  void perform() {
    disorder::director = this;
    ThreadState* const own = exchange_this_thread(fibers_[0].thread);
    ThreadState& master = *this_thread();
    fibers_[0].thread = &master;
    // No release follows: this team is never used again.
    const std::int32_t others = Team::in_teams.load();
    team_ = acquire_team(master, scenario_.workers, host::Machine::generation());
    for (std::size_t i = 0; i < fibers_.size(); ++i) start(i);
    running_ = true;
    current_ = 0;
    resume(0);
    swapcontext(&main_, &fibers_[0].context);
    running_ = false;
    set_this_worker(nullptr);
    exchange_this_thread(own);
    disorder::director = nullptr;
    Team::in_teams.store(others);
    if (complaint_.empty()) {
      team_->~Team();
      std::free(team_);
      if (scenario_.complaint) complaint_ = scenario_.complaint(*this);
    } else {
      // What the abandoned fibers held stays as it is.
      for (Fiber& fiber : fibers_) fiber.thread = nullptr;
    }
  }

  void start(std::size_t i) {
    Fiber& fiber = fibers_[i];
    fiber.state = State::ready;
    fiber.worker = nullptr;
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.get();
    fiber.context.uc_stack.ss_size = stack_bytes;
    fiber.context.uc_link = nullptr;
    const auto address = reinterpret_cast<std::uintptr_t>(this);
    makecontext(&fiber.context, reinterpret_cast<void (*)()>(main_of_fiber), 2,
                static_cast<unsigned>(address >> 32U), static_cast<unsigned>(address));
  }
  static void main_of_fiber(unsigned high, unsigned low) {
    auto* model = reinterpret_cast<Model*>((static_cast<std::uintptr_t>(high) << 32U) |
                                           static_cast<std::uintptr_t>(low));
    model->live();
  }
  void live() {
    const std::size_t id = current_;
    if (id < scenario_.workers) {
      host::claim_core(id);
      this_thread()->stack_low = 0;
      Worker& worker = enter(*team_, WorkerId{id});
      meet_others();
      scenario_.body(*this, worker);
      runtime::leave(worker);
    } else {
      this_thread()->stack_low = 0;
      meet_others();
      scenario_.outside(*this);
    }
    fibers_[id].state = State::done;
    leave_to_next("ends");
  }
  // Who enters first is not of interest.
  void meet_others() {
    ++entered_;
    until([this] { return entered_ == fibers_.size(); });
    counting_ = true;
  }

  // Counts a point; true if there is to be a delay.
  bool branch() {
    const std::uint32_t step = step_++;
    const bool possible = next_ready(1) != current_;
    branches_.push_back(possible);
    if (!decide_(step, used_) || !possible) return false;
    delays_.push_back(step);
    return true;
  }
  // The `distance`-th ready fiber after the current one; itself if there is no other.
  [[nodiscard]] std::size_t next_ready(int distance) const {
    std::size_t at = current_;
    for (std::size_t looked = 0; looked < 2 * fibers_.size(); ++looked) {
      at = (at + 1) % fibers_.size();
      if (at == current_ || fibers_[at].state != State::ready) continue;
      if (--distance == 0) return at;
      bool others = false;
      for (std::size_t i = 0; i < fibers_.size(); ++i) {
        others = others || (i != current_ && i != at && fibers_[i].state == State::ready);
      }
      if (!others) return at;
    }
    return current_;
  }
  void leave_to_next(std::string_view what) {
    const std::size_t next = next_ready(1);
    if (next != current_) return go_on(what, next);
    for (const Fiber& fiber : fibers_) {
      if (fiber.state != State::done) return fail("all sleep with something unfinished");
    }
    setcontext(&main_);
  }
  void go_on(std::string_view what, std::size_t next) {
    trace_.push_back({step_, current_, what, next});
    Fiber& from = fibers_[current_];
    from.thread = exchange_this_thread(nullptr);
    from.worker = this_worker();
    current_ = next;
    resume(next);
    swapcontext(&from.context, &fibers_[next].context);
  }
  void resume(std::size_t i) {
    exchange_this_thread(fibers_[i].thread);
    set_this_worker(fibers_[i].worker);
  }
  void fail(const char* why) {
    std::ostringstream text;
    text << why << "; worker states:";
    for (const Fiber& fiber : fibers_) {
      text << (fiber.state == State::ready  ? " ready"
               : fiber.state == State::done ? " done"
                                            : " asleep");
    }
    complaint_ = text.str();
    exchange_this_thread(nullptr);
    setcontext(&main_);
  }

  const Scenario& scenario_;
  const host::Machine machine_;
  std::vector<Fiber> fibers_;
  ucontext_t main_{};
  Team* team_ = nullptr;
  std::size_t current_ = 0;
  std::size_t entered_ = 0;
  bool running_ = false;
  bool counting_ = false;
  std::array<std::uint32_t, 64> limits_{};
  std::uint32_t faults_ = 0;
  Decide decide_;
  std::size_t used_ = 0;
  std::uint32_t step_ = 0;
  std::uint32_t idle_ = 0;
  std::uint64_t now_ = 0;
  int phase_ = 0;
  std::string complaint_;
  std::vector<bool> branches_;
  Schedule delays_;
  std::vector<Wake> wakes_;
  std::vector<Step> trace_;
};

/// What an exploration came to.
struct Explored {
  std::uint64_t runs = 0;
  bool all = true;        ///< false if there were more schedules than runs allowed
  std::string complaint;  ///< of the first run that went wrong
  Schedule schedule;      ///< that run's
};

inline std::string written(const Schedule& schedule) {
  std::ostringstream text;
  text << "{";
  for (std::size_t i = 0; i < schedule.size(); ++i) text << (i == 0 ? "" : ", ") << schedule[i];
  text << "}";
  return text.str();
}

inline void note_failure(Explored& explored, const Model& model, const std::string& complaint) {
  explored.complaint = complaint + model.trace();
  explored.schedule = model.delays();
}

/// All schedules of at most `delays` delays, fewest first.
inline Explored explore(const Scenario& scenario, std::size_t delays,
                        std::uint64_t most_runs = UINT64_MAX) {
  Model model(scenario);
  Explored explored;
  std::vector<Schedule> level{{}};
  for (std::size_t depth = 0; depth <= delays; ++depth) {
    std::vector<Schedule> next;
    for (const Schedule& schedule : level) {
      if (explored.runs == most_runs) {
        explored.all = false;
        return explored;
      }
      ++explored.runs;
      if (const std::string complaint = model.run(schedule); !complaint.empty()) {
        note_failure(explored, model, complaint);
        return explored;
      }
      if (depth == delays) continue;
      const std::vector<bool>& branches = model.branches();
      for (std::size_t i = schedule.empty() ? 0 : schedule.back() + 1; i < branches.size(); ++i) {
        if (!branches[i]) continue;
        next.push_back(schedule);
        next.back().push_back(static_cast<std::uint32_t>(i));
      }
    }
    level = std::move(next);
  }
  return explored;
}

/// Random schedules, from few delays to many.
inline Explored explore_randomly(const Scenario& scenario, std::uint64_t runs,
                                 std::uint64_t seed = 1) {
  Model model(scenario);
  Explored explored;
  for (; explored.runs < runs; ++explored.runs) {
    const auto rarity = static_cast<std::uint32_t>(2U << (explored.runs % 6));
    const std::string complaint = model.run_random(seed * 1'000'003 + explored.runs, rarity);
    if (complaint.empty()) continue;
    note_failure(explored, model, complaint);
    return explored;
  }
  return explored;
}

}  // namespace lares::runtime::model

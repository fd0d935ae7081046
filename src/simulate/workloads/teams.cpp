#include "simulate/workloads/teams.hpp"

#include <algorithm>
#include <limits>

#include "simulate/hardware.hpp"

namespace lares::simulate {
namespace {

constexpr double done = 1e-9;  // of a thread's work

struct Thread {
  std::size_t team = 0;
  CoreId core;
  std::vector<DomainId> data;
  double left = 0;  // bytes to pass over
  double total = 0;
  double to_move = 0;  // bytes to read and to write before that, to migrate them
  std::uint32_t flow = 0;
};

class Teams {
 public:
  Teams(const machine::Machine& machine, const Parameters& parameters,
        const std::vector<StreamTeam>& teams)
      : machine_(machine),
        parameters_(parameters),
        hardware_(machine, parameters),
        ends_(teams.size(), 0) {
    for (std::size_t t = 0; t < teams.size(); ++t) {
      for (const CoreId core : teams[t].cores) {
        const double bytes = teams[t].rounds * teams[t].bytes;
        threads_.push_back({t, core, teams[t].data, bytes, bytes, 2 * teams[t].move_bytes, 0});
      }
    }
  }

  std::vector<double> run(const StealOfThreads* steal) {
    while (step()) {
      if (steal != nullptr && is_over(steal->after)) {
        move_half(*steal);
        steal = nullptr;
      }
    }
    return ends_;
  }

 private:
  [[nodiscard]] static bool is_done(const Thread& thread) {
    return thread.to_move <= 0 && thread.left <= done * thread.total;
  }
  [[nodiscard]] bool is_over(std::size_t team) const {
    return std::all_of(threads_.begin(), threads_.end(),
                       [&](const Thread& t) { return t.team != team || is_done(t); });
  }
  [[nodiscard]] DomainId domain_of(CoreId core) const {
    return machine_.cores[core.index()].domain;
  }

  void start_flow(Thread& thread, double portion) {
    const DomainId here = domain_of(thread.core);
    const bool moves = thread.to_move > 0;
    std::vector<Traffic> traffic;
    for (const DomainId home : thread.data) {
      if (!moves || home != here) traffic.push_back({home, 1, 0});
    }
    double cap = 2 * parameters_.migrate_mb_s * megabyte;
    if (moves) {
      traffic.push_back({here, 0, std::max(1.0, static_cast<double>(traffic.size()))});
    } else {
      cap = hardware_.core_rate(here, traffic);
    }
    std::vector<Use> uses;
    hardware_.uses_of(here, traffic, uses);
    thread.flow = hardware_.sharing.add(uses, cap, portion);
  }

  // Lets everybody run until the first one is done with what it does.
  bool step() {
    std::vector<Thread*> running;
    std::vector<double> on_core(machine_.cores.size(), 0);
    for (Thread& thread : threads_) {
      if (is_done(thread)) continue;
      running.push_back(&thread);
      on_core[thread.core.index()] += 1;
    }
    if (running.empty()) return false;
    for (Thread* thread : running) start_flow(*thread, 1 / on_core[thread->core.index()]);
    hardware_.sharing.settle();
    double span = std::numeric_limits<double>::infinity();
    for (const Thread* thread : running) {
      const double amount = thread->to_move > 0 ? thread->to_move : thread->left;
      span = std::min(span, amount / hardware_.sharing.rate(thread->flow));
    }
    now_ += span;
    for (Thread* thread : running) {
      double& amount = thread->to_move > 0 ? thread->to_move : thread->left;
      const bool moves = thread->to_move > 0;
      amount -= span * hardware_.sharing.rate(thread->flow);
      if (moves && amount <= done * thread->total) {
        amount = 0;
        thread->data = {domain_of(thread->core)};
      }
      hardware_.sharing.remove(thread->flow);
      if (is_done(*thread)) ends_[thread->team] = now_;
    }
    return true;
  }

  void move_half(const StealOfThreads& steal) {
    std::vector<CoreId> free;
    std::vector<Thread*> mine;
    for (Thread& thread : threads_) {
      if (thread.team == steal.after) free.push_back(thread.core);
      if (thread.team == steal.from) mine.push_back(&thread);
    }
    for (std::size_t i = mine.size() / 2; i < mine.size(); ++i) {
      mine[i]->core = free[(i - mine.size() / 2) % free.size()];
      // Every byte is read and written.
      if (steal.migrates && !is_done(*mine[i])) mine[i]->to_move = 2 * steal.part_bytes;
    }
  }

  const machine::Machine& machine_;
  const Parameters& parameters_;
  Hardware hardware_;
  std::vector<Thread> threads_;
  std::vector<double> ends_;
  double now_ = 0;
};

}  // namespace

std::vector<double> run_teams(const machine::Machine& machine, const Parameters& parameters,
                              const std::vector<StreamTeam>& teams, const StealOfThreads* steal) {
  return Teams(machine, parameters, teams).run(steal);
}

}  // namespace lares::simulate

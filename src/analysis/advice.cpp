#include "analysis/advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace lares::analysis {
namespace {

// Thresholds: below them a change would not show in the run time of a real program.
constexpr double high_queueing = 0.20;  // share of the threads' time
constexpr double high_producer_queueing =
    0.10;  // one producer stalls all others, so it shows sooner
constexpr double mostly = 0.50;
constexpr double many_remote = 0.30;
constexpr double many_far_steals = 0.20;  // of the tasks that ran
constexpr double hardly_any_data = 0.05;  // of the tasks that ran

double percent(double share) { return 100.0 * std::min(share, 1.0); }

double remote_share(const Shares& shares) {
  return fraction(static_cast<double>(shares.remote), static_cast<double>(shares.total()));
}

bool several_domains(const Setting& setting) { return setting.domains > 1; }

bool enough(const RunStats& run) { return run.counts.tasks().total() >= enough_tasks; }

/// Each thread counts its own queue operations, at least one for each task that it creates. In a
/// team of k in which one thread creates all tasks it has a share of (1 + 1/k) / 2 or more (more if
/// taking a task counts less than creating one), in a symmetric team each has 1/k. The border lies
/// half-way.
double producer_border(std::uint32_t threads) {
  const double each = 1.0 / threads;
  return (each + (1.0 + each) / 2) / 2;
}

double far_steal_share(const RunStats& run) {
  const std::uint64_t far = run.counts.stolen() - run.counts.steals[0];
  return fraction(static_cast<double>(far), static_cast<double>(run.counts.tasks().total()));
}

bool any_runtime_is_gcc(const RunStats& run) {
  return std::any_of(run.runtimes.begin(), run.runtimes.end(), [](const std::string& name) {
    return name.find("libgomp") != std::string::npos;
  });
}

}  // namespace

std::optional<Advice> oversubscribed(const RunStats& run, const Setting& setting) {
  if (run.threads <= setting.cores) return std::nullopt;
  return Advice{
      "oversubscribed",
      fmt::format("A team of {} threads shared {} core{}; set OMP_NUM_THREADS={} or allow "
                  "the program more cores.",
                  run.threads, setting.cores, setting.cores == 1 ? "" : "s", setting.cores)};
}

std::optional<Advice> single_producer(const RunStats& run, const Setting&) {
  if (!enough(run) || run.threads < 2) return std::nullopt;
  if (run.queueing_share() < high_producer_queueing) return std::nullopt;
  if (run.busiest_share < producer_border(run.threads)) return std::nullopt;
  return Advice{"single-producer",
                fmt::format("One thread makes nearly all tasks and queueing takes {:.0f} % of the "
                            "threads' time; create tasks recursively or with `taskloop`, or make "
                            "them coarser.",
                            percent(run.queueing_share()))};
}

std::optional<Advice> tasks_too_small(const RunStats& run, const Setting&) {
  if (!enough(run) || run.queueing_share() < high_queueing) return std::nullopt;
  return Advice{
      "tasks-too-small",
      fmt::format("Tasks are too small: queueing takes {:.0f} % of the threads' time; make "
                  "them coarser (larger blocks, a cut-off depth, `grainsize` on taskloop).",
                  percent(run.queueing_share()))};
}

std::optional<Advice> one_domain(const RunStats& run, const Setting& setting) {
  if (!run.used_openmp() || several_domains(setting)) return std::nullopt;
  if (setting.finer_level.empty()) {
    return Advice{"one-domain",
                  "These cores share one domain at every level, so there is no locality to gain "
                  "here; try a machine with more."};
  }
  return Advice{"one-domain",
                fmt::format("There is one {} domain only, so there is no locality to gain; try "
                            "--domain {}.",
                            setting.level, setting.finer_level)};
}

std::optional<Advice> unbound(const RunStats& run, const Setting& setting) {
  if (!run.used_openmp() || setting.bound || !several_domains(setting)) return std::nullopt;
  return Advice{"unbound",
                "Threads are not bound, so that what was local does not stay local; unset "
                "OMP_PROC_BIND or use --bind close."};
}

std::optional<Advice> remote_data(const RunStats& run, const Setting& setting) {
  if (!enough(run) || !several_domains(setting)) return std::nullopt;
  if (run.counts.data_tasks.total() < enough_tasks) return std::nullopt;
  // Bytes say more than tasks, but GCC does not tell lengths for everything.
  const bool bytes_known = run.counts.data_bytes.total() > 0;
  const double remote = remote_share(bytes_known ? run.counts.data_bytes : run.counts.data_tasks);
  if (remote < mostly) return std::nullopt;
  const auto what = bytes_known ? "bytes" : "tasks";
  if (!setting.push_uses_data) {
    return Advice{
        "remote-data",
        fmt::format("{:.0f} % of the {} are remote though their home is known, and push={} "
                    "does not use it; try --policy virouleau or --policy locality-queues.",
                    percent(remote), what, setting.push)};
  }
  if (far_steal_share(run) > many_far_steals) {
    return Advice{
        "remote-data",
        fmt::format("{:.0f} % of the {} are remote because other domains stole the tasks; "
                    "initialise the data in parallel so that every domain has its share "
                    "of work.",
                    percent(remote), what)};
  }
  return Advice{
      "remote-data",
      fmt::format("{:.0f} % of the {} are remote although the policy looks for their home; "
                  "tasks use data of several domains, so let the blocks of `depend` match "
                  "those of the first touch.",
                  percent(remote), what)};
}

std::optional<Advice> no_data_known(const RunStats& run, const Setting& setting) {
  if (!enough(run) || !several_domains(setting)) return std::nullopt;
  const double known = fraction(static_cast<double>(run.counts.data_tasks.total()),
                                static_cast<double>(run.counts.tasks().total()));
  if (known > hardly_any_data) return std::nullopt;
  if (remote_share(run.counts.tasks()) < many_remote) return std::nullopt;
  const auto remedy = any_runtime_is_gcc(run)
                          ? "add `depend` clauses (GCC drops `affinity`; Clang passes it on)"
                          : "add `affinity` or `depend` clauses";
  return Advice{"no-data-known",
                fmt::format("The tasks do not say what data they use and {:.0f} % ran away from "
                            "their creator's domain; {}.",
                            percent(remote_share(run.counts.tasks())), remedy)};
}

std::optional<Advice> far_steals(const RunStats& run, const Setting& setting) {
  if (!enough(run) || !several_domains(setting)) return std::nullopt;
  const double far = far_steal_share(run);
  if (far < many_far_steals) return std::nullopt;
  const bool near_first = setting.steal == "nearest" || setting.steal == "nearest-then-longest" ||
                          setting.steal == "domain-first";
  const auto remedy = near_first
                          ? "let several threads create tasks, so that every domain has its own"
                          : "try --policy steal=nearest";
  return Advice{"far-steals",
                fmt::format("{:.0f} % of the tasks were stolen from another domain; {}.",
                            percent(far), remedy)};
}

std::optional<Advice> advise(const RunStats& run, const Setting& setting) {
  constexpr std::array rules = {&oversubscribed, &single_producer, &tasks_too_small, &one_domain,
                                &unbound,        &remote_data,     &no_data_known,   &far_steals};
  for (const auto rule : rules) {
    if (auto advice = rule(run, setting)) return advice;
  }
  return std::nullopt;
}

}  // namespace lares::analysis

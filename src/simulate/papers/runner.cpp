#include "simulate/papers/runner.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <thread>

#include "simulate/workloads/workloads.hpp"

namespace lares::simulate::papers {

std::string number(double value, const char* unit) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), value < 100 ? "%.3g%s" : "%.4g%s", value, unit);
  return text.data();
}

std::string number(const Values& values, const char* unit) { return number(values.median(), unit); }

Result<Loaded> load(const FindMachine& find, const std::string& name) {
  auto machine = find(name);
  if (!machine) return machine.error();
  auto model = read_model(machine.value(), machine.value().simulation);
  if (!model) return model.error();
  return Loaded{std::move(machine.value()), std::move(model.value())};
}

Values over_ranges(const MachineModel& model,
                   const std::function<double(const Parameters&)>& quantity) {
  Values values(quantity(model.best));
  for (const Uncertain& each : model.uncertain) {
    for (const Parameters* end : {&each.low, &each.high}) values.at.push_back(quantity(*end));
  }
  return values;
}

// ------------------------------------------------------------------------------------------------
// Runs

Values Runs::of(const std::function<double(const Outcome&)>& quantity) const {
  Values values({}, seeds);
  for (const Outcome& outcome : at) values.at.push_back(quantity(outcome));
  return values;
}

Values Runs::seconds() const {
  return of([](const Outcome& outcome) { return outcome.seconds; });
}

Values Runs::rate() const { return Values(amount) / seconds(); }

Values Runs::remote_share() const {
  return of([](const Outcome& outcome) {
    const double all = outcome.local_bytes + outcome.remote_bytes;
    return all > 0 ? outcome.remote_bytes / all : 0;
  });
}

Runs Runner::note_error(Result<Runs> runs) {
  if (runs) return std::move(runs.value());
  if (!error) error = runs.error();
  return {.at = std::vector<Outcome>(1), .seeds = 1, .amount = 0};
}

Runs Runner::run(const std::string& workload, const std::string& schedule, std::size_t cores) {
  return note_error(run_named(workload, schedule, cores));
}

Runs Runner::run(const BoundThreads& threads) {
  return note_error(run_all(threads.workload, {Schedule::Kind::static_loop, {}}, threads.cores));
}

namespace {

struct Point {
  const Workload& workload;
  const Parameters& parameters;
  std::uint64_t seed = 1;
};

/// Simulates all points, on all cores of this machine: which thread does which changes nothing.
std::vector<Result<Outcome>> simulate_all(const std::vector<Point>& points,
                                          const machine::Machine& machine, const Schedule& schedule,
                                          const std::vector<CoreId>& team) {
  std::vector<Result<Outcome>> outcomes(points.size(), Outcome{});
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < points.size(); i = next++) {
      const auto& [workload, parameters, seed] = points[i];
      outcomes[i] = simulate({machine, parameters, workload, schedule, team, seed});
    }
  };
  std::vector<std::jthread> helpers;
  const std::size_t cores =
      std::min<std::size_t>(std::thread::hardware_concurrency(), points.size());
  for (std::size_t i = 1; i < cores; ++i) helpers.emplace_back(work);
  work();
  helpers.clear();
  return outcomes;
}

}  // namespace

Result<Runs> Runner::run_named(const std::string& text, const std::string& schedule_text,
                               std::size_t cores) const {
  const auto& [machine, model] = loaded_;
  const auto schedule = parse_schedule(schedule_text, machine.domains_with_cores());
  if (!schedule) return schedule.error();
  const auto team = compact_cores(machine, cores == 0 ? machine.cores.size() : cores);
  const auto workload = make_workload(text, {machine, model.best, team});
  if (!workload) return workload.error();
  return run_all(workload.value(), schedule.value(), team);
}

Result<Runs> Runner::run_all(const Workload& workload, const Schedule& schedule,
                             const std::vector<CoreId>& cores) const {
  const auto& [machine, model] = loaded_;
  std::vector<Point> points;
  for (std::uint64_t seed = 1; seed <= seeds_; ++seed) {
    points.push_back({workload, model.best, seed});
  }
  for (const Uncertain& each : model.uncertain) {
    for (const Parameters* end : {&each.low, &each.high}) points.push_back({workload, *end});
  }
  Workload overlapping;
  if (workload.packs) {
    overlapping = workload;
    overlapping.packs = false;
    points.push_back({overlapping, model.best});
  }
  Runs runs{.at = {}, .seeds = seeds_, .amount = workload.amount / workload.unit_scale};
  for (auto& outcome : simulate_all(points, machine, schedule, cores)) {
    if (!outcome) return outcome.error();
    runs.at.push_back(std::move(outcome.value()));
  }
  return runs;
}

// ------------------------------------------------------------------------------------------------
// Sheet

const Published& Sheet::figure(std::string_view place, std::string_view what) const {
  return published(paper_, place, what);
}

double Sheet::input(std::string_view place, std::string_view what) {
  found_.inputs.push_back(&figure(place, what));
  return found_.inputs.back()->middle();
}

Baseline Sheet::add(std::string_view place, std::string_view what, const Simulated& row) {
  Cell cell;
  cell.published = &figure(place, what);
  cell.basis = row.basis;
  cell.simulated = row.simulated;
  cell.quantity = row.quantity;
  if (cell.quantity.empty()) cell.quantity = cell.published->place + ", " + cell.published->what;
  if (row.baseline != nullptr) cell.baseline = *row.baseline;
  cell.how = row.how;
  cell.why = row.why;
  found_.cells.push_back(std::move(cell));
  return {found_.cells.back().published, found_.cells.back().simulated};
}

void Sheet::state(Finding finding) {
  finding.paper = paper_;
  found_.findings.push_back(std::move(finding));
}

}  // namespace lares::simulate::papers

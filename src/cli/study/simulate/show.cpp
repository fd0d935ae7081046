#include "cli/study/simulate/show.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace lares::cli {
namespace {

using nlohmann::ordered_json;
using simulate::Measured;
using simulate::Outcome;

// Resources that are less loaded than this are not worth a line.
constexpr double worth_naming = 0.3;

std::string time_text(double seconds) {
  if (seconds >= 0.1) return fmt::format("{:.3f} s", seconds);
  if (seconds >= 1e-4) return fmt::format("{:.3f} ms", seconds * 1e3);
  return fmt::format("{:.3f} us", seconds * 1e6);
}

double speedup(const Measured& row) {
  return row.seconds.median > 0 ? row.typical.alone_seconds / row.seconds.median : 0;
}

double remote_share(const Outcome& outcome) {
  const double all = outcome.local_bytes + outcome.remote_bytes;
  return all > 0 ? outcome.remote_bytes / all : 0;
}

std::string percent(double share) { return fmt::format("{:.1f} %", share * 100); }

/// The most loaded resource of `outcome`, or null.
const Outcome::Load* busiest(const Outcome& outcome) {
  const auto most = std::max_element(
      outcome.loads.begin(), outcome.loads.end(),
      [](const Outcome::Load& a, const Outcome::Load& b) { return a.share < b.share; });
  return most == outcome.loads.end() ? nullptr : &*most;
}

std::string range_text(double low, double high) {
  return fmt::format("[{} .. {}]", time_text(low), time_text(high));
}

std::string opinions(const simulate::Measurements& found, const Palette& palette) {
  std::string text;
  for (const Measured& row : found.rows) {
    const Outcome& typical = row.typical;
    if (typical.opinions == 0) continue;
    const auto count = static_cast<double>(typical.opinions);
    text += fmt::format(
        "{} {} on {} cores had one of where the data is for {} of the tasks, {} of them right.\n",
        palette.dim("Opinions:"), row.schedule, row.workers,
        percent(count / static_cast<double>(typical.tasks)),
        percent(static_cast<double>(typical.right_opinions) / count));
  }
  return text;
}

std::string notes(const SimulationHead& head, const Palette& palette) {
  std::string text;
  if (!head.model.assumed.empty()) {
    std::string names;
    for (const std::string& name : head.model.assumed) {
      names += (names.empty() ? "" : ", ") + name;
    }
    text += fmt::format("{} the machine's description lacks {}: usual values stand in for them.\n",
                        palette.yellow("Assumed:"), names);
  }
  for (const simulate::Uncertain& each : head.model.uncertain) {
    text += fmt::format("{} {} (the range in the last column has both ends)\n",
                        palette.dim("Uncertain:"), each.name);
  }
  return text;
}

}  // namespace

std::string simulation_text(const SimulationHead& head, const simulate::Measurements& found,
                            const Palette& palette) {
  using Align = Table::Align;
  Table table({Align::left, Align::right, Align::right, Align::left, Align::right, Align::right,
               Align::right, Align::right, Align::left, Align::left});
  table.add({"policy", "cores", "time", "over seeds", found.unit.empty() ? "rate" : found.unit,
             "speed-up", "remote", "idle", "busiest", "over all"});
  for (const Measured& row : found.rows) {
    const Outcome::Load* top = busiest(row.typical);
    const bool named = top != nullptr && top->share >= worth_naming;
    table.add({palette.green(row.schedule), std::to_string(row.workers),
               time_text(row.seconds.median), range_text(row.seconds.least, row.seconds.most),
               row.rate > 0 ? fmt::format("{:.4g}", row.rate) : "-",
               fmt::format("{:.1f}", speedup(row)), percent(remote_share(row.typical)),
               percent(row.typical.idle_share),
               named ? fmt::format("{} {:.0f} %", top->resource, top->share * 100) : "-",
               range_text(row.lowest, row.highest)});
  }
  return fmt::format("{}: {} tasks on {}, simulated, {} {}\n\n{}\n{}{}",
                     palette.bold(head.workload), found.tasks, head.machine.name, head.seeds,
                     head.seeds == 1 ? "seed" : "seeds", table.text("  "), opinions(found, palette),
                     notes(head, palette));
}

std::string simulation_csv(const simulate::Measurements& found) {
  std::string text =
      "policy,cores,seconds,seconds_least,seconds_most,seconds_lowest,seconds_highest,rate,unit,"
      "speedup,remote_share,idle_share,tasks_local,tasks_same_domain,tasks_remote,steals,"
      "remote_steals,opinions,right_opinions\n";
  for (const Measured& row : found.rows) {
    const auto& tasks = row.typical.by_locality;
    text += fmt::format(
        "{},{},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{:.6g},{},{:.6g},{:.6g},{:.6g},"
        "{},{},{},{},{},{},{}\n",
        csv_field(row.schedule), row.workers, row.seconds.median, row.seconds.least,
        row.seconds.most, row.lowest, row.highest, row.rate, csv_field(found.unit), speedup(row),
        remote_share(row.typical), row.typical.idle_share, tasks[0], tasks[1], tasks[2],
        row.typical.steals, row.typical.remote_steals, row.typical.opinions,
        row.typical.right_opinions);
  }
  return text;
}

std::string simulation_json(const SimulationHead& head, const simulate::Measurements& found) {
  ordered_json rows = ordered_json::array();
  for (const Measured& row : found.rows) {
    ordered_json loads = ordered_json::object();
    for (const Outcome::Load& load : row.typical.loads) loads[load.resource] = load.share;
    const auto& tasks = row.typical.by_locality;
    rows.push_back(
        {{"policy", row.schedule},
         {"cores", row.workers},
         {"seconds", row.seconds.median},
         {"seconds_over_seeds", {row.seconds.least, row.seconds.most}},
         {"seconds_over_all", {row.lowest, row.highest}},
         {"rate", row.rate},
         {"speedup", speedup(row)},
         {"remote_share", remote_share(row.typical)},
         {"fetched_bytes",
          {{"local", row.typical.fetched.local},
           {"remote", row.typical.fetched.remote},
           {"from_caches", row.typical.fetched.from_caches}}},
         {"fetched_remote_share", row.fetched_remote.median},
         {"fetched_remote_share_over_seeds", {row.fetched_remote.least, row.fetched_remote.most}},
         {"idle_share", row.typical.idle_share},
         {"tasks", {{"local", tasks[0]}, {"same_domain", tasks[1]}, {"remote", tasks[2]}}},
         {"opinions", {{"tasks", row.typical.opinions}, {"right", row.typical.right_opinions}}},
         {"steals", row.typical.steals},
         {"remote_steals", row.typical.remote_steals},
         {"loads", std::move(loads)}});
  }
  ordered_json uncertain = ordered_json::array();
  for (const simulate::Uncertain& each : head.model.uncertain) uncertain.push_back(each.name);
  const ordered_json json = {{"version", 1},
                             {"provenance", "simulated"},
                             {"workload", head.workload},
                             {"machine", head.machine.name},
                             {"tasks", found.tasks},
                             {"unit", found.unit},
                             {"seeds", head.seeds},
                             {"assumed", head.model.assumed},
                             {"uncertain", std::move(uncertain)},
                             {"rows", std::move(rows)}};
  return json.dump(2) + '\n';
}

}  // namespace lares::cli

#include <nlohmann/json.hpp>
#include <string>

#include "analysis/stats_file.hpp"
#include "analysis/summary.hpp"

namespace lares::analysis {
namespace {

using Json = nlohmann::ordered_json;

constexpr int format_version = 1;

Json to_json(const Shares& shares) {
  return {{"local", shares.local}, {"same_domain", shares.same_domain}, {"remote", shares.remote}};
}

/// A number where one is known; 0 means that it is not.
Json known(double value) { return value > 0 ? Json(value) : Json(nullptr); }

double seconds(Nanoseconds time) { return static_cast<double>(time.count) / 1e9; }

void add_counts(Json& json, const Counts& counts) {
  json["tasks"] = {{"run", counts.tasks().total()},
                   {"inlined", counts.inlined},
                   {"shares", to_json(counts.tasks())},
                   {"by_data", to_json(counts.data_tasks)},
                   {"by_creator", to_json(counts.creator_tasks)}};
  json["bytes"] = to_json(counts.data_bytes);
  json["steals_by_distance"] = counts.steals;
  json["failed_rounds"] = counts.failed_rounds;
  json["loops"] = {{"run", counts.loops},
                   {"iterations", to_json(counts.loop_iterations)},
                   {"steals_in_domain", counts.loop_steals[0]},
                   {"steals_from_others", counts.loop_ranges_stolen() - counts.loop_steals[0]},
                   {"steals_by_distance", counts.loop_steals},
                   {"thread_seconds", known(counts.loop_ns / 1e9)},
                   {"wait_seconds", known(counts.loop_wait_ns / 1e9)},
                   {"imbalance", known(counts.loop_imbalance())}};
  json["bubbles"] = {{"teams", counts.bubbles},
                     {"threads_moved_to_data", counts.bubble_shakes},
                     {"threads_moved_to_seen_data", counts.bubble_seen},
                     {"threads_moved_to_idle_cores", counts.bubble_steals},
                     {"data_moved_along", counts.bubble_data}};
  json["queueing"] = {
      {"operations", counts.queue_operations},
      {"seconds", known(counts.queueing_ns / 1e9)},
      {"share_of_thread_time", known(fraction(counts.queueing_ns, counts.thread_time_ns))},
      {"ns_per_operation",
       known(fraction(counts.queueing_ns, static_cast<double>(counts.queue_operations)))}};
}

Json process_json(const ProcessStats& process) {
  Json json = {{"pid", process.pid},         {"command", process.command},
               {"runtime", process.runtime}, {"policy", process.policy},
               {"threads", process.threads}, {"domains", process.domains},
               {"regions", process.regions}, {"wall_seconds", known(seconds(process.wall))}};
  add_counts(json, process.counts);
  return json;
}

Json ending_json(const Ending& ending) {
  if (ending.signal != 0) return {{"exit_status", nullptr}, {"signal", ending.signal}};
  return {{"exit_status", ending.exit_status}, {"signal", nullptr}};
}

Json machine_json(const Report& report) {
  return {{"name", report.machine},
          {"domain_level", report.setting.level},
          {"domains", report.setting.domains},
          {"cores", report.setting.cores}};
}

Json notes_json(const Report& report) {
  Json notes = Json::array();
  for (const std::string& note : report.notes) notes.push_back(note);
  for (const std::string& note : report.run.notes) notes.push_back(note);
  return notes;
}

Json advice_json(const Report& report) {
  const auto advice = advise(report.run, report.setting);
  if (!advice) return nullptr;
  return {{"rule", advice->rule}, {"sentence", advice->sentence}};
}

Json processes_json(const RunStats& run) {
  Json processes = Json::array();
  for (const ProcessStats& process : run.processes) processes.push_back(process_json(process));
  return processes;
}

Json share_json(std::optional<double> share) { return share ? Json(*share) : Json(nullptr); }

Json construct_json(const Construct& construct) {
  const auto by = [&construct](runtime::Located how) {
    return construct.located[static_cast<std::size_t>(how)];
  };
  return {{"place", construct.place},
          {"file", construct.file},
          {"offset", construct.offset},
          {"tasks", construct.tasks},
          {"located_by",
           {{"nothing", by(runtime::Located::unknown)},
            {"data", by(runtime::Located::data)},
            {"name", by(runtime::Located::name)},
            {"series", by(runtime::Located::series)},
            {"taskloop", by(runtime::Located::loop)},
            {"argument", by(runtime::Located::argument)}}},
          {"at_home_first", share_json(construct.home_share_at_first())},
          {"at_home_later", share_json(construct.home_share_later())}};
}

Json constructs_json(const std::optional<Explanation>& explanation) {
  if (!explanation) return nullptr;
  Json constructs = Json::array();
  for (const Construct& each : explanation->constructs) constructs.push_back(construct_json(each));
  return constructs;
}

}  // namespace

std::string summary_json(const Report& report) {
  Json json = {{"format", "lares-summary"}, {"version", format_version}};
  json["command"] = report.command;
  json["ending"] = ending_json(report.ending);
  json["openmp"] = report.run.used_openmp();
  json["machine"] = machine_json(report);
  json["policy"] = {{"name", report.policy},
                    {"distribution", report.setting.distribution},
                    {"push", report.setting.push},
                    {"steal", report.setting.steal}};
  json["binding"] = {{"how", report.binding}, {"bound", report.setting.bound}};
  json["runtimes"] = report.run.runtimes;
  json["threads"] = report.run.threads;
  json["regions"] = report.run.regions;
  json["wall_seconds"] = known(seconds(report.run.wall));
  json["processor_wait_share"] =
      report.run.running_ns == 0 ? Json() : Json(report.run.waiting_share());
  add_counts(json, report.run.counts);
  json["notes"] = notes_json(report);
  json["advice"] = advice_json(report);
  json["processes"] = processes_json(report.run);
  json["constructs"] = constructs_json(report.explanation);
  // Arguments are bytes, not text: what is not UTF-8 must not make the summary fail.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lares::analysis

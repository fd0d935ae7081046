// The report for programs.
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "cli/study/model/traced.hpp"
#include "cli/study/report/report.hpp"
#include "trace/names.hpp"

namespace lares::cli {
namespace {

using Json = nlohmann::ordered_json;
using trace::Locality;

constexpr int report_version = 1;

Json by_locality(const std::array<std::uint64_t, trace::localities>& by) {
  Json json;
  json["local"] = by[static_cast<std::size_t>(Locality::local)];
  json["same_domain"] = by[static_cast<std::size_t>(Locality::same_domain)];
  json["remote"] = by[static_cast<std::size_t>(Locality::remote)];
  json["unknown"] = by[static_cast<std::size_t>(Locality::unknown)];
  return json;
}

Json to_json(const trace::Sums& sums) {
  return {{"grains", sums.grains},
          {"time_ns", sums.time},
          {"grains_by", by_locality(sums.grains_by)},
          {"time_ns_by", by_locality(sums.time_by)},
          {"bytes_by", by_locality(sums.bytes_by)}};
}

Json place_of(const trace::Trace& trace, trace::Index construct) {
  return construct == trace::none ? Json(nullptr) : Json(trace.constructs[construct].place);
}

Json to_json(const trace::Trace& trace, const trace::Diagnosis& each) {
  return {{"id", each.id},
          {"severity", each.severity == trace::Severity::problem   ? "problem"
                       : each.severity == trace::Severity::warning ? "warning"
                                                                   : "note"},
          {"title", each.title},
          {"evidence", each.evidence},
          {"threshold", each.threshold},
          {"remedy", each.remedy},
          {"gain", each.gain > 0 ? Json(each.gain) : Json(nullptr)},
          {"gain_how", each.gain_how},
          {"construct", place_of(trace, each.construct)},
          {"from_ns", each.from},
          {"to_ns", each.to},
          {"grains", each.grains}};
}

Json constructs_json(const ReportedRun& run) {
  Json list = Json::array();
  for (const trace::ConstructRow& row : run.findings.constructs) {
    Json json = {{"place", place_of(run.trace, row.construct)}};
    json.update(to_json(row.sums));
    json["create_ns"] = row.create;
    json["shortest_ns"] = row.shortest;
    json["median_ns"] = row.median;
    json["longest_ns"] = row.longest;
    json["with_home"] = row.with_home;
    json["stolen"] = row.stolen;
    json["inflation"] = row.inflation > 0 ? Json(row.inflation) : Json(nullptr);
    json["critical_ns"] = row.critical;
    list.push_back(std::move(json));
  }
  return list;
}

Json domains_json(const ReportedRun& run) {
  Json list = Json::array();
  for (const trace::DomainRow& row : run.findings.domains) {
    Json json = {{"domain", row.domain}, {"threads", row.threads}, {"idle_ns", row.idle}};
    json.update(to_json(row.sums));
    list.push_back(std::move(json));
  }
  return list;
}

Json threads_json(const ReportedRun& run) {
  Json list = Json::array();
  for (const trace::ThreadRow& row : run.findings.threads) {
    const trace::Thread& thread = run.trace.threads[row.thread];
    list.push_back(
        {{"process", thread.process},
         {"thread", thread.number},
         {"domain", thread.domain == trace::no_domain ? Json(nullptr) : Json(thread.domain)},
         {"core", thread.core == trace::no_domain ? Json(nullptr) : Json(thread.core)},
         {"work_ns", row.work},
         {"create_ns", row.create},
         {"idle_ns", row.idle},
         {"other_ns", row.other}});
  }
  return list;
}

Json matrix_json(const std::vector<std::uint64_t>& values, std::size_t size) {
  Json rows = Json::array();
  for (std::size_t from = 0; from < size; ++from) {
    Json row = Json::array();
    for (std::size_t to = 0; to < size; ++to) row.push_back(values[from * size + to]);
    rows.push_back(std::move(row));
  }
  return rows;
}

Json lengths_json(const ReportedRun& run) {
  Json list = Json::array();
  for (const trace::LengthBin& bin : run.findings.lengths) {
    list.push_back({{"from_ns", trace::Time{1} << bin.log2},
                    {"grains_by", by_locality(bin.grains_by)},
                    {"time_ns_by", by_locality(bin.time_by)}});
  }
  return list;
}

Json bytes_json(const trace::BytesByUse& bytes) {
  using trace::PageUse;
  return {{"local", bytes_of(bytes, PageUse::local)},
          {"shared", bytes_of(bytes, PageUse::shared)},
          {"remote", bytes_of(bytes, PageUse::remote)},
          {"not_named", bytes_of(bytes, PageUse::not_named)}};
}

Json known_domain(std::uint16_t domain) {
  return domain == trace::no_domain ? Json(nullptr) : Json(domain);
}

// Process and number; null for one that was never in a team.
Json thread_json(const ReportedRun& run, trace::Index thread) {
  if (thread == trace::none) return nullptr;
  const trace::Thread& each = run.trace.threads[thread];
  return {{"process", each.process}, {"thread", each.number}};
}

Json areas_json(const ReportedRun& run) {
  Json list = Json::array();
  for (const trace::PageArea& area : run.findings.pages.areas) {
    list.push_back({{"process", area.process},
                    {"begin", area.begin},
                    {"end", area.end},
                    {"touched_by", thread_json(run, area.thread)},
                    {"touched_in_domain", known_domain(area.domain)},
                    {"used_most_in_domain", known_domain(area.user)},
                    {"share_of_uses", area.user_share},
                    {"unbound_bytes", area.unbound},
                    {"bytes", bytes_json(area.bytes)}});
  }
  return list;
}

Json move_sums_json(const trace::MoveSums& sums) {
  return {{"times", sums.times},
          {"bytes", sums.bytes},
          {"bytes_that_changed_node", sums.arrived},
          {"time_ns", sums.took}};
}

// Null if nothing was.
Json sampled_json(const ReportedRun& run) {
  const trace::PageFindings& sampled = run.findings.sampled;
  if (sampled.columns.empty()) return nullptr;
  Json threads = Json::array();
  for (const trace::PageColumn& column : sampled.columns) {
    threads.push_back(
        {{"touched_by", thread_json(run, column.thread)}, {"bytes", bytes_json(column.bytes)}});
  }
  Json rows = Json::array();
  for (const trace::PageRow& row : sampled.rows) {
    Json cells = Json::array();
    for (const trace::BytesByUse& cell : row.cells) cells.push_back(bytes_json(cell));
    rows.push_back({{"process", row.process},
                    {"begin", row.begin},
                    {"end", row.end},
                    {"bytes_by_thread", std::move(cells)}});
  }
  return {{"bytes", bytes_json(sampled.bytes)},
          {"threads", std::move(threads)},
          {"runs", std::move(rows)}};
}

// Null if none did.
Json thread_moves_json(const ReportedRun& run) {
  if (run.trace.moves.threads.empty()) return nullptr;
  Json list = Json::array();
  for (const trace::ThreadMoveSums& sums : run.findings.moves.threads) {
    list.push_back({{"to_domain", known_domain(sums.domain)},
                    {"times", sums.times},
                    {"threads", sums.threads}});
  }
  return list;
}

// Null if no memory moved.
Json moves_json(const ReportedRun& run) {
  if (run.trace.moves.list.empty()) return nullptr;
  const trace::MoveFindings& moves = run.findings.moves;
  Json into = Json::array();
  for (const trace::MoveSums& each : moves.fetches_into) into.push_back(move_sums_json(each));
  return {{"marks", move_sums_json(moves.marks)},     {"fetches", move_sums_json(moves.fetches)},
          {"fetches_into_domain", std::move(into)},   {"calls", move_sums_json(moves.calls)},
          {"samples", move_sums_json(moves.samples)}, {"over_limit", run.trace.moves.over_limit}};
}

// Null if nobody knows.
Json pages_json(const ReportedRun& run) {
  const trace::Touches& touches = run.trace.touches;
  if (!touches.are_known) return nullptr;
  Json threads = Json::array();
  for (const trace::PageColumn& column : run.findings.pages.columns) {
    threads.push_back({{"touched_by", thread_json(run, column.thread)},
                       {"unbound_bytes", column.unbound},
                       {"bytes", bytes_json(column.bytes)}});
  }
  return {{"bytes", bytes_json(run.findings.pages.bytes)},
          {"unbound_bytes", run.findings.pages.unbound},
          {"not_seen", run.findings.pages.not_seen},
          {"of_other_processes", touches.bytes_of_others},
          {"lost_touches", touches.lost},
          {"pages_over_limit", touches.over_limit},
          {"sees_system_calls", touches.sees_system_calls},
          {"threads", std::move(threads)},
          {"areas", areas_json(run)}};
}

// Null without a machine.
Json least_times_json(const ReportedRun& run) {
  if (!run.model) return nullptr;
  Json constructs = Json::array();
  for (const trace::LeastRow& row : run.model->rows) {
    Json json = {{"place", place_of(run.trace, row.construct)}};
    json.update(traced_row_json(row));
    constructs.push_back(std::move(json));
  }
  return {{"machine", run.model->machine},
          {"notes", run.model->notes},
          {"constructs", std::move(constructs)}};
}

Json run_json(const ReportedRun& run) {
  const trace::Trace& trace = run.trace;
  const trace::Findings& findings = run.findings;
  Json json = {{"name", run.name},
               {"command", trace.about.command},
               {"policy", trace.about.policy},
               {"loops", trace.about.loops},
               {"machine", trace.about.machine},
               {"openmp", trace.about.openmp},
               {"finished", trace.about.finished},
               {"notes", trace.notes},
               {"verdict", findings.verdict},
               {"duration_ns", trace.duration},
               {"in_regions_ns", findings.in_regions},
               {"work_ns", findings.work},
               {"creation_ns", findings.creation},
               {"idle_ns", findings.idle},
               {"critical_ns", findings.critical},
               {"regions", trace.regions.size()},
               {"all", to_json(findings.all)}};
  json["diagnoses"] = Json::array();
  for (const auto& each : findings.diagnoses) json["diagnoses"].push_back(to_json(trace, each));
  json["constructs"] = constructs_json(run);
  json["domains"] = domains_json(run);
  json["threads"] = threads_json(run);
  json["estimates_lengths"] = trace.estimates_lengths;
  json["bytes_by_home_and_domain"] = matrix_json(findings.bytes, trace.domains);
  json["written_bytes_by_home_and_domain"] = matrix_json(findings.written, trace.domains);
  json["grains_by_home_and_domain"] = matrix_json(findings.grains, trace.domains);
  json["lengths"] = lengths_json(run);
  json["pages"] = pages_json(run);
  json["moves"] = moves_json(run);
  json["sampled_pages"] = sampled_json(run);
  json["thread_moves"] = thread_moves_json(run);
  json["model"] = least_times_json(run);
  return json;
}

std::string csv_row(const ReportedRun& run, const trace::ConstructRow& row) {
  const auto& by = row.sums.time_by;
  return fmt::format(
      "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}", csv_field(run.name),
      csv_field(row.construct == trace::none ? "" : run.trace.constructs[row.construct].place),
      row.sums.grains, row.sums.time, by[0], by[1], by[2], row.create, row.shortest, row.median,
      row.longest, row.with_home, row.stolen,
      row.inflation > 0 ? fmt::format("{:.4f}", row.inflation) : "", row.critical);
}

std::string csv_rows(const ReportedRun& run) {
  std::map<trace::Index, const trace::LeastRow*> least;
  if (run.model) {
    for (const trace::LeastRow& row : run.model->rows) least[row.construct] = &row;
  }
  std::string text;
  for (const trace::ConstructRow& row : run.findings.constructs) {
    text += csv_row(run, row);
    const auto at = least.find(row.construct);
    if (run.model) text += "," + (at == least.end() ? ",,," : traced_row_csv(*at->second));
    text += "\r\n";
  }
  return text;
}

}  // namespace

std::string report_json(const ReportedRun& run, const ReportedRun* after) {
  Json json = {{"lares_report", report_version}, {"runs", Json::array({run_json(run)})}};
  if (after != nullptr) json["runs"].push_back(run_json(*after));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string report_csv(const ReportedRun& run, const ReportedRun* after) {
  std::string text =
      "run,construct,grains,time_ns,local_ns,same_domain_ns,remote_ns,create_ns,shortest_ns,"
      "median_ns,longest_ns,with_home,stolen,inflation,critical_ns";
  if (run.model) text += ",least_s,efficiency,all_local_s,verdict";
  text += "\r\n" + csv_rows(run);
  return after == nullptr ? text : text + csv_rows(*after);
}

}  // namespace lares::cli

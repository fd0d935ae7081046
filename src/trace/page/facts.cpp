#include "trace/page/facts.hpp"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "trace/findings/moves.hpp"
#include "trace/names.hpp"
#include "trace/page/model_facts.hpp"

namespace lares::trace::page {
namespace {

using Json = nlohmann::ordered_json;

Json index_or_null(Index index) { return index == none ? Json(nullptr) : Json(index); }
Json domain_or_null(std::uint16_t domain) {
  return domain == no_domain ? Json(nullptr) : Json(domain);
}

Json facts_of_about(const About& about) {
  return {{"command", about.command},
          {"policy", about.policy},
          {"loops", about.loops},
          {"placement", about.placement},
          {"binding", about.binding},
          {"machine", about.machine},
          {"openmp", about.openmp},
          {"lares_version", about.lares_version},
          {"started", about.started},
          {"environment", about.environment},
          {"distances", about.distances},
          {"cores_of_domain", about.cores_of_domain},
          {"cpus", about.cpus},
          {"runtimes", about.runtimes},
          {"numa_balancing", about.numa_balancing},
          {"finished", about.finished},
          {"exit_status", about.exit_status},
          {"signal", about.signal}};
}

Json facts_of_trace(const Trace& trace) {
  Json constructs = Json::array();
  for (const Construct& construct : trace.constructs) {
    constructs.push_back({{"place", construct.place},
                          {"file", construct.file},
                          {"offset", construct.offset},
                          {"is_loop", construct.is_loop}});
  }
  Json threads = Json::array();
  for (const Thread& thread : trace.threads) {
    threads.push_back({{"process", thread.process},
                       {"number", thread.number},
                       {"domain", domain_or_null(thread.domain)},
                       {"core", domain_or_null(thread.core)},
                       {"bound", thread.bound},
                       {"is_cut", thread.is_cut}});
  }
  return {{"about", facts_of_about(trace.about)},
          {"duration", trace.duration},
          {"domains", trace.domains},
          {"constructs", std::move(constructs)},
          {"threads", std::move(threads)},
          {"notes", trace.notes},
          {"dropped", trace.dropped}};
}

Json facts_of_sums(const Sums& sums) {
  return {{"grains", sums.grains},
          {"time", sums.time},
          {"grains_by", sums.grains_by},
          {"time_by", sums.time_by},
          {"bytes_by", sums.bytes_by}};
}

Json facts_of_tables(const Findings& findings) {
  Json constructs = Json::array();
  for (const ConstructRow& row : findings.constructs) {
    constructs.push_back({{"construct", index_or_null(row.construct)},
                          {"sums", facts_of_sums(row.sums)},
                          {"shortest", row.shortest},
                          {"median", row.median},
                          {"longest", row.longest},
                          {"create", row.create},
                          {"stolen", row.stolen},
                          {"with_home", row.with_home},
                          {"inflation", row.inflation},
                          {"critical", row.critical}});
  }
  Json domains = Json::array();
  for (const DomainRow& row : findings.domains) {
    domains.push_back({{"domain", domain_or_null(row.domain)},
                       {"threads", row.threads},
                       {"sums", facts_of_sums(row.sums)},
                       {"idle", row.idle}});
  }
  Json threads = Json::array();
  for (const ThreadRow& row : findings.threads) {
    threads.push_back({{"thread", row.thread},
                       {"work", row.work},
                       {"create", row.create},
                       {"idle", row.idle},
                       {"other", row.other}});
  }
  return {{"constructs", std::move(constructs)},
          {"domains", std::move(domains)},
          {"threads", std::move(threads)}};
}

Json facts_of_charts(const Findings& findings) {
  Json lengths = Json::array();
  for (const LengthBin& bin : findings.lengths) {
    lengths.push_back({{"log2", bin.log2}, {"grains_by", bin.grains_by}, {"time_by", bin.time_by}});
  }
  Json parallelism = Json::array();
  for (const ParallelismSlice& slice : findings.parallelism) {
    parallelism.push_back({slice.running, slice.waiting});
  }
  return {{"lengths", std::move(lengths)}, {"parallelism", std::move(parallelism)},
          {"slice", findings.slice},       {"traffic_slice", findings.traffic_slice},
          {"bytes", findings.bytes},       {"grains", findings.grains}};
}

const char* to_word(Severity severity) {
  switch (severity) {
    case Severity::problem:
      return "problem";
    case Severity::warning:
      return "warning";
    case Severity::note:
      break;
  }
  return "note";
}

Json facts_of_diagnoses(const std::vector<Diagnosis>& diagnoses) {
  Json all = Json::array();
  for (const Diagnosis& diagnosis : diagnoses) {
    all.push_back({{"id", diagnosis.id},
                   {"severity", to_word(diagnosis.severity)},
                   {"title", diagnosis.title},
                   {"evidence", diagnosis.evidence},
                   {"threshold", diagnosis.threshold},
                   {"remedy", diagnosis.remedy},
                   {"gain", diagnosis.gain},
                   {"gain_how", diagnosis.gain_how},
                   {"construct", index_or_null(diagnosis.construct)},
                   {"from", diagnosis.from},
                   {"to", diagnosis.to},
                   {"grains", diagnosis.grains}});
  }
  return all;
}

/// Further areas are only summed up: in a large run there are more than anybody reads.
constexpr std::size_t most_areas_of_page = 500;

std::string hexadecimal(std::uint64_t address) {
  char text[20];
  std::snprintf(text, sizeof(text), "0x%llx", static_cast<unsigned long long>(address));
  return text;
}

Json facts_of_areas(std::span<const PageArea> areas) {
  Json all = Json::array();
  for (const PageArea& area : areas) {
    all.push_back({{"process", area.process},
                   {"begin", hexadecimal(area.begin)},
                   {"end", hexadecimal(area.end)},
                   {"thread", index_or_null(area.thread)},
                   {"domain", domain_or_null(area.domain)},
                   {"user", domain_or_null(area.user)},
                   {"user_share", area.user_share},
                   {"bytes", area.bytes}});
  }
  return all;
}

Json facts_of_columns(const PageFindings& pages) {
  Json columns = Json::array();
  for (const PageColumn& column : pages.columns) {
    columns.push_back({{"thread", index_or_null(column.thread)}, {"bytes", column.bytes}});
  }
  return columns;
}

Json facts_of_rows(const PageFindings& pages) {
  Json rows = Json::array();
  for (const PageRow& row : pages.rows) {
    rows.push_back({{"process", row.process},
                    {"begin", hexadecimal(row.begin)},
                    {"end", hexadecimal(row.end)},
                    {"cells", row.cells}});
  }
  return rows;
}

// Null if nobody knows.
Json facts_of_pages(const Touches& touches, const PageFindings& pages) {
  if (!touches.are_known) return nullptr;
  const std::size_t shown = std::min(pages.areas.size(), most_areas_of_page);
  BytesByUse more{};
  for (std::size_t i = shown; i < pages.areas.size(); ++i) {
    add(more, pages.areas[i].bytes);
  }
  return {{"columns", facts_of_columns(pages)},
          {"rows", facts_of_rows(pages)},
          {"areas", facts_of_areas(std::span(pages.areas).first(shown))},
          {"more_areas", pages.areas.size() - shown},
          {"more_bytes", more},
          {"unbound", pages.unbound},
          {"not_seen", pages.not_seen},
          {"of_others", touches.bytes_of_others}};
}

// Null if nothing was.
Json facts_of_samples(const PageFindings& sampled) {
  if (sampled.columns.empty()) return nullptr;
  return {{"columns", facts_of_columns(sampled)}, {"rows", facts_of_rows(sampled)}};
}

Json facts_of_moves(const Trace& trace, const MoveFindings& moves) {
  if (trace.moves.list.empty()) return nullptr;
  Json rows = Json::array();
  for (const MoveRow& row : move_rows(moves)) {
    rows.push_back({{"what", row.what},
                    {"times", row.sums.times},
                    {"bytes", row.sums.bytes},
                    {"arrived", row.sums.arrived},
                    {"took", row.sums.took}});
  }
  return rows;
}

// Null if none did.
Json facts_of_thread_moves(const MoveFindings& moves) {
  if (moves.threads.empty()) return nullptr;
  Json rows = Json::array();
  for (const ThreadMoveSums& sums : moves.threads) {
    rows.push_back({{"domain", domain_or_null(sums.domain)},
                    {"times", sums.times},
                    {"threads", sums.threads}});
  }
  return rows;
}

Json facts_of_findings(const Trace& trace, const Findings& findings) {
  return {{"verdict", findings.verdict},
          {"all", facts_of_sums(findings.all)},
          {"tables", facts_of_tables(findings)},
          {"charts", facts_of_charts(findings)},
          {"critical", findings.critical},
          {"work", findings.work},
          {"creation", findings.creation},
          {"idle", findings.idle},
          {"in_regions", findings.in_regions},
          {"diagnoses", facts_of_diagnoses(findings.diagnoses)},
          {"pages", facts_of_pages(trace.touches, findings.pages)},
          {"samples", facts_of_samples(findings.sampled)},
          {"thread_moves", facts_of_thread_moves(findings.moves)},
          {"moves", facts_of_moves(trace, findings.moves)}};
}

Json words() {
  Json localities_in_order = Json::array();
  for (std::size_t i = 0; i < localities; ++i) {
    localities_in_order.push_back(to_words(static_cast<Locality>(i)));
  }
  Json waits = Json::array();
  for (int i = 0; i <= static_cast<int>(WaitKind::loop_end); ++i) {
    waits.push_back(to_words(static_cast<WaitKind>(i)));
  }
  return {{"localities", std::move(localities_in_order)}, {"waits", std::move(waits)}};
}

// In JSON, '<' is only ever part of a string.
std::string without_markup(const std::string& json) {
  std::string safe;
  safe.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

}  // namespace

std::string facts_of(std::span<const PageRun> runs) {
  Json all = Json::array();
  for (const PageRun& run : runs) {
    all.push_back({{"trace", facts_of_trace(run.trace)},
                   {"findings", facts_of_findings(run.trace, run.findings)},
                   {"model", facts_of_model(run.model)}});
  }
  const Json facts = {{"words", words()}, {"runs", std::move(all)}};
  // Names come from files of others: they need not be UTF-8.
  return without_markup(facts.dump(-1, ' ', true, Json::error_handler_t::replace));
}

}  // namespace lares::trace::page

// A row for each grain, by RFC 4180 (lines end with CR LF, the first one names the columns). A name
// of a column never changes its meaning; new columns come at the end. What is not known is empty.
#include <fmt/format.h>

#include <iterator>

#include "trace/exports/formats.hpp"
#include "trace/exports/text.hpp"
#include "trace/names.hpp"

namespace lares::trace {
namespace {

constexpr std::string_view csv_header =
    "grain,kind,process,thread,domain,construct,place,region,begin_ns,end_ns,length_ns,self_ns,"
    "created_ns,ready_ns,ready_delay_ns,create_cost_ns,bytes,locality,home,located_by,stolen_from,"
    "depth,creator,created_by_thread,released_by,part_of,first_iteration,iterations,undeferred,"
    "continues,unfinished\r\n";

std::string or_empty(Index index) { return index == none ? "" : std::to_string(index); }
std::string domain_or_empty(std::uint16_t domain) {
  return domain == no_domain ? "" : std::to_string(domain);
}
std::string thread_or_empty(const Trace& trace, Index thread) {
  return thread == none ? "" : std::to_string(trace.threads[thread].number);
}

class CsvRows {
 public:
  explicit CsvRows(const Trace& trace) : trace_(trace) {
    for (const Construct& construct : trace.constructs) {
      places_.push_back(csv_text(construct.place));
    }
  }

  void append(std::size_t number, std::string& rows) const {
    const Grain& grain = trace_.grains[number];
    const Thread& thread = trace_.threads[grain.thread];
    const bool is_chunk = grain.has(grain_flag::is_chunk);
    auto out = std::back_inserter(rows);
    fmt::format_to(
        out, "{},{},{},{},{},{},{},{},", number, is_chunk ? "chunk" : "task", thread.process,
        thread.number, domain_or_empty(grain.domain), or_empty(grain.construct),
        grain.construct == none ? std::string() : places_[grain.construct], or_empty(grain.region));
    fmt::format_to(out, "{},{},{},{},{},{},{},{},{},", grain.begin, grain.end, grain.length(),
                   grain.self, grain.created, grain.ready,
                   grain.begin < grain.ready ? 0 : grain.begin - grain.ready, grain.create_cost,
                   grain.bytes);
    fmt::format_to(out, "{},{},{},{},{},{},{},{},{},", to_words(grain.locality),
                   domain_or_empty(grain.home), to_words(grain.located),
                   domain_or_empty(grain.stolen_from), grain.depth, or_empty(grain.creator),
                   thread_or_empty(trace_, grain.created_on), or_empty(grain.released_by),
                   or_empty(grain.part_of));
    fmt::format_to(out, "{},{},{:d},{:d},{:d}\r\n", is_chunk ? std::to_string(grain.first) : "",
                   is_chunk ? std::to_string(grain.iterations) : "",
                   grain.has(grain_flag::undeferred), grain.has(grain_flag::goes_on),
                   grain.has(grain_flag::unfinished));
  }

 private:
  const Trace& trace_;
  std::vector<std::string> places_;
};

}  // namespace

void put_csv(const Trace& trace, Sink& sink) {
  sink.put(csv_header);
  const CsvRows table(trace);
  std::string rows;
  for (std::size_t i = 0; i < trace.grains.size(); ++i) {
    table.append(i, rows);
    if (rows.size() < (std::size_t{1} << 16U)) continue;
    sink.put(rows);
    rows.clear();
  }
  sink.put(rows);
}

}  // namespace lares::trace

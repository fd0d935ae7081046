// A row for each area of memory that one thread came to first, by RFC 4180. Columns as in csv.cpp.
#include <fmt/format.h>

#include "trace/exports/formats.hpp"
#include "trace/findings/pages.hpp"

namespace lares::trace {
namespace {

constexpr std::string_view areas_header =
    "process,begin,end,bytes,thread,domain,used_most_in_domain,share_of_uses,local_bytes,"
    "shared_bytes,remote_bytes,not_named_bytes\r\n";

std::string known_domain_or_empty(std::uint16_t domain) {
  return domain == no_domain ? "" : std::to_string(domain);
}

std::string row_of(const Trace& trace, const PageArea& area) {
  const bool is_used = area.user != no_domain;
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}\r\n", area.process, area.begin, area.end,
                     area.end - area.begin,
                     area.thread == none ? "" : std::to_string(trace.threads[area.thread].number),
                     known_domain_or_empty(area.domain), known_domain_or_empty(area.user),
                     is_used ? fmt::format("{:.4f}", area.user_share) : "",
                     bytes_of(area.bytes, PageUse::local), bytes_of(area.bytes, PageUse::shared),
                     bytes_of(area.bytes, PageUse::remote),
                     bytes_of(area.bytes, PageUse::not_named));
}

}  // namespace

void put_page_areas(const Trace& trace, Sink& sink) {
  sink.put(areas_header);
  const PageFindings pages = find_pages(trace);
  for (const PageArea& area : pages.areas) sink.put(row_of(trace, area));
}

}  // namespace lares::trace

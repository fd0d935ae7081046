#include "trace/page/page.hpp"

#include <algorithm>

#include "trace/page/columns.hpp"
#include "trace/page/facts.hpp"
#include "trace/page/sources.hpp"

namespace lares::trace {

void write_page(std::ostream& out, std::span<const PageRun> runs) {
  runs = runs.first(std::min<std::size_t>(runs.size(), 2));
  for (const std::string_view piece : page::before_data()) out << piece;
  out << "<script type=\"application/json\" id=\"facts\">" << page::facts_of(runs) << "</script>\n";
  for (std::size_t run = 0; run < runs.size(); ++run) page::write_columns(out, run, runs[run]);
  for (const std::string_view piece : page::after_data()) out << piece;
}

}  // namespace lares::trace

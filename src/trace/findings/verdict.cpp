#include "trace/findings/verdict.hpp"

#include <fmt/format.h>

#include "trace/findings/diagnoses/diagnoses.hpp"
#include "trace/names.hpp"

namespace lares::trace {
namespace {

std::string where_time_went(const Trace& trace, const Findings& findings) {
  const Together all = together(trace, findings);
  if (all.time == 0) return "No thread was seen in a parallel region.";
  const auto part = [&all](Time time) {
    return human_share(static_cast<double>(time) / static_cast<double>(all.time));
  };
  Time own_code = 0;
  for (const ThreadRow& row : findings.threads) own_code += row.other;
  return fmt::format(
      "{} thread{} spent {} of {} in tasks and chunks, {} creating them, {} in the regions' own "
      "code, {} waiting.",
      all.threads, all.threads == 1 ? "" : "s", part(findings.work),
      human_time(findings.in_regions), part(findings.creation), part(own_code),
      part(findings.idle));
}

std::string where_data_was(const Trace& trace, const Findings& findings) {
  std::uint64_t known = 0;
  std::uint64_t far = 0;
  for (const Grain& grain : trace.grains) {
    if (!grain.has(grain_flag::has_data) || grain.has(grain_flag::goes_on)) continue;
    ++known;
    if (grain.locality == Locality::remote) ++far;
  }
  if (findings.all.grains == 0) return "There are no tasks and no chunks.";
  if (trace.domains < 2) {
    return fmt::format("{} grains ran in one domain, so all data is as near as it can be.",
                       findings.all.grains);
  }
  if (known == 0) {
    return fmt::format("Of {} grains nobody knows where their data is.", findings.all.grains);
  }
  const double share = static_cast<double>(far) / static_cast<double>(known);
  const auto domains = static_cast<double>(trace.domains);
  return fmt::format(
      "Of {} grains the home of {} was known, and {} of those ran in another domain; chance gives "
      "{}.",
      findings.all.grains, known, human_share(share), human_share((domains - 1) / domains));
}

std::string what_first(const Findings& findings) {
  if (findings.diagnoses.empty()) return "Nothing stands out.";
  const Diagnosis& first = findings.diagnoses.front();
  if (first.severity == Severity::note) return "Nothing stands out.";
  return fmt::format("First: {} ({}).", first.title, first.evidence);
}

}  // namespace

std::array<std::string, 3> verdict_on(const Trace& trace, const Findings& findings) {
  return {where_time_went(trace, findings), where_data_was(trace, findings), what_first(findings)};
}

}  // namespace lares::trace

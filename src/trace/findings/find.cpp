#include "trace/findings/critical_path.hpp"
#include "trace/findings/diagnoses/diagnoses.hpp"
#include "trace/findings/findings.hpp"
#include "trace/findings/moves.hpp"
#include "trace/findings/over_time.hpp"
#include "trace/findings/pages.hpp"
#include "trace/findings/samples.hpp"
#include "trace/findings/sums.hpp"
#include "trace/findings/verdict.hpp"

namespace lares::trace {

Findings find(const Trace& trace) {
  Findings findings;
  add_sums(trace, findings);
  add_lengths(trace, findings);
  add_course(trace, findings);
  add_critical_path(trace, findings);
  findings.pages = find_pages(trace);
  findings.sampled = find_samples(trace);
  findings.moves = find_moves(trace);
  findings.diagnoses = diagnose(trace, findings);
  findings.verdict = verdict_on(trace, findings);
  return findings;
}

}  // namespace lares::trace

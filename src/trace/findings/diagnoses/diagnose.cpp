#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "trace/findings/diagnoses/diagnoses.hpp"

namespace lares::trace {
namespace {

constexpr std::array<Diagnose, 16> all{kept_back,
                                       too_fine,
                                       too_coarse,
                                       one_creator,
                                       serial_phases,
                                       imbalance,
                                       waits_for_children,
                                       far_from_data,
                                       data_in_one_domain,
                                       false_homes,
                                       saturated_memory,
                                       unbound_threads,
                                       more_threads_than_cores,
                                       disturbed,
                                       kernel_moves_pages,
                                       several_runtimes};

bool is_worse(const Diagnosis& a, const Diagnosis& b) {
  if (a.severity != b.severity) return a.severity > b.severity;
  if (a.gain != b.gain) return a.gain > b.gain;
  return a.id < b.id;
}

}  // namespace

std::vector<Diagnosis> diagnose(const Trace& trace, const Findings& findings) {
  std::vector<Diagnosis> list;
  for (const Diagnose each : all) {
    if (auto found = each(trace, findings)) list.push_back(std::move(*found));
  }
  std::sort(list.begin(), list.end(), is_worse);
  return list;
}

Together together(const Trace& trace, const Findings& findings) {
  Together sum;
  for (const ThreadRow& row : findings.threads) {
    const Time time = row.work + row.create + row.idle + row.other;
    if (time == 0) continue;
    ++sum.threads;
    sum.time += time;
  }
  sum.threads = std::max<std::size_t>(sum.threads, trace.threads.empty() ? 0 : 1);
  return sum;
}

std::string place_of(const Trace& trace, Index construct) {
  return construct == none ? "an unknown construct" : trace.constructs[construct].place;
}

}  // namespace lares::trace

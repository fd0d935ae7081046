#include "cli/study/model/traced.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "analysis/stats_file.hpp"
#include "cli/commands.hpp"
#include "trace/findings/construct_traffic.hpp"

namespace lares::cli {
namespace {

model::Stream traced_stream(const std::vector<std::uint64_t>& bytes, model::Access access,
                            Bytes footprint) {
  model::Stream stream{access, footprint, {}, false};
  for (const std::uint64_t count : bytes) stream.bytes.push_back(static_cast<double>(count));
  return stream;
}

/// A named array that is written counts once, as in the kernel `write`: what it is read for is
/// named besides, or is the line that a cache fetches first.
model::WorkDone work_of(const trace::ConstructTraffic& traffic) {
  model::WorkDone work;
  work.team.of_domain = traffic.threads;
  work.team.size = std::accumulate(traffic.threads.begin(), traffic.threads.end(), 0U);
  const Bytes footprint{traffic.distinct / work.team.size};
  work.streams = {traced_stream(traffic.read, model::Access::read, footprint),
                  traced_stream(traffic.written, model::Access::write, footprint)};
  for (const trace::Time busy : traffic.busy) {
    work.busy.push_back({static_cast<double>(busy) * 1e-9});
  }
  return work;
}

}  // namespace

std::vector<TracedConstruct> traced_constructs(const trace::Trace& trace,
                                               const machine::Machine& machine,
                                               const model::Figures& figures) {
  const std::size_t domains = machine.domains.size();
  if (trace.domains > domains) {
    throw UserMistake{
        {fmt::format("the traced run had {} domains at level {}, but the machine \"{}\" has {}; "
                     "measure the machine that it ran on with the same --domain",
                     trace.domains, trace.about.level, machine.name, domains)}};
  }
  std::vector<TracedConstruct> constructs;
  for (const trace::ConstructTraffic& traffic : trace::construct_traffic(trace)) {
    const std::string place =
        traffic.construct == trace::none ? "?" : trace.constructs[traffic.construct].place;
    const model::WorkDone work = work_of(traffic);
    constructs.push_back({analysis::printable(place), model::sum_of(work.streams),
                          static_cast<double>(traffic.homeless), model::least_time(figures, work)});
  }
  return constructs;
}

}  // namespace lares::cli

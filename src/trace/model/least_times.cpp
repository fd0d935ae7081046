#include "trace/model/least_times.hpp"

#include <fmt/format.h>

#include <numeric>
#include <optional>
#include <utility>

#include "trace/findings/construct_traffic.hpp"

namespace lares::trace {
namespace {

std::optional<Error> refuse(const Trace& trace, const machine::Machine& machine) {
  const std::string& level = trace.about.level;  // empty: an old trace, which does not tell
  const std::string_view measured = machine::level_name(machine.domain_level);
  const std::size_t domains = machine.domains.size();
  if (trace.domains <= domains && (level.empty() || level == measured)) return std::nullopt;
  return Error{
      fmt::format("the traced run had {} domains at level {}, but the machine \"{}\" has {} at "
                  "level {}; measure the machine that it ran on with the same --domain",
                  trace.domains, level.empty() ? "?" : level, machine.name, domains, measured)};
}

/// A run that met only some of the machine's domains has smaller matrices.
model::Stream traced_stream(const std::vector<std::uint64_t>& bytes, std::size_t of_run,
                            std::size_t of_machine, model::Access access, Bytes footprint) {
  model::Stream stream{access, footprint, std::vector<double>(of_machine * of_machine, 0), false};
  for (std::size_t from = 0; from < of_run; ++from) {
    for (std::size_t to = 0; to < of_run; ++to) {
      stream.bytes[from * of_machine + to] = static_cast<double>(bytes[from * of_run + to]);
    }
  }
  return stream;
}

/// A named array that is written counts once, as in the kernel `write`: what it is read for is
/// named besides, or is the line that a cache fetches first.
model::WorkDone work_of(const ConstructTraffic& traffic, std::size_t domains) {
  model::WorkDone work;
  work.team.of_domain = traffic.threads;
  work.team.size = std::accumulate(traffic.threads.begin(), traffic.threads.end(), 0U);
  const std::size_t of_run = traffic.threads.size();
  const Bytes footprint{traffic.distinct / work.team.size};
  work.streams = {traced_stream(traffic.read, of_run, domains, model::Access::read, footprint),
                  traced_stream(traffic.written, of_run, domains, model::Access::write, footprint)};
  for (const Time busy : traffic.busy) work.busy.push_back({static_cast<double>(busy) * 1e-9});
  work.team.of_domain.resize(domains, 0);
  work.busy.resize(domains);
  return work;
}

}  // namespace

Result<LeastTimes> least_times(const Trace& trace, const machine::Machine& machine,
                               const model::Figures& figures) {
  if (auto error = refuse(trace, machine)) return std::move(*error);
  LeastTimes times{machine.name, figures.notes(), {}};
  for (const ConstructTraffic& traffic : construct_traffic(trace)) {
    const model::WorkDone work = work_of(traffic, machine.domains.size());
    times.rows.push_back({traffic.construct, model::sum_of(work.streams),
                          static_cast<double>(traffic.homeless), model::least_time(figures, work)});
  }
  return times;
}

}  // namespace lares::trace

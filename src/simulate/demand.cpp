#include "simulate/demand.hpp"

namespace lares::simulate {

Demand::Demand(const Workload& workload, const Parameters& parameters, std::size_t domains,
               std::vector<DomainId>& homes)
    : workload_(workload),
      parameters_(parameters),
      caches_(domains, workload.reuses ? parameters.cache_bytes : 0, workload.blocks),
      homes_(homes) {
  if (!workload.reuses || !workload.written) return;
  for (BlockIndex block = 0; block < workload.blocks.size(); ++block) {
    const DomainId home = workload.blocks[block].home;
    if (home.valid()) caches_.use(home, block, true);
  }
}

const std::vector<Traffic>& Demand::migrate(TaskIndex task, DomainId to) {
  traffic_.clear();
  for (const Access& access : workload_.accesses_of(task)) {
    DomainId& home = homes_[access.block];
    if (!home.valid() || home == to) continue;
    const auto bytes = static_cast<double>(workload_.blocks[access.block].bytes.count);
    add(home, bytes, 0);
    add(to, 0, bytes);
    home = to;
  }
  return traffic_;
}

const std::vector<Traffic>& Demand::run(TaskIndex task, DomainId where, bool measured) {
  traffic_.clear();
  if (!workload_.script.counts(task)) return traffic_;
  for (const Access& access : workload_.accesses_of(task)) {
    DomainId& home = homes_[access.block];
    if (!home.valid()) home = where;  // the first touch
    const bool writes = policy::writes(access.mode);
    const Caches::Source source = look_up(access, where);
    if (source == Caches::Source::own_cache || access.bytes <= 0) continue;
    const bool reads = access.mode != policy::AccessMode::write;
    // With write-allocate a line that is only written is also fetched.
    const double read = access.bytes * (reads ? 1 : parameters_.write_factor - 1);
    add(home, read, writes ? access.bytes : 0);
    if (measured) count(source, home == where, read);
  }
  if (!workload_.script.empty()) bound(workload_.tasks[task].seconds);
  return traffic_;
}

Caches::Source Demand::look_up(const Access& access, DomainId where) {
  if (!workload_.reuses) return Caches::Source::memory;
  const bool writes = policy::writes(access.mode);
  const auto whole = static_cast<double>(workload_.blocks[access.block].bytes.count);
  const bool part = !writes && access.bytes < whole;
  return part ? caches_.read_part(where, access.block) : caches_.use(where, access.block, writes);
}

void Demand::add(DomainId home, double read, double written) {
  for (Traffic& part : traffic_) {
    if (part.home != home) continue;
    part.read += read;
    part.written += written;
    return;
  }
  traffic_.push_back({home, read, written});
}

void Demand::count(Caches::Source source, bool local, double bytes) {
  double& sum = source == Caches::Source::other_cache ? fetched_.from_caches
                : local                               ? fetched_.local
                                                      : fetched_.remote;
  sum += bytes;
}

// A recorded duration has the task's own memory in it: it is never longer for that, only for memory
// that is far or shared. So what it moves is at most what one core can in that time.
void Demand::bound(double seconds) {
  const double bytes = bytes_of(traffic_);
  const double most = parameters_.core_mb_s * 1e6 * seconds;
  if (most <= 0) traffic_.clear();
  if (bytes <= most) return;
  for (Traffic& part : traffic_) {
    part.read *= most / bytes;
    part.written *= most / bytes;
  }
}

}  // namespace lares::simulate

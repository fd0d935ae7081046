#include "simulate/flows.hpp"

#include <algorithm>

namespace lares::simulate {

void Flows::begin(std::uint32_t worker, DomainId domain, const std::vector<Traffic>& traffic,
                  double factor, Limit limit, double now) {
  double bytes = 0;
  for (const Traffic& part : traffic) bytes += (part.read + part.written) * factor;
  hardware_.uses_of(domain, traffic, uses_);
  const std::uint32_t number = hardware_.sharing.add(uses_, limit.cap, limit.portion);
  flows_[worker] = {number, bytes, bytes, 0, now};
  if (owner_.size() <= number) owner_.resize(number + 1);
  owner_[number] = worker;
  unsettled_ = true;
}

double Flows::interrupt(std::uint32_t worker, bool counts, double now) {
  Flow& flow = flows_[worker];
  const double left = std::max(0.0, flow.left - flow.rate * (now - flow.since)) / flow.bytes;
  flow.bytes *= 1 - left;
  end(worker, counts);
  return left;
}

void Flows::end(std::uint32_t worker, bool counts) {
  Flow& flow = flows_[worker];
  if (counts) {
    for (const Use& use : hardware_.sharing.uses(flow.number)) {
      used_[use.resource] += use.weight * flow.bytes;
    }
  }
  hardware_.sharing.remove(flow.number);
  flow.number = none;
  unsettled_ = true;
}

}  // namespace lares::simulate

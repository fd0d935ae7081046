// Who gets how much of what is shared: rates of flows over memory controllers, links and fabrics.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace lares::simulate {

/// What a flow takes of a resource for each unit of its progress.
struct Use {
  std::uint32_t resource = 0;
  double weight = 1;
};

/// A resource that loses capacity when too many flows press on it:
/// C(n) = C / (1 + slope * max(0, n / free_flows - 1)).
struct Collapse {
  double free_flows = std::numeric_limits<double>::infinity();
  double slope = 0;
};

/// Bottleneck-fair rates: x_i = min(cap_i, min over its resources r of portion_i * share_r / w_ir),
/// where share_r is the level up to which resource r is filled, or infinite while it has room.
/// At a full resource every flow takes the same part of it, whatever its weight elsewhere.
///
/// Kept up to date incrementally: a change spreads only as far as rates change by more than the
/// tolerance. The result does not depend on anything but the order of calls. One thread at a time.
class Sharing {
 public:
  /// Rates that change by less than this fraction are not followed up.
  explicit Sharing(double tolerance = 1e-4) noexcept : tolerance_(tolerance) {}

  /// Precondition: capacity > 0. Answers the resource's number.
  std::uint32_t add_resource(double capacity, Collapse collapse = {});
  [[nodiscard]] std::size_t resource_count() const noexcept { return resources_.size(); }
  /// The capacity that is left under the present number of flows.
  [[nodiscard]] double capacity(std::uint32_t resource) const noexcept;
  /// What all flows together take of it now.
  [[nodiscard]] double load(std::uint32_t resource) const noexcept;

  /// A new flow: at most `cap` units of progress a second. `portion` is its part of a core that
  /// several time-share (its cap is that of the whole core). Weights of 0 are left out; a resource
  /// is named at most once. Rates are old until the next settle().
  std::uint32_t add(std::span<const Use> uses, double cap, double portion = 1);
  void remove(std::uint32_t flow);
  [[nodiscard]] double rate(std::uint32_t flow) const noexcept { return flows_[flow].rate; }
  [[nodiscard]] std::span<const Use> uses(std::uint32_t flow) const noexcept {
    return flows_[flow].uses;
  }

  /// Brings all rates up to date. Answers the flows whose rate is another than before, in a fixed
  /// order; valid until the next call. O(flows at the resources that changed).
  std::span<const std::uint32_t> settle();

 private:
  struct Member {
    std::uint32_t flow;
    std::uint32_t use;  // its number in the flow's uses
    double need;        // scratch: the level that would satisfy the flow's other limits
  };
  struct Resource {
    double full_capacity = 0;
    Collapse collapse;
    double capacity = 0;
    double share = std::numeric_limits<double>::infinity();
    double load = 0;
    double portions = 0;
    std::vector<Member> members;
    bool waiting = false;  // is in queue_
  };
  struct Flow {
    std::vector<Use> uses;
    std::vector<std::uint32_t> slots;  // by use: the place among the resource's members
    double cap = 0;
    double portion = 1;
    double rate = 0;
    bool alive = false;
    bool reported = false;
  };

  void wait_for(std::uint32_t resource);
  void change_portions(Resource& resource, double by) noexcept;
  void update(std::uint32_t index);
  [[nodiscard]] double other_limit(const Flow& flow, std::uint32_t except) const noexcept;
  [[nodiscard]] double level_of(Resource& resource) const noexcept;
  void set_rate(std::uint32_t index, double rate, std::uint32_t from);

  double tolerance_;
  std::vector<Resource> resources_;
  std::vector<Flow> flows_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> queue_;
  std::vector<std::uint32_t> changed_;
  std::vector<std::uint32_t> settled_;
};

}  // namespace lares::simulate

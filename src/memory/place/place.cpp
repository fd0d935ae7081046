#include "memory/place/place.hpp"

#include <linux/mempolicy.h>

#include "memory/place/runs.hpp"
#include "memory/pointer.hpp"

namespace lares::memory {
namespace {

int bind_interleaved(const SystemCalls& calls, const Nodes& nodes, const Plan& plan,
                     std::uintptr_t address) noexcept {
  NodeMask mask;
  for (const DomainId domain : plan.turns()) mask.add(nodes.node_of(domain));
  const long result =
      calls.bind(pointer(address), plan.length().count, MPOL_INTERLEAVE, mask.words());
  return result < 0 ? static_cast<int>(-result) : 0;
}

int bind_runs(const SystemCalls& calls, const Nodes& nodes, const Plan& plan,
              std::uintptr_t address, Bytes page) noexcept {
  int error = 0;
  for_each_run(plan, address, page, [&](const Run& run) {
    const OsNode node = nodes.node_of(run.domain);
    if (error != 0 || !node.valid()) return;
    // "Preferred" and not "bind": a full node must not end the program.
    const NodeMask mask(node);
    const long result =
        calls.bind(pointer(run.begin), run.end - run.begin, MPOL_PREFERRED, mask.words());
    if (result < 0) error = static_cast<int>(-result);
  });
  return error;
}

void touch_pages(std::uintptr_t begin, std::uintptr_t end, std::uint64_t page) noexcept {
  for (; begin < end; begin += page) *static_cast<volatile char*>(pointer(begin)) = 0;
}

/// The calling thread's memory policy, restored at the end of its life.
class ThreadPolicy {
 public:
  explicit ThreadPolicy(const SystemCalls& calls) noexcept : calls_(calls) {
    known_ = calls_.preference(&mode_, mask_.words()) >= 0;
  }
  ~ThreadPolicy() {
    if (!known_ || calls_.prefer(mode_, mask_.words()) < 0) calls_.prefer(MPOL_DEFAULT, nullptr);
  }
  ThreadPolicy(const ThreadPolicy&) = delete;
  ThreadPolicy& operator=(const ThreadPolicy&) = delete;

  /// 0 or an errno.
  int prefer(OsNode node) noexcept {
    if (node == now_) return 0;
    const NodeMask mask(node);
    const long result = calls_.prefer(MPOL_PREFERRED, mask.words());
    now_ = result < 0 ? OsNode{} : node;
    return result < 0 ? static_cast<int>(-result) : 0;
  }

 private:
  const SystemCalls& calls_;
  int mode_ = MPOL_DEFAULT;
  NodeMask mask_;
  bool known_ = false;
  OsNode now_;
};

int populate(const SystemCalls& calls, const Nodes& nodes, const Plan& plan, std::uintptr_t address,
             Bytes page) noexcept {
  ThreadPolicy policy(calls);
  int error = 0;
  for_each_run(plan, address, page, [&](const Run& run) {
    const OsNode node = nodes.node_of(run.domain);
    if (error != 0 || !node.valid()) return;
    error = policy.prefer(node);
    if (error == 0) touch_pages(run.begin, run.end, page.count);
  });
  return error;
}

}  // namespace

Placed place(const SystemCalls& calls, const Nodes& nodes, const Plan& plan, std::uintptr_t address,
             Bytes page) noexcept {
  if (!nodes.several() || plan.kind() == Distribution::Kind::first_touch) return {};
  if (plan.plain_interleave()) return {bind_interleaved(calls, nodes, plan, address), false};
  std::size_t runs = 0;
  for_each_run(plan, address, page, [&](const Run&) { ++runs; });
  if (runs <= most_mappings_of_range) return {bind_runs(calls, nodes, plan, address, page), false};
  return {populate(calls, nodes, plan, address, page), true};
}

}  // namespace lares::memory

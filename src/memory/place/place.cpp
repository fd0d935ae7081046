#include "memory/place/place.hpp"

#include <linux/mempolicy.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>

#include "memory/place/runs.hpp"
#include "memory/pointer.hpp"

namespace lares::memory {
namespace {

int errno_of(long result) noexcept { return result < 0 ? static_cast<int>(-result) : 0; }

int bind_interleaved(const SystemCalls& calls, const Nodes& nodes, const Plan& plan,
                     std::uintptr_t address) noexcept {
  NodeMask mask;
  for (const DomainId domain : plan.turns()) mask.add(nodes.node_of(domain));
  return errno_of(calls.bind(pointer(address), plan.length().count, MPOL_INTERLEAVE, mask.words()));
}

int unbind(const SystemCalls& calls, std::uintptr_t address, Bytes length) noexcept {
  return errno_of(calls.bind(pointer(address), length.count, MPOL_DEFAULT, nullptr));
}

std::size_t count_runs(const Plan& plan, std::uintptr_t address, Bytes page) noexcept {
  std::size_t runs = 0;
  for_each_run(plan, address, page, [&](const Run&) { ++runs; });
  return runs;
}

/// Precondition: `runs` were taken from the budget. One run is no mapping more than there is.
Placed bind_runs(const SystemCalls& calls, const Nodes& nodes, const Plan& plan,
                 std::uintptr_t address, Bytes page, std::size_t runs,
                 MappingBudget& budget) noexcept {
  int error = 0;
  for_each_run(plan, address, page, [&](const Run& run) {
    const OsNode node = nodes.node_of(run.domain);
    if (error != 0 || !node.valid()) return;
    // "Preferred" and not "bind": a full node must not end the program.
    const NodeMask mask(node);
    error =
        errno_of(calls.bind(pointer(run.begin), run.end - run.begin, MPOL_PREFERRED, mask.words()));
  });
  if (error == 0) return {0, false, runs};
  unbind(calls, address, plan.length());
  budget.give(runs);
  return {error, false, 0};
}

/// The calling thread's memory policy, restored at the end of its life.
class ThreadPolicy {
 public:
  explicit ThreadPolicy(const SystemCalls& calls) noexcept
      : calls_(calls), unknown_(errno_of(calls.preference(&mode_, mask_.words()))) {}
  ~ThreadPolicy() {
    if (!changed_) return;
    if (calls_.prefer(mode_, mask_.words()) < 0) calls_.prefer(MPOL_DEFAULT, nullptr);
  }
  ThreadPolicy(const ThreadPolicy&) = delete;
  ThreadPolicy& operator=(const ThreadPolicy&) = delete;

  /// 0 or an errno. A policy that could not be read is not changed: nobody could set it back.
  int prefer(OsNode node) noexcept {
    if (unknown_ != 0) return unknown_;
    if (node == now_) return 0;
    changed_ = true;
    const NodeMask mask(node);
    const int error = errno_of(calls_.prefer(MPOL_PREFERRED, mask.words()));
    now_ = error != 0 ? OsNode{} : node;
    return error;
  }

 private:
  const SystemCalls& calls_;
  int mode_ = MPOL_DEFAULT;
  NodeMask mask_;
  const int unknown_;  // an errno if it could not be read
  bool changed_ = false;
  OsNode now_;
};

/// Makes the pages of many runs, node by node: a policy is set once for all of a batch that go to
/// the same node.
class Populating {
 public:
  Populating(const SystemCalls& calls, const Nodes& nodes, Bytes page) noexcept
      : calls_(calls), nodes_(nodes), page_(page), policy_(calls) {}

  void add(const Run& run) noexcept {
    if (error_ != 0 || !nodes_.node_of(run.domain).valid()) return;
    batch_[count_++] = run;
    if (count_ == batch_.size()) flush();
  }
  /// 0, or the first errno; the rest of the pages is then left.
  int finish() noexcept {
    flush();
    return error_;
  }

 private:
  void flush() noexcept {
    const auto end = batch_.begin() + static_cast<std::ptrdiff_t>(count_);
    std::sort(batch_.begin(), end, [](const Run& a, const Run& b) {
      return a.domain != b.domain ? a.domain < b.domain : a.begin < b.begin;
    });
    for (auto run = batch_.begin(); run != end && error_ == 0; ++run) {
      error_ = policy_.prefer(nodes_.node_of(run->domain));
      if (error_ == 0) error_ = make_pages(calls_, run->begin, run->end, page_);
    }
    count_ = 0;
  }

  const SystemCalls& calls_;
  const Nodes& nodes_;
  const Bytes page_;
  ThreadPolicy policy_;
  std::array<Run, 512> batch_;
  std::size_t count_ = 0;
  int error_ = 0;
};

int populate(const SystemCalls& calls, const Nodes& nodes, const Plan& plan, std::uintptr_t address,
             Bytes page) noexcept {
  // A huge page that the kernel makes by itself would give its one home to many of ours.
  constexpr std::uint64_t least_huge_page = std::uint64_t{1} << 20U;
  if (page.count < least_huge_page) {
    calls.advise(pointer(address), plan.length().count, MADV_NOHUGEPAGE);
  }
  Populating pages(calls, nodes, page);
  for_each_run(plan, address, page, [&](const Run& run) { pages.add(run); });
  return pages.finish();
}

bool nothing_to_place(const Nodes& nodes, const Plan& plan) noexcept {
  return !nodes.several() || plan.kind() == Distribution::Kind::first_touch;
}

}  // namespace

int make_pages(const SystemCalls& calls, std::uintptr_t begin, std::uintptr_t end,
               Bytes page) noexcept {
  const int error = errno_of(calls.advise(pointer(begin), end - begin, populate_write));
  if (error != EINVAL) return error;
  // A kernel before 5.14.
  for (; begin < end; begin += page.count) {
    std::atomic_ref(*static_cast<unsigned char*>(pointer(begin)))
        .fetch_or(0, std::memory_order_relaxed);  // relaxed: only the page is wanted
  }
  return 0;
}

MappingBudget& mapping_budget() noexcept {
  static constinit MappingBudget budget;
  return budget;
}

Placed place(const SystemCalls& calls, const Nodes& nodes, const Plan& plan, std::uintptr_t address,
             Bytes page, MappingBudget& budget) noexcept {
  if (nothing_to_place(nodes, plan)) return {};
  if (plan.plain_interleave()) return {bind_interleaved(calls, nodes, plan, address), false, 0};
  const std::size_t runs = count_runs(plan, address, page);
  if (runs <= most_mappings_of_range && budget.take(runs)) {
    return bind_runs(calls, nodes, plan, address, page, runs, budget);
  }
  return {populate(calls, nodes, plan, address, page), true, 0};
}

Placed place_untouched(const SystemCalls& calls, const Nodes& nodes, const Plan& plan,
                       std::uintptr_t address, Bytes page, MappingBudget& budget) noexcept {
  if (nothing_to_place(nodes, plan)) return {};
  const std::size_t most = budget.left() / 2;
  Plan coarse = plan;
  std::size_t runs = plan.plain_interleave() ? 0 : count_runs(plan, address, page);
  while (runs > most && coarse.coarsen()) runs = count_runs(coarse, address, page);
  if (runs > 0 && runs <= most && budget.take(runs)) {
    const Placed placed = bind_runs(calls, nodes, coarse, address, page, runs, budget);
    // ENOMEM: the program has used up the mappings by itself.
    if (placed.error != ENOMEM) return placed;
  }
  return {bind_interleaved(calls, nodes, plan, address), false, 0};
}

void unplace(const SystemCalls& calls, std::uintptr_t address, Bytes length, std::size_t mappings,
             MappingBudget& budget) noexcept {
  if (mappings == 0) return;
  unbind(calls, address, length);
  budget.give(mappings);
}

}  // namespace lares::memory

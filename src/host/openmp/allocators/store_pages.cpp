// The part of the store that takes pages from the kernel and puts them where the traits say.
#include <linux/mempolicy.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "host/openmp/allocators/store.hpp"
#include "memory/manager/usage.hpp"
#include "memory/place/place.hpp"
#include "memory/place/runs.hpp"
#include "memory/pointer.hpp"
#include "runtime/first_domain.hpp"

namespace lares::omp {
namespace {

using memory::pointer;

/// A piece in more parts than these has homes that only the kernel knows.
constexpr std::size_t most_given = 64;
/// Nodes are asked for their free memory before so many bytes are taken from a special space.
constexpr std::size_t large = std::size_t{1} << 20U;

/// So that there is room before the header for what mappings_of() tells.
constexpr std::size_t alignment_of_pages = 64;
static_assert(alignment_of_pages >= sizeof(Header) + sizeof(std::size_t));

/// How many mappings placing the piece has taken from the budget.
std::size_t& mappings_of(void* base) noexcept { return *static_cast<std::size_t*>(base); }

bool has_room(const Space& space, std::size_t bytes) noexcept {
  if (!space.special() || bytes < large) return true;
  std::uint64_t free = 0;
  for (std::size_t t = 0; t < space.size(); ++t) {
    const memory::Usage usage = memory::usage_of(space.nodes().node_of(DomainId{t}));
    if (usage.total.count == 0) return true;  // the system does not tell
    free += usage.free.count;
  }
  return bytes <= free;
}

Result<memory::Plan> plan_of(const Space& space, Partition partition, std::vector<DomainId> targets,
                             Bytes bytes, Bytes page) {
  memory::Distribution wanted;
  wanted.kind = memory::Distribution::Kind::interleave;
  if (partition == Partition::blocked) {
    wanted.kind = memory::Distribution::Kind::blocked;
    // Whole pages: one that two blocks share would be near to one of them only.
    wanted.row = page;
    // As threads are numbered.
    const DomainId first = space.nearest_to(runtime::first_domain());
    std::rotate(targets.begin(), std::find(targets.begin(), targets.end(), first), targets.end());
  }
  wanted.domains = targets;
  return memory::Plan::make(wanted, bytes, space.nodes(), page);
}

}  // namespace

void* Store::from_pages(const Allocator& from, Handle handle,
                        const AllocationRequest& wanted) noexcept {
  AllocationRequest request = wanted;
  request.alignment = std::max(request.alignment, alignment_of_pages);
  const std::size_t worst = sizeof(Header) + request.bytes + request.alignment;
  if (worst < request.bytes || worst > SIZE_MAX / 2 || !has_room(*from.space, worst)) {
    return nullptr;
  }
  const std::size_t mapped = (worst + page_ - 1) & ~(page_ - 1);
  const long result = around_.calls->map(mapped);
  if (result < 0) return nullptr;
  const auto base = static_cast<std::uintptr_t>(result);
  void* const memory = user_part(pointer(base), request.alignment);
  const std::uintptr_t last = reinterpret_cast<std::uintptr_t>(memory) + request.bytes;
  const std::size_t used = (last - base + page_ - 1) & ~(page_ - 1);
  if (used < mapped) around_.calls->unmap(pointer(base + used), mapped - used);
  // First the place, then the lock: pinning makes the pages.
  const PlacedPages placed = place(from, base, used);
  const Origin origin = placed.homed ? Origin::homed : Origin::mapping;
  mappings_of(pointer(base)) = placed.mappings;
  if (from.traits.pinned && around_.pin(pointer(base), used) < 0) {
    release_pages(pointer(base), used, origin);
    return nullptr;
  }
  return put_header(memory, pointer(base), request.bytes, handle,
                    static_cast<std::uintptr_t>(origin) | (from.limited() ? limited_bit : 0));
}

void Store::release_pages(void* base, std::size_t bytes, Origin origin) noexcept {
  const std::size_t mappings = mappings_of(base);
  if (origin == Origin::homed && around_.forget_home != nullptr) {
    around_.forget_home(reinterpret_cast<std::uintptr_t>(base), bytes);
  }
  around_.calls->unmap(base, bytes);
  memory::mapping_budget().give(mappings);
}

Store::PlacedPages Store::place(const Allocator& from, std::uintptr_t base,
                                std::size_t bytes) noexcept {
  const Space& space = *from.space;
  const Partition partition = from.traits.partition;
  if (!space.nodes().several() || space.size() == 0) return {};
  if (partition == Partition::environment && !space.special()) return {};
  if (partition <= Partition::nearest) return {place_on(space, target_of(from), base, bytes), 0};
  const std::vector<DomainId> targets = targets_of_team(space);
  if (targets.size() == 1) return {place_on(space, targets[0], base, bytes), 0};
  const Result<memory::Plan> plan = plan_of(space, partition, targets, {bytes}, {page_});
  if (!plan.ok()) return {};
  const memory::Placed placed =
      memory::place_untouched(*around_.calls, space.nodes(), plan.value(), base, {page_});
  // Each part is a mapping of its own; without any the kernel interleaves.
  const bool told = placed.error == 0 && around_.give_home != nullptr && placed.mappings > 0 &&
                    placed.mappings <= most_given;
  if (!told) return {false, placed.mappings};
  memory::for_each_run(plan.value(), base, {page_}, [&](const memory::Run& run) {
    around_.give_home(run.begin, run.end - run.begin, space.home_of(run.domain));
  });
  return {true, placed.mappings};
}

bool Store::place_on(const Space& space, DomainId target, std::uintptr_t base,
                     std::size_t bytes) noexcept {
  const memory::NodeMask mask(space.nodes().node_of(target));
  // "Preferred" and not "bind": a full node must not end the program.
  if (around_.calls->bind(pointer(base), bytes, MPOL_PREFERRED, mask.words()) < 0) return false;
  if (around_.give_home == nullptr) return false;
  around_.give_home(base, bytes, space.home_of(target));
  return true;
}

}  // namespace lares::omp

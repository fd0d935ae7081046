// Allocating, registering and attaching; moving and asking are in moving.cpp.
#include "memory/manager/manager.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <string>

#include "memory/place/place.hpp"
#include "memory/place/runs.hpp"
#include "memory/place/strict.hpp"
#include "memory/pointer.hpp"

namespace lares::memory {
namespace {

constexpr std::uint64_t huge_page = std::uint64_t{2} << 20U;

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) noexcept {
  return (value + unit - 1) & ~(unit - 1);
}

bool wraps(std::uintptr_t address, Bytes length) noexcept {
  return address + length.count < address;
}

}  // namespace

Manager::Manager(const machine::Machine& machine, const HomeTable& table, const SystemCalls& calls)
    : calls_(calls),
      table_(table),
      nodes_(machine),
      page_(static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE))),
      next_touch_(calls_, nodes_, Bytes{page_}),
      migration_ns_(nodes_.domains() * nodes_.domains(), -1.0) {}

Result<Plan> Manager::plan(const Distribution& distribution, Bytes length,
                           std::uint64_t page) const {
  return Plan::make(distribution, length, nodes_, Bytes{page});
}

/// 0 if there is no memory.
std::uintptr_t Manager::map(Bytes bytes, std::uint64_t alignment) noexcept {
  const std::uint64_t more = alignment > page_ ? alignment - page_ : 0;
  const long mapped = calls_.map(bytes.count + more);
  if (mapped < 0 && mapped > -4096) return 0;
  const auto start = static_cast<std::uintptr_t>(mapped);
  const std::uintptr_t begin = round_up(start, alignment);
  if (begin > start) calls_.unmap(pointer(start), begin - start);
  const std::uintptr_t rest = start + more - begin;
  if (rest > 0) calls_.unmap(pointer(begin + bytes.count), rest);
  return begin;
}

Result<void*> Manager::allocate(Bytes bytes, const Distribution& distribution, Wishes wishes) {
  const std::uint64_t page = wishes.huge ? huge_page : page_;
  Result<Plan> made = plan(distribution, bytes, page);
  if (!made) return made.error();
  const Bytes mapped{round_up(bytes.count, page)};
  if (mapped.count < bytes.count) return static_cast<void*>(nullptr);
  const std::uintptr_t address = map(mapped, page);
  if (address == 0) return static_cast<void*>(nullptr);
  const bool placed = distribution.kind != Distribution::Kind::first_touch;
  if (wishes.huge) {
    calls_.advise(pointer(address), mapped.count, MADV_HUGEPAGE);
  } else if (made.value().plain_interleave() && nodes_.several()) {
    // The kernel would interleave its huge pages. Pieces with a policy of their own it never joins.
    calls_.advise(pointer(address), mapped.count, MADV_NOHUGEPAGE);
  }
  const Placed result = place(calls_, nodes_, made.value(), address, Bytes{page});
  if (wishes.strict && (result.error != 0 ||
                        make_strictly(calls_, nodes_, made.value(), address, Bytes{page_}) != 0)) {
    calls_.unmap(pointer(address), mapped.count);
    mapping_budget().give(result.mappings);
    return static_cast<void*>(nullptr);
  }
  const Books books(lock_);
  areas_[address] = {bytes, mapped, page, result.mappings};
  if (placed && result.error == 0) give(made.value(), address, page);
  return pointer(address);
}

Result<bool> Manager::free(void* memory) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  Area area;
  {
    const Books books(lock_);
    const auto found = areas_.find(address);
    if (found == areas_.end() || found->second.mapped.count == 0) {
      return Error{"the memory was not allocated by Lares, or is freed already"};
    }
    area = found->second;
    areas_.erase(found);
    owners_.erase(address, address + area.mapped.count);
  }
  next_touch_.before_unmap(address, area.mapped);
  // Who touched it is not to be told of what others allocate there.
  collect_touches();
  forget(address, area.mapped);
  calls_.unmap(memory, area.mapped.count);
  mapping_budget().give(area.mappings);
  return true;
}

Result<void*> Manager::resize(void* memory, Bytes bytes, const Distribution& distribution,
                              Wishes wishes) {
  if (memory == nullptr) return allocate(bytes, distribution, wishes);
  const Bytes old = size_of(memory);
  if (old.count == 0) return Error{"the memory was not allocated by Lares, or is freed already"};
  Result<void*> fresh = allocate(bytes, distribution, wishes);
  if (!fresh || fresh.value() == nullptr) return fresh;
  std::memcpy(fresh.value(), memory, std::min(old, bytes).count);
  if (Result<bool> freed = free(memory); !freed) return freed.error();
  return fresh;
}

Bytes Manager::size_of(const void* memory) const {
  const Books books(lock_);
  const auto found = areas_.find(reinterpret_cast<std::uintptr_t>(memory));
  return found == areas_.end() || found->second.mapped.count == 0 ? Bytes{} : found->second.length;
}

Result<bool> Manager::add(std::uintptr_t address, Bytes length) {
  if (length.count == 0) return Error{"the range is empty"};
  if (wraps(address, length)) return Error{"the range reaches beyond the end of memory"};
  const Books books(lock_);
  auto next = areas_.lower_bound(address);
  bool overlaps = next != areas_.end() && next->first < address + length.count;
  if (next != areas_.begin()) {
    const auto before = std::prev(next);
    const Bytes taken = std::max(before->second.length, before->second.mapped);
    overlaps = overlaps || before->first + taken.count > address;
  }
  if (overlaps) return Error{"the range overlaps memory that is registered or was allocated here"};
  areas_[address] = {length, Bytes{}, page_, 0};
  return true;
}

Result<bool> Manager::remove(std::uintptr_t address) {
  Area area;
  {
    const Books books(lock_);
    const auto found = areas_.find(address);
    if (found == areas_.end() || found->second.mapped.count != 0) {
      return Error{"no registered range starts there"};
    }
    area = found->second;
    areas_.erase(found);
    owners_.erase(address, address + area.length.count);
  }
  next_touch_.settle(address, area.length);
  collect_touches();
  forget(address, area.length);
  return true;
}

std::uint64_t Manager::page_of(std::uintptr_t address) const {
  const Books books(lock_);
  auto after = areas_.upper_bound(address);
  if (after == areas_.begin()) return page_;
  const auto& [begin, area] = *std::prev(after);
  return address < begin + area.mapped.count ? area.page : page_;
}

Result<bool> Manager::attach(std::uintptr_t address, Bytes length, const Owner& owner,
                             DomainId home) {
  if (length.count == 0) return Error{"the range is empty"};
  if (wraps(address, length)) return Error{"the range reaches beyond the end of memory"};
  if (!nodes_.has(home)) {
    return Error{"domain " + std::to_string(home.value()) + " does not exist, accepted are 0 to " +
                 std::to_string(nodes_.domains() - 1)};
  }
  const GivenRange range{address, address + length.count, home};
  const Books books(lock_);
  owners_.assign(range.begin, range.end, owner);
  give({&range, 1});
  return true;
}

Result<bool> Manager::attach_to_team(std::uintptr_t address, Bytes length, std::int64_t team,
                                     std::span<const DomainId> members) {
  if (members.empty()) return Error{"the team has no members"};
  Distribution pieces;
  pieces.kind = Distribution::Kind::blocked;
  pieces.domains = members;
  Result<Plan> made = plan(pieces, length, page_);
  if (!made) return made.error();
  const Books books(lock_);
  owners_.assign(address, address + length.count, Owner{Owner::Kind::team, team});
  give(made.value(), address, page_);
  return true;
}

Result<bool> Manager::attach_to_next_team(std::uintptr_t address, Bytes length, Bytes chunk,
                                          bool move) {
  if (length.count == 0 || chunk.count == 0) return Error{"the range or its chunk is empty"};
  if (wraps(address, length)) return Error{"the range reaches beyond the end of memory"};
  const Books books(lock_);
  next_team_.push_back({address, length, chunk, move});
  team_waits_.store(true, std::memory_order_release);  // release: the wish comes first
  return true;
}

void Manager::team_starts(std::span<const DomainId> members) {
  // acquire: pairs with the release above. Most teams find nothing here.
  if (!team_waits_.load(std::memory_order_acquire) || members.empty()) return;
  std::vector<NextTeam> wishes;
  {
    const Books books(lock_);
    wishes.swap(next_team_);
    team_waits_.store(false, std::memory_order_relaxed);  // relaxed: under the lock
  }
  for (const NextTeam& wish : wishes) start_member_chunks(wish, members);
}

void Manager::start_member_chunks(const NextTeam& wish, std::span<const DomainId> members) {
  Distribution chunks;
  chunks.kind = Distribution::Kind::listed;
  chunks.block = wish.chunk;
  chunks.domains = members.first(std::min(members.size(), Plan::most_turns));
  if (wish.move) {
    static_cast<void>(migrate(wish.address, wish.length, chunks));
    return;
  }
  Result<Plan> made = plan(chunks, wish.length, page_);
  if (!made) return;
  const Books books(lock_);
  give(made.value(), wish.address, page_);
}

Bytes Manager::owned(const Owner& owner) const {
  Bytes sum;
  for (const Run& range : ranges_of(owner)) sum += Bytes{range.end - range.begin};
  return sum;
}

std::vector<Run> Manager::ranges_of(const Owner& owner) const {
  std::vector<Run> ranges;
  const Books books(lock_);
  owners_.for_each(0, UINTPTR_MAX,
                   [&](std::uintptr_t begin, std::uintptr_t end, const Owner& other) {
                     if (other == owner) ranges.push_back({begin, end, given_.find(begin)});
                   });
  return ranges;
}

void Manager::give(const Plan& made, std::uintptr_t address, std::uint64_t page) {
  // So many pieces that the books would slow everybody down are left to the kernel to remember.
  constexpr std::size_t most_pieces = 4096;
  std::size_t pieces = 0;
  for_each_run(made, address, Bytes{page}, [&](const Run&) { ++pieces; });
  // The kernel interleaves by addresses, not from the first page on.
  if (pieces > most_pieces || (made.plain_interleave() && nodes_.several())) return;
  std::vector<GivenRange> ranges;
  for_each_run(made, address, Bytes{page}, [&](const Run& run) {
    if (run.domain.valid()) ranges.push_back({run.begin, run.end, run.domain});
  });
  give(ranges);
}

void Manager::give(std::span<const GivenRange> ranges) {
  given_.give_all(ranges);
  if (table_.give != nullptr) table_.give(table_.argument, ranges);
}

void Manager::forget(std::uintptr_t address, Bytes length) {
  const Books books(lock_);
  given_.forget(address, length);
  std::erase_if(touched_, [&](const GivenRange& range) {
    return range.begin < address + length.count && address < range.end;
  });
  if (table_.forget != nullptr) table_.forget(table_.argument, address, length);
}

void Manager::before_fork() noexcept {
  sigset_t all;
  sigfillset(&all);
  sigset_t before;
  pthread_sigmask(SIG_SETMASK, &all, &before);
  lock_.lock();
  mask_before_fork_ = before;
  next_touch_.before_fork();
}

void Manager::after_fork_in_parent() noexcept {
  next_touch_.after_fork_in_parent();
  end_fork();
}

void Manager::after_fork_in_child() noexcept {
  next_touch_.after_fork_in_child();
  end_fork();
}

void Manager::end_fork() noexcept {
  const sigset_t before = mask_before_fork_;
  lock_.unlock();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace lares::memory

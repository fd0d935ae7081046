// Moving memory and asking where it is.
#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "memory/manager/manager.hpp"
#include "memory/moves/move_log.hpp"
#include "memory/place/runs.hpp"
#include "memory/pointer.hpp"

namespace lares::memory {
namespace {

/// How much of a range a distribution says something about: all, unless it is a list.
Bytes reach(const Distribution& distribution, Bytes length) noexcept {
  const bool is_list =
      distribution.kind == Distribution::Kind::listed && !distribution.domains.empty();
  if (!is_list) return length;
  std::uint64_t listed = 0;
  const bool more = __builtin_mul_overflow(std::max<std::uint64_t>(distribution.block.count, 1),
                                           distribution.domains.size(), &listed);
  return more ? length : std::min(length, Bytes{listed});
}

void note_call(std::uintptr_t address, Bytes length, const Distribution& distribution,
               Bytes arrived, Nanoseconds start) noexcept {
  MoveEvent event;
  event.kind = MoveKind::call;
  event.begin_ns = static_cast<std::uint64_t>(start.count);
  event.took_ns = static_cast<std::uint64_t>((now() - start).count);
  event.address = address;
  event.bytes = length.count;
  event.arrived = arrived.count;
  const bool is_one =
      distribution.kind == Distribution::Kind::domain && !distribution.domains.empty();
  if (is_one) event.to = static_cast<std::uint32_t>(distribution.domains[0].index());
  note_move(event);
}

}  // namespace

Result<MoveReport> Manager::migrate(std::uintptr_t address, Bytes length,
                                    const Distribution& distribution, Progress progress,
                                    void* argument) {
  length = reach(distribution, length);
  if (distribution.kind == Distribution::Kind::first_touch) {
    return Error{"there is no place to move to: the distribution is by first touch"};
  }
  const std::uint64_t page = page_of(address);
  Result<Plan> made = plan(distribution, length, page);
  if (!made) return made.error();
  next_touch_.settle(address, length);
  MoveReport report;
  const Nanoseconds start = now();
  if (nodes_.several()) {
    MoveOptions options;
    options.page = {page_};
    options.progress = progress;
    options.argument = argument;
    report = memory::migrate(calls_, nodes_, made.value(), address, options);
  } else {
    const std::uint64_t end = (address + length.count + page_ - 1) / page_;
    report.pages = report.in_place = end - address / page_;
  }
  note_call(address, length, distribution, {report.moved * page_}, start);
  forget(address, length);
  const Books books(lock_);
  if (report.failed() == 0 && report.absent == 0) give(made.value(), address, page);
  return report;
}

Result<Marked> Manager::on_next_touch(std::uintptr_t address, Bytes length,
                                      const NextTouchOptions& options) {
  if (length.count == 0) return Error{"the range is empty"};
  collect_touches();
  forget(address, length);
  const Marked marked = next_touch_.mark(address, length, options);
  switch (marked.error) {
    case 0:
      return marked;
    case EINVAL:
      return Error{"the range reaches beyond the end of memory"};
    case EFAULT:
      return Error{"the range is not private memory that can be read and written, not executed"};
    case ENXIO:
      return Error{"the range lies in huge pages of hugetlbfs, which cannot move at a touch"};
    case ENOTSUP:
      return Error{"this kernel cannot attach by userfaultfd, accepted is the way of mprotect"};
    default:
      return Error{"the kernel refuses to watch the range (error " + std::to_string(marked.error) +
                   ")"};
  }
}

void Manager::collect_touches() {
  std::vector<GivenRange> touched;
  next_touch_.collect(
      [](void* list, const NextTouch::Touched& by) noexcept {
        static_cast<std::vector<GivenRange>*>(list)->push_back({by.begin, by.end, by.domain});
      },
      &touched);
  const auto by_address = [](const GivenRange& a, const GivenRange& b) {
    return a.begin != b.begin ? a.begin < b.begin
           : a.end != b.end   ? a.end < b.end
                              : a.home < b.home;
  };
  std::sort(touched.begin(), touched.end(), by_address);
  const Books books(lock_);
  // A region tells all its touches each time; what was entered before, and maybe overruled since,
  // is not entered again.
  std::vector<GivenRange> fresh;
  std::set_difference(touched.begin(), touched.end(), touched_.begin(), touched_.end(),
                      std::back_inserter(fresh), by_address);
  if (!fresh.empty()) give(fresh);
  touched_ = std::move(touched);
}

std::size_t Manager::page_homes(std::uintptr_t address, Bytes length, std::span<DomainId> homes) {
  if (length.count == 0) return 0;
  collect_touches();
  const std::uintptr_t first = address & ~(page_ - 1);
  const std::size_t count = (address + length.count - first + page_ - 1) / page_;
  const std::size_t wanted = std::min(count, homes.size());
  std::array<int, pages_per_move> status;
  for (std::size_t done = 0; done < wanted; done += pages_per_move) {
    const std::size_t part = std::min(wanted - done, pages_per_move);
    const std::uintptr_t begin = first + done * page_;
    const int error =
        nodes_.several() ? where_are(calls_, begin, part, Bytes{page_}, status.data()) : ENOSYS;
    for (std::size_t i = 0; i < part; ++i) {
      const bool asked = error == 0 && status[i] >= 0;
      // Where all share one memory, or the kernel is silent, the books are what there is.
      homes[done + i] = asked        ? nodes_.domain_of(OsNode{static_cast<std::size_t>(status[i])})
                        : error != 0 ? given_.find(begin + i * page_)
                                     : DomainId{};
    }
  }
  return count;
}

RangeHomes Manager::homes_of(std::uintptr_t address, Bytes length) {
  RangeHomes result;
  result.pages.resize(nodes_.domains(), 0);
  if (length.count == 0) return result;
  collect_touches();
  const std::uintptr_t end = address + length.count;
  std::array<int, pages_per_move> status;
  for (std::uintptr_t at = address & ~(page_ - 1); at < end;) {
    const std::size_t count = std::min<std::size_t>((end - at + page_ - 1) / page_, pages_per_move);
    const int error = where_are(calls_, at, count, Bytes{page_}, status.data());
    for (std::size_t i = 0; i < count; ++i) {
      DomainId home = given_.find(at + i * page_);
      if (error == 0 && status[i] >= 0 && (nodes_.several() || !home.valid())) {
        home = nodes_.domain_of(OsNode{static_cast<std::size_t>(status[i])});
      }
      if (error == 0 && status[i] == -ENOENT) {
        ++result.absent;
      } else if (home.valid()) {
        ++result.pages[home.index()];
      } else {
        ++result.unknown;
      }
    }
    at += count * page_;
  }
  return result;
}

double Manager::migration_ns_per_page(DomainId from, DomainId to) {
  const OsNode source = nodes_.node_of(from);
  const OsNode target = nodes_.node_of(to);
  if (!source.valid() || !target.valid() || source == target) return 0;
  const std::size_t index = from.index() * nodes_.domains() + to.index();
  {
    const Books books(lock_);
    if (migration_ns_[index] >= 0) return migration_ns_[index];
  }
  constexpr std::size_t pages = 512;
  const long mapped = calls_.map(pages * page_);
  double best = 0;
  if (mapped > 0 || mapped < -4096) {
    const auto address = static_cast<std::uintptr_t>(mapped);
    for (std::size_t i = 0; i < pages; ++i) {
      *static_cast<volatile char*>(pointer(address + i * page_)) = 1;
    }
    MoveOptions options;
    options.page = {page_};
    constexpr int rounds = 3;
    for (int round = 0; round < rounds; ++round) {
      memory::migrate(calls_, address, {pages * page_}, source, options);
      const Nanoseconds start = now();
      const MoveReport report = memory::migrate(calls_, address, {pages * page_}, target, options);
      const auto taken = static_cast<double>((now() - start).count);
      // The least of a few is what it costs when nothing else is going on.
      if (report.moved == pages && (best == 0 || taken / pages < best)) best = taken / pages;
    }
    calls_.unmap(pointer(address), pages * page_);
  }
  const Books books(lock_);
  return migration_ns_[index] = best;
}

}  // namespace lares::memory

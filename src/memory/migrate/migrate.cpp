#include "memory/migrate/migrate.hpp"

#include <linux/mempolicy.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>

#include "memory/page_query.hpp"
#include "memory/place/runs.hpp"
#include "memory/refusal.hpp"

namespace lares::memory {
namespace {

constexpr int not_written = INT_MIN;  // no errno: the kernel gave up before it came to this page

bool is_by_touch(int mode) noexcept { return mode == MPOL_DEFAULT || mode == MPOL_LOCAL; }

bool is_of_first_touch(const SystemCalls& calls, void* page) noexcept {
  int mode = MPOL_MAX;
  return calls.policy_at(page, &mode) >= 0 && is_by_touch(mode);
}

bool transient(int status) noexcept {
  return status == -EBUSY || status == -EAGAIN || status == not_written;
}

/// Collects pages with their targets and moves them by the batch.
template <std::size_t Capacity>
class Mover {
 public:
  Mover(const SystemCalls& calls, const MoveOptions& options) noexcept
      : calls_(calls), options_(options) {}

  /// Whole pages [begin, end). False if the caller wants no more or the kernel refuses.
  bool add(std::uintptr_t begin, std::uintptr_t end, OsNode node) noexcept {
    for (; begin < end; begin += options_.page.count) {
      if (count_ == Capacity && !flush()) return false;
      pages_[count_] = reinterpret_cast<void*>(begin);
      targets_[count_++] = static_cast<int>(node.value());
    }
    return true;
  }

  /// Moves what is waiting; false as above.
  bool flush() noexcept {
    const bool moved = count_ == 0 || move_all();
    count_ = 0;
    if (!moved) return false;
    return options_.progress == nullptr || options_.progress(options_.argument, report_);
  }

  [[nodiscard]] const MoveReport& report() const noexcept { return report_; }

 private:
  bool move_all() noexcept {
    report_.pages += count_;
    if (!ask()) return false;
    keep_those_elsewhere(false);
    if (options_.only_first_touch) leave_placed();
    for (unsigned round = 0; round < std::max(options_.tries, 1U) && count_ > 0; ++round) {
      if (round > 0) sched_yield();
      if (!move_once()) return false;
      keep_those_elsewhere(true);
    }
    for (std::size_t i = 0; i < count_; ++i) count_failure(status_[i]);
    return true;
  }

  bool refused(long result) noexcept {
    const int error = static_cast<int>(-result);
    // Other errors of the whole call (ENOMEM, ESRCH) leave the pages' own statuses to judge by.
    if (result >= 0 || !is_refusal(error)) return false;
    report_.refused = error;
    report_.other += count_;
    return true;
  }

  bool ask() noexcept {
    std::fill_n(status_.begin(), count_, not_written);
    return !refused(calls_.move(count_, pages_.data(), nullptr, status_.data()));
  }

  bool move_once() noexcept {
    std::fill_n(status_.begin(), count_, not_written);
    const long result = calls_.move(count_, pages_.data(), targets_.data(), status_.data());
    // A node that the process' cpuset does not have: the others' pages go on.
    if (result == -EACCES) {
      report_.refused = EACCES;
      return ask_again(-EACCES);
    }
    if (refused(result)) return false;
    // A call that could not move every page leaves statuses unwritten, also of pages it moved.
    const auto end = status_.begin() + static_cast<std::ptrdiff_t>(count_);
    if (std::find(status_.begin(), end, not_written) == end) return true;
    return ask_again(result < 0 ? static_cast<int>(result) : not_written);
  }

  /// Where a page is not where it should be, what was said of it stays; `otherwise` stands for
  /// nothing said.
  bool ask_again(int otherwise) noexcept {
    const std::array<int, Capacity> said = status_;
    if (!ask()) return false;
    for (std::size_t i = 0; i < count_; ++i) {
      if (status_[i] != targets_[i]) status_[i] = said[i] != not_written ? said[i] : otherwise;
    }
    return true;
  }

  /// Counts what is settled and keeps the others for another round.
  void keep_those_elsewhere(bool were_moved) noexcept {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      const int status = status_[i];
      if (status == targets_[i]) {
        ++report_.in_place;
        if (were_moved) ++report_.moved;
      } else if (status == -ENOENT || status == -EFAULT) {
        ++report_.absent;  // EFAULT: the zero page, read and never written
      } else if (were_moved && status < 0 && !transient(status)) {
        count_failure(status);
      } else {
        status_[kept] = status;
        targets_[kept] = targets_[i];
        pages_[kept++] = pages_[i];
      }
    }
    count_ = kept;
  }

  /// Keeps those that lie where they were first touched.
  void leave_placed() noexcept {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      if (status_[i] >= 0 && !is_of_first_touch(calls_, pages_[i])) {
        ++report_.placed;
        continue;
      }
      status_[kept] = status_[i];
      targets_[kept] = targets_[i];
      pages_[kept++] = pages_[i];
    }
    count_ = kept;
  }

  void count_failure(int status) noexcept {
    if (status == -ENOMEM) {
      ++report_.no_room;
    } else if (status == -EACCES || status == -EPERM) {
      ++report_.denied;
    } else if (status >= 0 || transient(status)) {
      ++report_.busy;
    } else {
      ++report_.other;
    }
  }

  const SystemCalls& calls_;
  const MoveOptions& options_;
  MoveReport report_;
  std::size_t count_ = 0;
  std::array<void*, Capacity> pages_;
  std::array<int, Capacity> targets_;
  std::array<int, Capacity> status_;
};

template <std::size_t Capacity>
MoveReport migrate_by(const SystemCalls& calls, std::span<const Extent> ranges, OsNode node,
                      const MoveOptions& options) noexcept {
  if (!node.valid()) return {};
  const std::uint64_t mask = options.page.count - 1;
  Mover<Capacity> mover(calls, options);
  bool go_on = true;
  for (const Extent& range : ranges) {
    if (!go_on || !range.known()) continue;
    go_on = mover.add(range.begin & ~mask, (range.end + mask) & ~mask, node);
  }
  if (go_on) mover.flush();
  return mover.report();
}

template <std::size_t Capacity>
MoveReport migrate_by(const SystemCalls& calls, std::uintptr_t address, Bytes length, OsNode node,
                      const MoveOptions& options) noexcept {
  if (length.count == 0) return {};
  const Extent range{address, address + length.count};
  return migrate_by<Capacity>(calls, std::span(&range, 1), node, options);
}

}  // namespace

MoveReport& MoveReport::operator+=(const MoveReport& more) noexcept {
  pages += more.pages;
  in_place += more.in_place;
  moved += more.moved;
  absent += more.absent;
  placed += more.placed;
  busy += more.busy;
  no_room += more.no_room;
  denied += more.denied;
  other += more.other;
  if (refused == 0) refused = more.refused;
  return *this;
}

MoveReport migrate(const SystemCalls& calls, std::uintptr_t address, Bytes length, OsNode node,
                   const MoveOptions& options) noexcept {
  return migrate_by<pages_per_move>(calls, address, length, node, options);
}

MoveReport migrate(const SystemCalls& calls, std::span<const Extent> ranges, OsNode node,
                   const MoveOptions& options) noexcept {
  return migrate_by<pages_per_move>(calls, ranges, node, options);
}

MoveReport migrate_from(const SystemCalls& calls, OsNode from, OsNode to,
                        std::span<const std::uintptr_t> pages,
                        const MoveOptions& options) noexcept {
  std::array<void*, pages_per_move> asked{};
  std::array<int, pages_per_move> nodes{};
  Mover<pages_per_move> mover(calls, options);
  bool goes_on = true;
  while (goes_on && !pages.empty()) {
    const std::size_t count = std::min(pages.size(), pages_per_move);
    std::ranges::transform(pages.first(count), asked.begin(),
                           [](std::uintptr_t page) { return reinterpret_cast<void*>(page); });
    nodes.fill(not_written);
    goes_on = calls.move(count, asked.data(), nullptr, nodes.data()) >= 0;
    for (std::size_t i = 0; goes_on && i < count; ++i) {
      if (nodes[i] == from.value()) {
        goes_on = mover.add(pages[i], pages[i] + options.page.count, to);
      }
    }
    pages = pages.subspan(count);
  }
  mover.flush();
  return mover.report();
}

bool places_by_touch(const SystemCalls& calls) noexcept {
  int mode = MPOL_MAX;
  NodeMask nodes;
  return calls.preference(&mode, nodes.words()) >= 0 && is_by_touch(mode);
}

MoveReport migrate_in_handler(const SystemCalls& calls, std::uintptr_t address, Bytes length,
                              OsNode node, const MoveOptions& options) noexcept {
  constexpr std::size_t pages_per_small_move = 64;
  return migrate_by<pages_per_small_move>(calls, address, length, node, options);
}

MoveReport migrate(const SystemCalls& calls, const Nodes& nodes, const Plan& plan,
                   std::uintptr_t address, const MoveOptions& options) noexcept {
  Mover<pages_per_move> mover(calls, options);
  bool go_on = true;
  for_each_run(plan, address, options.page, [&](const Run& run) {
    const OsNode node = nodes.node_of(run.domain);
    if (go_on && node.valid()) go_on = mover.add(run.begin, run.end, node);
  });
  if (go_on) mover.flush();
  return mover.report();
}

int where_are(const SystemCalls& calls, std::uintptr_t first, std::size_t count, Bytes page,
              int* status) noexcept {
  std::array<void*, pages_per_move> pages;
  count = std::min(count, pages_per_move);
  for (std::size_t i = 0; i < count; ++i) {
    pages[i] = reinterpret_cast<void*>(first + i * page.count);
    status[i] = -EFAULT;
  }
  const long result = calls.move(count, pages.data(), nullptr, status);
  if (result < 0) return static_cast<int>(-result);
  for (std::size_t i = 0; i < count; ++i) {
    if (status[i] == -EFAULT && is_mapped(calls, first + i * page.count, page)) {
      status[i] = -ENOENT;
    }
  }
  return 0;
}

}  // namespace lares::memory

#include "memory/page_query.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>

#include "memory/refusal.hpp"
#include "memory/sampling.hpp"

namespace lares::memory {
namespace {

using Statuses = std::array<int, max_sampled_pages>;

/// `is_mapped(i)`: of page `i` of those asked for. Asked once: a range is mapped or it is not.
template <class IsMapped>
PageAnswer judge(const Statuses& statuses, std::size_t count, IsMapped is_mapped) noexcept {
  Votes<max_sampled_pages> nodes;
  std::size_t absent = 0;
  std::size_t faults = 0;
  std::size_t fault = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (statuses[i] >= 0) nodes.add(statuses[i]);
    if (statuses[i] == -ENOENT) ++absent;
    if (statuses[i] == -EFAULT && faults++ == 0) fault = i;
  }
  if (faults > 0 && absent + faults >= nodes.total() && is_mapped(fault)) absent += faults;
  // An allocator's header touches the first page of a fresh block, so a few pages decide nothing.
  if (absent > 0 && absent >= nodes.total()) return {PageAnswer::State::unplaced, OsNode{}, 0};
  if (nodes.total() == 0) return {};
  return {PageAnswer::State::found, OsNode{nodes.winner()}, 0};
}

}  // namespace

bool is_mapped(const SystemCalls& calls, std::uintptr_t page, Bytes bytes) noexcept {
  unsigned char is_there = 0;
  return calls.present(reinterpret_cast<void*>(page), bytes.count, &is_there) >= 0;
}

PageAnswer ask_where(const SystemCalls& calls, PageRange range, unsigned page_shift,
                     std::size_t samples) noexcept {
  const auto count = static_cast<std::size_t>(
      std::min<std::uint64_t>(range.count, std::clamp<std::size_t>(samples, 1, max_sampled_pages)));
  std::array<void*, max_sampled_pages> pages;
  Statuses statuses;
  statuses.fill(INT_MIN);  // no errno: a status that the kernel did not write counts for nothing
  const auto page = [&](std::size_t i) { return range.first + spread(i, count, range.count - 1); };
  for (std::size_t i = 0; i < count; ++i) {
    pages[i] = reinterpret_cast<void*>(static_cast<std::uintptr_t>(page(i) << page_shift));
  }
  const long result = calls.move(count, pages.data(), nullptr, statuses.data());
  if (result >= 0) {
    return judge(statuses, count, [&](std::size_t i) {
      return is_mapped(calls, page(i) << page_shift, Bytes{std::uint64_t{1} << page_shift});
    });
  }
  const int error = static_cast<int>(-result);
  const auto state = is_refusal(error) ? PageAnswer::State::refused : PageAnswer::State::unknown;
  return {state, OsNode{}, error};
}

}  // namespace lares::memory

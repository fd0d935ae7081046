// Facts about ranges of addresses: what is said last of a range holds.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

namespace lares::memory {

/// Disjoint ranges [begin, end) with a value each. Thread safety: the caller's lock.
template <class Value>
class Intervals {
 public:
  /// O(log n + ranges that it covers).
  void assign(std::uintptr_t begin, std::uintptr_t end, Value value) {
    erase(begin, end);
    if (begin < end) ranges_[begin] = {end, std::move(value)};
  }
  void erase(std::uintptr_t begin, std::uintptr_t end) {
    if (begin >= end) return;
    cut(begin);
    cut(end);
    ranges_.erase(ranges_.lower_bound(begin), ranges_.lower_bound(end));
  }
  /// Calls `use(begin, end, value)` for each range, cut to the limits, in ascending order.
  template <class Use>
  void for_each(std::uintptr_t begin, std::uintptr_t end, Use&& use) const {
    auto at = ranges_.upper_bound(begin);
    if (at != ranges_.begin()) --at;
    for (; at != ranges_.end() && at->first < end; ++at) {
      const std::uintptr_t from = at->first < begin ? begin : at->first;
      const std::uintptr_t to = at->second.first < end ? at->second.first : end;
      if (from < to) use(from, to, at->second.second);
    }
  }

 private:
  /// A range that holds `where` inside becomes two.
  void cut(std::uintptr_t where) {
    auto after = ranges_.lower_bound(where);
    if (after == ranges_.begin()) return;
    auto& [end, value] = std::prev(after)->second;
    if (end <= where) return;
    ranges_.emplace_hint(after, where, std::pair(end, value));
    end = where;
  }

  std::map<std::uintptr_t, std::pair<std::uintptr_t, Value>> ranges_;
};

}  // namespace lares::memory

#include "memory/given.hpp"

#include <algorithm>

#include "memory/sampling.hpp"

namespace lares::memory {
namespace {

/// Collects rows in address order into the table's next state and joins equal neighbours.
class Builder {
 public:
  explicit Builder(Published<3>& rows) noexcept : rows_(rows) { rows_.begin(); }

  void add(std::uint64_t begin, std::uint64_t end, std::uint64_t home) noexcept {
    if (begin >= end) return;
    if (begin == end_ && home == home_) {
      end_ = end;
      return;
    }
    flush();
    begin_ = begin;
    end_ = end;
    home_ = home;
  }

  /// Makes the state current and says how many rows it has; false if they did not fit.
  bool publish(bool& any) noexcept {
    flush();
    if (overflow_) return false;
    any = added_;
    rows_.publish();
    return true;
  }

 private:
  void flush() noexcept {
    if (begin_ == end_) return;
    added_ = true;
    if (!rows_.append(begin_, end_, home_)) overflow_ = true;
    begin_ = end_ = 0;
  }

  Published<3>& rows_;
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
  std::uint64_t home_ = 0;
  bool added_ = false;
  bool overflow_ = false;
};

std::uint64_t end_of(std::uintptr_t address, Bytes length) noexcept {
  return address + std::min<std::uint64_t>(length.count, UINT64_MAX - address);
}

}  // namespace

bool GivenHomes::give(std::uintptr_t address, Bytes length, DomainId home) noexcept {
  const GivenRange range{address, end_of(address, length), home};
  return give_all({&range, 1});
}

bool GivenHomes::forget(std::uintptr_t address, Bytes length) noexcept {
  return give(address, length, DomainId{});
}

bool GivenHomes::give_all(std::span<const GivenRange> ranges) noexcept {
  if (ranges.empty()) return true;
  const std::lock_guard<std::mutex> lock(writers_);
  const auto old = ranges_.current();
  Builder next(ranges_);
  std::size_t row = 0;
  std::uint64_t done = 0;  // everything below is in the next state
  const auto keep_until = [&](std::uint64_t limit) {
    for (; row < old.size() && old.word(row, 0) < limit; ++row) {
      const std::uint64_t end = old.word(row, 1);
      next.add(std::max(old.word(row, 0), done), std::min(end, limit), old.word(row, 2));
      if (end > limit) break;
    }
    done = std::max(done, limit);
  };
  for (const GivenRange& range : ranges) {
    const std::uint64_t begin = std::max<std::uint64_t>(range.begin, done);
    if (begin >= range.end) continue;
    keep_until(begin);
    if (range.home.valid()) {
      next.add(begin, range.end, static_cast<std::uint64_t>(range.home.value()));
    }
    done = range.end;
    while (row < old.size() && old.word(row, 1) <= done) ++row;
  }
  keep_until(UINT64_MAX);
  bool any = false;
  if (!next.publish(any)) return false;
  any_.store(any, std::memory_order_relaxed);  // relaxed: a reader that is late asks for nothing
  return true;
}

GivenHomes::Hit GivenHomes::hit(std::uintptr_t address) const noexcept {
  Hit result;
  const bool read = ranges_.read([&](const Published<3>::Rows& rows) {
    result = Hit{};
    const std::size_t after = rows.upper_bound(address);
    if (after == 0 || rows.word(after - 1, 1) <= address) return;
    result.end = rows.word(after - 1, 1);
    result.home = DomainId{static_cast<DomainId::Rep>(rows.word(after - 1, 2))};
  });
  return read ? result : Hit{};
}

DomainId GivenHomes::find(std::uintptr_t address) const noexcept { return hit(address).home; }

DomainId GivenHomes::find(std::uintptr_t address, Bytes length) const noexcept {
  const Hit first = hit(address);
  if (length.count <= 1 || (first.home.valid() && first.end >= end_of(address, length))) {
    return first.home;
  }
  constexpr std::size_t samples = 16;
  const std::uint64_t last = end_of(address, length) - 1 - address;
  Votes<samples> votes;
  for (std::size_t i = 0; i < samples; ++i) {
    votes.add(find(address + spread(i, samples, last)).value());
  }
  return DomainId{static_cast<DomainId::Rep>(votes.winner())};
}

}  // namespace lares::memory

#include "memory/replicas.hpp"

#include <algorithm>
#include <cstring>
#include <string>

namespace lares::memory {

namespace {

void* pointer_to(std::uintptr_t address) noexcept { return reinterpret_cast<void*>(address); }

bool goes_round(std::uintptr_t address, Bytes length) noexcept {
  return length.count > UINTPTR_MAX - address;
}

}  // namespace

Replicas::Replicas(Manager& manager)
    : manager_(manager), table_(most * std::max<std::size_t>(manager.nodes().domains(), 1)) {}

/// Where most of the original is; invalid if nobody knows.
DomainId Replicas::home_of(const Range& range) {
  const RangeHomes homes = manager_.homes_of(range.begin, Bytes{range.bytes});
  const auto most_pages = std::max_element(homes.pages.begin(), homes.pages.end());
  if (most_pages == homes.pages.end() || *most_pages == 0) return {};
  return DomainId{static_cast<std::size_t>(most_pages - homes.pages.begin())};
}

/// One copy for each memory, which the domains of one node share. Gives how many were made.
std::size_t Replicas::copy_to_all(Range& range) {
  const Nodes& nodes = manager_.nodes();
  range.copies.assign(nodes.domains(), range.begin);
  if (!nodes.several()) return 0;
  const OsNode original = nodes.node_of(home_of(range));
  std::vector<OsNode> served{original};
  for (const DomainId domain : nodes.usual()) {
    const OsNode node = nodes.node_of(domain);
    if (std::find(served.begin(), served.end(), node) != served.end()) continue;
    served.push_back(node);
    Distribution there;
    there.kind = Distribution::Kind::domain;
    there.domains = {&domain, 1};
    const Result<void*> copy = manager_.allocate(Bytes{range.bytes}, there, {});
    if (!copy || copy.value() == nullptr) continue;
    std::memcpy(copy.value(), pointer_to(range.begin), range.bytes);
    range.owned.push_back(copy.value());
    for (std::size_t d = 0; d < nodes.domains(); ++d) {
      if (nodes.node_of(DomainId{d}) == node) {
        range.copies[d] = reinterpret_cast<std::uintptr_t>(copy.value());
      }
    }
  }
  return range.owned.size();
}

Result<std::size_t> Replicas::add(std::uintptr_t address, Bytes length) {
  if (length.count == 0) return Error{"the range is empty"};
  if (goes_round(address, length)) return Error{"the range reaches beyond the end of memory"};
  const std::lock_guard lock(lock_);
  const auto after = std::find_if(ranges_.begin(), ranges_.end(), [&](const Range& range) {
    return range.begin + range.bytes > address;
  });
  if (after != ranges_.end() && after->begin < address + length.count) {
    return Error{"a part of the range has copies already"};
  }
  if (ranges_.size() == most) {
    return Error{"there are " + std::to_string(most) + " ranges with copies, which is the most"};
  }
  Range range{address, length.count, {}, {}};
  const std::size_t made = copy_to_all(range);
  ranges_.insert(after, std::move(range));
  publish();
  return made;
}

Result<bool> Replicas::refresh(std::uintptr_t address, Bytes length) {
  if (goes_round(address, length)) return Error{"the range reaches beyond the end of memory"};
  const std::lock_guard lock(lock_);
  const auto within = [&](const Range& range) {
    return range.begin <= address && address + length.count <= range.begin + range.bytes;
  };
  const auto range = std::find_if(ranges_.begin(), ranges_.end(), within);
  if (range == ranges_.end()) return Error{"the range is not within one that has copies"};
  for (void* copy : range->owned) {
    std::memcpy(static_cast<char*>(copy) + (address - range->begin), pointer_to(address),
                length.count);
  }
  return true;
}

Result<bool> Replicas::remove(std::uintptr_t address) {
  const std::lock_guard lock(lock_);
  const auto range = std::find_if(ranges_.begin(), ranges_.end(),
                                  [&](const Range& each) { return each.begin == address; });
  if (range == ranges_.end()) return Error{"no range with copies begins there"};
  Range old = std::move(*range);
  ranges_.erase(range);
  publish();  // from here on nobody finds them
  release(old);
  return true;
}

void Replicas::forget(std::uintptr_t address, Bytes length) {
  const std::lock_guard lock(lock_);
  const auto apart = [&](const Range& range) {
    return range.begin + range.bytes <= address || address + length.count <= range.begin;
  };
  std::vector<Range> old;
  for (auto range = ranges_.begin(); range != ranges_.end();) {
    if (apart(*range)) {
      ++range;
    } else {
      old.push_back(std::move(*range));
      range = ranges_.erase(range);
    }
  }
  if (old.empty()) return;
  publish();
  for (Range& range : old) release(range);
}

void Replicas::release(Range& range) {
  for (void* copy : range.owned) static_cast<void>(manager_.free(copy));
}

void Replicas::publish() {
  table_.begin();
  for (const Range& range : ranges_) {
    for (const std::uintptr_t copy : range.copies) {
      table_.append(range.begin, range.begin + range.bytes, copy);
    }
  }
  table_.publish();
}

std::uintptr_t Replicas::local(std::uintptr_t address) const noexcept {
  const std::size_t domains = manager_.nodes().domains();
  std::size_t domain = domains;  // nobody has asked yet
  std::uintptr_t found = address;
  const bool read = table_.read([&](const auto& rows) {
    found = address;
    const std::size_t after = rows.upper_bound(address);
    if (after < domains || address >= rows.word(after - 1, 1)) return;
    if (domain == domains) domain = manager_.here().index();
    const std::size_t row = after - domains + domain;
    found = rows.word(row, 2) + (address - rows.word(row, 0));
  });
  return read ? found : address;
}

}  // namespace lares::memory

// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#include "lab/plugin/regions.hpp"

#include <algorithm>

namespace lares::lab::counting {

Region* Regions::find(std::string_view name) noexcept {
  const auto at = std::find_if(regions_.begin(), regions_.end(),
                               [name](const Region& region) { return region.name == name; });
  return at == regions_.end() ? nullptr : &*at;
}

// A span counts "traffic at its end minus traffic at its begin"; the second half is taken off
// first.
void Regions::begin(std::string_view name, const Traffic& now) {
  Region* region = find(name);
  if (region == nullptr) {
    if (regions_.size() == max_regions) {
      ++left_out_;
      return;
    }
    regions_.push_back({std::string(name), 0, false, 0, Traffic(nodes_)});
    region = &regions_.back();
  }
  if (region->depth++ > 0) return;
  ++region->entered;
  region->counted -= now;
}

void Regions::end(std::string_view name, const Traffic& now) {
  Region* region = find(name);
  if (region == nullptr || region->depth == 0) {
    ++unmatched_ends_;
    return;
  }
  if (--region->depth == 0) region->counted += now;
}

void Regions::finish(const Traffic& now) {
  for (Region& region : regions_) {
    if (region.depth == 0) continue;
    region.depth = 0;
    region.left_open = true;
    region.counted += now;
  }
}

}  // namespace lares::lab::counting

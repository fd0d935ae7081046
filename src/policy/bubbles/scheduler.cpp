#include "policy/bubbles/scheduler.hpp"

#include <array>

#include "policy/bubbles/catalogue.hpp"

namespace lares::policy {

std::span<const BubbleSchedulerEntry> bubble_schedulers() noexcept {
#define LARES_ENTRY(name) bubbles::name(),
  static const std::array table{LARES_BUBBLE_SCHEDULERS(LARES_ENTRY)};
#undef LARES_ENTRY
  return table;
}

const BubbleSchedulerEntry* find_bubble_scheduler(std::string_view name) noexcept {
  for (const BubbleSchedulerEntry& entry : bubble_schedulers()) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

}  // namespace lares::policy

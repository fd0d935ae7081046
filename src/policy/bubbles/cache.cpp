// Teammates as close as possible (Broquedis et al. 2010, 3.2 and 4.1.2).
#include "policy/bubbles/catalogue.hpp"
#include "policy/bubbles/distribution.hpp"
#include "policy/bubbles/theft.hpp"

namespace lares::policy::bubbles {
namespace {

class CacheScheduler final : public BubbleScheduler {
 public:
  void on_submit(Forest& forest, EntityId bubble) override { place_near_master(forest, bubble); }
  void on_idle(Forest& forest, std::span<const CoreId> idle) override {
    steal_within_domains(forest, idle);
  }
};

}  // namespace

BubbleSchedulerEntry cache() noexcept {
  return {.name = "cache",
          .source = "Broquedis 2010, 3.2",
          .summary = "teammates close together; idle cores take half of a team in their domain",
          .make = &make<CacheScheduler>};
}

}  // namespace lares::policy::bubbles

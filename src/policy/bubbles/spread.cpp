// Teammates as far apart as possible: each has a memory and a cache of its own as long as there are
// some.
#include "policy/bubbles/catalogue.hpp"
#include "policy/bubbles/distribution.hpp"
#include "policy/bubbles/share.hpp"

namespace lares::policy::bubbles {
namespace {

class SpreadScheduler final : public BubbleScheduler {
 public:
  void on_submit(Forest& forest, EntityId bubble) override {
    const RunQueueId room = room_of(forest, bubble);
    const EntityId entities[] = {bubble};
    const RunQueueId parts[] = {room};
    BubbleDistribution(forest, entities, Neighbours::apart).place({bubble}, parts);
    put_bubbles(forest, bubble, room);
  }
};

}  // namespace

BubbleSchedulerEntry spread() noexcept {
  return {.name = "spread",
          .source = "BubbleSched",
          .summary = "teammates far apart: every domain gets its share of each team",
          .make = &make<SpreadScheduler>};
}

}  // namespace lares::policy::bubbles

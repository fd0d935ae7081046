// As writer-domain-or-local, but tasks that read data beside what they write go to their domain's
// queue, in the order in which they became ready: tasks that read the same follow each other there.
// Those that read data of another domain are dealt to the domain's workers by that data. It is far,
// and each core that uses it has to fetch it: a task that reads what another one of the same core
// has read finds it in that core's cache.
#include <algorithm>

#include "policy/catalogue.hpp"
#include "policy/push/home.hpp"

namespace lares::policy::push {
namespace {

/// True if a core that has run other tasks may have some of its data.
bool reads(const ReadyTask& task) noexcept {
  return std::ranges::any_of(task.data,
                             [](const DataHome& datum) { return datum.mode == AccessMode::read; });
}

/// A number below `count`, the same for the same name: evenly spread also where names are so far
/// apart as pages are (Knuth's multiplicative hashing).
std::size_t deal(std::uint32_t name, std::size_t count) noexcept {
  const std::uint32_t spread = name * 2654435761U;
  return static_cast<std::size_t>((std::uint64_t{spread} * count) >> 32U);
}

class WriterDomainDealt final : public Push {
 public:
  PlaceId on_ready(const View& view, const ReadyTask& task) noexcept override {
    const DomainId own = view.places.domain_of(view.self);
    const DomainId home = writer_home(view, task);
    if (home.valid() && home != own) return view.places.of(home);
    const bool shares = home.valid() && view.places.workers_in(own).size() > 1 && reads(task);
    return shares ? view.places.of(own) : view.places.of(view.self);
  }
  [[nodiscard]] bool uses_data() const noexcept override { return true; }
  [[nodiscard]] bool keeps_dataless_tasks() const noexcept override { return true; }
  [[nodiscard]] WorkerId rather_for(const View& view, const ReadyTask& task,
                                    DomainId domain) const noexcept override {
    const std::span<const WorkerId> workers = view.places.workers_in(domain);
    if (workers.size() < 2) return {};
    for (const DataHome& datum : task.data) {
      if (!datum.home.valid() || view.places.with_workers(datum.home) == domain) continue;
      return workers[deal(datum.name, workers.size())];
    }
    return {};
  }
  [[nodiscard]] bool deals() const noexcept override { return true; }
};

}  // namespace

Entry<Push> writer_domain_dealt() noexcept {
  return {.name = "writer-domain-dealt",
          .paper = "",
          .source = "Lares, after Virouleau 2016, 3.3",
          .summary = "as writer-domain-or-local, but readers to their domain, dealt by what is far",
          .places = {.workers = true, .domains = true},
          .make = &make<Push, WriterDomainDealt>};
}

}  // namespace lares::policy::push

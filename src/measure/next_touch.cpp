#include "measure/next_touch.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include "base/clock.hpp"
#include "memory/migrate/migrate.hpp"
#include "memory/nodes.hpp"

namespace lares::measure {
namespace {

/// A handler and threads that last as long as one measurement.
struct Watcher {
  explicit Watcher(const machine::Machine& machine)
      : nodes(machine), next_touch(memory::real_calls(), nodes, page_size()) {}
  memory::Nodes nodes;
  memory::NextTouch next_touch;
};

/// Marks and touches everything once: the time of both, or nothing if it cannot be marked.
std::optional<Nanoseconds> touch_once(memory::NextTouch& next_touch, const Memory& area,
                                      const NextTouchRun& run) {
  const auto address = reinterpret_cast<std::uintptr_t>(area.data());
  memory::NextTouchOptions options;
  options.chunk = {run.chunk * page_size().count};
  options.way = run.way;
  const Nanoseconds start = now();
  const memory::Marked marked = next_touch.mark(address, area.size(), options);
  if (marked.error != 0) return std::nullopt;
  next_touch.touch(address, area.size());
  return now() - start;
}

bool all_on(const Memory& area, std::size_t pages, OsNode node) {
  std::vector<int> status(pages, -1);
  const auto first = reinterpret_cast<std::uintptr_t>(area.data());
  if (memory::where_are(memory::real_calls(), first, pages, page_size(), status.data()) != 0) {
    return false;
  }
  return std::count(status.begin(), status.end(), node.value()) ==
         static_cast<std::ptrdiff_t>(pages);
}

}  // namespace

Result<std::vector<double>> measure_next_touch(Bench& bench, DomainId from, DomainId to,
                                               const NextTouchRun& run) {
  const OsNode source = bench.node(from);
  const OsNode target = bench.node(to);
  const bool moves = source != target && source.valid() && target.valid();
  std::vector<double> values;
  const auto watcher = std::make_unique<Watcher>(bench.machine);
  for (std::size_t i = 0; i < bench.plan.pace.repeats; ++i) {
    // Fresh for each repetition: a touch leaves the area with the policy of the toucher.
    auto area = Memory::on_node({run.pages * page_size().count}, source, false);
    if (!area) return area.error();
    touch(area.value().data(), area.value().size());
    const auto time = touch_once(watcher->next_touch, area.value(), run);
    if (!time) return values;
    if (moves && !all_on(area.value(), run.pages, target)) continue;  // a full node takes fewer
    values.push_back(static_cast<double>(time->count) / static_cast<double>(run.pages));
  }
  return values;
}

}  // namespace lares::measure

// What it costs to bring a page from one domain's memory to another's.
#include <cstring>

#include "base/clock.hpp"
#include "measure/next_touch.hpp"
#include "measure/parts.hpp"
#include "measure/spread.hpp"

namespace lares::measure {
namespace {

using machine::MeasuredMigration;

constexpr std::size_t pages = 256;

/// A method that is measured: nanoseconds per page, one value per repetition. Another way to
/// migrate is one function and one line in the table below.
struct Method {
  const char* name;
  const char* way;       ///< of a next touch, else ""
  std::uint64_t pages;   ///< that move at once
  bool within_a_node;    ///< whether it means something where both domains share a node
  bool by_the_receiver;  ///< whether the receiving domain needs cores of its own
  Result<std::vector<double>> (*run)(Bench& bench, DomainId from, DomainId to);
};

double per_page(Nanoseconds time) { return static_cast<double>(time.count) / pages; }

/// The kernel's own call, there and, not measured, back.
Result<std::vector<double>> by_move_pages(Bench& bench, DomainId source, DomainId target) {
  const OsNode from = bench.node(source);
  const OsNode to = bench.node(target);
  const std::size_t size = page_size().count;
  auto memory = Memory::on_node({pages * size}, from, false);
  if (!memory) return memory.error();
  touch(memory.value().data(), memory.value().size());
  std::vector<void*> addresses;
  for (std::size_t i = 0; i < pages; ++i) addresses.push_back(memory.value().data() + i * size);
  std::vector<double> values;
  for (std::size_t i = 0; i < bench.plan.pace.repeats; ++i) {
    const Nanoseconds start = now();
    const auto moved = move_to(addresses, to);
    const Nanoseconds time = now() - start;
    if (!moved) return moved.error();
    const auto back = move_to(addresses, from);
    if (!back) return back.error();
    if (moved.value() == pages) values.push_back(per_page(time));  // a full node moves fewer
  }
  return values;
}

/// What no migration can be faster than.
Result<std::vector<double>> by_copy(Bench& bench, DomainId from, DomainId to) {
  const std::size_t size = pages * page_size().count;
  auto source = Memory::on_node({size}, bench.node(from), false);
  if (!source) return source.error();
  auto target = Memory::on_node({size}, bench.node(to), false);
  if (!target) return target.error();
  touch(source.value().data(), {size});
  touch(target.value().data(), {size});
  std::vector<double> values;
  for (std::size_t i = 0; i < bench.plan.pace.repeats; ++i) {
    const Nanoseconds start = now();
    std::memcpy(target.value().data(), source.value().data(), size);
    asm volatile("" : : "r"(target.value().data()) : "memory");
    values.push_back(per_page(now() - start));
  }
  return values;
}

template <memory::WantedWay way>
Result<std::vector<double>> by_next_touch(Bench& bench, DomainId from, DomainId to) {
  return measure_next_touch(bench, from, to, {way, pages, next_touch_chunk});
}

/// The ways of a next touch stand in the order in which the automatic choice tries them.
constexpr Method methods[] = {
    {"move-pages", "", pages, false, false, by_move_pages},
    {"copy", "", pages, true, false, by_copy},
    {"next-touch", "userfault-thread", next_touch_chunk, true, true,
     by_next_touch<memory::WantedWay::userfault_thread>},
    {"next-touch", "userfault-signal", next_touch_chunk, true, true,
     by_next_touch<memory::WantedWay::userfault_signal>},
    {"next-touch", "protect", next_touch_chunk, true, true,
     by_next_touch<memory::WantedWay::protect>},
};

Result<bool> measure_pair(Bench& bench, DomainId from, DomainId to,
                          std::vector<MeasuredMigration>& migration) {
  const OsNode source = bench.node(from);
  const OsNode target = bench.node(to);
  const bool moves = source != target && source.valid() && target.valid();
  for (const Method& method : methods) {
    if (!method.within_a_node && !moves) continue;
    if (method.by_the_receiver && bench.cpus(to).empty()) continue;
    const auto values = method.run(bench, from, to);
    if (!values) return values.error();
    if (values.value().empty()) continue;
    migration.push_back(
        {from, to, method.name, method.pages, spread_of(values.value()), method.way});
  }
  return true;
}

}  // namespace

Result<bool> measure_migration(Bench& bench, std::vector<MeasuredMigration>& migration) {
  for (const DomainId to : bench.with_memory) {
    // The receiver moves the pages: they are on their way to its cores.
    const bool has_cores = !bench.cpus(to).empty();
    Crew crew({bench.cpus(has_cores ? to : bench.with_cores.front()).front()});
    for (const DomainId from : bench.with_memory) {
      bench.step("pages of domain " + std::to_string(from.value()) + " to domain " +
                 std::to_string(to.value()));
      Result<bool> result(true);
      crew.run([&](std::size_t) { result = measure_pair(bench, from, to, migration); });
      if (!result) return result;
    }
  }
  return true;
}

}  // namespace lares::measure

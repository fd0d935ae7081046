#include "memory/repair/repair.hpp"

#include <algorithm>
#include <array>

#include "memory/manager/costs.hpp"

namespace lares::memory {
namespace {

constexpr std::size_t sample = 256;
constexpr double usual_bytes_per_ns = 10;

/// Bytes a nanosecond that the cores of a domain get from its own memory.
double local_bandwidth(const machine::Machine& machine, DomainId domain) noexcept {
  const auto& known = machine.performance.bandwidth_mb_s;
  const std::size_t cell = domain.index() * machine.domains.size() + domain.index();
  if (cell >= known.size() || known[cell] == 0) return usual_bytes_per_ns;
  return known[cell] * 1e-3;  // MB/s are bytes a microsecond
}

/// Large chunks cost less each page, but the one that two threads share goes to the first of them:
/// so each domain's part of an area has 64 chunks, of 8 to 64 pages.
Bytes chunk_of(Bytes area, std::size_t domains, Bytes page) noexcept {
  constexpr std::uint64_t chunks_per_domain = 64;
  const std::uint64_t pages =
      area.count / page.count / (chunks_per_domain * std::max<std::size_t>(domains, 1));
  return Bytes{std::clamp<std::uint64_t>(pages, 8, 64) * page.count};
}

/// How many of the sample's pages are on the node of page `i`.
std::uint64_t neighbours(const std::array<int, sample>& status, std::size_t count, int node) {
  return static_cast<std::uint64_t>(std::count(status.begin(), status.begin() + count, node));
}

}  // namespace

AreaSurvey survey(const SystemCalls& calls, const LargeArea& area, Bytes page) noexcept {
  std::array<void*, sample> pages;
  std::array<int, sample> status{};
  const std::uintptr_t first = (area.begin + page.count - 1) & ~(page.count - 1);
  const std::uintptr_t last = area.end & ~(page.count - 1);
  if (last <= first) return {};
  const std::uint64_t all = (last - first) / page.count;
  const std::size_t count = std::min<std::uint64_t>(all, sample);
  for (std::size_t i = 0; i < count; ++i) {
    pages[i] = reinterpret_cast<void*>(first + all * i / count * page.count);
  }
  if (calls.move(count, pages.data(), nullptr, status.data()) < 0) return {};
  AreaSurvey found{count, 0, 0, {}};
  for (std::size_t i = 0; i < count; ++i) {
    if (status[i] < 0) continue;
    ++found.present;
    if (found.home == OsNode{status[i]}) continue;
    const std::uint64_t here = neighbours(status, count, status[i]);
    if (here > found.at_home) {
      found.at_home = here;
      found.home = OsNode{status[i]};
    }
  }
  return found;
}

RepairPrice price(const machine::Machine& machine, DomainId home, Bytes bytes, Bytes page,
                  double page_ns) noexcept {
  double together = 0;
  for (std::size_t i = 0; i < machine.domains.size(); ++i) {
    if (machine.domains[i].cores.empty()) continue;
    together += local_bandwidth(machine, DomainId{static_cast<int>(i)});
  }
  const auto amount = static_cast<double>(bytes.count);
  RepairPrice result;
  if (together == 0) return result;
  const double pages = amount / static_cast<double>(page.count);
  result.overhead = pages * page_ns;  // one thread fetches for all: system calls must work
  result.sweep_before = amount / local_bandwidth(machine, home);
  result.sweep_after = amount / together;
  return result;
}

void repair(const RepairContext& context, const LargeArea& area, double sweeps,
            Repaired& so_far) noexcept {
  const AreaSurvey found = survey(context.calls, area, context.page);
  const DomainId home = context.nodes.domain_of(found.home);
  if (!found.from_one_thread() || !home.valid()) return;
  const RepairPrice cost = price(context.machine, home, found.present_of(Bytes{area.bytes()}),
                                 context.page, usual_page_ns);
  const double pays = break_even(cost.overhead, cost.sweep_before, cost.sweep_after);
  if (pays > sweeps) {
    ++so_far.too_dear;
    return;
  }
  // A system call that fails with EFAULT would change what the program does.
  const NextTouchOptions options{
      .chunk = chunk_of(Bytes{area.bytes()}, context.machine.domains_with_cores(), context.page),
      .way = WantedWay::userfault_thread};
  const Marked marked = context.next_touch.mark(area.begin, Bytes{area.end - area.begin}, options);
  if (marked.error != 0 && so_far.error == 0) so_far.error = marked.error;
  if (marked.bytes.count == 0) return;
  ++so_far.areas;
  so_far.bytes = Bytes{so_far.bytes.count + marked.bytes.count};
  so_far.pays_after = std::max(so_far.pays_after, pays);
  so_far.gain_per_sweep_ns += cost.sweep_before - cost.sweep_after;
}

}  // namespace lares::memory

#include "memory/place/strict.hpp"

#include <algorithm>
#include <array>
#include <cerrno>

#include "memory/migrate/migrate.hpp"
#include "memory/place/place.hpp"
#include "memory/place/runs.hpp"

namespace lares::memory {
namespace {

/// Whether pages [begin, end) are all on a node that `right` accepts: 0 or an errno.
template <class Right>
int check_pages(const SystemCalls& calls, std::uintptr_t begin, std::uintptr_t end, Bytes page,
                Right&& right) noexcept {
  std::array<int, pages_per_move> status;
  while (begin < end) {
    const std::size_t count = std::min<std::size_t>((end - begin) / page.count, pages_per_move);
    if (const int error = where_are(calls, begin, count, page, status.data()); error != 0) {
      return error;
    }
    const auto last = status.begin() + static_cast<std::ptrdiff_t>(count);
    const bool all = std::all_of(status.begin(), last, [&](int node) {
      return node >= 0 && right(OsNode{static_cast<std::size_t>(node)});
    });
    if (!all) return ENOMEM;
    begin += count * page.count;
  }
  return 0;
}

}  // namespace

int make_strictly(const SystemCalls& calls, const Nodes& nodes, const Plan& plan,
                  std::uintptr_t address, Bytes page) noexcept {
  if (!nodes.several() || plan.kind() == Distribution::Kind::first_touch) return 0;
  const std::uintptr_t end = (address + plan.length().count + page.count - 1) & ~(page.count - 1);
  if (const int error = make_pages(calls, address, end, page); error != 0) return error;
  if (plan.plain_interleave()) {
    return check_pages(calls, address, end, page, [&](OsNode node) {
      return std::any_of(plan.turns().begin(), plan.turns().end(),
                         [&](DomainId domain) { return nodes.node_of(domain) == node; });
    });
  }
  int error = 0;
  for_each_run(plan, address, page, [&](const Run& run) {
    const OsNode wanted = nodes.node_of(run.domain);
    if (error != 0 || !wanted.valid()) return;
    error =
        check_pages(calls, run.begin, run.end, page, [&](OsNode node) { return node == wanted; });
  });
  return error;
}

}  // namespace lares::memory

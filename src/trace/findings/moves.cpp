#include "trace/findings/moves.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

namespace lares::trace {
namespace {

void add(MoveSums& sums, const Move& move) {
  ++sums.times;
  sums.bytes += move.bytes;
  sums.arrived += move.arrived;
  sums.took += move.took;
}

std::vector<ThreadMoveSums> sums_of(const std::vector<ThreadMove>& moves) {
  std::map<std::uint16_t, ThreadMoveSums> sums;
  std::map<std::uint16_t, std::set<Index>> threads;
  for (const ThreadMove& move : moves) {
    ThreadMoveSums& sum = sums[move.domain];
    sum.domain = move.domain;
    ++sum.times;
    threads[move.domain].insert(move.thread);
  }
  std::vector<ThreadMoveSums> found;
  for (auto& [domain, sum] : sums) {
    sum.threads = threads[domain].size();
    found.push_back(sum);
  }
  return found;
}

}  // namespace

MoveFindings find_moves(const Trace& trace) {
  MoveFindings found;
  for (const Move& move : trace.moves.list) {
    switch (move.kind) {
      case memory::MoveKind::mark:
        add(found.marks, move);
        break;
      case memory::MoveKind::fetch:
        add(found.fetches, move);
        found.fetches_into.resize(trace.domains);
        if (move.domain < trace.domains) add(found.fetches_into[move.domain], move);
        break;
      case memory::MoveKind::call:
        add(found.calls, move);
        break;
      case memory::MoveKind::sample:
        add(found.samples, move);
        break;
      case memory::MoveKind::none:
      case memory::MoveKind::thread:
      case memory::MoveKind::kinds:
        break;
    }
  }
  found.threads = sums_of(trace.moves.threads);
  return found;
}

std::vector<MoveRow> move_rows(const MoveFindings& moves) {
  std::vector<MoveRow> rows{{"marked for the next touch", moves.marks},
                            {"fetched at a touch", moves.fetches}};
  for (std::size_t domain = 0; domain < moves.fetches_into.size(); ++domain) {
    rows.push_back({fmt::format("  into domain {}", domain), moves.fetches_into[domain]});
  }
  rows.push_back({"moved by a call", moves.calls});
  rows.push_back({"sampled, to learn who uses it", moves.samples});
  std::erase_if(rows, [](const MoveRow& row) { return row.sums.times == 0; });
  return rows;
}

}  // namespace lares::trace

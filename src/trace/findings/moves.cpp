#include "trace/findings/moves.hpp"

#include <fmt/format.h>

namespace lares::trace {
namespace {

void add(MoveSums& sums, const Move& move) {
  ++sums.times;
  sums.bytes += move.bytes;
  sums.arrived += move.arrived;
  sums.took += move.took;
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
      case memory::MoveKind::none:
      case memory::MoveKind::kinds:
        break;
    }
  }
  return found;
}

std::vector<MoveRow> move_rows(const MoveFindings& moves) {
  std::vector<MoveRow> rows{{"marked for the next touch", moves.marks},
                            {"fetched at a touch", moves.fetches}};
  for (std::size_t domain = 0; domain < moves.fetches_into.size(); ++domain) {
    rows.push_back({fmt::format("  into domain {}", domain), moves.fetches_into[domain]});
  }
  rows.push_back({"moved by a call", moves.calls});
  std::erase_if(rows, [](const MoveRow& row) { return row.sums.times == 0; });
  return rows;
}

}  // namespace lares::trace

#include "trace/findings/moves.hpp"

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

}  // namespace lares::trace

// What a thread did, one thing inside of another: for formats whose records open and close.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.hpp"

namespace lares::trace {

enum class SpanKind : std::uint8_t { team, loop, wait, grain };

/// A piece of a thread's time. `index` is one of Trace::regions, loops, waits or grains.
struct Span {
  Time begin = 0;
  Time end = 0;
  SpanKind kind = SpanKind::grain;
  Index index = 0;
};

/// A span begins, or ends.
struct Edge {
  Time at = 0;
  bool opens = false;
  Span span;
};

/// The kinds of spans that are wanted, as bits 1 << kind.
using SpanKinds = unsigned;
constexpr SpanKinds bit_of(SpanKind kind) { return 1U << static_cast<unsigned>(kind); }

/// For threads, the spans of each; made once for a trace.
class Lanes {
 public:
  Lanes(const Trace& trace, SpanKinds kinds);

  /// The thread's begins and ends in the order of time, properly nested. Where the trace has spans
  /// that overlap without one being inside of the other, the inner one ends with the outer.
  /// A thread is in a team (SpanKind::team) from its first to its last event of the region; the
  /// master from the region's begin to its end.
  [[nodiscard]] std::vector<Edge> edges_of(Index thread) const;

 private:
  void add_teams(const Trace& trace);

  const Trace& trace_;
  SpanKinds kinds_;
  std::vector<std::vector<Span>> spans_;  ///< by thread, without the grains
};

}  // namespace lares::trace

#include "trace/exports/lanes.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace lares::trace {
namespace {

/// When a thread was seen in a region, by (region, thread): inner regions have greater numbers.
using Presence = std::map<std::pair<Index, Index>, std::pair<Time, Time>>;

void see(Presence& presence, Index region, Index thread, Time begin, Time end) {
  if (region == none || thread == none) return;
  const auto [at, is_new] = presence.try_emplace({region, thread}, begin, end);
  if (is_new) return;
  at->second.first = std::min(at->second.first, begin);
  at->second.second = std::max(at->second.second, end);
}

Presence presence_of(const Trace& trace) {
  Presence presence;
  for (const Grain& grain : trace.grains) {
    see(presence, grain.region, grain.thread, grain.begin, grain.end);
  }
  for (const Wait& wait : trace.waits) {
    see(presence, wait.region, wait.thread, wait.begin, wait.end);
  }
  for (const LoopVisit& loop : trace.loops) {
    see(presence, loop.region, loop.thread, loop.begin, loop.end);
  }
  for (Index r = 0; r < trace.regions.size(); ++r) {
    see(presence, r, trace.regions[r].master, trace.regions[r].begin, trace.regions[r].end);
  }
  return presence;
}

/// Who is in an inner region has not left the one around it.
void cover_inner_regions(const Trace& trace, Presence& presence) {
  const Presence seen = presence;
  for (const auto& [who, when] : seen) {
    Index outer = trace.regions[who.first].outer;
    for (std::size_t steps = 0; outer != none && steps < trace.regions.size(); ++steps) {
      const bool is_there = seen.count({outer, who.second}) != 0;
      if (is_there) see(presence, outer, who.second, when.first, when.second);
      outer = trace.regions[outer].outer;
    }
  }
}

/// Of spans of the same time, what is of the engine's side is outside of what runs in it.
bool opens_before(const Span& a, const Span& b) {
  if (a.begin != b.begin) return a.begin < b.begin;
  if (a.end != b.end) return a.end > b.end;
  return a.kind != b.kind ? a.kind < b.kind : a.index < b.index;
}

}  // namespace

Lanes::Lanes(const Trace& trace, SpanKinds kinds)
    : trace_(trace), kinds_(kinds), spans_(trace.threads.size()) {
  if ((kinds & bit_of(SpanKind::team)) != 0) add_teams(trace);
  if ((kinds & bit_of(SpanKind::loop)) != 0) {
    for (Index i = 0; i < trace.loops.size(); ++i) {
      const LoopVisit& loop = trace.loops[i];
      spans_[loop.thread].push_back({loop.begin, loop.end, SpanKind::loop, i});
    }
  }
  if ((kinds & bit_of(SpanKind::wait)) != 0) {
    for (Index i = 0; i < trace.waits.size(); ++i) {
      const Wait& wait = trace.waits[i];
      spans_[wait.thread].push_back({wait.begin, wait.end, SpanKind::wait, i});
    }
  }
}

void Lanes::add_teams(const Trace& trace) {
  Presence presence = presence_of(trace);
  cover_inner_regions(trace, presence);
  for (const auto& [who, when] : presence) {
    spans_[who.second].push_back({when.first, when.second, SpanKind::team, who.first});
  }
}

std::vector<Edge> Lanes::edges_of(Index thread) const {
  std::vector<Span> spans = spans_[thread];
  if ((kinds_ & bit_of(SpanKind::grain)) != 0) {
    for (std::size_t i = trace_.grains_of[thread]; i < trace_.grains_of[thread + 1]; ++i) {
      const Grain& grain = trace_.grains[i];
      spans.push_back({grain.begin, grain.end, SpanKind::grain, static_cast<Index>(i)});
    }
  }
  std::sort(spans.begin(), spans.end(), opens_before);
  std::vector<Edge> edges;
  edges.reserve(spans.size() * 2);
  std::vector<Span> open;
  const auto close_until = [&](Time time) {
    while (!open.empty() && open.back().end <= time) {
      edges.push_back({open.back().end, false, open.back()});
      open.pop_back();
    }
  };
  for (Span& span : spans) {
    // What takes no time is inside of what ends when it does, not after it.
    if (span.end > span.begin) {
      close_until(span.begin);
    } else if (span.begin > 0) {
      close_until(span.begin - 1);
    }
    if (!open.empty()) span.end = std::min(span.end, open.back().end);
    edges.push_back({span.begin, true, span});
    open.push_back(span);
  }
  close_until(~Time{0});
  return edges;
}

}  // namespace lares::trace

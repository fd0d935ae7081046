#include "trace/findings/critical_path.hpp"

#include <algorithm>
#include <numeric>

namespace lares::trace {
namespace {

/// What a thread did outside of grains, up to a time: creating and the regions' own code.
class OwnCode {
 public:
  explicit OwnCode(const Trace& trace) : of_(trace.threads.size()) {
    std::size_t wait = 0;
    for (Index t = 0; t < of_.size(); ++t) {
      std::vector<Part>& parts = of_[t];
      Time until = 0;
      for (std::size_t i = trace.grains_of[t]; i < trace.grains_of[t + 1]; ++i) {
        const Grain& grain = trace.grains[i];
        if (grain.begin < until) continue;  // inside of another
        parts.push_back({grain.begin, grain.length(), 0});
        until = grain.end;
      }
      for (; wait < trace.waits.size() && trace.waits[wait].thread == t; ++wait) {
        // Its grains are there already.
        parts.push_back({trace.waits[wait].end, trace.waits[wait].idle, 0});
      }
      std::sort(parts.begin(), parts.end(),
                [](const Part& a, const Part& b) { return a.at < b.at; });
      Time sum = 0;
      for (Part& part : parts) part.before = sum += part.time;
    }
  }

  /// Of a region that began then.
  [[nodiscard]] Time between(Index thread, Time begin, Time end) const {
    if (end <= begin) return 0;
    const Time other = others_until(thread, end) - others_until(thread, begin);
    return end - begin > other ? end - begin - other : 0;
  }

 private:
  struct Part {
    Time at = 0;  ///< when it is over, or for grains begins
    Time time = 0;
    Time before = 0;  ///< the sum, with this one
  };

  [[nodiscard]] Time others_until(Index thread, Time time) const {
    const auto& parts = of_[thread];
    const auto after = std::lower_bound(parts.begin(), parts.end(), time,
                                        [](const Part& part, Time t) { return part.at < t; });
    return after == parts.begin() ? 0 : std::prev(after)->before;
  }

  std::vector<std::vector<Part>> of_;
};

class LongestChains {
 public:
  explicit LongestChains(const Trace& trace)
      : trace_(trace),
        own_(trace),
        start_(trace.grains.size()),
        finish_(trace.grains.size()),
        before_(trace.grains.size(), none),
        last_child_(trace.grains.size(), none),
        waits_(trace.grains.size()),
        region_span_(trace.regions.size()),
        region_last_(trace.regions.size(), none) {
    note_waiting();
    walk();
  }

  /// Of one region: its longest chain, by its last grain.
  [[nodiscard]] Index last_of(Index region) const { return region_last_[region]; }
  [[nodiscard]] Time of(Index region) const { return region_span_[region]; }

  /// The chain that ends with `grain`, in the order of time.
  [[nodiscard]] std::vector<Index> chain(Index grain) const {
    std::vector<Index> found;
    bool from_its_end = true;  // rather than from where it created the grain after it
    for (Index at = grain; at != none && found.size() <= trace_.grains.size();) {
      found.push_back(at);
      // What it waited for made it end late, or what came before made it start late.
      const Index child = last_child_[at];
      const bool by_child =
          from_its_end && child != none && finish_[child] > start_[at] + trace_.grains[at].self;
      const Index next = by_child ? child : before_[at];
      from_its_end = by_child || next != trace_.grains[at].creator;
      at = next;
    }
    std::reverse(found.begin(), found.end());
    return found;
  }

 private:
  // Grains in whose body somebody waited for children.
  void note_waiting() {
    std::size_t grain = 0;
    Index thread = none;
    std::vector<Index> inside;
    for (const Wait& wait : trace_.waits) {
      if (wait.thread != thread) {
        thread = wait.thread;
        grain = trace_.grains_of[thread];
        inside.clear();
      }
      for (; grain < trace_.grains_of[thread + 1] && trace_.grains[grain].begin <= wait.begin;
           ++grain) {
        inside.push_back(static_cast<Index>(grain));
      }
      while (!inside.empty() && trace_.grains[inside.back()].end < wait.end) inside.pop_back();
      if (!inside.empty() && wait.kind != WaitKind::region_end) waits_[inside.back()] = true;
    }
  }

  /// Of those at one time ends of what began before come first, inner ones before outer ones; then
  /// what begins; then ends of grains that take no time.
  struct Moment {
    enum class Kind : std::uint8_t { ends, begins, ends_at_once };
    Time at = 0;
    Kind kind = Kind::ends;
    Index grain = none;

    [[nodiscard]] bool operator<(const Moment& other) const {
      if (at != other.at) return at < other.at;
      if (kind != other.kind) return kind < other.kind;
      return kind == Kind::begins ? grain < other.grain : grain > other.grain;
    }
  };

  void walk() {
    std::vector<Moment> moments;
    moments.reserve(trace_.grains.size() * 2);
    for (Index i = 0; i < trace_.grains.size(); ++i) {
      const Grain& grain = trace_.grains[i];
      const bool at_once = grain.begin == grain.end;
      moments.push_back({grain.begin, Moment::Kind::begins, i});
      moments.push_back({grain.end, at_once ? Moment::Kind::ends_at_once : Moment::Kind::ends, i});
    }
    std::sort(moments.begin(), moments.end());
    for (const Moment& moment : moments) {
      if (moment.kind == Moment::Kind::begins) {
        begin(moment.grain);
      } else {
        end(moment.grain);
      }
    }
  }

  void begin(Index index) {
    const Grain& grain = trace_.grains[index];
    follow(index, start_by_creator(grain), grain.creator);
    if (grain.released_by != none) {
      follow(index, finish_[grain.released_by], grain.released_by);
    }
    if (grain.part_of != none) follow(index, finish_[grain.part_of], grain.part_of);
  }
  void follow(Index index, Time start, Index before) {
    if (start < start_[index]) return;
    start_[index] = start;
    before_[index] = before;
  }
  // Its creator's own work up to there.
  [[nodiscard]] Time start_by_creator(const Grain& grain) const {
    if (grain.creator != none) {
      const Grain& creator = trace_.grains[grain.creator];
      const Time until = grain.created > creator.begin ? grain.created - creator.begin : 0;
      return start_[grain.creator] + std::min(until, creator.self);
    }
    const bool by_chunk = grain.has(grain_flag::is_chunk);
    if (grain.region == none || by_chunk || grain.created_on == none) return 0;
    return own_.between(grain.created_on, trace_.regions[grain.region].begin, grain.created);
  }

  void end(Index index) {
    const Grain& grain = trace_.grains[index];
    Time finish = start_[index] + grain.self;
    const Index child = last_child_[index];
    if (child != none) finish = std::max(finish, finish_[child]);
    finish_[index] = finish;
    const Index creator = grain.creator;
    const bool is_awaited =
        creator != none && (waits_[creator] || grain.has(grain_flag::undeferred));
    if (is_awaited && (last_child_[creator] == none || finish > finish_[last_child_[creator]])) {
      last_child_[creator] = index;
    }
    if (grain.region == none || finish <= region_span_[grain.region]) return;
    region_span_[grain.region] = finish;
    region_last_[grain.region] = index;
  }

  const Trace& trace_;
  OwnCode own_;
  std::vector<Time> start_;  ///< on as many cores as anyone likes
  std::vector<Time> finish_;
  std::vector<Index> before_;      ///< what `start_` follows
  std::vector<Index> last_child_;  ///< of those that it waits for
  std::vector<bool> waits_;
  std::vector<Time> region_span_;
  std::vector<Index> region_last_;
};

}  // namespace

void add_critical_path(const Trace& trace, Findings& findings) {
  const LongestChains chains(trace);
  for (Index region = 0; region < trace.regions.size(); ++region) {
    findings.critical += chains.of(region);
    const std::vector<Index> chain = chains.chain(chains.last_of(region));
    findings.critical_path.insert(findings.critical_path.end(), chain.begin(), chain.end());
  }
  std::vector<Time> by_construct(trace.constructs.size() + 1);
  for (const Index grain : findings.critical_path) {
    const Index construct = trace.grains[grain].construct;
    by_construct[std::min<std::size_t>(construct, trace.constructs.size())] +=
        trace.grains[grain].self;
  }
  for (ConstructRow& row : findings.constructs) {
    row.critical = by_construct[std::min<std::size_t>(row.construct, trace.constructs.size())];
  }
}

}  // namespace lares::trace

#include "trace/page/columns.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "trace/page/packing.hpp"
#include "trace/page/planes.hpp"

namespace lares::trace::page {
namespace {

using Values = std::vector<std::uint64_t>;

// Small numbers of either sign as small numbers: 0, -1, 1, -2, ... become 0, 1, 2, 3, ...
std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1U) ^ static_cast<std::uint64_t>(value >> 63);
}

// Modulo 2^64, so that any two numbers have a difference.
std::int64_t difference(std::uint64_t left, std::uint64_t right) {
  return static_cast<std::int64_t>(left - right);
}

// One of the lists of a run. The rows of one thread are together, those of thread t up to of[t +
// 1].
class Table {
 public:
  Table(std::ostream& out, std::size_t run, std::string_view name, std::size_t rows)
      : Table(out, run, name, std::vector<std::size_t>{0, rows}) {}
  Table(std::ostream& out, std::size_t run, std::string_view name, std::vector<std::size_t> of)
      : out_(out), run_(run), name_(name), of_(std::move(of)) {
    open("table");
    out_ << ">[";
    for (std::size_t i = 0; i < of_.size(); ++i) out_ << (i == 0 ? "" : ",") << of_[i];
    close("]");
  }

  // As they are.
  template <typename Get>
  void plain(std::string_view column, Get get) {
    write(column, "plain", collect(get));
  }

  // May be negative.
  template <typename Get>
  void any_sign(std::string_view column, Get get) {
    write(column, "signed", collect([&](std::size_t i) { return zigzag(get(i)); }));
  }

  // Numbers that only grow within a thread, as steps.
  template <typename Get>
  void growing(std::string_view column, Get get) {
    Values values = collect(get);
    for (std::size_t t = 0; t + 1 < of_.size(); ++t) {
      for (std::size_t i = of_[t + 1]; i-- > of_[t] + 1;) values[i] -= values[i - 1];
    }
    write(column, "steps", values);
  }

  // Indexes of a short list; `nothing` stands for none.
  template <typename Get>
  void index(std::string_view column, std::uint64_t nothing, Get get) {
    write(column, "index", collect([&](std::size_t i) {
            const std::uint64_t value = get(i);
            return value == nothing ? 0 : value + 1;
          }));
  }

  // Indexes of a long list that are mostly near the row before's.
  template <typename Get>
  void link(std::string_view column, Get get) {
    std::uint64_t last = 0;
    write(column, "link", collect([&](std::size_t i) -> std::uint64_t {
            const Index value = get(i);
            if (value == none) return 0;
            const std::uint64_t step = zigzag(difference(value, last)) + 1;
            last = value;
            return step;
          }));
  }

 private:
  template <typename Get>
  Values collect(Get get) const {
    Values values(of_.back());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = get(i);
    return values;
  }

  void write(std::string_view column, std::string_view code, const Values& values) {
    const Planes planes = to_planes(values);
    open("column");
    out_ << " data-column=\"" << column << "\" data-code=\"" << code << "\" data-planes=\""
         << planes.mask << "\">";
    if (planes.mask != 0) out_ << base64(gzip(planes.bytes));
    close("");
  }

  void open(std::string_view what) {
    out_ << "<script type=\"application/x-lares-" << what << "\" data-run=\"" << run_
         << "\" data-table=\"" << name_ << '"';
  }
  void close(std::string_view before) { out_ << before << "</script>\n"; }

  std::ostream& out_;
  std::size_t run_;
  std::string_view name_;
  std::vector<std::size_t> of_;
};

// Where each thread's rows begin in a list that is sorted by thread.
template <typename Row>
std::vector<std::size_t> rows_of_threads(const std::vector<Row>& rows, std::size_t threads) {
  std::vector<std::size_t> of(threads + 1, 0);
  for (const Row& row : rows) ++of[row.thread + 1];
  for (std::size_t t = 0; t < threads; ++t) of[t + 1] += of[t];
  return of;
}

// What the timeline is drawn from comes first.
void write_grains(std::ostream& out, std::size_t run, const Trace& trace) {
  const auto& grains = trace.grains;
  Table table(out, run, "grains", trace.grains_of);
  table.growing("begin", [&](std::size_t i) { return grains[i].begin; });
  table.plain("length", [&](std::size_t i) { return grains[i].length(); });
  table.plain("locality",
              [&](std::size_t i) { return static_cast<std::uint64_t>(grains[i].locality); });
  table.index("construct", none, [&](std::size_t i) { return grains[i].construct; });
  table.index("home", no_domain, [&](std::size_t i) { return grains[i].home; });
  table.index("domain", no_domain, [&](std::size_t i) { return grains[i].domain; });
  table.index("stolen", no_domain, [&](std::size_t i) { return grains[i].stolen_from; });
  table.any_sign("inside",
                 [&](std::size_t i) { return difference(grains[i].length(), grains[i].self); });
  table.any_sign("queued",
                 [&](std::size_t i) { return difference(grains[i].begin, grains[i].ready); });
  table.any_sign("held",
                 [&](std::size_t i) { return difference(grains[i].ready, grains[i].created); });
  table.plain("cost", [&](std::size_t i) { return grains[i].create_cost; });
  table.plain("bytes", [&](std::size_t i) { return grains[i].bytes; });
  table.plain("first", [&](std::size_t i) { return grains[i].first; });
  table.plain("iterations", [&](std::size_t i) { return grains[i].iterations; });
  table.link("creator", [&](std::size_t i) { return grains[i].creator; });
  table.link("released_by", [&](std::size_t i) { return grains[i].released_by; });
  table.link("part_of", [&](std::size_t i) { return grains[i].part_of; });
  table.link("region", [&](std::size_t i) { return grains[i].region; });
  table.plain("depth", [&](std::size_t i) { return grains[i].depth; });
  table.plain("located",
              [&](std::size_t i) { return static_cast<std::uint64_t>(grains[i].located); });
  table.plain("flags", [&](std::size_t i) { return grains[i].flags; });
}

void write_waits(std::ostream& out, std::size_t run, const Trace& trace) {
  const auto& waits = trace.waits;
  Table table(out, run, "waits", rows_of_threads(waits, trace.threads.size()));
  table.growing("begin", [&](std::size_t i) { return waits[i].begin; });
  table.plain("length", [&](std::size_t i) { return waits[i].end - waits[i].begin; });
  table.plain("idle", [&](std::size_t i) { return waits[i].idle; });
  table.plain("kind", [&](std::size_t i) { return static_cast<std::uint64_t>(waits[i].kind); });
  table.link("region", [&](std::size_t i) { return waits[i].region; });
}

void write_loops(std::ostream& out, std::size_t run, const Trace& trace) {
  const auto& loops = trace.loops;
  Table table(out, run, "loops", rows_of_threads(loops, trace.threads.size()));
  table.growing("begin", [&](std::size_t i) { return loops[i].begin; });
  table.plain("length", [&](std::size_t i) { return loops[i].end - loops[i].begin; });
  table.plain("iterations", [&](std::size_t i) { return loops[i].iterations; });
  table.plain("chunk", [&](std::size_t i) { return loops[i].chunk; });
  table.index("construct", none, [&](std::size_t i) { return loops[i].construct; });
}

void write_regions(std::ostream& out, std::size_t run, const Trace& trace) {
  const auto& regions = trace.regions;
  Table table(out, run, "regions", regions.size());
  table.growing("begin", [&](std::size_t i) { return regions[i].begin; });
  table.plain("length", [&](std::size_t i) { return regions[i].end - regions[i].begin; });
  table.plain("team", [&](std::size_t i) { return regions[i].team; });
  table.index("master", none, [&](std::size_t i) { return regions[i].master; });
  table.link("outer", [&](std::size_t i) { return regions[i].outer; });
}

/// Of the timeline: memory that a thread moved, or itself.
struct MoveMark {
  Index thread = none;
  Time at = 0;
  Time took = 0;
  std::uint64_t bytes = 0;
  memory::MoveKind kind = memory::MoveKind::none;
  std::uint16_t domain = no_domain;
  std::uint16_t core = no_domain;
};

// What threads moved that were in no team is in no lane.
std::vector<MoveMark> marks_of(const Moves& moves) {
  std::vector<MoveMark> marks;
  for (const Move& each : moves.list) {
    if (each.thread == none) continue;
    marks.push_back({each.thread, each.at, each.took, each.bytes, each.kind, each.domain});
  }
  for (const ThreadMove& each : moves.threads) {
    marks.push_back({each.thread, each.at, 0, 0, memory::MoveKind::thread, each.domain, each.core});
  }
  std::sort(marks.begin(), marks.end(), [](const MoveMark& a, const MoveMark& b) {
    return std::tie(a.thread, a.at, a.kind) < std::tie(b.thread, b.at, b.kind);
  });
  return marks;
}

void write_moves(std::ostream& out, std::size_t run, const Trace& trace) {
  const std::vector<MoveMark> marks = marks_of(trace.moves);
  Table table(out, run, "moves", rows_of_threads(marks, trace.threads.size()));
  table.growing("at", [&](std::size_t i) { return marks[i].at; });
  table.plain("took", [&](std::size_t i) { return marks[i].took; });
  table.plain("bytes", [&](std::size_t i) { return marks[i].bytes; });
  table.plain("kind", [&](std::size_t i) { return static_cast<std::uint64_t>(marks[i].kind); });
  table.index("domain", no_domain, [&](std::size_t i) { return marks[i].domain; });
  table.index("core", no_domain, [&](std::size_t i) { return marks[i].core; });
}

// Slice by slice, each as long as a matrix of domains; what a slice lacks is none.
void write_traffic(std::ostream& out, std::size_t run, const PageRun& what) {
  const auto& slices = what.findings.traffic;
  const std::size_t cells = std::size_t{what.trace.domains} * what.trace.domains;
  Table table(out, run, "traffic", cells * slices.size());
  table.plain("bytes", [&](std::size_t i) -> std::uint64_t {
    const auto& slice = slices[i / cells];
    return i % cells < slice.size() ? slice[i % cells] : 0;
  });
}

}  // namespace

void write_columns(std::ostream& out, std::size_t run, const PageRun& what) {
  write_grains(out, run, what.trace);
  write_waits(out, run, what.trace);
  write_loops(out, run, what.trace);
  write_regions(out, run, what.trace);
  write_moves(out, run, what.trace);
  const auto& path = what.findings.critical_path;
  Table(out, run, "critical_path", path.size()).link("grain", [&](std::size_t i) {
    return path[i];
  });
  write_traffic(out, run, what);
}

}  // namespace lares::trace::page

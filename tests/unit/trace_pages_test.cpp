// Pages by threads: who came first, against who uses them, on traces made by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "analysis/touches_file.hpp"
#include "runtime/record_format.hpp"
#include "trace/assemble.hpp"
#include "trace/findings/moves.hpp"
#include "trace/findings/page_pieces.hpp"
#include "trace/findings/pages.hpp"
#include "trace/findings/samples.hpp"
#include "trace/read.hpp"

namespace lares::trace {
namespace {

constexpr std::uint32_t page = 4096;

/// A run of one process whose threads have a domain each.
class TouchedRun {
 public:
  explicit TouchedRun(std::uint16_t threads) {
    trace_.domains = threads;
    trace_.touches.are_known = true;
    for (std::uint16_t t = 0; t < threads; ++t) {
      trace_.threads.push_back({.process = 7, .number = t, .domain = t, .core = t});
    }
  }

  /// `thread` comes to so many pages, from page number `first` on.
  TouchedRun& touch(Index thread, std::uint64_t first, std::uint64_t pages, Time at = 0) {
    const std::uint16_t domain = thread == none ? no_domain : trace_.threads[thread].domain;
    trace_.touches.list.push_back({at, first * page, pages * page, thread, 7, domain});
    return *this;
  }
  /// A grain of that thread uses bytes.
  TouchedRun& use(Index thread, std::uint64_t address, std::uint64_t bytes, Time end = 1000) {
    Grain grain;
    grain.thread = thread;
    grain.domain = trace_.threads[thread].domain;
    grain.end = end;
    grain.first_access = static_cast<Index>(trace_.accesses.size());
    grain.accesses = 1;
    trace_.accesses.push_back({address, bytes, no_domain, true});
    trace_.grains.push_back(grain);
    return *this;
  }
  TouchedRun& use_pages(Index thread, std::uint64_t first, std::uint64_t pages, Time end = 1000) {
    return use(thread, first * page, pages * page, end);
  }
  /// When the touch before came.
  TouchedRun& at(Moment moment) {
    trace_.touches.list.back().moment = moment;
    return *this;
  }
  [[nodiscard]] Trace& trace() { return trace_; }
  [[nodiscard]] PageFindings pages() const { return find_pages(trace_); }

 private:
  Trace trace_;
};

TEST(TracePages, OfATraceThatDoesNotKnowThemAreNone) {
  TouchedRun run(2);
  run.touch(0, 10, 4).use_pages(1, 10, 4);
  run.trace().touches.are_known = false;
  EXPECT_TRUE(run.pages().columns.empty());
  EXPECT_TRUE(run.pages().areas.empty());
}

TEST(TracePages, AreLocalToWhomTouchesAndUsesThem) {
  const PageFindings pages = TouchedRun(2).touch(1, 10, 4).use_pages(1, 10, 4).pages();
  EXPECT_EQ(bytes_of(pages.bytes, PageUse::local), 4 * page);
  EXPECT_EQ(all_bytes(pages.bytes), 4 * page);
  ASSERT_EQ(pages.areas.size(), 1U);
  EXPECT_EQ(pages.areas[0].thread, 1U);
  EXPECT_EQ(pages.areas[0].domain, 1);
  EXPECT_EQ(pages.areas[0].user, 1);
  EXPECT_DOUBLE_EQ(pages.areas[0].user_share, 1);
}

TEST(TracePages, ThatOneThreadTouchesAndAnotherUsesAreRemote) {
  const PageFindings pages =
      TouchedRun(2).touch(0, 10, 8).use_pages(0, 10, 4).use_pages(1, 14, 4).pages();
  EXPECT_EQ(bytes_of(pages.bytes, PageUse::local), 4 * page);
  EXPECT_EQ(bytes_of(pages.bytes, PageUse::remote), 4 * page);
  ASSERT_EQ(pages.areas.size(), 1U);  // of one thread, whoever uses it
  EXPECT_EQ(pages.areas[0].begin, 10 * page);
  EXPECT_EQ(pages.areas[0].end, 18 * page);
  EXPECT_DOUBLE_EQ(pages.areas[0].user_share, 0.5);
}

TEST(TracePages, AreSharedBelowTwoThirdsOfTheUses) {
  TouchedRun run(2);
  run.touch(0, 10, 1);
  for (int i = 0; i < 3; ++i) run.use_pages(0, 10, 1);
  for (int i = 0; i < 2; ++i) run.use_pages(1, 10, 1);
  EXPECT_EQ(bytes_of(run.pages().bytes, PageUse::shared), page);  // three fifths
  run.use_pages(0, 10, 1);
  EXPECT_EQ(bytes_of(run.pages().bytes, PageUse::local), page);  // four sixths
}

TEST(TracePages, ThatNobodyNamesAreTold) {
  const PageFindings pages = TouchedRun(2).touch(0, 10, 2).use(0, 10 * page + 100, 50).pages();
  EXPECT_EQ(bytes_of(pages.bytes, PageUse::local), 50U);
  EXPECT_EQ(bytes_of(pages.bytes, PageUse::not_named), 2 * page - 50);
  ASSERT_EQ(pages.areas.size(), 1U);
}

TEST(TracePages, ThatNobodyWasSeenToTouchAreCounted) {
  const PageFindings pages = TouchedRun(2).touch(0, 10, 1).use_pages(0, 10, 3).pages();
  EXPECT_EQ(pages.not_seen, 2 * page);
  EXPECT_EQ(all_bytes(pages.bytes), page);
}

TEST(TracePages, AreTheLastTouchersBeforeTheFirstUseHasEnded) {
  // Read by 0, then written by 1, whose grain uses it; 0 copies it later.
  TouchedRun run(2);
  run.touch(0, 10, 1, 100).touch(1, 10, 1, 500).touch(0, 10, 1, 2000).use_pages(1, 10, 1, 1000);
  const PageFindings pages = run.pages();
  EXPECT_EQ(bytes_of(pages.bytes, PageUse::local), page);
  ASSERT_EQ(pages.areas.size(), 1U);
  EXPECT_EQ(pages.areas[0].thread, 1U);
}

TEST(TracePages, ThatWereOnlyTouchedAfterTheirUseAreTheFirstTouchers) {
  const PageFindings pages =
      TouchedRun(2).touch(0, 10, 1, 5000).touch(1, 10, 1, 6000).use_pages(1, 10, 1, 1000).pages();
  EXPECT_EQ(pages.areas.at(0).thread, 0U);
}

TEST(TracePages, OfThreadsThatWereInNoTeamComeLast) {
  const PageFindings pages = TouchedRun(2).touch(none, 5, 1).touch(1, 10, 1).pages();
  ASSERT_EQ(pages.columns.size(), 2U);
  EXPECT_EQ(pages.columns[0].thread, 1U);
  EXPECT_EQ(pages.columns[1].thread, none);
  EXPECT_EQ(all_bytes(pages.columns[1].bytes), page);
}

TEST(TracePages, OfThreadsThatWereNotBoundAreMarked) {
  TouchedRun run(2);
  run.touch(none, 5, 1);
  run.touch(0, 10, 2).at(Moment::before_regions).touch(0, 12, 4).at(Moment::in_region);
  run.touch(1, 30, 8).at(Moment::between_regions);
  run.trace().threads[0].bound = run.trace().threads[1].bound = true;
  run.trace().about.binding = "spread";
  const PageFindings pages = run.pages();
  EXPECT_EQ(pages.unbound, 11 * page);
  ASSERT_EQ(pages.columns.size(), 3U);
  EXPECT_EQ(pages.columns[0].unbound, 2 * page);
  EXPECT_EQ(pages.columns[1].unbound, 8 * page);
  EXPECT_EQ(pages.columns[2].unbound, page);
  ASSERT_EQ(pages.areas.size(), 3U);
  EXPECT_EQ(pages.areas[1].thread, 0U);  // one area, whenever its pages were touched
  EXPECT_EQ(pages.areas[1].unbound, 2 * page);
}

TEST(TracePages, OfThreadsThatTheUserBindsAreMarkedBeforeTheirFirstRegion) {
  TouchedRun run(1);
  run.touch(0, 10, 1).at(Moment::before_regions).touch(0, 20, 2).at(Moment::between_regions);
  run.trace().about.binding = "user";
  EXPECT_EQ(run.pages().unbound, 3 * page);
  run.trace().threads[0].bound = true;
  EXPECT_EQ(run.pages().unbound, page);
}

TEST(TracePages, OfProcessesAreApart) {
  TouchedRun run(2);
  run.touch(0, 10, 1).use_pages(0, 10, 1);
  run.trace().threads[1].process = 8;
  run.use_pages(1, 10, 1);
  const PageFindings pages = run.pages();
  EXPECT_EQ(bytes_of(pages.bytes, PageUse::local), page);
  EXPECT_EQ(pages.not_seen, page);  // of the other process
}

TEST(TracePages, RowsAreOfOneSizeAndHoldEverything) {
  TouchedRun run(2);
  run.touch(0, 1000, 4800).touch(1, 100'000'000, 4800);
  const PageFindings pages = run.pages();
  EXPECT_NEAR(static_cast<double>(pages.rows.size()), wanted_page_rows, 2);
  std::uint64_t all = 0;
  std::uint64_t before = 0;
  for (const PageRow& row : pages.rows) {
    EXPECT_LT(before, row.end);
    EXPECT_LE(before, row.begin);
    before = row.end;
    ASSERT_EQ(row.cells.size(), 2U);
    EXPECT_TRUE(all_bytes(row.cells[0]) == 0 ||
                all_bytes(row.cells[1]) == 0);  // the gap is between two rows
    all += all_bytes(row.cells[0]) + all_bytes(row.cells[1]);
  }
  EXPECT_EQ(all, 9600 * page);
}

TEST(TracePages, AreasWithMostNamedBytesComeFirst) {
  const PageFindings pages = TouchedRun(2)
                                 .touch(0, 10, 100)
                                 .touch(0, 500, 2)
                                 .touch(0, 600, 1)
                                 .use_pages(0, 500, 2)
                                 .pages();
  ASSERT_EQ(pages.areas.size(), 3U);
  EXPECT_EQ(pages.areas[0].begin, 500 * page);
  EXPECT_EQ(pages.areas[1].begin, 10 * page);
}

// However touches and uses overlap, nothing is counted twice and nothing is lost.
TEST(TracePages, SumsAreTheSameByThreadRowAndArea) {
  std::mt19937 generator(5);
  const auto random = [&generator](std::uint32_t below) {
    return static_cast<std::uint32_t>(generator()) % below;
  };
  for (int round = 0; round < 200; ++round) {
    TouchedRun run(3);
    std::vector<bool> touched(64);
    for (int i = 0; i < 20; ++i) {
      const std::uint64_t first = random(50);
      const std::uint64_t count = 1 + random(14);
      run.touch(random(3), first, count, static_cast<Time>(i));
      std::fill_n(touched.begin() + static_cast<std::ptrdiff_t>(first), count, true);
      run.use(random(3), random(60 * page), random(4 * page), random(30));
    }
    const PageFindings pages = run.pages();
    const auto expected =
        static_cast<std::uint64_t>(std::count(touched.begin(), touched.end(), true)) * page;
    std::uint64_t columns = 0;
    std::uint64_t rows = 0;
    std::uint64_t areas = 0;
    for (const PageColumn& column : pages.columns) columns += all_bytes(column.bytes);
    for (const PageRow& row : pages.rows) {
      for (const BytesByUse& cell : row.cells) rows += all_bytes(cell);
    }
    for (const PageArea& area : pages.areas) {
      areas += all_bytes(area.bytes);
      EXPECT_EQ(all_bytes(area.bytes), area.end - area.begin);
    }
    ASSERT_EQ(all_bytes(pages.bytes), expected);
    ASSERT_EQ(columns, expected);
    ASSERT_EQ(rows, expected);
    ASSERT_EQ(areas, expected);
  }
}

/// A thread's file of process 7 with these words; a tick is a nanosecond.
std::vector<std::byte> record_of(const std::vector<std::uint64_t>& words) {
  using runtime::RecordFileHead;
  RecordFileHead head{};
  head.magic = RecordFileHead::expected_magic;
  head.pid = 7;
  head.window_bytes = 4096;
  head.ticks_per_microsecond = 1000;
  std::vector<std::byte> bytes(head.window_bytes);
  std::memcpy(bytes.data(), &head, sizeof(head));
  std::memcpy(bytes.data() + sizeof(head), words.data(), words.size() * sizeof(std::uint64_t));
  return bytes;
}

/// A thread's file: the system's thread 21, then 22, in one region of process 7 each.
std::vector<std::byte> record_of_two_threads() {
  using runtime::RecordKind;
  const auto word = [](RecordKind kind, std::uint64_t small) {
    return static_cast<std::uint64_t>(kind) | small << 8U;
  };
  const std::vector<std::uint64_t> words = {word(RecordKind::clock, 21),
                                            1000,
                                            1000,
                                            0,
                                            0,
                                            word(RecordKind::enter, 1),
                                            1000,
                                            1,
                                            0,
                                            0,
                                            word(RecordKind::leave, 0),
                                            2000,
                                            word(RecordKind::clock, 22),
                                            3000,
                                            3000,
                                            1,
                                            0,
                                            word(RecordKind::enter, 1),
                                            3000,
                                            2,
                                            0,
                                            0,
                                            word(RecordKind::leave, 0),
                                            4000};
  return record_of(words);
}

TEST(TraceTouches, AreThoseOfTheThreadsThatTheFilesTell) {
  Assembler assembler;
  ASSERT_FALSE(assembler.add(record_of_two_threads()));
  analysis::RecordedTouches touches;
  touches.head.lost = 3;
  touches.runs = {{3500, 30 * page, 7, 22, 2, 1, 12},     // the second thread of the file
                  {2500, 25 * page, 7, 21, 1, 0, 12},     // the first, between regions
                  {1500, 20 * page, 7, 21, 1, 0, 12},     // and in one
                  {100, 10 * page, 7, 99, 1, 0, 12},      // in no team, before the first event
                  {1600, 40 * page, 1234, 5, 4, 0, 12}};  // of another program
  assembler.add(touches);
  const Trace trace = assembler.finish();
  ASSERT_TRUE(trace.touches.are_known);
  EXPECT_EQ(trace.touches.lost, 3U);
  EXPECT_EQ(trace.touches.bytes_of_others, 4 * page);
  const auto& list = trace.touches.list;
  ASSERT_EQ(list.size(), 4U);
  EXPECT_EQ(list[0].thread, none);
  EXPECT_EQ(list[0].at, 0U);
  EXPECT_EQ(list[0].moment, Moment::before_regions);
  EXPECT_EQ(list[1].thread, 0U);
  EXPECT_EQ(list[1].at, 500U);
  EXPECT_EQ(list[1].moment, Moment::in_region);
  EXPECT_EQ(list[2].moment, Moment::between_regions);
  EXPECT_EQ(list[3].thread, 0U);
  EXPECT_EQ(list[3].bytes, 2 * page);
  EXPECT_EQ(list[3].moment, Moment::in_region);
}

TEST(TraceMoves, AreThoseOfTheThreadsThatTheFilesTell) {
  using memory::MoveKind;
  Assembler assembler;
  ASSERT_FALSE(assembler.add(record_of_two_threads()));
  analysis::RecordedMoves moves;
  moves.over_limit = 3;
  moves.events = {{2500, 10, 30 * page, 2 * page, page, 7, 22, 1, MoveKind::fetch},
                  {100, 20, 10 * page, 8 * page, 0, 7, 99, 9999, MoveKind::mark},
                  {1600, 30, 40 * page, page, page, 1234, 5, 0, MoveKind::call}};
  assembler.add(moves);
  const Trace trace = assembler.finish();
  EXPECT_EQ(trace.moves.over_limit, 3U);
  ASSERT_EQ(trace.moves.list.size(), 3U);
  const auto& list = trace.moves.list;
  EXPECT_EQ(list[0].kind, MoveKind::mark);
  EXPECT_EQ(list[0].at, 0U);
  EXPECT_EQ(list[0].thread, none);
  EXPECT_EQ(list[0].domain, no_domain);
  EXPECT_EQ(list[1].kind, MoveKind::call);
  EXPECT_EQ(list[1].thread, none);
  EXPECT_EQ(list[2].at, 1500U);
  EXPECT_EQ(list[2].thread, 0U);
  EXPECT_EQ(list[2].domain, 1U);
  const MoveFindings found = find_moves(trace);
  EXPECT_EQ(found.marks.bytes, 8 * page);
  EXPECT_EQ(found.calls.took, 30U);
  EXPECT_EQ(found.fetches.arrived, page);
  ASSERT_EQ(found.fetches_into.size(), trace.domains);
}

/// Samples of one process: who touches which page, and whether it came from elsewhere.
struct Sampled {
  Index thread;
  std::uint64_t page;
  bool came;
  std::uint32_t process = 7;
};

Trace trace_of(const std::vector<Sampled>& samples) {
  Trace trace;
  trace.threads.resize(2);
  for (const Sampled& each : samples) {
    trace.moves.list.push_back({trace.moves.list.size(), 5, each.page * page, page,
                                each.came ? page : 0, each.thread, each.process, 0,
                                memory::MoveKind::sample});
  }
  return trace;
}

TEST(TraceSamples, AreOfNobodyWhereNothingWasLookedAt) {
  Trace trace = trace_of({});
  trace.moves.list.push_back({0, 5, page, page, 0, 0, 7, 0, memory::MoveKind::fetch});
  EXPECT_TRUE(find_samples(trace).columns.empty());
  EXPECT_TRUE(find_samples(trace).rows.empty());
}

TEST(TraceSamples, AreRunsOfNeighboursByThreads) {
  // Pages 10 to 12 in two turns, page 11 by another thread in the second; 40 alone, by nobody's.
  const PageFindings found = find_samples(trace_of({{1, 11, true},
                                                    {0, 10, false},
                                                    {1, 12, true},
                                                    {none, 40, false},
                                                    {0, 11, false},
                                                    {0, 10, true}}));
  ASSERT_EQ(found.columns.size(), 3U);
  EXPECT_EQ(found.columns[0].thread, 0U);
  EXPECT_EQ(found.columns[2].thread, none);
  EXPECT_EQ(bytes_of(found.columns[0].bytes, PageUse::local), 2 * page);
  EXPECT_EQ(bytes_of(found.columns[0].bytes, PageUse::remote), page);
  EXPECT_EQ(bytes_of(found.columns[1].bytes, PageUse::remote), 2 * page);
  EXPECT_EQ(all_bytes(found.bytes), 6 * page);
  ASSERT_EQ(found.rows.size(), 2U);
  EXPECT_EQ(found.rows[0].begin, 10 * page);
  EXPECT_EQ(found.rows[0].end, 13 * page);
  EXPECT_EQ(all_bytes(found.rows[0].cells[1]), 2 * page);
  EXPECT_EQ(found.rows[1].begin, 40 * page);
  EXPECT_EQ(all_bytes(found.rows[1].cells[2]), page);
}

TEST(TraceSamples, OfTwoProcessesAreNoNeighbours) {
  const PageFindings found = find_samples(trace_of({{0, 10, false, 7}, {1, 11, false, 8}}));
  EXPECT_EQ(found.rows.size(), 2U);
}

/// The system's thread 21 of process 7 in domain 0: two regions, and grains of data in domain 1 at
/// 1300, 1600 and, in the second region, at 3300.
std::vector<std::byte> record_of_a_thread_with_grains() {
  using runtime::RecordedStart;
  using runtime::RecordKind;
  std::vector<std::uint64_t> words;
  const auto event = [&words](RecordKind kind, std::uint64_t small, std::uint64_t elapsed,
                              std::initializer_list<std::uint64_t> more = {}) {
    words.push_back(static_cast<std::uint64_t>(kind) | small << 8U | elapsed << 32U);
    words.insert(words.end(), more);
  };
  const std::uint64_t remote_home_1 =
      2 | static_cast<std::uint64_t>(Locality::remote) << RecordedStart::locality_shift |
      std::uint64_t{1} << RecordedStart::by_home_shift;
  const auto grain = [&](std::uint64_t number, std::uint64_t elapsed) {
    const std::uint64_t stream = std::uint64_t{1} << runtime::record_stream_shift;
    event(RecordKind::begin, remote_home_1, elapsed, {stream | number});
    event(RecordKind::end, 0, 50);
  };
  event(RecordKind::clock, 21, 0, {1000, 1000, 0, 0});
  event(RecordKind::enter, 1, 0, {1000, 1, 0, 0});
  grain(1, 300);
  grain(2, 250);
  event(RecordKind::leave, 0, 350, {2000});
  event(RecordKind::enter, 1, 1000, {3000, 2, 0, 0});
  grain(3, 300);
  event(RecordKind::leave, 0, 650, {4000});
  return record_of(words);
}

memory::MoveEvent thread_move(std::uint64_t at, std::uint32_t thread, std::uint32_t domain,
                              std::uint64_t core_plus_1, std::uint32_t process = 7) {
  memory::MoveEvent event;
  event.kind = memory::MoveKind::thread;
  event.begin_ns = at;
  event.process = process;
  event.thread = thread;
  event.to = domain;
  event.core = core_plus_1;
  return event;
}

TEST(TraceThreadMoves, TellWhereGrainsRanFromThenOnInTheirRegion) {
  const auto trace_with = [](std::vector<memory::MoveEvent> events) {
    Assembler assembler;
    EXPECT_FALSE(assembler.add(record_of_a_thread_with_grains()));
    analysis::RecordedMoves moves;
    moves.events = std::move(events);
    assembler.add(moves);
    return assembler.finish();
  };
  const Trace stays = trace_with({});
  ASSERT_EQ(stays.grains.size(), 3U);
  for (const Grain& grain : stays.grains) {
    EXPECT_EQ(grain.domain, 0U);
    EXPECT_EQ(grain.locality, Locality::remote);
  }
  const Trace moves = trace_with({thread_move(1500, 21, 1, 6)});
  ASSERT_EQ(moves.grains.size(), 3U);
  EXPECT_EQ(moves.grains[0].domain, 0U);
  EXPECT_EQ(moves.grains[0].locality, Locality::remote);
  EXPECT_EQ(moves.grains[1].domain, 1U);
  EXPECT_EQ(moves.grains[1].locality, Locality::local);
  EXPECT_EQ(moves.grains[2].domain, 0U);
  EXPECT_EQ(moves.grains[2].locality, Locality::remote);
  ASSERT_EQ(moves.moves.threads.size(), 1U);
  EXPECT_EQ(moves.moves.threads[0].at, 500U);
  EXPECT_EQ(moves.moves.threads[0].core, 5U);
  EXPECT_EQ(moves.domains, 2U);
  const Trace back = trace_with({thread_move(1550, 21, 0, 1), thread_move(1200, 21, 1, 2)});
  EXPECT_EQ(back.grains[0].domain, 1U);
  EXPECT_EQ(back.grains[1].domain, 0U);
  EXPECT_EQ(back.grains[1].locality, Locality::remote);
}

TEST(TraceThreadMoves, OfUnknownThreadsAndToSeveralDomainsChangeNoGrain) {
  Assembler assembler;
  ASSERT_FALSE(assembler.add(record_of_a_thread_with_grains()));
  analysis::RecordedMoves moves;
  moves.events = {thread_move(1100, 99, 1, 2), thread_move(1100, 21, 1, 2, 1234),
                  thread_move(1100, 21, memory::MoveEvent::no_domain, 0)};
  assembler.add(moves);
  const Trace trace = assembler.finish();
  ASSERT_EQ(trace.moves.threads.size(), 1U);
  EXPECT_EQ(trace.moves.threads[0].domain, no_domain);
  EXPECT_EQ(trace.moves.threads[0].core, no_domain);
  for (const Grain& grain : trace.grains) EXPECT_EQ(grain.domain, 0U);
  const MoveFindings found = find_moves(trace);
  ASSERT_EQ(found.threads.size(), 1U);
  EXPECT_EQ(found.threads[0].domain, no_domain);
  EXPECT_EQ(found.threads[0].threads, 1U);
}

class TouchesInAFolder : public testing::Test {
 protected:
  void SetUp() override {
    path_ = (std::filesystem::temp_directory_path() / "lares-touches-XXXXXX").string();
    ASSERT_NE(mkdtemp(path_.data()), nullptr);
    const auto record = record_of_two_threads();
    write("record.7.0", {reinterpret_cast<const char*>(record.data()), record.size()});
    write("trace.json", R"({"lares_trace": 1, "finished": true})");
  }
  void TearDown() override { std::filesystem::remove_all(path_); }
  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path_ + "/" + name, std::ios::binary) << bytes;
  }
  void write_touches(const analysis::TouchesHead& head) const {
    write("touches", {reinterpret_cast<const char*>(&head), sizeof(head)});
  }
  [[nodiscard]] Trace read() const { return std::move(read_trace(path_).value()); }
  std::string path_;
};

TEST_F(TouchesInAFolder, AreNotKnownWithoutTheirFile) {
  const Trace trace = read();
  EXPECT_FALSE(trace.touches.are_known);
  EXPECT_TRUE(trace.notes.empty());
}

TEST_F(TouchesInAFolder, TellWhatIsMissing) {
  analysis::TouchesHead head;
  head.lost = 12;
  head.over_limit = 34;
  write_touches(head);
  const Trace trace = read();
  EXPECT_TRUE(trace.touches.are_known);
  ASSERT_EQ(trace.notes.size(), 2U);
  EXPECT_NE(trace.notes[0].find("12 touches of pages were lost"), std::string::npos);
  EXPECT_NE(trace.notes[1].find("another 34 pages"), std::string::npos);
}

TEST_F(TouchesInAFolder, OfAnotherVersionAreToldAndTheRestIsRead) {
  analysis::TouchesHead head;
  head.magic += std::uint64_t{1} << 56U;
  write_touches(head);
  const Trace trace = read();
  EXPECT_FALSE(trace.touches.are_known);
  EXPECT_EQ(trace.threads.size(), 1U);
  ASSERT_EQ(trace.notes.size(), 1U);
  EXPECT_NE(trace.notes[0].find("another version of Lares"), std::string::npos);
}

TEST_F(TouchesInAFolder, ThatWereRefusedSayWhy) {
  write("trace.json",
        R"({"lares_trace": 1, "finished": true, "pages": true, "pages_refused": "no, thanks"})");
  const Trace trace = read();
  ASSERT_EQ(trace.notes.size(), 1U);
  EXPECT_NE(trace.notes[0].find("no, thanks"), std::string::npos);
}

}  // namespace
}  // namespace lares::trace

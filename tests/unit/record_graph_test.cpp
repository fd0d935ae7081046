// Streams as threads write them, put together: the text of the graph.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analysis/record_file.hpp"
#include "analysis/task_graph.hpp"
#include "base/random.hpp"
#include "simulate/graph_file.hpp"

namespace lares::analysis {
namespace {

using runtime::RecordKind;
using runtime::RecordMode;
using runtime::RecordWait;

constexpr std::uint64_t ms = 1'000'000;

/// Writes a stream's events by hand; times in milliseconds.
class Script {
 public:
  explicit Script(std::uint32_t number = 0, std::uint32_t pid = 7) {
    stream_.number = number;
    stream_.pid = pid;
  }
  Script& enter(std::uint64_t at, std::uint64_t region, std::uint64_t self,
                std::uint32_t worker = 0, std::uint64_t parent = 0) {
    return add(RecordKind::enter, at, worker, {region, self, parent});
  }
  Script& leave(std::uint64_t at, std::uint64_t self) {
    add(RecordKind::wait, at, static_cast<std::uint32_t>(RecordWait::region_end), {self});
    return add(RecordKind::leave, at, 0, {self});
  }
  Script& create(std::uint64_t at, std::uint64_t task, std::uint64_t creator,
                 std::vector<RecordedAccess> accesses = {}, bool undeferred = false) {
    return add(RecordKind::create, at, undeferred ? 1 : 0, {task, creator, at * ms},
               std::move(accesses));
  }
  /// The event that was added last was written until then.
  Script& written(std::uint64_t at) {
    stream_.events.back().words[2] = at * ms;
    return *this;
  }
  Script& resume(std::uint64_t at) { return add(RecordKind::resume, at, 0, {}); }
  Script& begin(std::uint64_t at, std::uint64_t task) {
    return add(RecordKind::begin, at, 0, {task});
  }
  Script& end(std::uint64_t at, std::uint64_t task) { return add(RecordKind::end, at, 0, {task}); }
  Script& wait(std::uint64_t at, std::uint64_t creator, RecordWait kind,
               std::vector<RecordedAccess> accesses = {}) {
    return add(RecordKind::wait, at, static_cast<std::uint32_t>(kind), {creator},
               std::move(accesses));
  }
  Script& group(std::uint64_t at, std::uint64_t creator) {
    return add(RecordKind::group, at, 0, {creator});
  }
  Script& loop(std::uint64_t at, std::uint64_t self, std::uint64_t iterations,
               std::uint64_t chunk) {
    return add(RecordKind::loop, at, 0, {self, iterations, chunk});
  }
  Script& chunk(std::uint64_t at, std::uint64_t first, std::uint64_t count) {
    return add(RecordKind::chunk, at, 0, {first, count, at * ms});
  }
  Script& loop_end(std::uint64_t at, std::uint64_t self) {
    return add(RecordKind::loop_end, at, 0, {self, at * ms});
  }
  [[nodiscard]] const RecordedStream& stream() const { return stream_; }

 private:
  Script& add(RecordKind kind, std::uint64_t at, std::uint32_t argument,
              std::vector<std::uint64_t> words, std::vector<RecordedAccess> accesses = {}) {
    RecordedEvent event;
    event.kind = kind;
    event.at = at * ms;
    event.argument = argument;
    std::copy(words.begin(), words.end(), event.words);
    event.access_count = static_cast<std::uint32_t>(accesses.size());
    event.first_access = stream_.accesses.size();
    stream_.accesses.insert(stream_.accesses.end(), accesses.begin(), accesses.end());
    stream_.events.push_back(event);
    return *this;
  }
  RecordedStream stream_;
};

RecordedAccess on(std::uint64_t address, RecordMode mode, std::uint64_t bytes = 0,
                  std::int64_t home = -1, std::uint64_t mapping_end = 0) {
  const std::uint64_t known = home < 0
                                  ? runtime::record_home_unknown
                                  : static_cast<std::uint64_t>(home) + runtime::record_first_home;
  return {address, bytes, mapping_end, known, mode};
}

std::string text_of(const std::vector<Script>& scripts) {
  std::vector<RecordedStream> streams;
  for (const Script& script : scripts) streams.push_back(script.stream());
  return write_task_graph(streams, "test").text;
}

/// Without the head, and without what creating took.
std::string graph_of(const std::vector<Script>& scripts) {
  const std::string text = text_of(scripts);
  const std::string head = "lares-graph 2\n# test\n";
  EXPECT_EQ(text.substr(0, head.size()), head);
  const std::size_t creation = text.find("create ");
  return text.substr(creation == std::string::npos ? head.size() : text.find('\n', creation) + 1);
}

TEST(RecordedGraph, HasTasksWithTheirDataAndTimes) {
  Script one;
  one.enter(0, 1, 100)
      .create(2, 101, 100, {on(4096, RecordMode::out, 100, 1)})
      .resume(3)
      .create(3, 102, 100, {on(4096, RecordMode::in, 100), on(8192, RecordMode::out, 50)})
      .resume(3)
      .wait(3, 100, RecordWait::children)
      .begin(4, 101)
      .end(6, 101)
      .begin(6, 102)
      .end(7, 102)
      .resume(7)
      .leave(9, 100);
  EXPECT_EQ(graph_of({one}),
            "spend 0.002 -\nblock 100 1\ntask 0.002 - rw:0\nblock 50 -\n"
            "task 0.001 - r:0 rw:1\nwait -\nspend 0.002 -\n");
}

TEST(RecordedGraph, TellsWhatCreatingTook) {
  Script one;
  one.enter(0, 1, 100).create(1, 101, 100).written(3).resume(4);  // 1 ms, and 2 of recording
  one.create(5, 102, 100).begin(6, 102).end(8, 102).resume(10);   // 3 ms beside the body of 2
  one.create(10, 103, 100, {}, true).begin(11, 103).end(12, 103).resume(15);  // its creator's own
  one.begin(15, 101).create(15, 104, 101).resume(17).end(17, 101);            // 2 ms
  one.begin(17, 104).end(18, 104).create(18, 105, 100);  // the program ended meanwhile
  const std::string text = text_of({one});
  EXPECT_NE(text.find("\ncreate 0.002\n"), std::string::npos) << text;
  EXPECT_NE(text.find("# recording took its creator 0.000666666 seconds a task besides\n"),
            std::string::npos)
      << text;
}

TEST(RecordedGraph, CountsABodyWithoutWhatRunsInside) {
  Script one;
  one.enter(0, 1, 100).create(0, 101, 100).begin(0, 101);  // at once, by its creator
  one.create(1, 102, 101, {}, true).begin(1, 102).end(5, 102).resume(5).end(6, 101);
  one.resume(6).leave(6, 100);
  EXPECT_EQ(graph_of({one}), "task 0.001 -\nnow 0.004 0\nspend 0.001 0\n");
}

TEST(RecordedGraph, KeepsTheOrderOfNestedTasks) {
  Script one;
  one.enter(0, 1, 100).create(0, 101, 100).resume(0).leave(0, 100);
  Script two(1);
  two.enter(0, 1, 200, 1).wait(0, 200, RecordWait::barrier).begin(1, 101).create(1, 201, 101);
  two.resume(1).group(1, 101).create(1, 202, 101).resume(1).wait(1, 101, RecordWait::group);
  two.begin(1, 201).end(3, 201).begin(3, 202).end(4, 202).resume(4).end(5, 101).leave(6, 200);
  EXPECT_EQ(graph_of({one, two}),
            "task 0 -\ntask 0.002 0\ngroup 0\ntask 0.001 0\nend 0\nspend 0.001 0\n");
}

TEST(RecordedGraph, HasABarrierBetweenPhases) {
  Script one;
  one.enter(0, 1, 100).wait(5, 100, RecordWait::barrier).resume(5);
  one.create(5, 101, 100).begin(5, 101).end(6, 101).resume(6);
  one.wait(6, 100, RecordWait::barrier).resume(6).create(6, 102, 100).begin(6, 102).end(7, 102);
  one.resume(7).leave(7, 100);
  one.enter(8, 2, 110).leave(9, 110);  // without tasks: left out, and so is its time
  one.enter(12, 3, 120).create(12, 121, 120).begin(12, 121).end(13, 121).resume(13).leave(13, 120);
  EXPECT_EQ(graph_of({one}),
            "spend 0.005 -\ntask 0.001 -\nbarrier\ntask 0.001 -\nbarrier\nspend 0.004 -\n"
            "task 0.001 -\n");
}

TEST(RecordedGraph, CallsTheOnlyCreatorTheFirstThread) {
  Script one;
  one.enter(0, 1, 100).wait(1, 100, RecordWait::barrier).resume(4).leave(4, 100);
  Script two(1);
  two.enter(0, 1, 200, 1).create(0, 201, 200).begin(0, 201).end(2, 201).resume(2);
  two.wait(2, 200, RecordWait::barrier).resume(4).leave(4, 200);
  EXPECT_EQ(graph_of({one, two}), "task 0.002 -\nspend 0.001 @1\n");
}

TEST(RecordedGraph, GivesUntoldBytesAsFarAsTheNextBlock) {
  Script one;
  one.enter(0, 1, 100)
      .create(0, 101, 100,
              {on(1000, RecordMode::in, 0, 0, 9000), on(3000, RecordMode::in, 0, 0, 9000),
               on(20000, RecordMode::in, 0, 0, 30000), on(40000, RecordMode::affinity)})
      .begin(0, 101)
      .end(0, 101)
      .resume(0)
      .leave(0, 100);
  EXPECT_EQ(graph_of({one}),
            "block 2000 0\nblock 2000 0\nblock 0 0\nblock 0 -\ntask 0 - r:0 r:1 r:2 a:3\n");
}

// Whoever named 3000 and 9000 was not told where their mappings end: the first lies in a known one.
TEST(RecordedGraph, KnowsAMappingByWhatWasNamedBelow) {
  Script one;
  one.enter(0, 1, 100)
      .create(0, 101, 100,
              {on(1000, RecordMode::in, 0, 0, 9000), on(3000, RecordMode::in, 0, 0),
               on(6000, RecordMode::in, 0, 0, 9000), on(9000, RecordMode::in, 0, 0)})
      .begin(0, 101)
      .end(0, 101)
      .resume(0)
      .leave(0, 100);
  EXPECT_EQ(graph_of({one}),
            "block 2000 0\nblock 3000 0\nblock 3000 0\nblock 0 0\ntask 0 - r:0 r:1 r:2 r:3\n");
}

TEST(RecordedGraph, OrdersTasksThatNameAllMemory) {
  Script one;
  one.enter(0, 1, 100);
  one.create(0, 101, 100, {on(8, RecordMode::in, 4)}).begin(0, 101).end(0, 101).resume(0);
  one.create(0, 102, 100, {on(0, RecordMode::all_memory)}).begin(0, 102).end(0, 102).resume(0);
  one.create(0, 103, 100).begin(0, 103).end(0, 103).resume(0).leave(0, 100);
  EXPECT_EQ(graph_of({one}), "block 4 -\nblock 0 -\ntask 0 - r:0 r:1\ntask 0 - rw:1\ntask 0 -\n");
}

TEST(RecordedGraph, LeavesOutWhatHadNotStarted) {
  Script one;
  one.enter(0, 1, 100).create(0, 101, 100).resume(0).create(0, 102, 100).resume(0);
  one.wait(0, 100, RecordWait::children).begin(0, 101);  // and there it ends
  const TaskGraph graph = write_task_graph({one.stream()}, "x");
  EXPECT_EQ(graph.tasks, 1U);
  EXPECT_EQ(graph.not_started, 1U);
}

TEST(RecordedGraph, MakesAnInnerRegionAGroupOfItsTask) {
  Script one;
  one.enter(0, 1, 100).create(0, 101, 100).begin(0, 101);
  one.enter(1, 2, 110, 0, 101).create(1, 111, 110).begin(1, 111).end(2, 111).resume(2);
  one.leave(3, 110).end(4, 101).resume(4).leave(4, 100);
  EXPECT_EQ(graph_of({one}),
            "task 0.001 -\ngroup 0\ntask 0.001 0\nspend 0.001 0\nend 0\nspend 0.001 0\n");
}

TEST(RecordedGraph, TakesTheProcessWithTheMostTasks) {
  Script small(0, 3);
  small.enter(0, 1, 9).create(0, 10, 9).begin(0, 10).end(0, 10).resume(0).leave(0, 9);
  Script large(0, 5);
  large.enter(0, 1, 9);
  for (std::uint64_t task = 10; task < 13; ++task) {
    large.create(0, task, 9).begin(0, task).end(0, task).resume(0);
  }
  const TaskGraph graph = write_task_graph({small.stream(), large.stream()}, "x");
  EXPECT_EQ(graph.pid, 5U);
  EXPECT_EQ(graph.tasks, 3U);
  EXPECT_EQ(graph.processes, 2U);
}

TEST(RecordedGraph, HasLoopsOfWhatAllThreadsTook) {
  Script one;
  one.enter(0, 1, 100).loop(2, 100, 10, 3).chunk(2, 0, 3).chunk(5, 6, 3).loop_end(6, 100);
  one.wait(7, 100, RecordWait::barrier).resume(7).loop(9, 100, 2, 1).chunk(9, 0, 1);
  one.chunk(10, 1, 1).loop_end(12, 100).leave(12, 100);
  Script two(1);
  two.enter(0, 1, 200, 1).loop(1, 200, 10, 3).chunk(1, 3, 3).chunk(3, 9, 1).loop_end(7, 200);
  two.wait(7, 200, RecordWait::barrier).resume(7).loop(7, 200, 2, 1).loop_end(7, 200);
  two.leave(12, 200);
  // Between them the first thread computes for 1 and 2 ms.
  EXPECT_EQ(graph_of({one, two}),
            "loop 3\npiece 0.003\npiece 0.002\npiece 0.001\npiece 0.004\n"
            "barrier\nspend 0.003 -\nloop 1\npiece 0.001\npiece 0.002\n");
}

TEST(RecordedGraph, CutsWhatAGuidedLoopHandedOut) {
  Script one;
  one.enter(0, 1, 100).loop(0, 100, 64, 1).chunk(0, 0, 48).chunk(48, 48, 16);
  one.loop_end(64, 100).leave(64, 100);
  std::string expected = "loop 2\n";
  for (int i = 0; i < 32; ++i) expected += "piece 0.002\n";
  EXPECT_EQ(graph_of({one}), expected);
}

TEST(RecordedGraph, LeavesOutOfAChunkWhatElseRanMeanwhile) {
  Script one;
  one.enter(0, 1, 100).loop(0, 100, 2, 1).chunk(0, 0, 1).wait(1, 100, RecordWait::children);
  one.resume(5).chunk(6, 1, 1).loop_end(8, 100).leave(8, 100);
  EXPECT_EQ(graph_of({one}), "loop 1\npiece 0.002\npiece 0.002\n");
}

TEST(RecordedGraph, TakesALoopThatMakesTasksForComputing) {
  Script one;
  one.enter(0, 1, 100).loop(0, 100, 2, 1).chunk(0, 0, 1).create(1, 101, 100).resume(1);
  one.chunk(2, 1, 1).loop_end(4, 100).wait(4, 100, RecordWait::children);
  one.begin(4, 101).end(5, 101).resume(5).leave(5, 100);
  EXPECT_EQ(graph_of({one}), "spend 0.001 -\ntask 0.001 -\nspend 0.003 -\nwait -\n");
}

TEST(RecordedGraph, LeavesOutChunksThatCannotBe) {
  Script one;
  one.enter(0, 1, 100).chunk(0, 0, 1).loop(1, 100, 4, 2).chunk(1, 3, 2).chunk(2, 4, 1);
  one.chunk(3, 0, ~std::uint64_t{0}).chunk(4, 2, 2).loop_end(5, 100).leave(5, 100);
  EXPECT_EQ(graph_of({one}), "loop 2\npiece 0\npiece 0.001\n");
}

TEST(RecordedGraph, TakesTheLargestLoopThatThreadsTellOf) {
  constexpr std::uint64_t many = std::uint64_t{1} << 40U;
  Script one;
  one.enter(0, 1, 100).loop(1, 100, 4, 2).chunk(1, 2, 2).loop_end(2, 100).leave(5, 100);
  Script other(1);
  other.enter(0, 1, 200, 1).loop(1, 200, many, 2).chunk(2, many - 2, 2).loop_end(3, 200);
  other.leave(5, 200);
  const std::string graph = graph_of({one, other});
  EXPECT_EQ(graph.substr(0, graph.find('\n')), "loop " + std::to_string(many / 32));
}

TEST(RecordedGraph, OfAnyEventsIsReadable) {
  Random random(11);
  for (int round = 0; round < 3000; ++round) {
    RecordedStream stream;
    for (int i = 0; i < 40; ++i) {
      RecordedEvent event;
      event.kind = static_cast<RecordKind>(
          1 + random.below(static_cast<std::uint32_t>(RecordKind::kinds) - 1));
      event.at = random.below(1000);
      event.argument = static_cast<std::uint32_t>(random.below(4));
      for (auto& word : event.words) word = random.below(12);
      stream.events.push_back(event);
    }
    const TaskGraph graph = write_task_graph({stream}, "x");
    const auto read = simulate::parse_graph(graph.text, 2);
    ASSERT_EQ(read.ok(), graph.tasks + graph.loops > 0)
        << graph.text << (read.ok() ? "" : read.error().sentence);
  }
}

}  // namespace
}  // namespace lares::analysis

// Files as threads write them (runtime/record_format.hpp): what is read of them.
#include "analysis/record_file.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "analysis/record_clock.hpp"
#include "analysis/task_graph.hpp"
#include "base/random.hpp"

namespace lares::analysis {
namespace {

using runtime::RecordFileHead;
using runtime::RecordKind;
using runtime::RecordMode;
using runtime::RecordWait;

constexpr std::uint64_t window_bytes = 4096;

RecordFileHead head_of(std::uint32_t stream = 0) {
  RecordFileHead head{};
  head.magic = RecordFileHead::expected_magic;
  head.pid = 7;
  head.stream = stream;
  head.window_bytes = window_bytes;
  head.ticks_per_microsecond = 1000;  // a tick is a nanosecond
  return head;
}

std::uint64_t first_word(RecordKind kind, std::uint64_t small = 0, std::uint64_t elapsed = 0) {
  return static_cast<std::uint64_t>(kind) | small << 8U | elapsed << 32U;
}

/// A file, word by word.
class File {
 public:
  explicit File(const RecordFileHead& head = head_of()) : head_(head) {}

  File& add(std::vector<std::uint64_t> words) {
    words_.insert(words_.end(), words.begin(), words.end());
    return *this;
  }
  File& clock(std::uint64_t ticks, std::uint64_t nanoseconds, std::uint64_t tasks = 0,
              std::uint64_t inside = 0) {
    return add({first_word(RecordKind::clock), ticks, nanoseconds, tasks, inside});
  }
  /// Worker 0 of a team of one, in domain 1 on core 2.
  File& enter(std::uint64_t nanoseconds, std::uint64_t region, std::uint64_t worker = 0) {
    return add({first_word(RecordKind::enter, 1), nanoseconds, region, 0,
                worker | 1ULL << 24U | 2ULL << 40U});
  }
  /// What comes goes into a new window; what was there is stored behind the others.
  File& next_window() {
    stored_.push_back(window());
    words_.clear();
    return *this;
  }
  /// The thread is stopped when it has stored the window's first bytes.
  File& stop_while_storing(std::size_t bytes) {
    stored_.push_back(window());
    stored_.back().resize(bytes);
    return *this;
  }
  [[nodiscard]] RecordedStream read() const {
    std::vector<std::byte> bytes = window();
    if (stored_.empty()) bytes.resize(sizeof(head_) + words_.size() * sizeof(std::uint64_t));
    for (const auto& each : stored_) bytes.insert(bytes.end(), each.begin(), each.end());
    auto stream = parse_record(bytes);
    EXPECT_TRUE(stream.ok());
    return stream.ok() ? stream.value() : RecordedStream{};
  }

 private:
  [[nodiscard]] std::vector<std::byte> window() const {
    std::vector<std::byte> bytes(
        std::max(sizeof(head_) + words_.size() * sizeof(std::uint64_t), std::size_t{window_bytes}));
    std::memcpy(bytes.data(), &head_, sizeof(head_));
    std::memcpy(bytes.data() + sizeof(head_), words_.data(), words_.size() * sizeof(std::uint64_t));
    return bytes;
  }
  std::vector<std::vector<std::byte>> stored_;
  RecordFileHead head_;
  std::vector<std::uint64_t> words_;
};

constexpr std::uint64_t task(std::uint64_t number, std::uint64_t stream = 0) {
  return (stream + 1) << runtime::record_stream_shift | number;
}

TEST(RecordFile, SurvivesAnyBytes) {
  std::vector<std::byte> bytes(2 * window_bytes);
  const RecordFileHead head = head_of();
  std::memcpy(bytes.data(), &head, sizeof(head));
  Random random(3);
  for (int round = 0; round < 2000; ++round) {
    for (std::size_t i = sizeof(head); i < bytes.size(); ++i) {
      bytes[i] = static_cast<std::byte>(random.below(4) == 0 ? random.below(256) : 0);
    }
    // Kinds that can be, so that more than the first event is looked at.
    for (std::size_t i = sizeof(head); i < bytes.size(); i += sizeof(std::uint64_t)) {
      bytes[i] = static_cast<std::byte>(random.below(static_cast<int>(RecordKind::kinds)));
    }
    const auto stream = parse_record(bytes);
    ASSERT_TRUE(stream.ok());
    for (std::size_t i = 1; i < stream.value().events.size(); ++i) {
      const auto& events = stream.value().events;
      ASSERT_LE(events[i].at, most_recorded_nanoseconds);
    }
    write_task_graph({stream.value()}, "x");
  }
  EXPECT_FALSE(parse_record(std::span(bytes).first(10)).ok());
}

TEST(RecordFile, OfAnotherVersionIsRefusedByName) {
  RecordFileHead head = head_of();
  head.magic = 0x3244524f434552ULL;
  std::vector<std::byte> bytes(window_bytes);
  std::memcpy(bytes.data(), &head, sizeof(head));
  const auto stream = parse_record(bytes);
  ASSERT_FALSE(stream.ok());
  EXPECT_NE(stream.error().sentence.find("another version"), std::string::npos);
}

TEST(RecordFile, KnowsTheSystemsThreadsThatWroteIt) {
  const auto clock = [](std::uint64_t thread, std::uint64_t at) {
    return std::vector<std::uint64_t>{first_word(RecordKind::clock, thread), at, at, 0, 0};
  };
  const RecordedStream stream =
      File().add(clock(21, 1)).add(clock(21, 2)).add(clock(22, 3)).add(clock(0, 4)).read();
  EXPECT_EQ(stream.system_threads, (std::vector<std::uint32_t>{21, 22}));
}

TEST(RecordFile, KnowsTasksAndTheirCreatorsByTheOrderOfEvents) {
  const RecordedStream stream =
      File()
          .clock(100, 1000)
          .enter(1000, 1)
          .add({first_word(RecordKind::create, 0, 10)})  // task 2 by 1
          .add({first_word(RecordKind::resume, 0, 5)})
          .add({first_word(RecordKind::begin, 0, 5), task(2)})
          .add({first_word(RecordKind::create, runtime::record_flag::undeferred)})  // 3 by 2
          .add({first_word(RecordKind::end)})
          .add({first_word(RecordKind::wait, static_cast<std::uint64_t>(RecordWait::children))})
          .add({first_word(RecordKind::leave), 1020})
          .read();
  ASSERT_EQ(stream.events.size(), 8U);
  EXPECT_EQ(stream.events[0].words[1], task(1));
  EXPECT_EQ(stream.events[0].domain, 1);
  EXPECT_EQ(stream.events[0].core, 2);
  EXPECT_EQ(stream.events[1].words[0], task(2));
  EXPECT_EQ(stream.events[1].words[1], task(1));
  EXPECT_EQ(stream.events[1].at, 1010U);
  EXPECT_EQ(stream.events[2].at, 1015U);
  EXPECT_EQ(stream.events[4].words[0], task(3));
  EXPECT_EQ(stream.events[4].words[1], task(2));
  EXPECT_EQ(stream.events[4].argument, runtime::record_flag::undeferred);
  EXPECT_EQ(stream.events[5].words[0], task(2));  // ends
  EXPECT_EQ(stream.events[6].words[0], task(1));  // waits
  EXPECT_EQ(stream.events[7].words[0], task(1));
}

/// The first word of a `begin_near`.
std::uint64_t near_begin(std::uint64_t start, std::int64_t distance, std::uint64_t elapsed) {
  using Near = runtime::RecordedNearBegin;
  const std::uint64_t low = static_cast<std::uint64_t>(distance) & 0xFFFFU;
  return static_cast<std::uint64_t>(RecordKind::begin_near) | start << 8U |
         low << Near::distance_shift | elapsed << Near::elapsed_shift;
}

TEST(RecordFile, ReadsShortEventsAsTheLongOnes) {
  const std::uint64_t made = 7 | 5ULL << runtime::RecordedMade::elapsed_bits;  // after 7, took 5
  const std::uint64_t out = static_cast<std::uint64_t>(RecordMode::out) | 64U << 5U;
  const std::uint64_t shape = 1ULL << runtime::record_home_shift;
  const RecordedStream stream =
      File()
          .clock(0, 0)
          .add({first_word(RecordKind::made, runtime::record_flag::undeferred, made)})  // task 1
          .add({first_word(RecordKind::shape, 1), out})
          .add({first_word(RecordKind::made_of, 0, made), 4096 | shape,
                8192 | shape | runtime::record_last_access})
          .add({first_word(RecordKind::begin), task(70'000, 3)})
          .add({first_word(RecordKind::end, 0xFFFFFD, 2)})  // releases the one three before
          .add({near_begin(4, -1, 100)})                    // of a home in domain 3
          .add({first_word(RecordKind::ended, 2, made)})
          .read();
  std::vector<RecordKind> seen;
  for (const RecordedEvent& each : stream.events) seen.push_back(each.kind);
  using K = RecordKind;
  ASSERT_EQ(seen, (std::vector{K::create, K::resume, K::create, K::resume, K::begin, K::end,
                               K::ready, K::begin, K::end, K::ready, K::resume}));
  const auto& events = stream.events;
  EXPECT_EQ(events[0].words[0], task(1));
  EXPECT_EQ(events[0].argument, runtime::record_flag::undeferred);
  EXPECT_EQ(events[0].at, 7U);
  EXPECT_EQ(events[1].at, 12U);
  EXPECT_EQ(events[2].words[0], task(2));
  EXPECT_EQ(events[2].at, 19U);
  EXPECT_EQ(events[3].at, 24U);
  EXPECT_EQ(events[5].at, 26U);
  EXPECT_EQ(events[6].at, 26U);
  EXPECT_EQ(events[6].words[0], task(69'997, 3));
  EXPECT_EQ(events[7].words[0], task(69'999, 3));
  EXPECT_EQ(events[7].domain, 3);
  EXPECT_EQ(events[7].stolen_from, no_recorded_domain);
  EXPECT_EQ(events[7].at, 126U);
  EXPECT_EQ(events[8].at, 133U);
  EXPECT_EQ(events[9].at, 133U);
  EXPECT_EQ(events[9].words[0], task(70'001, 3));
  EXPECT_EQ(events[10].at, 138U);
  ASSERT_EQ(events[2].access_count, 2U);
  ASSERT_EQ(stream.accesses.size(), 2U);
  EXPECT_EQ(stream.accesses[0].address, 4096U);
  EXPECT_EQ(stream.accesses[1].address, 8192U);
  for (const RecordedAccess& each : stream.accesses) {
    EXPECT_EQ(each.bytes, 64U);
    EXPECT_EQ(each.mode, RecordMode::out);
    EXPECT_EQ(each.home, runtime::record_home_not_asked);
  }
}

TEST(RecordFile, LeansOnNothingFromBeforeAClock) {
  const std::uint64_t last = runtime::record_last_access | 1ULL << runtime::record_home_shift;
  File file;
  file.clock(0, 0).add({first_word(RecordKind::shape, 1), 0}).clock(10, 10);
  file.add({first_word(RecordKind::create_of), 4096 | last});
  EXPECT_TRUE(file.read().events.empty());
  File unended;  // no access says that it is the last
  unended.clock(0, 0).add({first_word(RecordKind::shape, 1), 0});
  unended.add({first_word(RecordKind::create_of), 4096 | 1ULL << runtime::record_home_shift});
  EXPECT_TRUE(unended.read().events.empty());
  File skipped;  // a shape's number that is not the next
  skipped.clock(0, 0).add({first_word(RecordKind::shape, 2), 0});
  skipped.add({first_word(RecordKind::create)});
  EXPECT_TRUE(skipped.read().events.empty());
}

TEST(RecordFile, GoesOnAfterDamageWithWhatTheNextWindowTells) {
  File file;
  file.clock(0, 0).enter(0, 1).add({first_word(RecordKind::kinds)}).next_window();
  file.clock(500, 600, 41, task(17));
  file.add({first_word(RecordKind::create, 0, 1)});
  const RecordedStream stream = file.read();
  ASSERT_EQ(stream.events.size(), 2U);
  EXPECT_EQ(stream.events[1].words[0], task(42));
  EXPECT_EQ(stream.events[1].words[1], task(17));
}

// Three tasks are made, each in a window of its own.
File three_windows() {
  File file;
  for (std::uint64_t i = 0; i < 3; ++i) {
    if (i > 0) file.next_window();
    file.clock(100 * i, 100 * i, i).add({first_word(RecordKind::create, 0, 5)});
  }
  return file;
}

TEST(RecordFile, HasItsWindowsInTheOrderOfTime) {
  const RecordedStream stream = three_windows().read();
  ASSERT_EQ(stream.events.size(), 3U);
  for (std::uint64_t i = 0; i < 3; ++i) {
    EXPECT_EQ(stream.events[i].words[0], task(i + 1));
    EXPECT_EQ(stream.events[i].at, 100 * i + 5);
  }
}

TEST(RecordFile, OfAThreadThatWasStoppedWhileItStoredAWindowHasThatOnce) {
  for (const std::size_t bytes :
       {std::size_t{1}, sizeof(RecordFileHead), sizeof(RecordFileHead) + 40,
        sizeof(RecordFileHead) + 48, std::size_t{1000}, std::size_t{window_bytes}}) {
    const RecordedStream stream = three_windows().stop_while_storing(bytes).read();
    ASSERT_EQ(stream.events.size(), 3U) << bytes;
    EXPECT_EQ(stream.events[2].words[0], task(3));
  }
}

TEST(RecordFile, TellsTheTimeAtTheRateOfItsClocks) {
  File file;  // two ticks a nanosecond, whatever the head guesses
  file.clock(0, 5'000'000).add({first_word(RecordKind::resume, 0, 1'000'000)});
  file.clock(4'000'000, 7'000'000).add({first_word(RecordKind::resume, 0, 2'000'000)});
  const RecordedStream stream = file.read();
  ASSERT_EQ(stream.events.size(), 2U);
  EXPECT_NEAR(static_cast<double>(stream.events[0].at), 5'500'000, 2);
  // Beyond the last at the rate of all: 7 ms in 4 million ticks, the process's start among them.
  EXPECT_NEAR(static_cast<double>(stream.events[1].at), 7'000'000 + 3'500'000, 2);
}

TEST(RecordFile, TimeNeverStepsBackWhereTheTicksDo) {
  File file;
  file.clock(9'000'000, 2'000'000).add({first_word(RecordKind::resume, 0, 50)});
  file.clock(1'000, 1'999'000).add({first_word(RecordKind::resume, 0, 5'000)});
  const RecordedStream stream = file.read();
  ASSERT_EQ(stream.events.size(), 2U);
  EXPECT_LE(stream.events[0].at, stream.events[1].at);
}

TEST(RecordFile, KnowsConstructsByTheirNumbers) {
  const std::string path = "/usr/bin/solver";
  std::vector<std::uint64_t> name{
      first_word(RecordKind::construct, 5), 0x55001200, 0x1200, path.size(), 0, 0};
  std::memcpy(name.data() + 4, path.data(), path.size());
  const RecordedStream stream =
      File()
          .clock(0, 0)
          .add(name)
          .add({first_word(RecordKind::create, 5ULL << runtime::record_construct_shift)})
          .add({first_word(RecordKind::create, 4ULL << runtime::record_construct_shift)})
          .read();
  ASSERT_EQ(stream.constructs.size(), 1U);
  EXPECT_EQ(stream.constructs[0].file, path);
  EXPECT_EQ(stream.constructs[0].offset, 0x1200U);
  ASSERT_EQ(stream.events.size(), 2U);
  EXPECT_EQ(stream.events[0].construct, 1U);
  EXPECT_EQ(stream.events[1].construct, 0U);
}

TEST(RecordFile, TellsHowABodyStarts) {
  using runtime::RecordedStart;
  const std::uint64_t start = 4 |  // home is domain 3
                              2ULL << RecordedStart::located_shift |
                              2ULL << RecordedStart::locality_shift |
                              1ULL << RecordedStart::by_home_shift;
  const RecordedStream stream = File()
                                    .clock(0, 0)
                                    .add({first_word(RecordKind::begin, start),
                                          task(9, 3) | 6ULL << runtime::record_task_bits})
                                    .add({first_word(RecordKind::begin), task(9, 3)})
                                    .read();
  ASSERT_EQ(stream.events.size(), 2U);
  const RecordedEvent& told = stream.events[0];
  EXPECT_EQ(told.words[0], task(9, 3));
  EXPECT_EQ(told.domain, 3);
  EXPECT_EQ(told.located, runtime::Located::name);
  EXPECT_EQ(told.locality, runtime::Locality::remote);
  EXPECT_TRUE(told.by_home);
  EXPECT_EQ(told.stolen_from, 5);
  EXPECT_EQ(stream.events[1].domain, no_recorded_domain);
  EXPECT_EQ(stream.events[1].stolen_from, no_recorded_domain);
}

TEST(RecordFile, TakesLengthsThatCannotBeForUntold) {
  const std::uint64_t home = runtime::record_first_home + 3;
  const auto out = static_cast<std::uint64_t>(RecordMode::out);
  const RecordedStream stream =
      File()
          .clock(0, 0)
          .add({first_word(RecordKind::create_with), 3 | 8ULL << 16U, 4096,
                out | (std::uint64_t{1} << 49U) << runtime::record_bytes_shift,
                8192 | home << runtime::record_home_shift,
                out | 64ULL << runtime::record_bytes_shift, 8192,
                out | runtime::record_to_end_of_mapping | 4096ULL << runtime::record_bytes_shift})
          .read();
  ASSERT_EQ(stream.accesses.size(), 3U);
  EXPECT_EQ(stream.events[0].words[2], 8U);  // written after eight ticks
  EXPECT_EQ(stream.accesses[0].bytes, 0U);
  EXPECT_EQ(stream.accesses[1].bytes, 64U);
  EXPECT_EQ(stream.accesses[1].home, home);
  EXPECT_EQ(stream.accesses[2].bytes, 0U);
  EXPECT_EQ(stream.accesses[2].mapping_end, 12288U);
}

TEST(RecordFile, EndsWhereATeamHasMoreWorkersThanAnyCan) {
  const RecordedStream stream = File().clock(0, 0).enter(1, 1, 4095).enter(2, 2, 4096).read();
  ASSERT_EQ(stream.events.size(), 1U);
  EXPECT_EQ(stream.events[0].argument, 4095U);
}

}  // namespace
}  // namespace lares::analysis

// What a thread writes into its file is what is read of it, whichever form it took.
#include "runtime/record_stream.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "analysis/record_file.hpp"
#include "base/clock.hpp"
#include "base/random.hpp"
#include "base/tick_rate.hpp"

namespace lares::runtime {
namespace {

using analysis::RecordedEvent;
using analysis::RecordedStream;

/// What a stream was told, and the stream.
class Teller {
 public:
  Teller() {
    std::string name = std::filesystem::temp_directory_path() / "lares-stream-XXXXXX";
    folder_ = mkdtemp(name.data());
    stream_ = RecordStream::open(folder_.c_str(), number);
    // Streams live as long as their process.
    static auto* const all = new std::vector<RecordStream*>;
    all->push_back(stream_);
  }
  Teller(const Teller&) = delete;
  Teller& operator=(const Teller&) = delete;
  ~Teller() { std::filesystem::remove_all(folder_); }

  /// Accesses whose addresses were told before go the short way, as in the engine.
  void create(const std::vector<RecordedWords>& accesses, std::uint32_t small,
              std::uint64_t ticks_ago = 0) {
    const std::uint64_t at = ticks() - ticks_ago;
    bool are_told = accesses.size() <= RecordStream::most_short_accesses && !accesses.empty();
    for (const RecordedWords& each : accesses) are_told = are_told && stream_->is_told(each.where);
    if (!are_told || !stream_->create_of(accesses, small, at)) create_long(accesses, small, at);
    RecordedEvent event = of(RecordKind::create);
    event.words[0] = stream_->new_task();
    event.argument = small;
    event.first_access = told_accesses.size();
    event.access_count = static_cast<std::uint32_t>(accesses.size());
    told_accesses.insert(told_accesses.end(), accesses.begin(), accesses.end());
    told.push_back(event);
    tasks.push_back(event.words[0]);
  }
  void resume() {
    stream_->resume();
    told.push_back(of(RecordKind::resume));
  }
  void resume_at_end() {
    stream_->resume_at_end();
    told.push_back(of(RecordKind::resume));
  }
  void begin(std::uint64_t task, std::uint32_t from) {
    stream_->begin(task, 0, from);
    RecordedEvent event = of(RecordKind::begin);
    event.words[0] = task;
    event.stolen_from =
        from == 0 ? analysis::no_recorded_domain : static_cast<std::uint16_t>(from - 1);
    told.push_back(event);
    inside.push_back(task);
  }
  void end() {
    stream_->end();
    RecordedEvent event = of(RecordKind::end);
    event.words[0] = inside.back();
    inside.pop_back();
    told.push_back(event);
  }
  void ready(std::uint64_t task) {
    stream_->ready(task);
    RecordedEvent event = of(RecordKind::ready);
    event.words[0] = task;
    told.push_back(event);
  }
  void group() {
    stream_->write(RecordKind::group, 0);
    RecordedEvent event = of(RecordKind::group);
    event.words[0] = inside.empty() ? 0 : inside.back();
    told.push_back(event);
  }

  [[nodiscard]] RecordedStream read() const {
    const std::vector<std::string> files = analysis::record_files(folder_);
    EXPECT_EQ(files.size(), 1U);
    auto stream = analysis::parse_record(analysis::read_record_bytes(files.at(0)));
    EXPECT_TRUE(stream.ok());
    return stream.ok() ? stream.value() : RecordedStream{};
  }
  /// Give or take half a window: how far the last one is filled is not asked.
  [[nodiscard]] std::uint64_t bytes_written() const {
    const std::string file = analysis::record_files(folder_).at(0);
    return std::filesystem::file_size(file) - RecordStream::window_bytes / 2;
  }

  [[nodiscard]] RecordStream& stream() const { return *stream_; }

  static constexpr std::uint32_t number = 5;
  std::vector<RecordedEvent> told;
  std::vector<RecordedWords> told_accesses;
  std::vector<std::uint64_t> tasks;
  std::vector<std::uint64_t> inside;

 private:
  static RecordedEvent of(RecordKind kind) {
    RecordedEvent event;
    event.kind = kind;
    return event;
  }
  void create_long(const std::vector<RecordedWords>& accesses, std::uint32_t small,
                   std::uint64_t at) {
    if (accesses.empty()) {
      return stream_->commit(stream_->reserve(1, at), RecordKind::create, small, at);
    }
    std::uint64_t* const event = stream_->reserve(2 + 2 * accesses.size(), at);
    event[1] = accesses.size();
    for (std::size_t i = 0; i < accesses.size(); ++i) {
      event[2 + 2 * i] = accesses[i].where;
      event[3 + 2 * i] = accesses[i].what;
      stream_->has_told(accesses[i].where);
    }
    stream_->commit(event, RecordKind::create_with, small, at);
  }

  std::string folder_;
  RecordStream* stream_ = nullptr;
};

void expect_same(const Teller& teller) {
  const RecordedStream stream = teller.read();
  ASSERT_EQ(stream.events.size(), teller.told.size());
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < stream.events.size(); ++i) {
    const RecordedEvent& read = stream.events[i];
    const RecordedEvent& told = teller.told[i];
    ASSERT_EQ(read.kind, told.kind) << i;
    ASSERT_TRUE(told.kind == RecordKind::resume || read.words[0] == told.words[0]) << i;
    ASSERT_EQ(read.argument, told.argument) << i;
    ASSERT_EQ(read.stolen_from, told.stolen_from) << i;
    ASSERT_GE(read.at, before) << i;
    before = read.at;
    ASSERT_EQ(read.access_count, told.access_count) << i;
    for (std::size_t a = 0; a < told.access_count; ++a) {
      const RecordedWords& words = teller.told_accesses[told.first_access + a];
      const analysis::RecordedAccess& access = stream.accesses[read.first_access + a];
      ASSERT_EQ(access.address, words.where) << i;
      ASSERT_EQ(access.bytes, words.what >> record_bytes_shift) << i;
      ASSERT_EQ(static_cast<std::uint64_t>(access.mode), words.what & 0xFU) << i;
    }
  }
}

// Far and near tasks of several threads, few and many shapes, known and new data, nesting, waits of
// all lengths, over many windows.
TEST(RecordStream, IsReadAsItWasToldInAnyOrder) {
  for (const std::uint32_t shapes : {3U, 1000U, 100'000U}) {
    Random random(shapes);
    Teller teller;
    const auto pick = [&](std::uint32_t limit) {
      return static_cast<std::uint64_t>(random.below(limit));
    };
    const auto any_task = [&] {
      if (!teller.tasks.empty() && pick(4) != 0) {
        const std::size_t back =
            pick(static_cast<std::uint32_t>(std::min<std::size_t>(teller.tasks.size(), 100)));
        return teller.tasks[teller.tasks.size() - 1 - back];
      }
      return (pick(9) + 1) << record_stream_shift | (pick(1 << 20) + 1);
    };
    for (int step = 0; step < 100'000; ++step) {
      switch (pick(7)) {
        case 0: {
          std::vector<RecordedWords> accesses(pick(10) == 0 ? pick(20) : pick(3));
          for (RecordedWords& each : accesses) {
            each = {4096 + 64 * pick(3000), pick(6) | pick(shapes) << record_bytes_shift};
          }
          // Sometimes the thread was kept from its core after it had read the clock.
          const std::uint64_t ago = pick(20) == 0 ? pick(1U << 25U) : 0;
          teller.create(accesses, pick(2) == 0 ? record_flag::undeferred : 0, ago);
          if (pick(3) != 0) teller.resume();
          break;
        }
        case 1:
        case 2:
          teller.begin(any_task(), pick(5) == 0 ? static_cast<std::uint32_t>(pick(9)) : 0);
          break;
        case 3:
        case 4:
          if (teller.inside.empty()) break;
          teller.end();
          if (pick(2) == 0) teller.ready(any_task());
          if (pick(4) == 0) teller.ready(any_task());
          break;
        case 5:
          if (pick(2) == 0) {
            teller.resume();
          } else {
            teller.resume_at_end();
          }
          break;
        default:
          teller.group();
          if (pick(1000) == 0) {
            for (const std::uint64_t until = ticks() + (1U << 23U); ticks() < until;) {
            }
          }
          break;
      }
    }
    expect_same(teller);
  }
}

// So long that a clock comes in between, which ends what numbers mean.
TEST(RecordStream, KnowsWhatIsNamedAfterALongTime) {
  if (ticks_per_microsecond() < 500) GTEST_SKIP() << "that would take more than nine seconds";
  Teller teller;
  const std::vector<RecordedWords> accesses(RecordStream::most_short_accesses,
                                            {4096, 1 | 64 << record_bytes_shift});
  for (int i = 0; i < 3; ++i) teller.create(accesses, 0);
  for (const std::uint64_t until = ticks() + (std::uint64_t{1} << 32U); ticks() < until;) {
    usleep(10'000);
  }
  for (int i = 0; i < 3; ++i) teller.create(accesses, 0);
  expect_same(teller);
}

TEST(RecordStream, LooksAroundOnceForEachMapping) {
  Teller teller;
  RecordStream& stream = teller.stream();
  const std::vector<char> data(std::size_t{1} << 22U);
  const auto first = reinterpret_cast<std::uintptr_t>(data.data());
  const memory::Extent found = stream.look_around(first, memory::real_maps());
  EXPECT_LE(found.begin, first);
  EXPECT_GE(found.end, first + data.size());
  // What is in it is known from now on, whatever else is asked.
  for (std::uint32_t i = 1; i < 2 * RecordStream::most_looks; ++i) {
    EXPECT_FALSE(stream.look_around(i, memory::real_maps()).known());
  }
  EXPECT_EQ(stream.look_around(first + data.size() - 1, memory::real_maps()).end, found.end);
  const auto on_stack = reinterpret_cast<std::uintptr_t>(&teller);
  EXPECT_FALSE(stream.look_around(on_stack, memory::real_maps()).known());
}

TEST(RecordStream, TakesNoTimeFromAnEndToWhatComesAtIt) {
  Teller teller;
  teller.create({}, 0);
  teller.begin(teller.tasks.back(), 0);
  teller.end();
  teller.resume_at_end();
  teller.group();
  teller.resume_at_end();
  const auto events = teller.read().events;
  ASSERT_EQ(events.size(), 6U);
  EXPECT_EQ(events[3].kind, RecordKind::resume);
  EXPECT_EQ(events[3].at, events[2].at);
  // Not at an end.
  EXPECT_EQ(events[5].kind, RecordKind::resume);
  EXPECT_GE(events[5].at, events[4].at);
}

/// Bytes for each of many tasks of one thread. With `at_once` it runs each before it goes on.
double bytes_of_a_task(std::size_t accesses, bool at_once) {
  constexpr std::uint64_t count = 160'000;
  Teller teller;
  for (std::uint64_t i = 0; i < count; ++i) {
    const RecordedWords words{4096 + 64 * (i % 8), 1 | 64 << record_bytes_shift};
    teller.create(std::vector<RecordedWords>(accesses, words), 0);
    if (!at_once) teller.resume();
    teller.begin(teller.tasks.back(), 0);
    teller.end();
    teller.ready(teller.tasks.back() + 1);
    if (at_once) teller.resume();
  }
  expect_same(teller);
  return static_cast<double>(teller.bytes_written()) / count;
}

// What is said of the size in docs/report.md.
TEST(RecordStream, TakesFewBytesOfATask) {
  for (const bool at_once : {false, true}) {
    EXPECT_LE(bytes_of_a_task(0, at_once), 26) << at_once;
    EXPECT_LE(bytes_of_a_task(1, at_once), 34) << at_once;
  }
}

}  // namespace
}  // namespace lares::runtime

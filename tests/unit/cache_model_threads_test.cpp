// The cache model with a thread per vCPU, as QEMU calls it: nothing is lost, and every entry of the
// directory is one that could be. Meant to be run under ThreadSanitizer, too.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

#include "base/random.hpp"
#include "cache_model_support.hpp"
#include "lab/plugin/front.hpp"

namespace lares::lab::counting {
namespace {

void in_threads(Vcpu count, const std::function<void(Vcpu)>& body) {
  std::vector<std::thread> threads;
  for (Vcpu vcpu = 0; vcpu < count; ++vcpu) threads.emplace_back(body, vcpu);
  for (std::thread& thread : threads) thread.join();
}

std::vector<Line> held_lines(const CacheModel& model, Agent agent) {
  std::vector<Line> lines = model.lines_of(agent);
  std::erase(lines, no_line);
  std::sort(lines.begin(), lines.end());
  return lines;
}

/// I1, I2 and M1 of directory.hpp and cache_model.hpp.
void expect_sound(CacheModel& model, const std::vector<Line>& lines) {
  std::vector<std::vector<Line>> in_sets;
  for (Agent agent = 0; agent < model.agents(); ++agent) {
    in_sets.push_back(held_lines(model, agent));
    EXPECT_EQ(std::adjacent_find(in_sets.back().begin(), in_sets.back().end()),
              in_sets.back().end())
        << "cache " << agent << " has a line twice";
  }
  for (const Line line : lines) {
    const auto state = model.state_of(line);
    for (const Agent holder : state.holders) {
      EXPECT_TRUE(std::binary_search(in_sets[holder].begin(), in_sets[holder].end(), line))
          << "cache " << holder << " is listed for line " << line << " and does not have it";
      const auto copy = Directory::copy_of(holder);
      const auto word = Directory::peek(model.directory().word(line, copy.word));
      const bool alone = (word & copy.writable) == copy.writable;
      if (alone) {
        EXPECT_EQ(state.holders.size(), 1U);
        EXPECT_EQ(state.owner, holder);
      }
    }
    if (state.owner) {
      EXPECT_TRUE(std::count(state.holders.begin(), state.holders.end(), *state.owner) == 1)
          << "the owner of line " << line << " does not hold it";
    }
  }
}

TEST(DirectoryThreads, ALineIsChangedByOneAtATime) {
  constexpr Agent agents = 2 * Directory::agents_per_word;
  constexpr Agent threads = 4;
  constexpr Agent step = agents / threads;  // in different words of the entry
  Directory directory(1, agents);
  int changes = 0;  // plain on purpose: the lock is all that guards it
  std::atomic<int> lost{0};
  in_threads(threads, [&](Agent thread) {
    const Agent mine = thread * step;
    bool held = false;
    for (int i = 0; i < 100000; ++i) {
      LockedLine line(directory, 0);
      ++changes;
      if (line.held_by(mine) != held) lost.fetch_add(1, std::memory_order_relaxed);
      held = !held;
      if (held) {
        line.add(mine);
      } else if (line.drop(mine)) {
        lost.fetch_add(1, std::memory_order_relaxed);
      }
    }
  });
  EXPECT_EQ(lost.load(), 0) << "another's change was undone";
  EXPECT_EQ(changes, 4 * 100000);
}

class CacheModelThreads : public testing::TestWithParam<Shape> {};

TEST_P(CacheModelThreads, LeaveADirectoryThatCouldBe) {
  const Shape shape = GetParam();
  CacheModel model = make_model(shape);
  const Vcpu vcpus = model.vcpus();
  const int accesses = static_cast<int>(800000 / vcpus);
  std::vector<Line> lines;
  for (Line page = 0; page < 30; ++page) {
    for (Line set = 0; set < 3; ++set) {
      lines.push_back(line_in(shape, page % shape.nodes, page * lines_per_page + set));
    }
  }
  std::atomic<bool> done{false};
  std::thread reader([&] {
    Traffic last = model.traffic();
    while (!done.load(std::memory_order_relaxed)) {
      const Traffic now = model.traffic();
      EXPECT_GE(now.sum(Kind::read), last.sum(Kind::read)) << "counts never shrink";
      last = now;
    }
  });
  in_threads(vcpus, [&](Vcpu vcpu) {
    Random random(vcpu + 1);
    for (int i = 0; i < accesses; ++i) {
      const Line line = lines[random.below(static_cast<std::uint32_t>(lines.size()))];
      model.access(vcpu, line, random.below(4) == 0);
    }
  });
  done.store(true, std::memory_order_relaxed);
  reader.join();
  expect_sound(model, lines);
  EXPECT_GT(sum(model, Kind::transfer), 0U);
  EXPECT_GT(sum(model, Kind::write_back), 0U);
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, CacheModelThreads,
    testing::Values(Shape{.nodes = 2, .cpus_per_node = 2}, Shape{.nodes = 16, .cpus_per_node = 4},
                    Shape{.nodes = 2, .cpus_per_node = 2, .l3_bytes = l3_unit},
                    Shape{.nodes = 4, .cpus_per_node = 2, .l3_bytes = l3_unit, .nodes_per_l3 = 2}));

TEST(CacheModelInTurns, PingPongBetweenThreadsIsCountedExactly) {
  const Shape shape{};
  CacheModel model = make_model(shape);
  constexpr int rounds = 1000;
  std::atomic<int> turn{0};
  in_threads(2, [&](Vcpu vcpu) {
    for (int mine = static_cast<int>(vcpu); mine < 2 * rounds; mine += 2) {
      while (turn.load(std::memory_order_acquire) != mine) std::this_thread::yield();
      model.access(vcpu, 5, false);
      model.access(vcpu, 5, true);
      turn.store(mine + 1, std::memory_order_release);
    }
  });
  EXPECT_EQ(model.traffic().at(Kind::transfer, 1, 0), rounds);
  EXPECT_EQ(model.traffic().at(Kind::transfer, 0, 1), rounds - 1U) << "the first one asks memory";
}

TEST(CacheModelInTurns, ThreadsThatShareNothingCountAsIfAlone) {
  const Shape shape{.nodes = 8, .chunks_per_node = 2};
  CacheModel model = make_model(shape);
  in_threads(8, [&](Vcpu vcpu) {
    for (int pass = 0; pass < 2; ++pass) {
      for (Line i = 0; i < 20000; ++i) model.access(vcpu, line_in(shape, vcpu, i), true);
    }
  });
  const Traffic traffic = model.traffic();
  constexpr std::uint64_t held = l2_unit / line_bytes;
  for (Node node = 0; node < 8; ++node) {
    EXPECT_EQ(traffic.at(Kind::written, node, node), 40000U);
    EXPECT_EQ(traffic.at(Kind::write_back, node, node), 40000U - held);
  }
  EXPECT_EQ(traffic.sum(Kind::transfer) + traffic.sum(Kind::upgrade), 0U);
}

TEST(FrontThreads, PassOnWhatOthersDidToALine) {
  std::string sentence;
  const auto map = AddressMap::parse("0 1048576 0\n1048576 1048576 1\n", 2, sentence);
  ASSERT_TRUE(map) << sentence;
  CacheModel model(layout_of(Shape{}), map->homes());
  constexpr int rounds = 1000;
  std::atomic<int> turn{0};
  in_threads(2, [&](Vcpu vcpu) {
    Front front(model, *map, vcpu);
    const auto access = [&](bool store) {
      front.access(0x7000, [store] { return store; }, [] { return std::uint64_t{0x3000}; });
    };
    for (int mine = static_cast<int>(vcpu); mine < 2 * rounds; mine += 2) {
      while (turn.load(std::memory_order_acquire) != mine) access(false);
      access(false);
      access(true);
      access(true);
      turn.store(mine + 1, std::memory_order_release);
    }
  });
  // Both read all the time. A round is one transfer to the reader, or two if it reads between the
  // two stores; none is missed.
  const std::uint64_t to_first = model.traffic().at(Kind::transfer, 0, 1);
  const std::uint64_t to_second = model.traffic().at(Kind::transfer, 1, 0);
  EXPECT_GE(to_second, static_cast<std::uint64_t>(rounds));
  EXPECT_LE(to_second, 2U * rounds);
  EXPECT_GE(to_first, rounds - 1U);
  EXPECT_LE(to_first, 2U * rounds);
}

}  // namespace
}  // namespace lares::lab::counting

// The cache model of `lares lab run --count`, by the properties that its counts must have.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/random.hpp"
#include "cache_model_support.hpp"

namespace lares::lab::counting {
namespace {

constexpr std::uint64_t l2_lines = l2_unit / line_bytes;

TEST(CacheModel, AStreamOfNewLinesIsFetchedLineByLine) {
  const Shape shape{.nodes = 4, .chunks_per_node = 2};
  CacheModel model = make_model(shape);
  for (Node node = 0; node < 4; ++node) {
    for (Line i = 0; i < 20000; ++i) model.access(0, line_in(shape, node, i), false);
  }
  const Traffic traffic = model.traffic();
  for (Node node = 0; node < 4; ++node) EXPECT_EQ(traffic.at(Kind::read, 0, node), 20000U);
  EXPECT_EQ(traffic.sum(Kind::read), 80000U);
  EXPECT_EQ(traffic.sum(Kind::written) + traffic.sum(Kind::write_back), 0U);
}

TEST(CacheModel, WhatFitsIsFetchedOnce) {
  const Shape shape{};
  CacheModel model = make_model(shape);
  for (int pass = 0; pass < 5; ++pass) {
    for (Line i = 0; i < l2_lines; ++i) model.access(0, line_in(shape, 1, i), pass % 2 == 1);
  }
  EXPECT_EQ(sum(model, Kind::read), l2_lines);
  EXPECT_EQ(sum(model, Kind::written), 0U) << "a line that is held is not fetched to be written";
  EXPECT_EQ(sum(model, Kind::upgrade), 0U) << "nobody else had a copy";
  EXPECT_EQ(sum(model, Kind::write_back), 0U);
}

TEST(CacheModel, ASetWithOneLineTooManyMissesEveryTimeInRotation) {
  const Shape shape{};
  CacheModel model = make_model(shape);
  constexpr Line sets = l2_lines / l2_ways;
  for (int pass = 0; pass < 10; ++pass) {
    for (Line way = 0; way <= l2_ways; ++way) model.access(0, way * sets, false);
  }
  EXPECT_EQ(sum(model, Kind::read), 10U * (l2_ways + 1)) << "the least recent line goes first";
}

TEST(CacheModel, WriteBacksAreTheEvictionsOfDirtyLines) {
  const Shape shape{};
  CacheModel model = make_model(shape);
  for (Line i = 0; i < 3 * l2_lines; ++i) model.access(0, line_in(shape, 1, i), true);
  EXPECT_EQ(model.traffic().at(Kind::written, 0, 1), 3 * l2_lines);
  EXPECT_EQ(model.traffic().at(Kind::write_back, 0, 1), 2 * l2_lines) << "a third is still held";
  for (Line i = 0; i < l2_lines; ++i) model.access(0, line_in(shape, 0, i), false);
  EXPECT_EQ(model.traffic().at(Kind::write_back, 0, 1), 3 * l2_lines);
  for (Line i = 0; i < 4 * l2_lines; ++i) model.access(0, line_in(shape, 0, i), false);
  EXPECT_EQ(sum(model, Kind::write_back), 3 * l2_lines) << "clean lines are dropped";
}

TEST(CacheModel, PingPongIsOneTransferEachWayARound) {
  const Shape shape{};
  CacheModel model = make_model(shape);
  const Line line = line_in(shape, 0, 5);
  model.access(1, line, true);
  for (int round = 0; round < 1000; ++round) {
    for (Vcpu vcpu : {0U, 1U}) {
      for (int spin = 0; spin < 3; ++spin) model.access(vcpu, line, false);
      model.access(vcpu, line, true);
    }
  }
  const Traffic traffic = model.traffic();
  EXPECT_EQ(traffic.at(Kind::transfer, 0, 1), 1000U);
  EXPECT_EQ(traffic.at(Kind::transfer, 1, 0), 1000U);
  EXPECT_EQ(traffic.sum(Kind::transfer), 2000U);
  EXPECT_EQ(traffic.sum(Kind::upgrade), 2000U) << "read first, then written";
  EXPECT_EQ(traffic.sum(Kind::read) + traffic.sum(Kind::written), 1U) << "memory is asked once";
  EXPECT_EQ(traffic.sum(Kind::write_back), 0U);
}

TEST(CacheModel, AWriterTakesADirtyLineWithoutAnUpgrade) {
  const Shape shape{};
  CacheModel model = make_model(shape);
  model.access(0, 7, true);
  model.access(1, 7, true);
  EXPECT_EQ(model.traffic().at(Kind::transfer, 1, 0), 1U);
  EXPECT_EQ(sum(model, Kind::upgrade), 0U);
  EXPECT_EQ(model.state_of(7).holders, std::vector<Agent>{1});
  EXPECT_EQ(model.state_of(7).owner, Agent{1});
}

TEST(CacheModel, ADirtyLineThatOthersReadIsOwedByItsWriter) {
  const Shape shape{.nodes = 3};
  CacheModel model = make_model(shape);
  model.access(0, 7, true);
  model.access(1, 7, false);
  model.access(2, 7, false);
  EXPECT_EQ(sum(model, Kind::transfer), 2U);
  EXPECT_EQ(model.state_of(7).owner, Agent{0});
  EXPECT_EQ(sum(model, Kind::write_back), 0U);
  // The readers let go of it: nothing is owed by them. The owner lets go of it: that is written.
  for (Vcpu vcpu : {1U, 2U, 0U}) {
    for (Line way = 1; way <= l2_ways; ++way) {
      model.access(vcpu, 7 + way * static_cast<Line>(lines_per_page), false);
    }
    EXPECT_EQ(sum(model, Kind::write_back), vcpu == 0 ? 1U : 0U);
  }
}

TEST(CacheModel, ACleanLineIsReadFromMemoryThoughOthersHoldIt) {
  const Shape shape{};
  CacheModel model = make_model(shape);
  model.access(0, 7, false);
  model.access(1, 7, false);
  EXPECT_EQ(sum(model, Kind::read), 2U);
  EXPECT_EQ(sum(model, Kind::transfer), 0U);
}

TEST(CacheModel, AWriterThatSharesALineUpgradesItOnceAndTheOthersMiss) {
  const Shape shape{.nodes = 3};
  CacheModel model = make_model(shape);
  for (Vcpu vcpu : {0U, 1U, 2U}) model.access(vcpu, 7, false);
  for (int i = 0; i < 5; ++i) model.access(1, 7, true);
  EXPECT_EQ(model.traffic().at(Kind::upgrade, 1, 0), 1U);
  model.access(2, 7, false);
  EXPECT_EQ(model.traffic().at(Kind::transfer, 2, 1), 1U);
}

// --- with a shared cache ---

TEST(SharedCache, TakesWhatThePrivateOneEvicts) {
  const Shape shape{.l3_bytes = 4 * l3_unit};
  CacheModel model = make_model(shape);
  const Line many = 2 * l2_lines;
  for (int pass = 0; pass < 3; ++pass) {
    for (Line i = 0; i < many; ++i) model.access(0, line_in(shape, 1, i), true);
  }
  EXPECT_EQ(model.traffic().at(Kind::written, 0, 1), many);
  EXPECT_EQ(model.traffic().at(Kind::l3_hit, 0, 1), 2 * many);
  EXPECT_EQ(sum(model, Kind::write_back), 0U) << "all fits";
}

TEST(SharedCache, ServesTheVcpusBehindIt) {
  const Shape shape{.cpus_per_node = 2, .l3_bytes = l3_unit};
  CacheModel model = make_model(shape);
  model.access(0, 7, false);
  model.access(1, 7, false);
  EXPECT_EQ(sum(model, Kind::l3_hit), 1U) << "a neighbour's clean copy";
  model.access(2, 7, false);
  EXPECT_EQ(sum(model, Kind::read), 2U) << "another node's copy does not help";
  model.access(3, 8, true);
  model.access(2, 8, false);
  EXPECT_EQ(model.traffic().at(Kind::transfer, 1, 1), 1U) << "a neighbour's dirty copy";
  model.access(0, 8, false);
  EXPECT_EQ(model.traffic().at(Kind::transfer, 0, 1), 1U);
  model.access(1, 8, false);
  EXPECT_EQ(sum(model, Kind::l3_hit), 2U) << "the newest content is with a neighbour already";
}

TEST(SharedCache, OwesWhatItTookOver) {
  const Shape shape{.l3_bytes = l3_unit, .chunks_per_node = 4};
  CacheModel model = make_model(shape);
  const Line held = l2_lines + l3_unit / line_bytes;
  for (Line i = 0; i < held; ++i) model.access(0, line_in(shape, 1, i), true);
  EXPECT_EQ(sum(model, Kind::write_back), 0U);
  const Line first = line_in(shape, 1, 0);
  EXPECT_EQ(model.state_of(first).owner, Agent{2}) << "the shared cache of node 0";
  model.access(1, first, false);
  EXPECT_EQ(model.traffic().at(Kind::transfer, 1, 0), 1U) << "it passes dirty lines on";
  for (Line i = held; i < 2 * held; ++i) model.access(0, line_in(shape, 1, i), false);
  EXPECT_EQ(model.traffic().at(Kind::write_back, 0, 1), held);
}

TEST(SharedCache, OfAPackageServesAllItsNodes) {
  const Shape shape{.nodes = 4, .l3_bytes = l3_unit, .nodes_per_l3 = 2};
  CacheModel model = make_model(shape);
  model.access(0, 7, false);
  model.access(1, 7, false);
  EXPECT_EQ(model.traffic().at(Kind::l3_hit, 1, 0), 1U);
  model.access(2, 7, false);
  EXPECT_EQ(model.traffic().at(Kind::read, 2, 0), 1U);
}

// --- against a model that is too simple to be wrong ---

/// The same rules with lists and sets, and no thought of threads or speed.
class SimpleModel {
 public:
  explicit SimpleModel(const Shape& shape)
      : shape_(shape), layout_(layout_of(shape)), homes_(homes_of(shape)), traffic_(shape.nodes) {}

  void access(Vcpu vcpu, Line line, bool store) {
    const Node row = node_of(vcpu);
    const Agent shared = shared_of(vcpu);
    Entry& entry = entries_[line];
    const bool in_shared = has_shared() && entry.holders.contains(shared);
    if (!entry.holders.contains(vcpu)) {
      count_fetch(vcpu, line, store, entry);
    } else if (store) {
      std::set<Agent> others = entry.holders;
      others.erase(vcpu);
      if (has_shared()) others.erase(shared);
      if (!others.empty()) ++traffic_.at(Kind::upgrade, row, homes_.of(line));
    }
    // A hit on a line that may be written already does not show in the shared cache's order.
    const bool missed = !entry.holders.contains(vcpu);
    if (store) {
      entry.holders = {vcpu};
      entry.owner = vcpu;
    } else {
      entry.holders.insert(vcpu);
    }
    if (missed && in_shared && !store) use(shared, line, shape_.l3_bytes, l3_ways);
    const auto out = use(vcpu, line, shape_.l2_bytes, l2_ways);
    if (out) evict(vcpu, *out);
  }

  [[nodiscard]] const Traffic& traffic() const { return traffic_; }

 private:
  struct Entry {
    std::set<Agent> holders;
    std::optional<Agent> owner;
  };

  [[nodiscard]] bool has_shared() const { return shape_.l3_bytes > 0; }
  [[nodiscard]] Vcpu vcpus() const { return static_cast<Vcpu>(layout_.node_of_vcpu.size()); }
  [[nodiscard]] Agent shared_of(Vcpu vcpu) const {
    return vcpus() + layout_.node_of_vcpu[vcpu] / shape_.nodes_per_l3;
  }
  [[nodiscard]] Node node_of(Agent agent) const {
    return agent < vcpus() ? layout_.node_of_vcpu[agent] : (agent - vcpus()) * shape_.nodes_per_l3;
  }
  [[nodiscard]] bool near(Vcpu vcpu, Agent agent) const {
    return agent < vcpus() ? shared_of(agent) == shared_of(vcpu) : agent == shared_of(vcpu);
  }

  void count_fetch(Vcpu vcpu, Line line, bool store, const Entry& entry) {
    const Node row = node_of(vcpu);
    const bool any_near = has_shared() && std::any_of(entry.holders.begin(), entry.holders.end(),
                                                      [&](Agent a) { return near(vcpu, a); });
    const bool owner_near =
        has_shared() && entry.owner && *entry.owner < vcpus() && near(vcpu, *entry.owner);
    const bool in_shared = has_shared() && entry.holders.contains(shared_of(vcpu));
    if (in_shared || (any_near && !owner_near)) {
      ++traffic_.at(Kind::l3_hit, row, homes_.of(line));
    } else if (entry.owner) {
      ++traffic_.at(Kind::transfer, row, node_of(*entry.owner));
    } else {
      ++traffic_.at(store ? Kind::written : Kind::read, row, homes_.of(line));
    }
  }

  /// Makes the line the most recent of its set; returns what fell out at the other end.
  std::optional<Line> use(Agent agent, Line line, std::uint64_t bytes, unsigned ways) {
    auto& set = sets_[{agent, line % (bytes / line_bytes / ways)}];
    const auto at = std::find(set.begin(), set.end(), line);
    if (at != set.end()) set.erase(at);
    set.push_front(line);
    if (set.size() <= ways) return std::nullopt;
    const Line out = set.back();
    set.pop_back();
    return out;
  }

  void leave(Vcpu vcpu, Agent agent, Line line) {
    Entry& entry = entries_[line];
    if (entry.holders.erase(agent) == 0 || entry.owner != agent) return;
    entry.owner.reset();
    ++traffic_.at(Kind::write_back, node_of(vcpu), homes_.of(line));
  }

  void evict(Vcpu vcpu, Line line) {
    if (!has_shared()) return leave(vcpu, vcpu, line);
    Entry& entry = entries_[line];
    if (entry.holders.erase(vcpu) == 0) return;
    const Agent shared = shared_of(vcpu);
    entry.holders.insert(shared);
    if (entry.owner == vcpu) entry.owner = shared;
    const auto out = use(shared, line, shape_.l3_bytes, l3_ways);
    if (out) leave(vcpu, shared, *out);
  }

  Shape shape_;
  Layout layout_;
  Homes homes_;
  Traffic traffic_;
  std::map<Line, Entry> entries_;
  std::map<std::pair<Agent, std::uint64_t>, std::deque<Line>> sets_;
};

class CacheModelAgainstSimple : public testing::TestWithParam<Shape> {};

TEST_P(CacheModelAgainstSimple, CountsTheSame) {
  const Shape shape = GetParam();
  CacheModel model = make_model(shape);
  SimpleModel simple(shape);
  Random random(shape.nodes * 1000 + shape.cpus_per_node);
  const Vcpu vcpus = shape.nodes * shape.cpus_per_node;
  for (int i = 0; i < 60000; ++i) {
    // Few sets, so that they overflow; some lines that everybody wants.
    const Line set = random.below(3);
    const Node node = random.below(shape.nodes);
    const Line page = random.below(4) == 0 ? 0 : random.below(40);
    const Line line = line_in(shape, node, page * lines_per_page + set);
    const Vcpu vcpu = random.below(vcpus);
    const bool store = random.below(3) == 0;
    model.access(vcpu, line, store);
    simple.access(vcpu, line, store);
  }
  EXPECT_EQ(model.traffic(), simple.traffic());
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    if (shape.l3_bytes == 0 && static_cast<Kind>(kind) == Kind::l3_hit) continue;
    EXPECT_GT(sum(model, static_cast<Kind>(kind)), 0U) << kind_names[kind] << " never happened";
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, CacheModelAgainstSimple,
    testing::Values(Shape{.nodes = 2}, Shape{.nodes = 4, .cpus_per_node = 2},
                    Shape{.nodes = 8, .cpus_per_node = 8}, Shape{.nodes = 50, .cpus_per_node = 5},
                    Shape{.nodes = 4, .cpus_per_node = 2, .l3_bytes = l3_unit},
                    Shape{.nodes = 4, .cpus_per_node = 3, .l3_bytes = l3_unit, .nodes_per_l3 = 2},
                    Shape{.nodes = 24, .cpus_per_node = 3, .l3_bytes = l3_unit}));

}  // namespace
}  // namespace lares::lab::counting

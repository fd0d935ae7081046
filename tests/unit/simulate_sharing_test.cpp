// Shares of what is shared: against cases that can be computed by hand, and against filling from
// nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/random.hpp"
#include "simulate/sharing.hpp"

namespace lares::simulate {
namespace {

constexpr double exact = 1e-9;

TEST(Sharing, GivesALoneFlowItsCap) {
  Sharing sharing(exact);
  const auto memory = sharing.add_resource(100);
  const auto flow = sharing.add(std::vector<Use>{{memory, 1}}, 30);
  sharing.settle();
  EXPECT_DOUBLE_EQ(sharing.rate(flow), 30);
}

TEST(Sharing, DividesAFullResourceEvenly) {
  Sharing sharing(exact);
  const auto memory = sharing.add_resource(100);
  std::vector<std::uint32_t> flows;
  for (int i = 0; i < 4; ++i) flows.push_back(sharing.add(std::vector<Use>{{memory, 1}}, 60));
  sharing.settle();
  for (const auto flow : flows) EXPECT_NEAR(sharing.rate(flow), 25, 1e-6);
}

TEST(Sharing, LeavesToOthersWhatASlowFlowDoesNotUse) {
  Sharing sharing(exact);
  const auto memory = sharing.add_resource(100);
  const auto slow = sharing.add(std::vector<Use>{{memory, 1}}, 10);
  const auto fast = sharing.add(std::vector<Use>{{memory, 1}}, 1000);
  const auto other = sharing.add(std::vector<Use>{{memory, 1}}, 1000);
  sharing.settle();
  EXPECT_NEAR(sharing.rate(slow), 10, 1e-6);
  EXPECT_NEAR(sharing.rate(fast), 45, 1e-6);
  EXPECT_NEAR(sharing.rate(other), 45, 1e-6);
}

// Each flow takes the same part of the full resource, so the heavier one makes less progress.
TEST(Sharing, DividesTheResourceAndNotTheProgress) {
  Sharing sharing(exact);
  const auto probes = sharing.add_resource(90);
  const auto light = sharing.add(std::vector<Use>{{probes, 1}}, 1000);
  const auto heavy = sharing.add(std::vector<Use>{{probes, 3}}, 1000);
  sharing.settle();
  EXPECT_NEAR(sharing.rate(light), 45, 1e-6);
  EXPECT_NEAR(sharing.rate(heavy), 15, 1e-6);
}

TEST(Sharing, GivesAFlowOnHalfACoreHalfTheCapAndHalfTheShare) {
  Sharing sharing(exact);
  const auto memory = sharing.add_resource(30);
  const auto whole = sharing.add(std::vector<Use>{{memory, 1}}, 100, 1);
  const auto half = sharing.add(std::vector<Use>{{memory, 1}}, 100, 0.5);
  sharing.settle();
  EXPECT_NEAR(sharing.rate(whole), 20, 1e-6);
  EXPECT_NEAR(sharing.rate(half), 10, 1e-6);
  sharing.remove(whole);
  sharing.settle();
  EXPECT_NEAR(sharing.rate(half), 30, 1e-6);
}

// A long flow over two memories and one flow at each: the classic of max-min fairness.
TEST(Sharing, FollowsAChangeThroughSeveralResources) {
  Sharing sharing(exact);
  const auto a = sharing.add_resource(10);
  const auto b = sharing.add_resource(40);
  const auto both = sharing.add(std::vector<Use>{{a, 1}, {b, 1}}, 1000);
  const auto at_a = sharing.add(std::vector<Use>{{a, 1}}, 1000);
  const auto at_b = sharing.add(std::vector<Use>{{b, 1}}, 1000);
  sharing.settle();
  EXPECT_NEAR(sharing.rate(both), 5, 1e-6);
  EXPECT_NEAR(sharing.rate(at_b), 35, 1e-6);
  sharing.remove(at_a);
  sharing.settle();
  EXPECT_NEAR(sharing.rate(both), 10, 1e-6);
  EXPECT_NEAR(sharing.rate(at_b), 30, 1e-6);
}

TEST(Sharing, LosesCapacityWhenTooManyPressOnIt) {
  Sharing sharing(exact);
  const auto fabric = sharing.add_resource(18, {.free_flows = 4, .slope = 2.5});
  std::vector<std::uint32_t> flows;
  for (int i = 0; i < 4; ++i) flows.push_back(sharing.add(std::vector<Use>{{fabric, 1}}, 1000));
  sharing.settle();
  EXPECT_NEAR(sharing.rate(flows[0]) * 4, 18, 1e-6);
  for (int i = 0; i < 4; ++i) flows.push_back(sharing.add(std::vector<Use>{{fabric, 1}}, 1000));
  sharing.settle();
  EXPECT_NEAR(sharing.rate(flows[0]) * 8, 18 / 3.5, 1e-6);
  for (int i = 0; i < 8; ++i) sharing.remove(flows[static_cast<std::size_t>(i)]);
  EXPECT_DOUBLE_EQ(sharing.capacity(fabric), 18);
}

TEST(Sharing, ReportsTheFlowsWhoseRateChanged) {
  Sharing sharing(exact);
  const auto here = sharing.add_resource(10);
  const auto there = sharing.add_resource(10);
  const auto first = sharing.add(std::vector<Use>{{here, 1}}, 100);
  sharing.add(std::vector<Use>{{there, 1}}, 100);
  sharing.settle();
  const auto second = sharing.add(std::vector<Use>{{here, 1}}, 100);
  const auto changed = sharing.settle();
  const std::vector<std::uint32_t> list(changed.begin(), changed.end());
  EXPECT_EQ(list, (std::vector<std::uint32_t>{second, first}));
}

/// A machine of random shape with random flows.
struct Case {
  std::vector<double> capacities;
  std::vector<std::vector<Use>> uses;
  std::vector<double> caps;
};

// With equal weights the fair rates are unique, so both ways must find the same.
Case random_case(Random& random) {
  Case made;
  for (std::uint32_t r = 2 + random.below(6); r > 0; --r) {
    made.capacities.push_back(10.0 + random.below(90));
  }
  for (std::uint32_t f = 1 + random.below(24); f > 0; --f) {
    std::vector<Use> uses;
    for (std::uint32_t r = 0; r < made.capacities.size(); ++r) {
      if (random.below(3) == 0) uses.push_back({r, 1});
    }
    made.uses.push_back(std::move(uses));
    made.caps.push_back(1.0 + random.below(60));
  }
  return made;
}

/// Max-min fair rates by filling all flows evenly: again and again the tightest limit fixes some.
std::vector<double> filled(const Case& made) {
  std::vector<double> rates(made.uses.size(), -1);
  std::vector<double> left = made.capacities;
  for (std::size_t fixed = 0; fixed < rates.size();) {
    std::vector<double> count(left.size(), 0);
    for (std::size_t i = 0; i < rates.size(); ++i) {
      for (const Use& use : made.uses[i]) count[use.resource] += rates[i] < 0 ? 1 : 0;
    }
    const auto limit = [&](std::size_t i) {
      double least = made.caps[i];
      for (const Use& use : made.uses[i]) {
        least = std::min(least, left[use.resource] / count[use.resource]);
      }
      return least;
    };
    double level = 1e18;
    for (std::size_t i = 0; i < rates.size(); ++i) {
      if (rates[i] < 0) level = std::min(level, limit(i));
    }
    std::vector<std::size_t> now;
    for (std::size_t i = 0; i < rates.size(); ++i) {
      if (rates[i] < 0 && limit(i) <= level * (1 + 1e-12)) now.push_back(i);
    }
    for (const std::size_t i : now) {
      rates[i] = level;
      ++fixed;
      for (const Use& use : made.uses[i]) left[use.resource] -= level;
    }
  }
  return rates;
}

void expect_rates(const Sharing& sharing, const std::vector<std::uint32_t>& flows,
                  const Case& made) {
  const auto rates = filled(made);
  for (std::size_t i = 0; i < flows.size(); ++i) {
    EXPECT_NEAR(sharing.rate(flows[i]), rates[i], 1e-4 * rates[i]) << "flow " << i;
  }
}

TEST(Sharing, FindsWhatFillingFromNothingFinds) {
  Random random(7);
  for (int round = 0; round < 300; ++round) {
    Case made = random_case(random);
    Sharing sharing(exact);
    for (const double capacity : made.capacities) sharing.add_resource(capacity);
    std::vector<std::uint32_t> flows;
    for (std::size_t i = 0; i < made.uses.size(); ++i) {
      flows.push_back(sharing.add(made.uses[i], made.caps[i]));
      if (random.below(2) == 0) sharing.settle();
    }
    sharing.settle();
    expect_rates(sharing, flows, made);
    // And again after a third of them have gone, one after the other.
    for (std::size_t i = made.uses.size(); i-- > 0;) {
      if (random.below(3) != 0) continue;
      sharing.remove(flows[i]);
      if (random.below(2) == 0) sharing.settle();
      flows.erase(flows.begin() + static_cast<std::ptrdiff_t>(i));
      made.uses.erase(made.uses.begin() + static_cast<std::ptrdiff_t>(i));
      made.caps.erase(made.caps.begin() + static_cast<std::ptrdiff_t>(i));
    }
    sharing.settle();
    expect_rates(sharing, flows, made);
  }
}

// Whatever the weights: nobody is above its cap, no resource above its capacity, and every flow is
// held back by something.
TEST(Sharing, WastesNothingAndExceedsNothing) {
  Random random(11);
  for (int round = 0; round < 300; ++round) {
    Case made = random_case(random);
    Sharing sharing(exact);
    for (const double capacity : made.capacities) sharing.add_resource(capacity);
    std::vector<std::uint32_t> flows;
    for (std::size_t i = 0; i < made.uses.size(); ++i) {
      for (Use& use : made.uses[i]) use.weight = 0.25 * (1 + random.below(12));
      flows.push_back(sharing.add(made.uses[i], made.caps[i]));
    }
    sharing.settle();
    std::vector<double> load(made.capacities.size(), 0);
    for (std::size_t i = 0; i < flows.size(); ++i) {
      for (const Use& use : made.uses[i]) load[use.resource] += use.weight * sharing.rate(flows[i]);
    }
    for (std::size_t r = 0; r < load.size(); ++r) {
      EXPECT_LE(load[r], made.capacities[r] * 1.001) << "round " << round;
    }
    for (std::size_t i = 0; i < flows.size(); ++i) {
      const double rate = sharing.rate(flows[i]);
      EXPECT_LE(rate, made.caps[i] * (1 + 1e-9));
      const bool held = rate >= made.caps[i] * 0.999 ||
                        std::any_of(made.uses[i].begin(), made.uses[i].end(), [&](const Use& use) {
                          return load[use.resource] >= made.capacities[use.resource] * 0.999;
                        });
      EXPECT_TRUE(held) << "round " << round << ", flow " << i;
    }
  }
}

}  // namespace
}  // namespace lares::simulate

// Memory that a domain's workers are to bring to it.
#include "runtime/delivery.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

namespace lares::runtime {
namespace {

TEST(Delivery, IsTakenOnce) {
  Delivery delivery;
  EXPECT_TRUE(delivery.is_empty());
  delivery.put({{100, 300}, {500, 600}});
  EXPECT_FALSE(delivery.is_empty());
  int times = 0;
  for (int i = 0; i < 2; ++i) {
    delivery.take([&](std::span<const decide::Part> parts) {
      ++times;
      ASSERT_EQ(parts.size(), 2U);
      EXPECT_EQ(parts[0].begin, 100U);
      EXPECT_EQ(parts[1].end, 600U);
      EXPECT_FALSE(delivery.is_empty()) << "it is not filled anew before all is read";
    });
  }
  EXPECT_EQ(times, 1);
  EXPECT_TRUE(delivery.is_empty());
}

// One who fills it again and again, several who empty it: nothing is lost, doubled or torn.
TEST(Delivery, BetweenThreadsComesOnceAndWhole) {
  constexpr std::uintptr_t parts = 20000;
  Delivery delivery;
  std::atomic<std::uintptr_t> sum{0};
  std::atomic<bool> torn{false};
  std::atomic<bool> ends{false};
  std::vector<std::thread> takers;
  for (int i = 0; i < 3; ++i) {
    takers.emplace_back([&] {
      while (!ends.load()) {
        if (!delivery.is_there()) {
          std::this_thread::yield();
          continue;
        }
        delivery.take([&](std::span<const decide::Part> parts) {
          if (parts.size() != 1 || parts[0].end != 2 * parts[0].begin) torn = true;
          for (const decide::Part& part : parts) sum += part.begin;
        });
      }
    });
  }
  for (std::uintptr_t i = 1; i <= parts; ++i) {
    while (!delivery.is_empty()) std::this_thread::yield();
    delivery.put({{i, 2 * i}});
  }
  while (!delivery.is_empty()) std::this_thread::yield();
  ends = true;
  for (std::thread& taker : takers) taker.join();
  EXPECT_FALSE(torn);
  EXPECT_EQ(sum, parts * (parts + 1) / 2);
}

}  // namespace
}  // namespace lares::runtime

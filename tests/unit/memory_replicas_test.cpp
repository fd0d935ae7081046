// Copies of what is only read: one in each memory, found without a lock while others come and go.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "memory/replicas.hpp"
#include "memory_calls_fake.hpp"
#include "memory_fakes.hpp"

namespace lares::memory {
namespace {

std::atomic<unsigned> g_cpu{0};  // on which all threads pretend to be

SystemCalls calls_on_chosen_cpu() {
  SystemCalls calls = FakeCalls::calls();
  calls.here = [](unsigned* cpu, unsigned* node) noexcept {
    *cpu = g_cpu.load();
    *node = 0;
    return 0L;
  };
  return calls;
}

class ReplicasTest : public testing::Test {
 protected:
  static constexpr std::size_t pages = 3;
  static constexpr std::size_t bytes = pages * page;

  explicit ReplicasTest(const std::vector<int>& nodes = {0, 1, 1, 2})
      : manager_(machine_of_nodes(nodes), {}, calls_on_chosen_cpu()), replicas_(manager_) {
    for (std::size_t i = 0; i < pages; ++i) fake_.put(begin() + i * page, 1);
    std::memset(data_, 'a', bytes);
  }
  [[nodiscard]] std::uintptr_t begin() const { return reinterpret_cast<std::uintptr_t>(data_); }
  [[nodiscard]] std::uintptr_t local_on(unsigned cpu, std::size_t offset = 0) const {
    g_cpu = cpu;
    return replicas_.local(begin() + offset);
  }
  static char at(std::uintptr_t address) { return *reinterpret_cast<const char*>(address); }

  alignas(page) char data_[2 * bytes] = {};
  FakeCalls fake_;
  Manager manager_;
  Replicas replicas_;
};

TEST_F(ReplicasTest, EachMemoryHasOneAndTheOriginalIsOneOfThem) {
  const Result<std::size_t> made = replicas_.add(begin(), {bytes});
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made.value(), 2U);  // nodes 0 and 2: node 1 has the original
  EXPECT_EQ(local_on(1), begin());
  EXPECT_EQ(local_on(2), begin()) << "the second domain of node 1";
  EXPECT_NE(local_on(0), begin());
  EXPECT_NE(local_on(3), begin());
  EXPECT_NE(local_on(0), local_on(3));
  for (const unsigned cpu : {0U, 3U}) {
    EXPECT_EQ(local_on(cpu, 100), local_on(cpu) + 100);
    EXPECT_EQ(std::memcmp(reinterpret_cast<void*>(local_on(cpu)), data_, bytes), 0);
  }
}

TEST_F(ReplicasTest, WhatHasNoCopyIsWhereItIs) {
  EXPECT_EQ(local_on(0), begin()) << "nothing has";
  ASSERT_TRUE(replicas_.add(begin() + page, {page}).ok());
  EXPECT_EQ(local_on(0, page - 1), begin() + page - 1);
  EXPECT_NE(local_on(0, page), begin() + page);
  EXPECT_NE(local_on(0, 2 * page - 1), begin() + 2 * page - 1);
  EXPECT_EQ(local_on(0, 2 * page), begin() + 2 * page);
}

TEST_F(ReplicasTest, SeveralRangesAreToldApart) {
  for (const std::size_t which : {std::size_t{2}, std::size_t{0}, std::size_t{1}}) {
    std::memset(data_ + which * page, 'x' + static_cast<char>(which), page);
    ASSERT_TRUE(replicas_.add(begin() + which * page, {page}).ok());
  }
  for (std::size_t which = 0; which < pages; ++which) {
    for (const unsigned cpu : {0U, 1U, 3U}) {
      EXPECT_EQ(at(local_on(cpu, which * page)), 'x' + static_cast<char>(which));
    }
  }
}

TEST_F(ReplicasTest, ChangesAreWrittenToAll) {
  ASSERT_TRUE(replicas_.add(begin(), {bytes}).ok());
  std::memset(data_ + 10, 'b', 5);
  EXPECT_EQ(at(local_on(0, 10)), 'a');
  ASSERT_TRUE(replicas_.refresh(begin() + 10, {5}).ok());
  for (const unsigned cpu : {0U, 3U}) {
    EXPECT_EQ(at(local_on(cpu, 9)), 'a');
    EXPECT_EQ(at(local_on(cpu, 10)), 'b');
    EXPECT_EQ(at(local_on(cpu, 14)), 'b');
    EXPECT_EQ(at(local_on(cpu, 15)), 'a');
  }
}

TEST_F(ReplicasTest, EndWhenTheyShall) {
  ASSERT_TRUE(replicas_.add(begin(), {bytes}).ok());
  ASSERT_TRUE(replicas_.remove(begin()).ok());
  EXPECT_EQ(local_on(0), begin());
  ASSERT_TRUE(replicas_.add(begin(), {bytes}).ok());
  replicas_.forget(begin() + bytes, {bytes});
  EXPECT_NE(local_on(0), begin()) << "the range beside it ended";
  replicas_.forget(begin() + bytes - 1, {bytes});
  EXPECT_EQ(local_on(0), begin());
}

TEST_F(ReplicasTest, WhereMemoryLacksTheOriginalIsRead) {
  fake_.errors().map = ENOMEM;
  const Result<std::size_t> made = replicas_.add(begin(), {bytes});
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made.value(), 0U);
  EXPECT_EQ(local_on(0), begin());
  EXPECT_EQ(local_on(3), begin());
}

TEST_F(ReplicasTest, MistakesAreSentences) {
  EXPECT_EQ(replicas_.add(begin(), {0}).error().sentence, "the range is empty");
  EXPECT_FALSE(replicas_.add(begin(), {UINTPTR_MAX}).ok());
  ASSERT_TRUE(replicas_.add(begin() + page, {page}).ok());
  for (const std::size_t offset : {std::size_t{0}, page - 1, page, 2 * page - 1}) {
    EXPECT_EQ(replicas_.add(begin() + offset, {2 * page}).error().sentence,
              "a part of the range has copies already");
  }
  EXPECT_FALSE(replicas_.refresh(begin() + page, {page + 1}).ok());
  EXPECT_FALSE(replicas_.refresh(begin() + page, {UINTPTR_MAX}).ok());
  EXPECT_FALSE(replicas_.refresh(begin(), {1}).ok());
  EXPECT_FALSE(replicas_.remove(begin() + page + 1).ok());
  EXPECT_FALSE(replicas_.remove(begin()).ok());
}

TEST_F(ReplicasTest, ThereIsAMostOfRanges) {
  std::vector<char> many(Replicas::most + 1);
  for (std::size_t i = 0; i < Replicas::most; ++i) {
    ASSERT_TRUE(replicas_.add(reinterpret_cast<std::uintptr_t>(&many[i]), {1}).ok()) << i;
  }
  const auto next = reinterpret_cast<std::uintptr_t>(&many[Replicas::most]);
  EXPECT_FALSE(replicas_.add(next, {1}).ok());
  ASSERT_TRUE(replicas_.remove(reinterpret_cast<std::uintptr_t>(&many[7])).ok());
  EXPECT_TRUE(replicas_.add(next, {1}).ok());
}

// What is read is right whenever it is read, as long as its range has copies.
TEST_F(ReplicasTest, ReadersNeverMeetAnotherRangesCopy) {
  std::memset(data_ + page, 'k', page);
  ASSERT_TRUE(replicas_.add(begin() + page, {page}).ok());
  g_cpu = 3;
  std::atomic<bool> stop{false};
  std::atomic<std::size_t> wrong{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      while (!stop.load()) {
        if (at(replicas_.local(begin() + page + 8)) != 'k') ++wrong;
      }
    });
  }
  for (int round = 0; round < 300; ++round) {
    ASSERT_TRUE(replicas_.add(begin(), {page}).ok());
    ASSERT_TRUE(replicas_.add(begin() + 2 * page, {page}).ok());
    ASSERT_TRUE(replicas_.remove(begin()).ok());
    ASSERT_TRUE(replicas_.remove(begin() + 2 * page).ok());
  }
  stop = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(wrong.load(), 0U);
}

class ReplicasOnOneNode : public ReplicasTest {
 protected:
  ReplicasOnOneNode() : ReplicasTest({0, 0}) {}
};

TEST_F(ReplicasOnOneNode, NothingIsCopiedWhereAllShareAMemory) {
  const Result<std::size_t> made = replicas_.add(begin(), {bytes});
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made.value(), 0U);
  EXPECT_EQ(local_on(0), begin());
  EXPECT_EQ(local_on(1), begin());
  EXPECT_TRUE(replicas_.refresh(begin(), {bytes}).ok());
  EXPECT_TRUE(replicas_.remove(begin()).ok());
}

}  // namespace
}  // namespace lares::memory

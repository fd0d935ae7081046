// What is known of constructs, by the address of their code.
#include "decide/by_code.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace lares::decide {
namespace {

using Counts = ByCode<int, 5>;

// Of any constructs, wherever a program has them: some share a row by chance.
TEST(ByCode, KeepsConstructsThatTakeTurns) {
  std::mt19937_64 random(7);
  for (int program = 0; program < 1000; ++program) {
    Counts counts;
    std::vector<std::uintptr_t> codes;
    for (int i = 0; i < 8; ++i) codes.push_back(0x555555554000 + random() % 0x8000);
    for (int round = 1; round <= 5; ++round) {
      for (const std::uintptr_t code : codes) ++counts.of(code);
    }
    for (const std::uintptr_t code : codes) EXPECT_GE(counts.of(code), 5) << "program " << program;
  }
}

TEST(ByCode, ForgetsOneWhoseEntryAnotherOneTakes) {
  Counts counts;
  counts.of(1) = 5;
  for (std::uintptr_t code = 2; code < 2000; ++code) counts.of(code) = 1;
  EXPECT_EQ(counts.of(1), 0);
}

}  // namespace
}  // namespace lares::decide

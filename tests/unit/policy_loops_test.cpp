// The words by which users choose who hands out loops.
#include <gtest/gtest.h>

#include "policy/loop_choice.hpp"

namespace lares::policy {
namespace {

std::string read(std::string_view text, std::size_t domains = 2) {
  const auto choice = parse_loops(text, domains);
  return choice ? to_string(choice.value()) : "error: " + choice.error().sentence;
}

TEST(LoopChoice, IsReadAndWritten) {
  EXPECT_EQ(read("stock"), "stock");
  EXPECT_EQ(read("numa"), "numa,steal=nearest");
  EXPECT_EQ(read("numa,steal=most-loaded"), "numa,steal=most-loaded");
  EXPECT_EQ(read("numa,chunk=64,steal=random"), "numa,steal=random,chunk=64");
  EXPECT_EQ(read("numa,moldable,chunk=2"), "numa,steal=nearest,moldable,chunk=2");
  EXPECT_EQ(read(read("numa,moldable,steal=random")), "numa,steal=random,moldable");
  EXPECT_EQ(read(read("numa,chunk=64,steal=random")), "numa,steal=random,chunk=64");
}

TEST(LoopChoice, AutoIsNumaWhereThereAreDomains) {
  EXPECT_EQ(read("auto", 1), "stock");
  EXPECT_EQ(read("auto,steal=random", 2), "numa,steal=random");
}

TEST(LoopChoice, RefusesWhatMakesNoSense) {
  for (const char* text :
       {"", "numa,", "Numa", "stock,", "stock,steal=random", "numa,steal=", "numa,steal=far",
        "numa,chunk=0", "numa,chunk=-1", "numa,chunk=1x", "numa,chunk=99999999999999999999",
        "numa,,chunk=1", "numa,speed=1", "numa,moldable=1", "stock,moldable"}) {
    EXPECT_TRUE(read(text).starts_with("error: ")) << text << ": " << read(text);
  }
}

}  // namespace
}  // namespace lares::policy

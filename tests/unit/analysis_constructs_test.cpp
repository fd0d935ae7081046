// What `lares run --explain` reads and prints, from files made here.
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "analysis/constructs.hpp"

namespace lares::analysis {
namespace {

using runtime::ConstructRow;
using runtime::ExplainFile;
using runtime::Located;

std::unique_ptr<ExplainFile> new_file() {
  auto file = std::make_unique<ExplainFile>();
  file->magic = ExplainFile::expected_magic;
  file->row_bytes = sizeof(ConstructRow);
  return file;
}

std::span<const std::byte> bytes_of(const ExplainFile& file) {
  return std::as_bytes(std::span(&file, 1));
}

// Tasks of one construct, each with its home known or not, and run there or not.
void run(ConstructRow& row, Located located, std::uint64_t from, std::uint64_t until, bool home) {
  for (std::uint64_t number = from; number <= until; ++number) {
    ++row.tasks;
    ++row.located[static_cast<std::size_t>(located)];
    if (located == Located::unknown) continue;
    const auto window = static_cast<std::size_t>(std::bit_width(number)) - 1;
    ++row.known[window];
    if (home) ++row.at_home[window];
  }
}

void name(ConstructRow& row, const char* file, std::uint64_t offset) {
  row.taken = 0x5000 + offset;
  row.offset = offset;
  std::strcpy(row.file, file);
  row.ready = 1;
}

Construct only_one(const ExplainFile& file) {
  std::uint64_t left_out = 0;
  const auto constructs = parse_constructs(bytes_of(file), &left_out);
  EXPECT_TRUE(constructs);
  EXPECT_EQ(constructs.value().size(), 1U);
  return constructs.value().front();
}

TEST(Constructs, TellHowManyMetTheirDataAtFirstAndLater) {
  const auto file = new_file();
  name(file->rows[7], "/bin/app", 0x1234);
  run(file->rows[7], Located::unknown, 1, 127, false);
  run(file->rows[7], Located::series, 128, 255, false);
  run(file->rows[7], Located::series, 256, 2047, true);
  const Construct construct = only_one(*file);
  EXPECT_EQ(construct.file, "/bin/app");
  EXPECT_EQ(construct.offset, 0x1234U);
  EXPECT_EQ(construct.tasks, 2047U);
  EXPECT_EQ(construct.mostly_by(), Located::series);
  EXPECT_NEAR(construct.share_of_most(), 1920.0 / 2047, 1e-9);
  EXPECT_NEAR(construct.home_share_at_first().value(), 0, 1e-9);
  EXPECT_NEAR(construct.home_share_later().value(), 1, 1e-9);
}

TEST(Constructs, SayNothingOfHomesThatNobodyKnows) {
  const auto file = new_file();
  name(file->rows[0], "/bin/app", 1);
  run(file->rows[0], Located::unknown, 1, 10, false);
  const Construct construct = only_one(*file);
  EXPECT_EQ(construct.mostly_by(), Located::unknown);
  EXPECT_FALSE(construct.home_share_at_first());
  EXPECT_FALSE(construct.home_share_later());
}

TEST(Constructs, OfFewTasksAreAllFirstAndLater) {
  const auto file = new_file();
  name(file->rows[0], "/bin/app", 1);
  run(file->rows[0], Located::data, 1, 1, true);
  const Construct construct = only_one(*file);
  EXPECT_EQ(construct.home_share_at_first(), 1.0);
  EXPECT_EQ(construct.home_share_later(), 1.0);
}

TEST(Constructs, AreRefusedFromElsewhere) {
  std::uint64_t left_out = 0;
  const auto file = new_file();
  EXPECT_FALSE(parse_constructs(bytes_of(*file).first(100), &left_out));
  EXPECT_FALSE(parse_constructs({}, &left_out));
  file->row_bytes += 8;
  EXPECT_FALSE(parse_constructs(bytes_of(*file), &left_out));
  file->row_bytes -= 8;
  file->magic ^= 1;
  EXPECT_FALSE(parse_constructs(bytes_of(*file), &left_out));
}

TEST(Constructs, MayHoldAnyNumbersAndNames) {
  const auto file = new_file();
  std::memset(static_cast<void*>(&file->rows[3]), 0xFF, sizeof(ConstructRow));
  std::memset(file->rows[4].file, '\x1B', sizeof(file->rows[4].file));
  file->rows[4].taken = 1;
  file->rows[4].ready = 1;
  file->left_out = 5;
  std::uint64_t left_out = 0;
  const auto constructs = parse_constructs(bytes_of(*file), &left_out);
  ASSERT_TRUE(constructs);
  EXPECT_EQ(left_out, 5U);
  ASSERT_EQ(constructs.value().size(), 2U);
  EXPECT_EQ(constructs.value()[1].file.find('\x1B'), std::string::npos);
  EXPECT_LE(constructs.value()[0].home_share_later().value_or(0), 1.0);
}

TEST(Constructs, ArePrintedAsATableThatLinesUp) {
  Explanation explanation;
  explanation.constructs.resize(2);
  explanation.constructs[0].place = "solver.c:42 sweep";
  explanation.constructs[0].tasks = 1024;
  explanation.constructs[0].located[static_cast<std::size_t>(Located::data)] = 1024;
  explanation.constructs[0].known[9] = explanation.constructs[0].at_home[9] = 512;
  explanation.constructs[1].place = "init.c:7";
  explanation.constructs[1].tasks = 3;
  explanation.left_out = 9;
  const std::vector<std::string> lines = explanation_text(explanation);
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0].size(), lines[1].size());
  EXPECT_EQ(lines[1].size(), lines[2].size());
  EXPECT_NE(lines[1].find("depend or affinity 100 %"), std::string::npos) << lines[1];
  EXPECT_NE(lines[1].find("100.0 %"), std::string::npos) << lines[1];
  EXPECT_NE(lines[3].find("9 tasks"), std::string::npos);
  EXPECT_TRUE(explanation_text({}).empty());
}

}  // namespace
}  // namespace lares::analysis

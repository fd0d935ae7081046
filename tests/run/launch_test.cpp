// The launcher's parts that read foreign bytes and words: program files, command lines.
#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "cli/launch/environment.hpp"
#include "cli/launch/program.hpp"
#include "cli/launch/words.hpp"

namespace lares::cli {
namespace {

#if defined(__x86_64__)
constexpr std::uint16_t own_architecture = EM_X86_64;
constexpr const char* own_loader = "/lib64/ld-linux-x86-64.so.2";
#else
constexpr std::uint16_t own_architecture = EM_AARCH64;
constexpr const char* own_loader = "/lib/ld-linux-aarch64.so.1";
#endif

/// An ELF header and one program header that names `loader`; without a name there is none.
std::vector<std::byte> image(const std::string& loader,
                             std::uint16_t architecture = own_architecture) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_machine = architecture;
  header.e_phoff = sizeof(header);
  header.e_phnum = 1;
  Elf64_Phdr segment{};
  segment.p_type = loader.empty() ? PT_LOAD : PT_INTERP;
  segment.p_offset = sizeof(header) + sizeof(segment);
  segment.p_filesz = loader.size() + 1;
  std::vector<std::byte> bytes(segment.p_offset + segment.p_filesz);
  std::memcpy(bytes.data(), &header, sizeof(header));
  std::memcpy(bytes.data() + sizeof(header), &segment, sizeof(segment));
  std::memcpy(bytes.data() + segment.p_offset, loader.c_str(), loader.size() + 1);
  return bytes;
}

std::vector<std::byte> text(const char* words) {
  std::vector<std::byte> bytes(std::strlen(words));
  std::memcpy(bytes.data(), words, bytes.size());
  return bytes;
}

TEST(InspectImage, TellsWherePreloadingWorks) {
  EXPECT_EQ(inspect_image(image(own_loader)), Preload::works);
  EXPECT_EQ(inspect_image(text("#!/bin/sh\n")), Preload::works);
  EXPECT_EQ(inspect_image({}), Preload::works);
  EXPECT_EQ(inspect_image(image("")), Preload::ignored);
  EXPECT_EQ(inspect_image(image("/lib/ld-musl-x86_64.so.1")), Preload::not_wanted);
  EXPECT_EQ(inspect_image(image(own_loader, EM_386)), Preload::not_wanted);
  auto bytes = image(own_loader);
  bytes[EI_CLASS] = std::byte{ELFCLASS32};
  EXPECT_EQ(inspect_image(bytes), Preload::not_wanted);
}

TEST(InspectImage, JudgesTheProgramThatRuns) {
  EXPECT_EQ(inspect_program("/proc/self/exe"), Preload::works);
  EXPECT_TRUE(is_elf("/proc/self/exe"));
  EXPECT_FALSE(is_elf("/proc/self/status"));
  EXPECT_EQ(inspect_program("/nonexistent"), Preload::works);
}

TEST(InspectImage, WithstandsMutatedBytes) {
  const auto original = image(own_loader);
  Random random(7);
  std::size_t verdicts[4] = {};
  for (int round = 0; round < 50'000; ++round) {
    auto bytes = original;
    for (std::uint32_t i = 0; i < 1 + random.below(6); ++i) {
      bytes[SELFMAG + random.below(static_cast<std::uint32_t>(bytes.size()) - SELFMAG)] =
          static_cast<std::byte>(random.below(256));
    }
    if (random.below(4) == 0) bytes.resize(random.below(static_cast<std::uint32_t>(bytes.size())));
    ++verdicts[static_cast<std::size_t>(inspect_image(bytes))];
  }
  EXPECT_GT(verdicts[static_cast<std::size_t>(Preload::works)], 0U);
  EXPECT_GT(verdicts[static_cast<std::size_t>(Preload::ignored)], 0U);
  EXPECT_GT(verdicts[static_cast<std::size_t>(Preload::not_wanted)], 0U);
}

class Words : public testing::Test {
 protected:
  Words() {
    run_ = app_.add_subcommand("run");
    run_->add_option("--policy", policy_);
    run_->add_option("--summary", summary_)->expected(1, 2);
    run_->add_flag("--quiet", quiet_);
  }

  [[nodiscard]] std::vector<std::string> protect(std::vector<std::string> words) const {
    return protect_program(*run_, std::move(words));
  }

  CLI::App app_;
  CLI::App* run_ = nullptr;
  std::string policy_;
  std::vector<std::string> summary_;
  bool quiet_ = false;
};

using List = std::vector<std::string>;

TEST_F(Words, OfTheProgramAreFoundBehindTheOptions) {
  EXPECT_EQ(protect({"run", "./a", "--quiet"}), (List{"run", "--", "=./a", "=--quiet"}));
  EXPECT_EQ(protect({"run", "--quiet", "a"}), (List{"run", "--quiet", "--", "=a"}));
  EXPECT_EQ(protect({"run", "--policy", "p", "a"}), (List{"run", "--policy", "p", "--", "=a"}));
  EXPECT_EQ(protect({"run", "--policy=p", "a"}), (List{"run", "--policy=p", "--", "=a"}));
  EXPECT_EQ(protect({"run", "--summary=json", "f", "a"}),
            (List{"run", "--summary=json", "f", "--", "=a"}));
  EXPECT_EQ(protect({"run", "--summary", "json", "f", "a"}),
            (List{"run", "--summary", "json", "f", "--", "=a"}));
}

TEST_F(Words, StartAtTheFirstMarkOnly) {
  EXPECT_EQ(protect({"run", "--", "a", "--", "b"}), (List{"run", "--", "=a", "=--", "=b"}));
  EXPECT_EQ(protect({"run", "--summary=json", "--", "a"}),
            (List{"run", "--summary=json", "--", "=a"}));
}

TEST_F(Words, OfOtherCommandsAndOfMistakesStayAsTheyAre) {
  for (const List& words : {List{}, List{"topo", "a"}, List{"run"}, List{"run", "--bogus", "a"},
                            List{"run", "--policy"}, List{"--help"}}) {
    EXPECT_EQ(protect(words), words);
  }
}

TEST_F(Words, ComeBackAsTheyWere) {
  const List words = {"a", "", "=", "--x", "[1,2]"};
  List line = {"run", "--"};
  line.insert(line.end(), words.begin(), words.end());
  List guarded = protect(line);
  guarded.erase(guarded.begin(), guarded.begin() + 2);
  EXPECT_EQ(unprotect_program(guarded), words);
}

TEST(EnvironmentCopy, ChangesWhatItIsToldTo) {
  Environment environment({"A=1", "AB=2", "EMPTY=", "odd"});
  EXPECT_EQ(environment.get("A"), "1");
  EXPECT_EQ(environment.get("EMPTY"), std::nullopt);
  EXPECT_EQ(environment.get("odd"), std::nullopt);
  environment.set("A", "x=y");
  EXPECT_EQ(environment.get("A"), "x=y");
  environment.unset("AB");
  EXPECT_EQ(environment.entries(), (List{"EMPTY=", "odd", "A=x=y"}));
  EXPECT_EQ(environment.names_with("E"), (List{"EMPTY"}));
}

TEST(FindProgram, LooksThroughPathAsExecDoes) {
  const auto in_path = [](const char* path) { return Environment({std::string("PATH=") + path}); };
  EXPECT_EQ(find_program("sh", in_path("/nowhere:/bin")).value(), "/bin/sh");
  EXPECT_EQ(find_program("sh", Environment({})).value(), "/bin/sh");
  EXPECT_FALSE(find_program("sh", in_path("/nowhere")).ok());
  EXPECT_EQ(find_program("/bin/sh", in_path("/nowhere")).value(), "/bin/sh");
}

}  // namespace
}  // namespace lares::cli

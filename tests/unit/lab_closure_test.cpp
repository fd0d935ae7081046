// What a program needs, and one sentence when it cannot have that. The programs come with the
// build: support/lab_program.c and the library that it needs, support/lab_part.c.
#include "lab/image/closure.hpp"

#include <elf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "lab/image/elf.hpp"
#include "support/lab_image.hpp"

namespace lares::lab {
namespace {

using test::TemporaryFolder;
using test::write_file;

const std::string program = LARES_LAB_PROGRAM;
const std::string static_program = LARES_LAB_STATIC_PROGRAM;
const std::string library = LARES_LAB_LIBRARY;

bool has_file_named(const std::vector<std::string>& files, std::string_view name) {
  return std::any_of(files.begin(), files.end(), [&](const std::string& file) {
    return std::filesystem::path(file).filename() == name;
  });
}

std::string finds_library() {
  return "LD_LIBRARY_PATH=" + std::filesystem::path(library).parent_path().string();
}

std::string sentence_of(const Result<std::vector<std::string>>& result) {
  return result ? "" : result.error().sentence;
}

Result<std::vector<std::string>> closure(const std::string& path,
                                         const std::vector<std::string>& environment = {}) {
  return closure_of(path, environment);
}

class Closure : public testing::Test {
 protected:
  void SetUp() override {
#if !defined(__x86_64__)
    GTEST_SKIP() << "the lab's guests are x86-64, and this host's programs are not";
#endif
  }
  TemporaryFolder folder_;
};

TEST_F(Closure, HasTheProgramFirstThenItsLinkerAndLibraries) {
  const auto files = closure(program, {finds_library()});
  ASSERT_TRUE(files) << sentence_of(files);
  EXPECT_EQ(files.value().front(), program);
  EXPECT_TRUE(has_file_named(files.value(), "ld-linux-x86-64.so.2"));
  EXPECT_TRUE(has_file_named(files.value(), "libc.so.6"));
  EXPECT_TRUE(has_file_named(files.value(), std::filesystem::path(library).filename().string()));
}

TEST_F(Closure, HasTheLibraryThatTheCLibraryOpensItself) {
  EXPECT_TRUE(has_file_named(closure(program, {finds_library()}).value(), "libgcc_s.so.1"));
}

TEST_F(Closure, NamesEachFileOnce) {
  auto files = closure(program, {finds_library(), "LD_PRELOAD=" + library}).value();
  std::sort(files.begin(), files.end());
  EXPECT_EQ(std::adjacent_find(files.begin(), files.end()), files.end());
}

TEST_F(Closure, AMissingLibraryIsNamed) {
  const auto name = std::filesystem::path(library).filename().string();
  EXPECT_EQ(sentence_of(closure(program)),
            "\"" + program + "\" needs the library " + name +
                ", which this system does not find; LD_LIBRARY_PATH can name more folders");
}

TEST_F(Closure, TheTestsOwnLibraryPathDoesNotCount) {
  const test::WithVariable ours("LD_LIBRARY_PATH",
                                std::filesystem::path(library).parent_path().string());
  EXPECT_FALSE(closure(program));
}

TEST_F(Closure, PreloadedLibrariesComeAlong) {
  const auto files = closure("/bin/sh", {"LD_PRELOAD=" + library});
  ASSERT_TRUE(files) << sentence_of(files);
  EXPECT_TRUE(has_file_named(files.value(), std::filesystem::path(library).filename().string()));
}

TEST_F(Closure, AuditLibrariesComeAlongAndAreNotRun) {
  const auto files = closure("/bin/sh", {"LD_AUDIT=/nowhere.so:" + library});
  ASSERT_TRUE(files) << sentence_of(files);
  EXPECT_TRUE(has_file_named(files.value(), std::filesystem::path(library).filename().string()));
  EXPECT_FALSE(has_file_named(files.value(), "nowhere.so"));
}

TEST_F(Closure, AStaticProgramNeedsNothing) {
  EXPECT_EQ(closure(static_program).value(), std::vector<std::string>{static_program});
}

TEST_F(Closure, ALibraryMayBeGiven) {
  const auto files = closure(library);
  ASSERT_TRUE(files) << sentence_of(files);
  EXPECT_TRUE(has_file_named(files.value(), "libc.so.6"));
}

TEST_F(Closure, AProgramOfThisFolderIsFoundWithoutASlash) {
  const auto before = std::filesystem::current_path();
  std::filesystem::copy_file(program, folder_ / "prog");
  std::filesystem::current_path(folder_.path());
  const auto files = closure("prog", {finds_library()});
  std::filesystem::current_path(before);
  EXPECT_TRUE(files) << sentence_of(files);
}

TEST_F(Closure, AScriptBringsItsInterpreter) {
  write_file(folder_ / "script", "#! /bin/sh -e\necho hello\n", 0755);
  const auto files = closure(folder_ / "script");
  ASSERT_TRUE(files) << sentence_of(files);
  EXPECT_EQ(files.value()[0], folder_ / "script");
  EXPECT_EQ(files.value()[1], "/bin/sh");
  EXPECT_TRUE(has_file_named(files.value(), "libc.so.6"));
}

TEST_F(Closure, AScriptOfEnvBringsWhatEnvStarts) {
  write_file(folder_ / "bin/tool", "#!/bin/sh\n", 0755);
  write_file(folder_ / "script", "#!/usr/bin/env -S A=b tool -x\n", 0755);
  const auto files = closure(folder_ / "script", {"PATH=/nowhere:" + (folder_ / "bin")});
  ASSERT_TRUE(files) << sentence_of(files);
  EXPECT_TRUE(has_file_named(files.value(), "env"));
  EXPECT_TRUE(has_file_named(files.value(), "tool"));
  EXPECT_TRUE(has_file_named(files.value(), "sh"));
}

TEST_F(Closure, AScriptsMissingInterpreterIsNamed) {
  write_file(folder_ / "script", "#!/nowhere/interpreter\n", 0755);
  EXPECT_EQ(sentence_of(closure(folder_ / "script")),
            "the script \"" + (folder_ / "script") +
                "\" asks for \"/nowhere/interpreter\", which is not there");
}

TEST_F(Closure, WhatEnvDoesNotFindIsNamed) {
  write_file(folder_ / "script", "#!/usr/bin/env no-such-tool\n", 0755);
  EXPECT_EQ(sentence_of(closure(folder_ / "script", {"PATH=/bin"})),
            "the script \"" + (folder_ / "script") +
                "\" asks for \"no-such-tool\", which is not in PATH");
}

TEST_F(Closure, ScriptsOfEachOtherEnd) {
  write_file(folder_ / "a", "#!" + (folder_ / "b") + "\n", 0755);
  write_file(folder_ / "b", "#!" + (folder_ / "a") + "\n", 0755);
  EXPECT_NE(sentence_of(closure(folder_ / "a")).find("too often for Linux"), std::string::npos);
}

TEST_F(Closure, WhatIsNoProgramIsRefused) {
  write_file(folder_ / "data", "1 2 3\n", 0755);
  EXPECT_EQ(sentence_of(closure(folder_ / "data")),
            "\"" + (folder_ / "data") + "\" is neither a program (an ELF file) nor a script (#!)");
  write_file(folder_ / "empty", "", 0755);
  EXPECT_NE(sentence_of(closure(folder_ / "empty")), "");
}

TEST_F(Closure, WhatIsNotThereIsRefused) {
  EXPECT_EQ(sentence_of(closure("/nowhere/x")),
            "cannot read \"/nowhere/x\": No such file or directory");
  EXPECT_EQ(sentence_of(closure(folder_.path())),
            "cannot read \"" + folder_.path() + "\": Is a directory");
}

TEST_F(Closure, AnotherArchitectureIsNamed) {
  std::string bytes = test::module_file("");
  bytes[offsetof(Elf64_Ehdr, e_type)] = ET_EXEC;
  bytes[offsetof(Elf64_Ehdr, e_machine)] = static_cast<char>(EM_AARCH64);
  write_file(folder_ / "arm", bytes, 0755);
  EXPECT_EQ(sentence_of(closure(folder_ / "arm")),
            "\"" + (folder_ / "arm") + "\" is a program for arm64; the lab's guests are x86-64");
}

TEST_F(Closure, AnObjectFileIsNoProgram) {
  write_file(folder_ / "part.o", test::module_file(""), 0755);
  EXPECT_EQ(sentence_of(closure(folder_ / "part.o")),
            "\"" + (folder_ / "part.o") + "\" is an ELF file, but neither a program nor a library");
}

/// A copy of the program that names another run-time linker.
std::string with_linker(const std::string& linker) {
  const auto mapped = MappedFile::open(program);
  std::string bytes(mapped.value().bytes());
  const std::string old = read_elf(bytes)->interpreter;
  std::string replaced = linker;
  replaced.resize(old.size(), '\0');
  bytes.replace(bytes.find(old), old.size(), replaced);
  return bytes;
}

TEST_F(Closure, AMissingLinkerIsNamed) {
  write_file(folder_ / "musl", with_linker("/lib/ld-nowhere.so.1"), 0755);
  EXPECT_EQ(sentence_of(closure(folder_ / "musl")),
            "\"" + (folder_ / "musl") +
                "\" needs the run-time linker \"/lib/ld-nowhere.so.1\", which is not there");
}

TEST_F(Closure, AProgramThatPosesAsLinkerIsNotRun) {
  write_file(folder_ / "odd", with_linker("/bin/ls"), 0755);
  EXPECT_NE(sentence_of(closure(folder_ / "odd")).find("which is none that the lab knows"),
            std::string::npos);
}

TEST(LibraryList, IsRead) {
  const auto list = parse_library_list(
      "\tlinux-vdso.so.1 (0x00007f8667a7b000)\n"
      "\tlibfoo.so => ./libfoo.so (0x00007f8667a69000)\n"
      "\tlibbar.so => not found\n"
      "\todd.so => /a => b (0x1)/odd.so (0x00007f1320aed000)\n"
      "\t/lib64/ld-linux-x86-64.so.2 (0x00007f8667a7d000)\n"
      "\tstatically linked\n"
      "something else\n");
  EXPECT_EQ(list, (std::vector<ListedLibrary>{
                      {"libfoo.so", "./libfoo.so"},
                      {"libbar.so", ""},
                      {"odd.so", "/a => b (0x1)/odd.so"},
                      {"/lib64/ld-linux-x86-64.so.2", "/lib64/ld-linux-x86-64.so.2"},
                  }));
  EXPECT_TRUE(parse_library_list("").empty());
  EXPECT_TRUE(parse_library_list("\t").empty());
}

TEST(ScriptStart, IsReadAsTheKernelDoes) {
  EXPECT_EQ(script_start("#!/bin/sh\n"), (ScriptStart{"/bin/sh", ""}));
  EXPECT_EQ(script_start("#! \t/bin/sh  -e -u \t\nx"), (ScriptStart{"/bin/sh", "-e -u"}));
  EXPECT_EQ(script_start("#!/bin/sh"), (ScriptStart{"/bin/sh", ""}));
  EXPECT_FALSE(script_start("#!\n/bin/sh"));
  EXPECT_FALSE(script_start("#!"));
  EXPECT_FALSE(script_start(" #!/bin/sh"));
  EXPECT_FALSE(script_start(""));
}

TEST(ScriptStart, EnvsArgumentHidesAProgram) {
  EXPECT_EQ(program_of_env("python3"), "python3");
  EXPECT_EQ(program_of_env("-S python3 -u"), "python3");
  EXPECT_EQ(program_of_env("-Spython3 -u"), "python3");
  EXPECT_EQ(program_of_env("-i A=b python3"), "python3");
  EXPECT_EQ(program_of_env("-i"), "");
  EXPECT_EQ(program_of_env(""), "");
}

}  // namespace
}  // namespace lares::lab

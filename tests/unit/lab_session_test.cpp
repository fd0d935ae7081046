// The parts of a session that need no guest.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "lab/session/console.hpp"
#include "lab/session/qemu_command.hpp"
#include "lab/session/streams.hpp"
#include "lab/session/terminal.hpp"

namespace lares::lab {
namespace {

Guest guest_of(std::vector<GuestNode> nodes) {
  Guest guest;
  const std::size_t n = nodes.size();
  guest.nodes = std::move(nodes);
  for (std::size_t i = 0; i < n * n; ++i) guest.distances.push_back(i % (n + 1) == 0 ? 10 : 20);
  return guest;
}

GuestNode node_of(std::uint32_t cpus, std::uint32_t package, std::uint64_t mebibytes = 128) {
  return {cpus, {mebibytes * mebibyte.count}, package, "DRAM"};
}

std::vector<std::string> values_of(const std::vector<std::string>& words,
                                   const std::string& option) {
  std::vector<std::string> values;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == option) values.push_back(words[i + 1]);
  }
  return values;
}

TEST(LabQemuCommand, EveryNodeHasItsCpusAndItsMemory) {
  const auto words = qemu_arguments(guest_of({node_of(2, 0), node_of(0, 0), node_of(1, 1, 0)}),
                                    {"kernel", "initramfs", 3, 4, -1, ""});
  const auto numa = values_of(words, "-numa");
  ASSERT_GE(numa.size(), 3U);
  EXPECT_EQ(numa[0], "node,nodeid=0,memdev=m0,cpus=0-1");
  EXPECT_EQ(numa[1], "node,nodeid=1,memdev=m1");
  EXPECT_EQ(numa[2], "node,nodeid=2,cpus=2-2");
  EXPECT_EQ(values_of(words, "-m"), std::vector<std::string>{"256M"});
  EXPECT_EQ(values_of(words, "-object").size(), 2U);
  EXPECT_NE(std::find(numa.begin(), numa.end(), "dist,src=2,dst=0,val=20"), numa.end());
  EXPECT_TRUE(values_of(words, "-mon").empty());
  EXPECT_TRUE(values_of(words, "-plugin").empty());
}

TEST(LabQemuCommand, LatenciesAndBandwidthsAreStatedFromNodesWithCpusToNodesWithMemory) {
  Guest guest = guest_of({node_of(1, 0), node_of(0, 0), node_of(1, 1, 0)});
  guest.latency_ns = {100, 200, 0, 0, 0, 0, 150, 250, 0};
  guest.bandwidth_mb_s = {900, 0, 0, 0, 0, 0, 0, 0, 0};
  const auto words = qemu_arguments(guest, {"k", "i", 3, 4, 5, "plugin.so,a=b"});
  const auto numa = values_of(words, "-numa");
  const auto has = [&](const std::string& value) {
    return std::find(numa.begin(), numa.end(), value) != numa.end();
  };
  const std::string target1 = ",target=1,hierarchy=memory,data-type=access-latency,latency=";
  EXPECT_TRUE(has("hmat-lb,initiator=0" + target1 + "200"));
  EXPECT_TRUE(has("hmat-lb,initiator=2" + target1 + "250"));
  EXPECT_TRUE(
      has("hmat-lb,initiator=0,target=0,hierarchy=memory,data-type=access-bandwidth,"
          "bandwidth=900M"));
  EXPECT_TRUE(has("node,nodeid=1,memdev=m1,initiator=0"));
  EXPECT_EQ(values_of(words, "-machine"), std::vector<std::string>{"q35,hmat=on"});
  EXPECT_EQ(values_of(words, "-plugin"), std::vector<std::string>{"plugin.so,a=b"});
  EXPECT_EQ(values_of(words, "-mon").size(), 1U);
}

TEST(LabQemuCommand, PackagesAreSocketsAndNodesAreDiesWhereTheyAreAlike) {
  const auto groups = [](std::vector<GuestNode> nodes, bool l3_per_package = false) {
    Guest guest = guest_of(std::move(nodes));
    guest.caches.l3_per_package = l3_per_package;
    const CpuGroups made = group_cpus(guest);
    return std::vector<std::uint32_t>{made.sockets, made.dies, made.cores};
  };
  using Groups = std::vector<std::uint32_t>;
  const std::vector<GuestNode> two_by_two{node_of(3, 0), node_of(3, 0), node_of(3, 1),
                                          node_of(3, 1), node_of(0, 0)};
  EXPECT_EQ(groups(two_by_two), (Groups{2, 2, 3}));
  EXPECT_EQ(groups(two_by_two, true), (Groups{2, 1, 6}));
  EXPECT_EQ(groups({node_of(2, 0), node_of(1, 0)}), (Groups{1, 1, 3}));
  EXPECT_EQ(groups({node_of(2, 0), node_of(1, 1)}), (Groups{3, 1, 1}));
  EXPECT_EQ(groups({node_of(1, 0), node_of(1, 1), node_of(1, 0), node_of(1, 1)}),
            (Groups{4, 1, 1}));
}

TEST(LabConsole, KeepsTheLastPart) {
  ConsoleLog log;
  for (int i = 0; i < 100000; ++i) log.add("line " + std::to_string(i) + "\r\n");
  EXPECT_LE(log.text().size(), 2 * ConsoleLog::capacity);
  EXPECT_EQ(log.last_line(), "line 99999");
  EXPECT_FALSE(log.last_line_with("line 7\r"));
}

TEST(LabConsole, TellsAPanicFromALackOfMemory) {
  ConsoleLog panic;
  panic.add(
      "[    1.5] ok\r\n[   12.25] Kernel panic - not syncing: sysrq\x1b[0m\r\n[   13.0] "
      "---[ end ]---\r\n");
  EXPECT_FALSE(diagnose(panic).out_of_memory);
  EXPECT_EQ(diagnose(panic).said, "Kernel panic - not syncing: sysrq[0m");
  ConsoleLog memory;
  memory.add("[    9.1] Out of memory: Killed process 145 (hog) total-vm:1kB\r\n");
  memory.add("[    9.9] Kernel panic - not syncing: System is deadlocked on memory\r\n");
  EXPECT_TRUE(diagnose(memory).out_of_memory);
  EXPECT_EQ(diagnose(memory).said, "Out of memory: Killed process 145 (hog) total-vm:1kB");
  EXPECT_EQ(diagnose(ConsoleLog()).said, "");
}

TEST(LabStreams, AFullPipeHoldsUpNobody) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  OutputStream stream(ends[1]);
  const std::string bytes(300'000, 'x');
  stream.put(bytes);
  EXPECT_FALSE(stream.idle());
  std::string got;
  std::string piece(70'000, '\0');
  while (got.size() < bytes.size()) {
    const ssize_t count = read(ends[0], piece.data(), piece.size());
    ASSERT_GT(count, 0);
    got.append(piece, 0, static_cast<std::size_t>(count));
    stream.pump();
  }
  EXPECT_EQ(got, bytes);
  EXPECT_TRUE(stream.idle());
  close(ends[0]);
  close(ends[1]);
}

TEST(LabStreams, SameFileIsTheSameOpenFile) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const int copy = dup(ends[1]);
  EXPECT_TRUE(same_file(ends[1], copy));
  EXPECT_FALSE(same_file(ends[1], STDERR_FILENO));
  for (const int file : {ends[0], ends[1], copy}) close(file);
}

TEST(LabEscapeKeys, ThreeWithinASecond) {
  constexpr char escape = 0x1d;
  EscapeKeys keys;
  EXPECT_FALSE(keys.add(escape, 0));
  EXPECT_FALSE(keys.add(escape, 10));
  EXPECT_FALSE(keys.add('x', 20));
  EXPECT_FALSE(keys.add(escape, 30));
  EXPECT_FALSE(keys.add(escape, 900));
  EXPECT_FALSE(keys.add(escape, 1100));
  EXPECT_FALSE(keys.add(escape, 1200));
  EXPECT_TRUE(keys.add(escape, 1300));
}

}  // namespace
}  // namespace lares::lab

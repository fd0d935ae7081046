// The parts of the counter around its cache model: what passes first, where memory is, what
// programs say, and what is written in the end.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "cache_model_support.hpp"
#include "lab/plugin/front.hpp"
#include "lab/plugin/messages.hpp"
#include "lab/plugin/options.hpp"
#include "lab/plugin/regions.hpp"
#include "lab/plugin/result.hpp"
#include "lab/plugin/turns.hpp"
#include "lares/lab.h"

namespace lares::lab::counting {
namespace {

AddressMap map_of(std::string_view text, Node nodes = 2) {
  std::string sentence;
  auto map = AddressMap::parse(text, nodes, sentence);
  EXPECT_TRUE(map) << sentence;
  return map.value_or(AddressMap());
}

std::string complaint(std::string_view text) {
  std::string sentence;
  EXPECT_FALSE(AddressMap::parse(text, 2, sentence)) << text;
  return sentence;
}

// --- turns ---

TEST(Turn, EndsAfterSoManyAccessesAndBeginsAnew) {
  Turn turn;
  for (int repetition = 0; repetition < 3; ++repetition) {
    std::uint32_t accesses = 1;
    while (!turn.ends(1)) ++accesses;
    EXPECT_EQ(accesses, Turn::length);
  }
}

TEST(Turn, OfAVcpuThatOnlyWaitsIsShort) {
  Turn turn;
  std::uint32_t pauses = 1;
  while (!turn.ends(Turn::pause)) ++pauses;
  EXPECT_EQ(pauses, Turn::length / Turn::pause);
  EXPECT_FALSE(turn.ends(Turn::length - 1));
  EXPECT_TRUE(turn.ends(Turn::length)) << "more than is left";
}

// --- address map ---

TEST(AddressMap, GivesEachLineANumberAndAHome) {
  const AddressMap map = map_of("# QEMU's\n 4294967296 2097152 1 # second\n\n0 1048576 0\r\n");
  const Homes homes = map.homes();
  EXPECT_EQ(homes.node_of_chunk, (std::vector<Node>{0, 1, 1}));
  EXPECT_EQ(map.line_of(0), 0U);
  EXPECT_EQ(map.line_of(1048575), lines_per_chunk - 1);
  EXPECT_EQ(map.line_of(4294967296), lines_per_chunk);
  EXPECT_EQ(homes.of(map.line_of(4294967296 + 2097151)), 1U);
  EXPECT_EQ(map.line_of(1048576), no_line);
  EXPECT_EQ(map.line_of(4294967295), no_line);
  EXPECT_EQ(map.line_of(4294967296 + 2097152), no_line);
  EXPECT_EQ(map.line_of(UINT64_MAX), no_line);
}

TEST(AddressMap, StartsEachRangeWithAChunk) {
  const AddressMap map = map_of("0 4096 0\n8192 4096 1\n");
  EXPECT_EQ(map.line_of(8192), lines_per_chunk);
  EXPECT_EQ(map.homes().of(map.line_of(0)), 0U);
  EXPECT_EQ(map.homes().of(map.line_of(8192)), 1U);
}

TEST(AddressMap, RefusesWhatCannotBe) {
  EXPECT_EQ(complaint("0 4096\n"),
            "line 1 of the address map is not \"START LENGTH NODE\" in decimal numbers");
  EXPECT_NE(complaint("0 4096 0\n0x1000 4096 0\n").find("line 2 "), std::string::npos);
  EXPECT_NE(complaint("-4096 4096 0\n").find("line 1 "), std::string::npos);
  EXPECT_NE(complaint("0 4096 0 0\n").find("line 1 "), std::string::npos);
  EXPECT_NE(complaint("0 4096 2\n").find("node that is not below 2"), std::string::npos);
  EXPECT_NE(complaint("0 4095 0\n").find("whole pages"), std::string::npos);
  EXPECT_NE(complaint("0 0 0\n").find("whole pages"), std::string::npos);
  EXPECT_NE(complaint("0 8192 0\n4096 4096 1\n").find("overlaps"), std::string::npos);
  EXPECT_NE(complaint("18446744073709543424 1099511627776 0\n").find("beyond"), std::string::npos);
  EXPECT_NE(complaint("0 274877906944 0\n").find("256 GiB"), std::string::npos);
  EXPECT_EQ(complaint("\n"), "the address map is empty");
}

// --- front ---

/// A vCPU's front, and a model that it must not differ from.
struct FrontCase {
  explicit FrontCase(const Shape& shape)
      : map(map_of("0 1048576 0\n1048576 1048576 1\n")),
        behind(layout_of(shape), map.homes()),
        direct(layout_of(shape), map.homes()) {}

  void access(Front& front, Vcpu vcpu, std::uint64_t address, std::uint64_t place, bool store) {
    front.access(address, [store] { return store; }, [place] { return place; });
    direct.access(vcpu, map.line_of(place), store);
  }

  AddressMap map;
  CacheModel behind;
  CacheModel direct;
};

TEST(Front, ChangesNoCount) {
  for (const std::uint64_t l3_bytes : {std::uint64_t{0}, l3_unit}) {
    FrontCase test(Shape{.l3_bytes = l3_bytes});
    Front first(test.behind, test.map, 0);
    Front second(test.behind, test.map, 1);
    Random random(3);
    for (int i = 0; i < 300000; ++i) {
      const Vcpu vcpu = random.below(2);
      const std::uint64_t place = random.below(24) * 20 * page_bytes + random.below(4) * 32;
      // Each page has two names.
      const std::uint64_t address = 0x400000000000 + place + (random.below(2) << 30U);
      test.access(vcpu == 0 ? first : second, vcpu, address, place, random.below(3) == 0);
    }
    EXPECT_EQ(test.behind.traffic(), test.direct.traffic());
    EXPECT_GT(sum(test.behind, Kind::upgrade), 0U);
  }
}

TEST(Front, ForgetsWherePagesAreWhenTheKernelRan) {
  FrontCase test(Shape{});
  Front front(test.behind, test.map, 0);
  Random random(5);
  std::uint64_t moved = 0;
  for (int i = 0; i < 100000; ++i) {
    if (random.below(1000) == 0) {
      moved = random.below(2) * std::uint64_t{1048576};
      front.forget();
    }
    const std::uint64_t address = random.below(8192) * 16;
    test.access(front, 0, address, address + moved, random.below(2) == 0);
  }
  EXPECT_EQ(test.behind.traffic(), test.direct.traffic());
  EXPECT_GT(test.behind.traffic().at(Kind::read, 0, 1), 0U);
}

TEST(Front, CountsApartWhatIsNoMemory) {
  FrontCase test(Shape{});
  Front front(test.behind, test.map, 0);
  for (int i = 0; i < 3; ++i) {
    front.access(0x1000, [] { return false; }, [] { return UINT64_MAX; });
  }
  EXPECT_EQ(front.elsewhere(), 3U);
  EXPECT_EQ(sum(test.behind, Kind::read), 0U);
}

TEST(Front, AsksWhereALineIsOnce) {
  FrontCase test(Shape{});
  Front front(test.behind, test.map, 0);
  int places = 0;
  for (int i = 0; i < 100; ++i) {
    front.access(
        0x1000 + static_cast<std::uint64_t>(i), [] { return true; },
        [&] { return static_cast<std::uint64_t>(++places) * page_bytes; });
  }
  EXPECT_EQ(places, 1);
}

TEST(Front, IsSettledWhileNothingWouldChange) {
  FrontCase test(Shape{});
  Front front(test.behind, test.map, 0);
  const auto settled = [&](std::uint64_t address, bool store) {
    return front.is_settled(address, [store] { return store; });
  };
  EXPECT_FALSE(settled(0x1000, false));
  test.access(front, 0, 0x1000, 0x1000, false);
  EXPECT_TRUE(settled(0x1000, false));
  EXPECT_FALSE(settled(0x1000, true)) << "it would become dirty";
  test.access(front, 0, 0x1000, 0x1000, true);
  EXPECT_TRUE(settled(0x103f, true));
  EXPECT_FALSE(settled(0x1040, false)) << "another line";
  Front other(test.behind, test.map, 1);
  test.access(other, 1, 0x1000, 0x1000, false);
  EXPECT_TRUE(settled(0x1000, false));
  EXPECT_FALSE(settled(0x1000, true)) << "another cache holds it";
  test.access(other, 1, 0x1000, 0x1000, true);
  EXPECT_FALSE(settled(0x1000, false)) << "another cache took it";
  test.access(front, 0, 0x1000, 0x1000, true);
  EXPECT_TRUE(settled(0x1000, true));
  front.forget();
  EXPECT_FALSE(settled(0x1000, false));
}

// --- regions ---

Traffic traffic_with(std::uint64_t reads) {
  Traffic traffic(2);
  traffic.at(Kind::read, 0, 1) = reads;
  return traffic;
}

std::uint64_t reads_of(const Region& region) { return region.counted.at(Kind::read, 0, 1); }

TEST(Regions, CountBetweenBeginAndEndAndSumRepetitions) {
  Regions regions(2);
  regions.begin("program", traffic_with(0));
  regions.begin("solve", traffic_with(10));
  regions.begin("inner", traffic_with(12));
  regions.end("inner", traffic_with(15));
  regions.end("solve", traffic_with(30));
  regions.begin("solve", traffic_with(100));
  regions.end("solve", traffic_with(105));
  regions.end("program", traffic_with(200));
  ASSERT_EQ(regions.all().size(), 3U);
  EXPECT_EQ(reads_of(regions.all()[0]), 200U);
  EXPECT_EQ(reads_of(regions.all()[1]), 25U);
  EXPECT_EQ(regions.all()[1].entered, 2U);
  EXPECT_EQ(reads_of(regions.all()[2]), 3U);
}

TEST(Regions, OverlapAndNestInThemselves) {
  Regions regions(2);
  regions.begin("a", traffic_with(0));
  regions.begin("b", traffic_with(5));
  regions.begin("a", traffic_with(6));
  regions.end("a", traffic_with(7));
  regions.end("a", traffic_with(9));
  regions.end("b", traffic_with(20));
  EXPECT_EQ(reads_of(regions.all()[0]), 9U) << "from the first begin to the last end";
  EXPECT_EQ(regions.all()[0].entered, 1U);
  EXPECT_EQ(reads_of(regions.all()[1]), 15U);
}

TEST(Regions, SayWhatWasNotInOrder) {
  Regions regions(2);
  regions.end("never", traffic_with(1));
  regions.begin("open", traffic_with(1));
  regions.finish(traffic_with(4));
  EXPECT_EQ(regions.unmatched_ends(), 1U);
  ASSERT_EQ(regions.all().size(), 1U);
  EXPECT_TRUE(regions.all()[0].left_open);
  EXPECT_EQ(reads_of(regions.all()[0]), 3U);
  for (std::size_t i = 0; i < Regions::max_regions; ++i) {
    regions.begin(std::to_string(i), traffic_with(0));
  }
  EXPECT_EQ(regions.all().size(), Regions::max_regions);
  EXPECT_EQ(regions.left_out(), 1U);
}

// --- messages ---

TEST(Messages, OfSeveralSendersDoNotMix) {
  Messages messages;
  const std::string first = std::string("Bsolve") + '\0';
  const std::string second = std::string("Eother") + '\0';
  std::vector<Message> got;
  for (std::size_t i = 0; i < first.size(); ++i) {
    for (const auto& [sender, text] : {std::pair(1, &first), std::pair(2, &second)}) {
      const auto byte = static_cast<unsigned char>((*text)[i]);
      auto message = messages.take(static_cast<std::uint64_t>(sender), byte);
      if (message) got.push_back(*message);
    }
  }
  ASSERT_EQ(got.size(), 2U);
  EXPECT_EQ(got[0].what, LARES_LAB_REGION_BEGIN);
  EXPECT_EQ(got[0].name, "solve");
  EXPECT_EQ(got[1].what, LARES_LAB_REGION_END);
  EXPECT_EQ(got[1].name, "other");
}

TEST(Messages, OfAnyLengthAndWithoutEndTakeLittleMemory) {
  Messages messages;
  messages.take(0, 'B');
  for (int i = 0; i < 100000; ++i) messages.take(0, 'x');
  EXPECT_EQ(messages.take(0, 0)->name, std::string(LARES_LAB_NAME_BYTES, 'x'));
  for (std::uint64_t sender = 0; sender < 3 * Messages::max_senders; ++sender) {
    EXPECT_FALSE(messages.take(sender, 'B'));
  }
  EXPECT_FALSE(messages.take(1, 'B')) << "forgotten, so this is a new message";
  EXPECT_TRUE(messages.take(1, 0));
}

TEST(Messages, ThatThisProcessSendsChangeNothingHere) {
  // Outside of the lab they are loads, of a name of any length.
  const std::string name(1000, 'x');
  errno = ERANGE;
  lares_lab_region_begin("solve");
  lares_lab_region_end(name.c_str());
  EXPECT_EQ(errno, ERANGE);
  EXPECT_EQ(name, std::string(1000, 'x'));
}

// --- options ---

TEST(CounterOptions, DescribeTheMachine) {
  Options options;
  for (const char* argument : {"cpus=2:0:1", "packages=7:7:3", "l2=65536", "l3=131072",
                               "l3-per=package", "map=/m", "result=/r"}) {
    EXPECT_EQ(take_option(options, argument), "");
  }
  EXPECT_EQ(check_options(options), "");
  const Layout layout = layout_of(options);
  EXPECT_EQ(layout.node_of_vcpu, (std::vector<Node>{0, 0, 2}));
  EXPECT_EQ(layout.l3_of_node, (std::vector<unsigned>{0, 0, 1}));
  EXPECT_EQ(layout.l2_bytes, 65536U);
}

TEST(CounterOptions, AreRefusedWithASentence) {
  Options options;
  for (const char* argument : {"cpus=", "cpus=2:", "cpus=2:x", "l2=64K", "l3-per=core", "l4=3", "",
                               "map=", "cpus", "l2=99999999999999999999"}) {
    EXPECT_EQ(take_option(options, argument),
              "the counter does not understand its argument \"" + std::string(argument) + "\"");
  }
  const auto checked = [](std::vector<const char*> arguments) {
    Options made{.cpus = {2, 2}, .packages = {}, .map = "m", .result = "r"};
    for (const char* argument : arguments) EXPECT_EQ(take_option(made, argument), "");
    return check_options(made);
  };
  EXPECT_EQ(checked({}), "");
  EXPECT_NE(checked({"l2=1000"}).find("multiples of 32768"), std::string::npos);
  EXPECT_NE(checked({"l2=0"}), "");
  EXPECT_NE(checked({"l3=32768"}).find("multiples of 65536"), std::string::npos);
  EXPECT_NE(checked({"packages=0"}).find("1 nodes, but there are 2"), std::string::npos);
  EXPECT_NE(checked({"cpus=500:20"}).find("512"), std::string::npos);
}

// --- result ---

TEST(CounterResult, IsJsonWhateverARegionIsCalled) {
  Options options{.cpus = {2, 0}, .packages = {}, .map = "m", .result = "r"};
  Regions regions(2);
  const std::string name = "a\"b\\c\n\xff\xc3\xa9";
  regions.begin(name, traffic_with(0));
  regions.end(name, traffic_with(42));
  const Result result{&options, &regions, true, 7, ""};
  const auto json = nlohmann::json::parse(to_json(result));
  EXPECT_EQ(json["format"], "lares-lab-counts");
  EXPECT_EQ(json["version"], 1);
  EXPECT_EQ(json["complete"], true);
  EXPECT_EQ(json["error"], nullptr);
  EXPECT_EQ(json["elsewhere"], 7);
  EXPECT_EQ(json["cpus"], (std::vector<int>{2, 0}));
  EXPECT_EQ(json["regions"][0]["name"], "a\"b\\c??\xc3\xa9");
  EXPECT_EQ(json["regions"][0]["read"], (std::vector<std::vector<int>>{{0, 42}, {0, 0}}));
}

TEST(CounterResult, SaysWhyThereIsNone) {
  const Options options{.cpus = {1}, .packages = {}, .map = "m", .result = "r"};
  const auto json =
      nlohmann::json::parse(to_json(Result{&options, nullptr, false, 0, "the map is gone"}));
  EXPECT_EQ(json["error"], "the map is gone");
  EXPECT_EQ(json["complete"], false);
  EXPECT_TRUE(json["regions"].empty());
}

TEST(CounterResult, FilesThatCannotBeUsedGiveASentence) {
  EXPECT_EQ(write_file("/nonexistent/file", "x"),
            "cannot write the counts to /nonexistent/file: No such file or directory");
  std::string sentence;
  EXPECT_EQ(read_file("/nonexistent/file", sentence), "");
  EXPECT_EQ(sentence, "cannot read /nonexistent/file: No such file or directory");
}

}  // namespace
}  // namespace lares::lab::counting

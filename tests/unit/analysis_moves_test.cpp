// The file of moves: what is read of any bytes.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "analysis/moves_file.hpp"

namespace lares::analysis {
namespace {

using memory::MoveEvent;
using memory::MoveKind;
using memory::MovesHead;

const MoveEvent some_call = {100, 50, 0x10000, 8192, 4096, 7, 9, 2, MoveKind::call, 0};

std::vector<std::byte> moves_bytes(const std::vector<MoveEvent>& events, std::uint64_t noted) {
  MovesHead head;
  head.room = events.size();
  head.noted = noted;
  std::vector<std::byte> bytes(sizeof(head) + events.size() * sizeof(MoveEvent));
  std::memcpy(bytes.data(), &head, sizeof(head));
  std::memcpy(bytes.data() + sizeof(head), events.data(), events.size() * sizeof(MoveEvent));
  return bytes;
}

TEST(MovesFile, IsReadUpToWhatWasNoted) {
  const auto moves = parse_moves(moves_bytes({some_call, some_call, some_call}, 2)).value();
  ASSERT_EQ(moves.events.size(), 2U);
  EXPECT_EQ(moves.events[1], some_call);
  EXPECT_EQ(parse_moves(moves_bytes({some_call}, 5)).value().over_limit, 4U);
}

TEST(MovesFile, OfAnotherKindIsRefusedWithASentence) {
  EXPECT_EQ(parse_moves({}).error().sentence, "it is truncated");
  auto bytes = moves_bytes({some_call}, 1);
  bytes[0] = std::byte{0};
  EXPECT_EQ(parse_moves(bytes).error().sentence, "it does not start with Lares' mark");
  bytes = moves_bytes({some_call}, 1);
  bytes[7] = std::byte{'9'};
  EXPECT_EQ(parse_moves(bytes).error().sentence, "it comes from another version of Lares");
}

TEST(MovesFile, LeavesOutEventsThatCannotBe) {
  std::vector<MoveEvent> events(9, some_call);
  events[0].kind = MoveKind::none;  // not written to the end
  events[1].kind = static_cast<MoveKind>(77);
  events[2].address = std::uint64_t{1} << 48U;
  events[3].bytes = 0;
  events[4].bytes = (std::uint64_t{1} << 46U) + 1;
  events[5].arrived = ~std::uint64_t{0};
  events[6].begin_ns = ~std::uint64_t{0};
  events[7].took_ns = ~std::uint64_t{0};
  EXPECT_EQ(parse_moves(moves_bytes(events, 9)).value().events.size(), 1U);
}

TEST(MovesFile, HasThreadsWithoutMemoryAndNothingElseWithout) {
  MoveEvent thread = some_call;
  thread.kind = MoveKind::thread;
  MoveEvent without = thread;
  without.bytes = 0;
  const auto moves = parse_moves(moves_bytes({thread, without}, 2)).value();
  ASSERT_EQ(moves.events.size(), 1U);
  EXPECT_EQ(moves.events[0], without);
}

TEST(MovesFile, ThatIsCutHasWhatIsWhole) {
  auto bytes = moves_bytes({some_call, some_call}, 2);
  bytes.resize(bytes.size() - 1);
  EXPECT_EQ(parse_moves(bytes).value().events.size(), 1U);
}

TEST(MovesFile, OfAnyBytesIsASentenceOrEvents) {
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    auto bytes = moves_bytes({some_call, some_call}, 2);
    const std::size_t length = random() % (bytes.size() + 1);
    bytes.resize(length);
    for (int k = 0; k < 4 && length > 0; ++k) {
      bytes[random() % length] = static_cast<std::byte>(random());
    }
    const auto moves = parse_moves(bytes);
    if (!moves) {
      EXPECT_FALSE(moves.error().sentence.empty());
      continue;
    }
    EXPECT_LE(moves.value().events.size(), 2U);
    for (const MoveEvent& event : moves.value().events) EXPECT_NE(event.bytes, 0U);
  }
}

}  // namespace
}  // namespace lares::analysis

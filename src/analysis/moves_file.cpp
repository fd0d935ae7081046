#include "analysis/moves_file.hpp"

#include <algorithm>
#include <cstring>

#include "analysis/file_mark.hpp"
#include "analysis/record_clock.hpp"

namespace lares::analysis {
namespace {

using memory::MoveEvent;
using memory::MoveKind;
using memory::MovesHead;

/// Linux gives no program memory from here on that does not ask for it.
constexpr std::uint64_t most_moved_address = std::uint64_t{1} << 48U;
/// So that sums over MovesHead::most_room events do not overflow.
constexpr std::uint64_t most_moved_bytes = std::uint64_t{1} << 46U;
constexpr std::uint64_t most_nanoseconds = std::uint64_t{1} << 46U;

bool can_be(const MoveEvent& event) noexcept {
  const bool has_memory = event.bytes != 0;
  const bool needs_memory = event.kind != MoveKind::thread;
  return event.kind > MoveKind::none && event.kind < MoveKind::kinds &&
         event.address < most_moved_address && has_memory == needs_memory &&
         event.bytes <= most_moved_bytes && event.arrived <= most_moved_bytes &&
         event.begin_ns <= most_recorded_nanoseconds && event.took_ns <= most_nanoseconds;
}

}  // namespace

Result<RecordedMoves> parse_moves(std::span<const std::byte> bytes) {
  MovesHead head;
  if (bytes.size() < sizeof(head)) return Error{"it is truncated"};
  std::memcpy(&head, bytes.data(), sizeof(head));
  if (const auto wrong = wrong_mark(head.magic, MovesHead::expected_magic)) return *wrong;
  RecordedMoves moves;
  if (head.noted > head.room) moves.over_limit = head.noted - head.room;
  bytes = bytes.subspan(sizeof(head));
  const std::uint64_t count = std::min<std::uint64_t>(
      {head.noted, head.room, MovesHead::most_room, bytes.size() / sizeof(MoveEvent)});
  for (std::uint64_t i = 0; i < count; ++i) {
    MoveEvent event;
    std::memcpy(&event, bytes.data() + i * sizeof(event), sizeof(event));
    if (can_be(event)) moves.events.push_back(event);
  }
  return moves;
}

}  // namespace lares::analysis

// The file `moves` of a trace folder: what memory was marked to move, what moved, and which threads
// went elsewhere inside of a region (`lares run --trace`). A head, then events, in the order in
// which they were noted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace lares::memory {

/// The file's name in a trace folder.
inline constexpr const char* moves_file = "moves";

enum class MoveKind : std::uint32_t {
  none = 0,  ///< not written, or not to the end
  mark,      ///< waits for its next touch
  fetch,     ///< marked memory was touched, and brought to where its toucher was
  call,      ///< the program asked for it: lares_migrate and what is like it
  sample,    ///< as `fetch`, of a page that was only marked to learn who uses it
  thread,    ///< `thread` goes on in `to`, on `core`; no memory is in it
  kinds
};

/// Ids of processes and threads are the system's.
struct MoveEvent {
  static constexpr std::uint32_t no_domain = 0xFFFFFFFF;

  std::uint64_t begin_ns = 0;  ///< on the clock of now()
  std::uint64_t took_ns = 0;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;    ///< of the range; 0 only of a thread
  std::uint64_t arrived = 0;  ///< of them: that changed their node
  std::uint32_t process = 0;
  std::uint32_t thread = 0;        ///< that marked, touched, asked or went
  std::uint32_t to = no_domain;    ///< no_domain: several, or not known
  MoveKind kind = MoveKind::none;  ///< written last
  std::uint64_t core = 0;          ///< of a thread: its logical core plus 1; 0: one of several

  friend bool operator==(const MoveEvent&, const MoveEvent&) noexcept = default;
};
static_assert(sizeof(MoveEvent) == 64 && std::is_trivially_copyable_v<MoveEvent>);

struct MovesHead {
  /// "MOVES001": a file of another format has another last character.
  static constexpr std::uint64_t expected_magic = 0x31303053'45564f4dULL;
  static constexpr std::uint64_t most_room = std::uint64_t{1} << 17U;
  std::uint64_t magic = expected_magic;
  std::uint64_t room = 0;   ///< events that fit into the file
  std::uint64_t noted = 0;  ///< events that came, also those for which there was no room
  std::uint64_t unused[5] = {};
};
static_assert(sizeof(MovesHead) == 64 && std::is_trivially_copyable_v<MovesHead>);

}  // namespace lares::memory

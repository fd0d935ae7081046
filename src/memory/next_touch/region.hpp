// One area that waits for its next touch, in chunks that move as one; and the protocol.
//
// Three parts work on an area: the marker (marker.hpp) puts pages aside or closes them, the carrier
// (carrier.hpp) brings them back, and the follower (follower.hpp) does after the kernel what the
// program did to the mapping. With userfaultfd a marked page lies at the alias; with mprotect it
// lies where it was and is closed.
//
// The invariants:
//  1. A page's bytes are at one place: the area's, or else the alias'. Moving is one request of the
//     kernel; a copy and the emptying of its source are one visit of the gate (gate.hpp).
//  2. So an absent page of the alias has nothing to give: bringing it is harmless at any time.
//  3. While a change of the program (a message) is read and followed, nobody is inside the gate.
//     Requests of a carrier are made inside it; the kernel answers EAGAIN as long as a change is
//     under way that nobody has read, and the carrier then goes out and waits.
//  4. Nobody waits inside the gate, or with the table's lock, for anything that needs a message to
//     be read.
//  5. Bytes are dropped for one reason only: the program has told the kernel to.
//  6. An area becomes a region, and its watch ends, only while no change is unread: the kernel does
//     first and tells then, so that an address may already be another mapping's. The kernel's
//     answer EAGAIN to any request says that there is one. (But see `grow`.)
//  7. A page whose emptying was told, and may still come, stays where it is (emptying.hpp).
//
// A chunk is `aside`, `busy` (one thread has it) or `settled`; a region is `marking`, `live`,
// `finished` or `retired`. Who may do what:
//
//  event            | marking               | aside            | busy            | settled
//  -----------------+-----------------------+------------------+-----------------+----------------
//  touch            | waits                 | -> busy, brings  | waits           | zeros for a page
//                   |                       | -> settled       |                 | that is absent
//  mark, same range | waits for it, then    | settles first    | waits           | retires the
//                   | settles               |                  |                 | finished region
//  settle           | waits                 | -> busy -> settled, to nobody      | nothing
//  fork             | waits for the marker  | as settle; what the kernel refuses | nothing
//                   |                       | the child takes from its own alias |
//  empty (DONTNEED, | the pages left of the | the alias' pages are emptied; the  | the kernel's
//   FREE, REMOVE)   | range stay unmarked   | state stays. Pages that are in place are noted: who
//                   |                       | marks the area again leaves them there
//  move (mremap)    | the region is retired; those made of its parts have their slices of the alias
//                   | (marker and carrier see `retired`, let go and look anew)
//  unmap            | as a move, without the part that is gone; its slice of the alias is unmapped
//  split (mprotect, | a request is halved down to a page. A page of other protection or lock than
//   mlock, advice)  | the alias' is copied
//  grow (mremap of  | the kernel fills what has grown before it tells of the move, and answers
//  EAGAIN
//   locked memory)  | until then: those pages are nobody's, so their watch ends
//  refuse (errno)   | what lies aside comes | stays aside; the toucher asks again, settle tells
//                   | back, or stays aside  | its caller, mark is refused
//  last one settled | -                     | finished, or later: invariant 6    | -
//  gone, untold     | -                     | a page that is no userfaultfd's, asked twice with no
//                   |                       | change unread: counts as settled, its alias stays
//
// With mprotect nobody tells of changes. So only what is closed is ever opened, and the pages
// themselves never leave their place.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/ids.hpp"

namespace lares::memory {

/// A request to the kernel holds its lock on the address space, and a copy its memory twice: so it
/// is for no more bytes than this.
inline constexpr std::uint64_t largest_request = std::uint64_t{2} << 20U;

/// What of it fits from `at` on: it ends where tables of pages end, so that a whole one, or a huge
/// page, goes in one piece.
constexpr std::uint64_t request_from(std::uintptr_t at) noexcept {
  return largest_request - at % largest_request;
}

/// How a touch is noticed.
enum class Way : std::uint8_t {
  userfault_thread,  ///< userfaultfd; a thread of Lares fetches the chunk while the toucher waits.
                     ///< System calls that touch the area wait and work
  userfault_signal,  ///< userfaultfd with SIGBUS; the toucher fetches the chunk itself, which is
                     ///< faster. System calls on an untouched chunk fail with EFAULT
  protect,           ///< mprotect and SIGSEGV (ForestGOMP 3.4; Schmidl 2016, listing 3.1). System
                     ///< calls on an untouched chunk fail with EFAULT
};

/// What the next touch does.
enum class Purpose : std::uint8_t {
  migrate,  ///< moves the chunk to the toucher
  attach,   ///< makes the toucher's domain its home in the books and leaves the pages
  sample,   ///< only to learn who uses the memory: the pages stay where they lie
};

/// The state of a chunk in one word.
struct Chunk {
  enum State : std::uint32_t { aside = 0, busy = 1, settled = 2 };
  static constexpr std::uint32_t state_mask = 3;
  static constexpr std::uint32_t state(std::uint32_t word) noexcept { return word & state_mask; }
  /// `cpu`: where the toucher ran. What has no room in the word counts as unknown.
  static constexpr std::uint32_t settled_by(DomainId domain, OsCpu cpu) noexcept {
    return settled | field(domain.value(), domain_bits) << domain_shift |
           field(cpu.value(), cpu_bits) << cpu_shift;
  }
  /// Who touched it; invalid if it was settled without a touch.
  static constexpr DomainId toucher(std::uint32_t word) noexcept {
    return DomainId{value(word >> domain_shift, domain_bits)};
  }
  /// Invalid where that is not known.
  static constexpr OsCpu toucher_cpu(std::uint32_t word) noexcept {
    return OsCpu{value(word >> cpu_shift, cpu_bits)};
  }

 private:
  static constexpr unsigned domain_shift = 2;
  static constexpr unsigned domain_bits = 14;
  static constexpr unsigned cpu_shift = domain_shift + domain_bits;
  static constexpr unsigned cpu_bits = 16;
  /// A number and one more, so that 0 is none.
  static constexpr std::uint32_t field(std::int32_t number, unsigned bits) noexcept {
    const auto stored = static_cast<std::uint32_t>(number + 1);
    return stored < 1U << bits ? stored : 0;
  }
  static constexpr std::int32_t value(std::uint32_t word, unsigned bits) noexcept {
    return static_cast<std::int32_t>(word & ((1U << bits) - 1)) - 1;
  }
};

/// A slot that is used again and again. What is not atomic is written before the slot is published
/// in the table, or by its marker before the region is live, and read by anybody who found it.
struct Region {
  enum State : std::uint32_t {
    empty,     ///< the slot is free
    marking,   ///< in the table; touchers wait
    live,      ///< touchers fetch chunks
    finished,  ///< every chunk is settled and nothing of the kernel's is left
    retired,   ///< out of the table, perhaps with others in its place; late readers look anew
  };
  static constexpr std::uint32_t finishing = UINT32_MAX;  ///< one carrier ends the watch
  /// What a marker does with the pages of the region.
  enum class Putting : std::uint8_t {
    by_move,   ///< UFFDIO_MOVE, page by page: a change can be followed at any time
    by_remap,  ///< one mremap: a change that is told meanwhile is followed after it
    closing,   ///< mprotect
  };
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  std::uintptr_t alias = 0;  ///< where its pages lie meanwhile; 0 for Way::protect
  std::uint64_t chunk = 0;   ///< bytes of a chunk; the last may be shorter
  std::uint32_t count = 0;   ///< chunks
  Way way = Way::protect;
  Purpose purpose = Purpose::migrate;
  Putting putting = Putting::closing;
  std::atomic<std::uint32_t>* chunks = nullptr;  ///< any thread, see Chunk
  std::atomic<std::uint32_t> only_chunk{0};      ///< stands for `chunks` where memory lacks
  std::atomic<std::uint32_t> waiting{0};         ///< chunks not settled, or `finishing`; carriers
  std::atomic<std::uint32_t> state{empty};       ///< see State; table's lock, marker, last settler
  std::atomic<std::uint32_t> users{0};           ///< who found it and looks at it; any thread
  std::atomic<bool> disturbed{false};      ///< the follower tells the marker of a change meanwhile
  std::atomic<bool> alias_watched{false};  ///< the kernel did not let go of it; carrier, follower
  std::atomic<bool> keeps_alias{false};    ///< it holds what cannot be brought; carriers

  [[nodiscard]] std::uint32_t index_of(std::uintptr_t address) const noexcept {
    return static_cast<std::uint32_t>((address - begin) / chunk);
  }
  [[nodiscard]] std::uintptr_t chunk_begin(std::uint32_t index) const noexcept {
    return begin + index * chunk;
  }
  [[nodiscard]] std::uintptr_t chunk_end(std::uint32_t index) const noexcept {
    return index + 1 == count ? end : begin + (index + 1) * chunk;
  }
  [[nodiscard]] std::uintptr_t aside(std::uintptr_t address) const noexcept {
    return alias + (address - begin);
  }
  [[nodiscard]] bool overlaps(std::uintptr_t from, std::uintptr_t until) const noexcept {
    return begin < until && from < end;
  }
};

}  // namespace lares::memory

// What a thread writes down under `lares run --record` and `--trace`: the format of the files
// `record.<pid>.<n>`. They are shared memory, so they survive any end of the program.
//
// A file is made of windows of `window_bytes`. The first is the one that the thread writes into: a
// head, then events of 64-bit words. When it is full it is copied behind the others and begun anew,
// so the others are in the order of time and the first is the last one. (Its memory is used again
// and again: fresh pages of a file cost more than all else.) If the thread is stopped in between,
// the last of the others has the same clock as the first and is the same, or less.
//
// Events never cross a window's end; a word 0 where an event would start means that the rest of the
// window is empty. An event's first word is written last. What can be told from the order of a
// thread's events is left out of them, and what often holds has short events: a task without data
// takes three words, one that names data that its creator has named before a word more for each of
// these.
//
// An event's first word: its kind (8 bits), `small` (24 bits), and the ticks since the thread's
// event before (32 bits), if nothing else is said of the kind. A window's first event is a `clock`,
// which tells the time anew; so does one wherever the ticks do not fit. Short events lean on what
// was told since the last clock and no earlier, so that a damaged window harms no other.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lares::runtime {

/// The file `record`: that it is there asks for a record. Processes of a run draw on one budget.
struct RecordBudget {
  std::uint64_t limit_bytes;  ///< of all files; written by `lares run` before the program starts
  std::uint64_t used_bytes;   ///< atomic: any thread of any process adds
};
/// Where the files go, if that is a folder of the session's; else into the session's itself.
inline constexpr const char* trace_folder_name = "trace";

/// Each window begins with one; that of the first is the one that counts.
struct RecordFileHead {
  static constexpr std::uint64_t expected_magic = 0x3544524f434552ULL;  // "RECORD5"
  std::uint64_t magic;
  std::uint32_t pid;
  std::uint32_t stream;  ///< number of the file in its process
  std::uint64_t window_bytes;
  std::uint64_t full;         ///< RecordEnd: whether the rest is missing, and why
  std::uint64_t start_ticks;  ///< ticks() and now() at one moment early in the process's life
  std::uint64_t start_ns;
  std::uint64_t ticks_per_microsecond;  ///< a guess, for files without a second such moment
  std::uint64_t unused;
};
static_assert(sizeof(RecordFileHead) == 64);

/// Why a file ends where it does.
enum class RecordEnd : std::uint64_t {
  whole = 0,
  no_room = 1,  ///< in the folder, or the folder cannot be reached any more
  limit = 2,    ///< the budget is spent
};

/// A task's number: the stream's plus one, and the how-manieth task of that stream, from 1.
/// Regions' own tasks count as others do.
inline constexpr unsigned record_stream_shift = 36;
inline constexpr unsigned record_task_bits = 52;
inline constexpr std::uint32_t most_record_streams = 0xFFFE;

/// Events. What creates, waits, ends or comes to loops is the innermost body that the thread has
/// begun and not ended; a region's own code is one.
enum class RecordKind : std::uint8_t {
  none = 0,
  clock,   ///< small: the system's number of the thread, or 0, not told; words: ticks(), now(), the
           ///< stream's tasks so far, the task it is in (after damage)
  enter,   ///< a team. small: its size; words: now(), region, task that opened the region or 0,
           ///< worker | domain << 24 | core << 40
  leave,   ///< it. words: now()
  create,  ///< the stream's next task. small: record_flag and construct. Ends with `resume`
  create_with,  ///< the same with data. words: accesses | ticks that writing it took << 16; then
                ///< the accesses
  create_of,    ///< the same with data that was told before. words: its accesses, short
  resume,       ///< the engine gives control back to the program
  begin,  ///< a body, or a part of an untied one. small: RecordedStart; words: task | domain it
          ///< was stolen from plus 1 << record_task_bits
  begin_near,  ///< the same, short, see RecordedNearBegin
  end,         ///< it. small: what RecordedNear tells of the one task that it was the last to keep
               ///< from running, or 0
  wait,        ///< small: RecordWait | accesses << 8; then the accesses. Ends with `resume`
  group,       ///< a taskgroup begins
  loop,        ///< a thread comes to a worksharing loop. small: construct; words: iterations, chunk
  asked,       ///< a thread asks for iterations, and is done with those before
  chunk,       ///< it begins with them. small: RecordedStart; words: the first, how many
  loop_end,    ///< there are no more for it: it goes on
  construct,   ///< a number that later events use. small: it; words: the code's address in the
               ///< process, in its file's image, bytes of the path; then the path, padded
  ready,       ///< words: the task that the one that ends here was the last to keep from running
  shape,      ///< a number that later short accesses use. small: it; words: the second of an access
  made,       ///< `create`, and the `resume` right after it, see RecordedMade
  made_with,  ///< `create_with` likewise
  made_of,    ///< `create_of` likewise
  ended,      ///< `end` likewise; what it tells to be ready was so before
  kinds
};

/// What is waited for.
enum class RecordWait : std::uint8_t {
  children,   ///< taskwait
  accesses,   ///< taskwait depend
  group,      ///< the end of the innermost taskgroup
  barrier,    ///< all tasks of the region
  region_end  ///< the same
};

namespace record_flag {
inline constexpr std::uint32_t undeferred = 1U << 0U;  ///< its creator runs it before it goes on
}  // namespace record_flag
/// Above the flags of `create`; 0 is a construct that is not known.
inline constexpr unsigned record_construct_shift = 4;
inline constexpr std::uint32_t most_record_constructs = (1U << 20U) - 1;

/// How a body or a chunk starts: domain of its home plus 1 (12 bits, 0: not known), Located (3),
/// Locality (2), and whether that is by the home (1).
struct RecordedStart {
  static constexpr std::uint32_t most_domain = 0xFFE;
  static constexpr unsigned located_shift = 12;
  static constexpr unsigned locality_shift = 15;
  static constexpr unsigned by_home_shift = 17;
};

/// Another task by its distance from the one that the thread's last `begin` or `begin_near` since
/// the last clock told of.
struct RecordedNear {
  static constexpr unsigned begin_bits = 16;  ///< of a signed distance
  static constexpr unsigned end_bits = 24;    ///< of a signed distance that is not 0
};

/// The first word of a `begin_near`: small is 18 bits; then the distance (RecordedNear), and the
/// ticks since the event before (22). It was not stolen from another domain.
struct RecordedNearBegin {
  static constexpr unsigned distance_shift = 26;
  static constexpr unsigned elapsed_shift = 42;
  static constexpr unsigned elapsed_bits = 22;
};

/// The upper half of the first word of `made`, its like and `ended`: ticks since the event before
/// (18 bits) and from then until the engine gave control back (14).
struct RecordedMade {
  static constexpr unsigned elapsed_bits = 18;
  static constexpr unsigned took_bits = 14;
};

/// How an access orders tasks; `depend` does not tell out from inout.
enum class RecordMode : std::uint8_t { in, out, mutexinoutset, inoutset, all_memory, affinity };

/// Of an access: address (48 bits) and home (16); then the mode (4), whether the length is not
/// told and the rest is what lies behind the address in its mapping (1), and the bytes (59).
inline constexpr std::size_t record_access_words = 2;
inline constexpr unsigned record_home_shift = 48;
inline constexpr unsigned record_bytes_shift = 5;
inline constexpr std::uint64_t record_to_end_of_mapping = 1U << 4U;
/// The home was not looked up here: this thread has told of this address before.
inline constexpr std::uint64_t record_home_not_asked = 0;
/// No page is there yet, or nobody knows where.
inline constexpr std::uint64_t record_home_unknown = 1;
/// Domain d is d plus this.
inline constexpr std::uint64_t record_first_home = 2;

/// A short access: address (48 bits), the number of its shape (15), and whether it is the event's
/// last (1). Its home was not looked up.
inline constexpr std::uint64_t most_record_shapes = (1U << 15U) - 1;
inline constexpr std::uint64_t record_last_access = std::uint64_t{1} << 63U;

/// Accesses beyond this many are left out of a task's event.
inline constexpr std::size_t most_recorded_accesses = 2048;

}  // namespace lares::runtime

// What a thread writes down under `lares run --record`: the format of the files `record.<pid>.<n>`
// in the session directory. They are shared memory, so they survive any end of the program.
//
// A file is a head and then events of 64-bit words. Events never cross a multiple of
// `window_bytes`; a word 0 where an event would start means that the rest of the window is empty.
// An event's first word is written last.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lares::runtime {

/// The file `record`: that it is there asks for a record. Processes of a run draw on one budget.
struct RecordBudget {
  std::uint64_t limit_bytes;  ///< of all files; written by `lares run` before the program starts
  std::uint64_t used_bytes;   ///< atomic: any thread of any process adds
};

struct RecordFileHead {
  static constexpr std::uint64_t expected_magic = 0x3244524f434552ULL;  // "RECORD2"
  std::uint64_t magic;
  std::uint32_t pid;
  std::uint32_t stream;        ///< number of the file in its process
  std::uint64_t window_bytes;  ///< the file grows by this
  std::uint64_t full;          ///< RecordEnd: whether the rest is missing, and why
  std::uint64_t unused[4];
};
static_assert(sizeof(RecordFileHead) == 64);

/// Why a file ends where it does.
enum class RecordEnd : std::uint64_t {
  whole = 0,
  no_room = 1,  ///< in the session's folder, or the folder cannot be reached any more
  limit = 2,    ///< the budget is spent
};

/// The kind is the lowest byte of an event's first word; the next three are `count`, and the upper
/// half is `argument`. The second word is the time: now() in nanoseconds.
enum class RecordKind : std::uint8_t {
  none = 0,
  enter,   ///< a team. argument: worker; words: region, own task, task that opened the region or 0
  leave,   ///< it. words: own task
  create,  ///< a task. argument: flags; words: task, creator, when this event was written; then
           ///< `count` accesses. Ends with `resume`
  resume,  ///< the engine gives control back to the program
  begin,   ///< a body, or a part of an untied one. words: task
  end,     ///< it. words: task
  wait,    ///< argument: RecordWait; words: creator; then `count` accesses. Ends with `resume`
  group,   ///< a taskgroup begins. words: creator
  loop,    ///< a thread comes to a worksharing loop. words: own task, iterations, chunk
  chunk,   ///< it takes iterations, and is done with those before. words: the first, how many, when
           ///< it began with them
  loop_end,  ///< there are no more for it. words: own task, when it went on
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

/// How an access orders tasks; `depend` does not tell out from inout.
enum class RecordMode : std::uint8_t { in, out, mutexinoutset, inoutset, all_memory, affinity };

/// Of an access: the address; the bytes that the program told, 0 if none; the end of the mapping
/// that holds it, 0 if not asked or not known; and the mode in the lowest byte, with the home
/// above.
inline constexpr std::size_t record_access_words = 4;
inline constexpr unsigned record_home_shift = 8;
/// The home was not looked up here: this thread has told of this address before.
inline constexpr std::uint64_t record_home_not_asked = 0;
/// No page is there yet, or nobody knows where.
inline constexpr std::uint64_t record_home_unknown = 1;
/// Domain d is d plus this.
inline constexpr std::uint64_t record_first_home = 2;

/// Accesses beyond this many are left out of a task's event.
inline constexpr std::size_t most_recorded_accesses = 2048;

}  // namespace lares::runtime

// What a run counts, in a file that the launcher reads: it survives any end of the program.
//
// The preloaded library maps `LARES_SESSION/stats.<pid>` shared; workers add to their own slot with
// plain relaxed stores. The launcher maps the same file read-only after the program has ended.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace lares::runtime {

inline constexpr std::size_t distance_ranks = 8;
inline constexpr std::size_t max_counter_slots = 4096;
inline constexpr std::size_t max_notes = 16;

/// A number that one thread writes and any thread may read.
class Counter {
 public:
  [[gnu::always_inline]] void add(std::uint64_t amount) noexcept {
    // Only the owner writes, so load + store loses nothing and needs no locked instruction.
    value_.store(value_.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t get() const noexcept {
    return value_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> value_{0};
};

/// How a task ran relative to the home of its data, or to its creator if no home is known.
enum class Locality : std::uint8_t { local, same_domain, remote };
inline constexpr std::size_t locality_kinds = 3;

/// One thread's counts. Written by that thread only; its own cache lines.
struct alignas(128) CounterSlot {
  Counter tasks[locality_kinds];       ///< executed, judged by the creator (no home known)
  Counter data_tasks[locality_kinds];  ///< executed, judged by the home of their data
  Counter data_bytes[locality_kinds];  ///< bytes of those tasks where lengths are known
  Counter inlined;                     ///< tasks run at once by their creator (part of the above)
  Counter steals[distance_ranks];      ///< by rank of the victim's domain: 0 = own domain
  Counter failed_rounds;               ///< idle rounds that found nothing
  Counter sampled_ticks;               ///< ticks spent in sampled queue operations
  Counter samples;                     ///< how many were sampled
  Counter queue_operations;            ///< how many there were (creation, push, take)
  Counter longest_sample;              ///< of the sampled ticks: one that was interrupted
  Counter loops;                       ///< worksharing loops that this thread was first to enter
  Counter loop_iterations[locality_kinds];  ///< that it ran, by whose part they were of
  Counter loop_steals[distance_ranks];      ///< ranges it took, by rank as above
  Counter loop_ticks;                       ///< from coming to a loop to finding nothing left of it
  Counter loop_wait_ticks;                  ///< at the barriers behind them; both from samples
  // Of the thread that asked a bubble scheduler (host/openmp/bubbles).
  Counter bubbles;        ///< teams that it placed
  Counter bubble_shakes;  ///< threads that moved because data or load had changed
  Counter bubble_seen;    ///< threads that moved to what they were seen to use
  Counter bubble_steals;  ///< threads that moved to idle cores
  Counter bubble_data;    ///< ranges of data that moved along
};

/// A message of the library to the user: what was left to the stock runtime, what was refused.
struct Note {
  std::atomic<std::uint32_t> ready{0};  ///< 1 once the text is complete
  char text[252];                       ///< one sentence, ends with NUL
};

/// The head of the file; slots follow at `slots_offset`.
struct CountersFile {
  static constexpr std::uint64_t expected_magic = 0x31534552414c0000ULL;  // "LARES1"
  static constexpr std::size_t slots_offset = 8192;

  std::uint64_t magic;
  std::uint32_t slot_bytes;  ///< sizeof(CounterSlot) of the writer
  std::uint32_t pid;
  std::atomic<std::int64_t> start_ns;      ///< now() when the first region started, 0 if none;
                                           ///< written once, by the first master
  std::atomic<std::int64_t> end_ns;        ///< now() at the end of the last region, 0 if none
  std::atomic<std::uint64_t> start_ticks;  ///< ticks() beside start_ns, by the same master
  std::atomic<std::uint64_t> end_ticks;    ///< ticks() beside end_ns
  std::atomic<std::uint32_t> slots_used;   ///< threads that ever had a slot
  std::atomic<std::uint32_t> max_threads;  ///< largest team seen
  std::atomic<std::uint64_t> regions;      ///< parallel regions, an estimate
  std::uint32_t domains;
  char runtime[64];   ///< "libgomp.so.1", "libomp.so.5", "" if none was met
  char policy[192];   ///< canonical text
  char command[128];  ///< the program's name
  std::atomic<std::uint32_t> notes_used;
  Note notes[max_notes];
  std::atomic<std::uint32_t> stall_request;  ///< `lares stall` adds 1: a page is wanted
  std::atomic<std::uint32_t> stall_answer;   ///< the request that a thread of the process answers
  /// Of all threads, when the program ended by exit() or by returning from main: see ProcessorTime.
  std::atomic<std::uint64_t> running_ns;
  std::atomic<std::uint64_t> waiting_ns;
};
static_assert(sizeof(CountersFile) <= CountersFile::slots_offset);
/// Of the file, slots and all.
inline constexpr std::size_t counters_file_bytes =
    CountersFile::slots_offset + max_counter_slots * sizeof(CounterSlot);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace lares::runtime

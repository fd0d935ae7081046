// One thread's file of a record (record_format.hpp), as its thread writes it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "memory/extent.hpp"
#include "memory/maps.hpp"
#include "runtime/record_budget.hpp"
#include "runtime/record_format.hpp"

namespace lares::runtime {

/// An access as it stands in a file. Without initial values: a list of some on the stack, of which
/// most tasks need one, would take as long to clear as to write.
struct RecordedWords {
  std::uint64_t where;
  std::uint64_t what;
};

/// One thread's file. Only that thread writes; the window that it writes into is the file's own
/// memory and never unmapped, so that the file is whole whenever the process ends. No descriptor is
/// kept. Invariant: the word behind the last event is 0, whatever an earlier window had there.
class RecordStream {
 public:
  static constexpr std::size_t window_bytes = std::size_t{256} * 1024;
  /// Of a `create_of`.
  static constexpr std::size_t most_short_accesses = 16;

  /// A new file `record.<pid>.<number>` in `folder`, which lives for ever, or nullptr if there is
  /// no room for one; the user is told.
  static RecordStream* open(const char* folder, std::uint32_t number) noexcept;

  /// A number that no other task of the process has. Owner only.
  std::uint64_t new_task() noexcept {
    return ((number_ + std::uint64_t{1}) << record_stream_shift) | ++tasks_;
  }

  /// Room for an event of `words` words that happens when ticks() is `at`, or nullptr if the file
  /// cannot grow: from then on nothing is written. Precondition: words * 8 < window_bytes / 2.
  /// Owner only.
  std::uint64_t* reserve(std::size_t words, std::uint64_t at) noexcept;
  /// The event that was reserved last, at the same `at`, is complete but for its first word.
  void commit(std::uint64_t* event, RecordKind kind, std::uint32_t small,
              std::uint64_t at) noexcept;
  /// An event of one word that happens now.
  void write(RecordKind kind, std::uint32_t small) noexcept;

  /// The thread begins with a body of `task`, see RecordedStart; `from` is the domain that it was
  /// stolen from plus 1, or 0. Owner only, as the following.
  void begin(std::uint64_t task, std::uint32_t start, std::uint32_t from) noexcept;
  /// The body that has begun last and not ended ends.
  void end() noexcept;
  /// What ended last was the last to keep `task` from running.
  void ready(std::uint64_t task) noexcept;
  /// A task is created when ticks() is `at`, short: at most most_short_accesses that
  /// were told before, their homes not asked. False, and nothing is written of it, where a number
  /// is missing or no room.
  bool create_of(std::span<const RecordedWords> accesses, std::uint32_t small,
                 std::uint64_t at) noexcept;
  /// The engine gives control back to the program.
  void resume() noexcept;
  /// The same right after end(), by so little that to read the clock would take longer.
  void resume_at_end() noexcept;

  /// Goes on to the file's next window if this one is nearly full: called where the time that it
  /// takes is nobody's.
  void look_ahead() noexcept;

  /// The number under which this file knows the construct whose code is at `code`.
  std::uint32_t construct(std::uintptr_t code) noexcept;

  /// Another thread of the system goes on with the file, under this number. Owner only.
  void go_on_as(std::uint32_t system_thread) noexcept;

  /// True if this thread has told of `address` lately.
  [[nodiscard]] bool is_told(std::uintptr_t address) const noexcept {
    return told_[slot_of(address)] == address;
  }
  void has_told(std::uintptr_t address) noexcept { told_[slot_of(address)] = address; }

  /// The mapping around `address` for when the process's list does not know it, as while another
  /// thread reads that: asked of the kernel by this thread alone, most_looks times at most in all.
  /// O(mappings) then, else O(1).
  memory::Extent look_around(std::uintptr_t address, const memory::MapsSource& maps) noexcept;
  static constexpr std::uint32_t most_looks = 16;

 private:
  RecordStream() noexcept = default;
  /// Makes the file, with the window that stays mapped.
  RecordEnd make_file() noexcept;
  /// Copies the window, which is full, behind the others.
  RecordEnd store_window() noexcept;
  void begin_window() noexcept;
  void give_up(RecordEnd end) noexcept;
  bool go_to_next_window() noexcept;
  void write_clock() noexcept;
  /// An event that happens when ticks() is `at` needs no clock before it.
  [[nodiscard]] bool fits(std::uint64_t at) const noexcept;
  void resume(std::uint64_t at) noexcept;
  /// reserve(), where a call would take as long.
  std::uint64_t* room_for(std::size_t words, std::uint64_t at) noexcept;
  bool write_known_shapes(std::span<const RecordedWords> accesses) noexcept;
  bool write_new_shapes(std::span<const RecordedWords> accesses, std::uint64_t at) noexcept;
  std::uint32_t name_construct(std::uintptr_t code) noexcept;
  bool begin_near(std::uint64_t task, std::uint32_t start, std::uint64_t at) noexcept;
  /// The number under which the file knows this second word of an access, or 0.
  std::uint32_t shape(std::uint64_t what, std::uint64_t at) noexcept;

  struct KnownConstruct {
    std::uintptr_t code = 0;
    std::uint32_t number = 0;
  };
  struct KnownShape {
    std::uint64_t what = 0;
    std::uint32_t number = 0;  ///< 0: none
  };
  KnownShape& shape_at(std::uint64_t what) noexcept;
  static constexpr std::size_t told_slots = 4096;
  static std::size_t slot_of(std::uintptr_t address) noexcept {
    static_assert(told_slots == 1U << 12U);
    return (address * 0x9E3779B97F4A7C15ULL) >> 52U;
  }

  const char* folder_ = nullptr;
  bool has_ended_ = false;
  std::uint64_t number_ = 0;
  std::uint32_t system_thread_ = 0;  ///< the owner's, as the file tells it
  std::uint64_t tasks_ = 0;
  std::uint64_t last_ticks_ = 0;  ///< of the event before
  std::uint32_t constructs_ = 0;
  std::uint64_t file_bytes_ = 0;    ///< that the file has
  RecordFileHead* head_ = nullptr;  ///< at the window's begin
  std::uint64_t* next_ = nullptr;
  std::uint64_t* end_ = nullptr;
  std::uint64_t last_begun_ = 0;   ///< since the last clock; 0: none
  std::uint32_t shapes_ = 0;       ///< since the last clock
  std::uint64_t* open_ = nullptr;  ///< the event before, if it may still be told more of
  memory::Extent last_seen_;       ///< of look_around()
  std::uint32_t looks_ = 0;
  std::array<std::uintptr_t, told_slots> told_{};    ///< lossy: a lost address is told again
  std::array<KnownConstruct, 256> constructs_at_{};  ///< lossy: a lost one gets a number again
  std::array<KnownShape, 256> shapes_at_{};          ///< the same, since the last clock
};

/// What all files of the process together may have; nullptr, the default, is without bound. Before
/// the first stream.
void set_record_budget(RecordBudget* budget) noexcept;

/// ticks() and now() at one moment.
struct RecordMoment {
  std::uint64_t ticks = 0;
  std::uint64_t nanoseconds = 0;
};
RecordMoment record_moment() noexcept;

}  // namespace lares::runtime

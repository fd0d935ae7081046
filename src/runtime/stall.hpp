// What the process looks like when nothing goes on: for `lares run --stall` and `lares stall`.
//
// Nobody but a short-lived look reads what is told here, so telling costs a store where a wait
// goes beyond spinning, and nothing where tasks run.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>

#include "runtime/counters.hpp"
#include "runtime/spinlock.hpp"
#include "runtime/team.hpp"

namespace lares::runtime::stall {

/// What only the front end knows. Both may be asked about a task that ends meanwhile.
struct FrontEnd {
  /// The address of a task's code, or 0. Reads the task by `glance` only.
  std::uintptr_t (*code_of)(const Task& task) noexcept = nullptr;
  /// The name of the stock runtime that `Team::host` stands for.
  const char* (*runtime_of)(const void* host) noexcept = nullptr;
};

/// Pages go into `folder`, which must live for ever. With `limit` above 0 a thread watches from the
/// first team on, and writes a page when no task starts or ends for so long while some are open.
/// Once, before the first team.
void set_up(const char* folder, Nanoseconds limit, FrontEnd front_end) noexcept;
/// The counters are made: requests come through them, and the watching starts. Once per process.
void begin(CountersFile& counters) noexcept;
/// A team was made; it is looked at as long as the process lives. Thread safe.
void know(Team& team) noexcept;
/// In the child of a fork: the parent's teams and its watching thread are not here.
void forget_after_fork() noexcept;

/// Held by who builds a team's places anew and by who looks at them.
Spinlock& places_lock() noexcept;

/// Set by `begin`; the process's request and answer are in it.
extern std::atomic<CountersFile*> watched;

/// True if somebody outside wants a page. For those who wait: two loads.
inline bool is_asked() noexcept {
  // acquire: whoever sees the pointer sees the file's head.
  const CountersFile* file = watched.load(std::memory_order_acquire);
  return file != nullptr && file->stall_request.load(std::memory_order_relaxed) !=
                                file->stall_answer.load(std::memory_order_relaxed);
}
/// Writes the page that was asked for, unless another thread does. Any thread; takes a few KiB of
/// stack and some system calls.
void answer() noexcept;

/// What a look at all teams found.
struct Progress {
  std::uint64_t moved = 0;  ///< tasks that have started or ended: grows while anything goes on
  std::uint64_t open = 0;   ///< tasks that have not ended
};
Progress look() noexcept;

/// Writes a page to the open `file`. `stalled` is 0 if somebody asked, else the time without
/// progress.
void write_page(int file, Nanoseconds stalled) noexcept;
/// The same into a file of the folder that the launcher prints.
void leave_page(Nanoseconds stalled) noexcept;

/// Reads a field of a running worker or task. The owner writes such fields plainly, since it does
/// so for every task; they are aligned words, descriptors and teams are never unmapped, and a page
/// says that it is a glance: an old or a new value will do. ThreadSanitizer is not told.
// NOLINTBEGIN(bugprone-sizeof-expression): a field may be a pointer.
template <class T>
__attribute__((no_sanitize("thread"), noinline)) T glance(const T& field) noexcept {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(std::uint64_t));
  using Small = std::conditional_t<sizeof(T) == 1, std::uint8_t, std::uint16_t>;
  using Large = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  using Word = std::conditional_t<sizeof(T) <= 2, Small, Large>;
  using Field [[gnu::may_alias]] = Word;
  const Word word = *reinterpret_cast<const volatile Field*>(&field);
  return __builtin_bit_cast(T, word);
}

/// The same of an atomic one: a new descriptor's constructor writes it plainly.
template <class T>
T glance(const std::atomic<T>& field) noexcept {
  static_assert(sizeof(field) == sizeof(T));
  return glance(reinterpret_cast<const T&>(field));
}
// NOLINTEND(bugprone-sizeof-expression)

/// A worker's wait. Says what it waits for once the wait has become long, and no longer when it
/// goes on.
class Telling {
 public:
  Telling(Worker& worker, Wait wait) noexcept : worker_(worker), wait_(wait) {}
  Telling(const Telling&) = delete;
  Telling& operator=(const Telling&) = delete;
  ~Telling() { over(); }

  void is_long() noexcept {
    if (!told_) worker_.waits_for.store(static_cast<std::uint32_t>(wait_), relaxed);
    told_ = true;
    if (is_asked()) [[unlikely]]
      answer();
  }
  void sleeps() noexcept {
    told_ = true;
    worker_.waits_for.store(static_cast<std::uint32_t>(wait_) | wait_asleep, relaxed);
  }
  void wakes() noexcept { worker_.waits_for.store(static_cast<std::uint32_t>(wait_), relaxed); }
  void over() noexcept {
    if (told_) worker_.waits_for.store(static_cast<std::uint32_t>(Wait::none), relaxed);
    told_ = false;
  }

 private:
  static constexpr auto relaxed = std::memory_order_relaxed;  // a hint: nothing hangs on it
  Worker& worker_;
  Wait wait_;
  bool told_ = false;
};

}  // namespace lares::runtime::stall

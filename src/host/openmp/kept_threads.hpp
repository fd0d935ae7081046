// Threads that their maker ends after each piece of work and makes anew for the next: kept instead,
// and given the next piece. What libgomp does to the threads of inner teams.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lares::omp {

/// Of a thread's attributes, those that it has for good.
struct StackShape {
  std::size_t bytes = 0;
  std::size_t guard = 0;
  /// `attributes`: null for the usual ones.
  static StackShape of(const pthread_attr_t* attributes) noexcept;
  bool operator==(const StackShape&) const = default;
};

/// What is for pthread_create.
struct Work {
  void* (*routine)(void*);
  void* argument;
};

/// One that works, or waits for work. Its state, one word:
///
///  busy     | it works, or is not yet where it waits
///  waiting  | it may be given work; it looks itself
///  sleeping | the same; it has to be woken
///  given    | it has been given work and has not begun
///  ended    | it is gone: enough others wait. Its maker frees this
///  unwanted | its maker is gone: it ends when it has no work, and frees this
///
/// Invariant: only the maker leaves waiting and sleeping, but for the thread's own step from one to
/// the other; only the thread leaves busy and given, but for `unwanted`.
class KeptThread {
 public:
  KeptThread(Work first, StackShape stack) noexcept : work_(first), stack_(stack) {}
  KeptThread(const KeptThread&) = delete;
  KeptThread& operator=(const KeptThread&) = delete;

  /// The thread's whole life. `after_work`: called by it whenever it has done some.
  void live(void (*after_work)());

  /// By its maker, whom find() has given it to: the thread does that next.
  pthread_t give(Work work) noexcept;

 private:
  friend class KeptThreads;
  enum State : std::uint32_t { busy, waiting, sleeping, given, ended, unwanted };

  /// True if it has been given work; false if it shall end, and what `this` is may be gone.
  bool wait_for_work() noexcept;
  void look_for_a_while() noexcept;
  [[nodiscard]] bool has_ended() const noexcept;
  /// True if it may be given work at once, or very soon: then it waits for that.
  [[nodiscard]] bool comes_soon() const noexcept;
  void do_without() noexcept;
  static void free(KeptThread* kept) noexcept;

  Work work_;               ///< written by the maker before the thread starts, or while it waits
  pthread_t thread_{};      ///< only its maker touches this and the next four
  std::size_t depth_ = 0;   ///< of the team that it was last in
  std::uint64_t team_ = 0;  ///< which of its maker's that was
  std::uint32_t last_ = 0;  ///< when it was given work, in milliseconds of the counter
  const StackShape stack_;
  const std::uint32_t process_ = g_forks.load(std::memory_order_relaxed);  ///< of which it is one
  std::atomic<std::uint32_t> state_{busy};

  /// Grows in the child of each fork: threads of its parents are not its own.
  static inline constinit std::atomic<std::uint32_t> g_forks{0};
};

/// Those that one thread has made. Only that thread touches it.
class KeptThreads {
 public:
  /// The calling thread's. When that ends, they end.
  static KeptThreads& of_this_thread() noexcept;

  /// The thread is about to make a team. One look at a word of its own.
  static void note_team_begins() noexcept {
    ++t_teams;
    t_in_team = 0;
  }
  /// The number in that team of the thread that is made next, from 1 on.
  static std::size_t next_in_team() noexcept { return ++t_in_team; }

  /// For that team, which is `depth` deep: one that has done its work in a team that was as deep,
  /// or deeper, and is over since then. Waits some microseconds for one that has nearly done it.
  /// Null: there is none. Linear in how many there are.
  KeptThread* find(std::size_t depth, StackShape stack) noexcept;
  /// One more, which is not yet a thread: for pthread_create and KeptThread::live().
  KeptThread& add(Work first, std::size_t depth, StackShape stack) noexcept;
  /// It is a thread now, or (false) could not be made one and is gone.
  void note_made(KeptThread& kept, bool made, pthread_t thread) noexcept;

  /// So many threads can run at the same time: if there are more, nobody looks for work without
  /// sleep. Called once, before any other thread.
  static void set_processors(std::size_t count) noexcept;
  /// In the child of a fork, which has one thread.
  static void forget_after_fork() noexcept;
  /// So many threads share a processor at most if those that work in inner teams, or began to a
  /// millisecond ago, are dealt evenly with their masters.
  static std::size_t sharing() noexcept;
  /// Of all masters: those that wait for work.
  static std::size_t waiting() noexcept;

 private:
  KeptThreads() noexcept = default;
  ~KeptThreads();
  void clear_away() noexcept;
  static void end_with_thread(void* kept) noexcept;

  std::vector<KeptThread*> threads_;  ///< in the order in which they were made

  __attribute__((
      tls_model("initial-exec"))) static inline constinit thread_local KeptThreads* t_own = nullptr;
  __attribute__((
      tls_model("initial-exec"))) static inline constinit thread_local std::uint64_t t_teams = 0;
  __attribute__((
      tls_model("initial-exec"))) static inline constinit thread_local std::size_t t_in_team = 0;
};

}  // namespace lares::omp

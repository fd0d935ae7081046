// Memory with a home: everything of this floor under one roof, as MaMI is in ForestGOMP (3.3, 4.2).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "machine/machine.hpp"
#include "memory/given.hpp"
#include "memory/manager/intervals.hpp"
#include "memory/migrate/migrate.hpp"
#include "memory/next_touch/next_touch.hpp"
#include "memory/nodes.hpp"
#include "memory/place/plan.hpp"
#include "memory/place/runs.hpp"

namespace lares::memory {

/// The table of homes that a scheduler asks, told of everything that is placed and freed.
struct HomeTable {
  void* argument = nullptr;
  bool (*give)(void* argument, std::uintptr_t address, Bytes length, DomainId home) = nullptr;
  bool (*forget)(void* argument, std::uintptr_t address, Bytes length) = nullptr;
};

/// To whom a range belongs.
struct Owner {
  enum class Kind : std::uint8_t { thread, task, team };
  Kind kind = Kind::thread;
  std::int64_t id = 0;  ///< a thread's number, a task's domain, or a team's number
  friend bool operator==(const Owner&, const Owner&) = default;
};

/// Where the pages of a range are.
struct RangeHomes {
  std::vector<std::uint64_t> pages;  ///< by DomainId
  std::uint64_t absent = 0;          ///< nobody has touched them yet
  std::uint64_t unknown = 0;         ///< not mapped, or the kernel does not tell
};

/// A page is what the system says, or 2 MiB for memory with huge pages.
/// Thread safety: every function from any thread; each takes a lock for its books but not while
/// pages move. Errors are mistakes of the caller, as a sentence; a refusal of the kernel is in the
/// reports and leaves the memory usable.
class Manager {
 public:
  Manager(const machine::Machine& machine, const HomeTable& table,
          const SystemCalls& calls = real_calls());
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;

  [[nodiscard]] const Nodes& nodes() const noexcept { return nodes_; }
  [[nodiscard]] DomainId here() const noexcept { return nodes_.here(calls_); }

  /// Page-aligned zeroed memory (mami_malloc, ForestGOMP 3.3; OMPX interleaved_alloc, Schmidl 2016,
  /// 3.3.1). Null if there is no memory. With `huge`, aligned to 2 MiB and in huge pages if the
  /// kernel has any; a huge page has one home. O(pieces).
  Result<void*> allocate(Bytes bytes, const Distribution& distribution, bool huge);
  /// Ends with the memory, whatever was marked or attached in it. Error: it was not allocated here.
  Result<bool> free(void* memory);
  /// As realloc(): the contents move to new memory with this distribution. Null, and the old stays,
  /// if there is none.
  Result<void*> resize(void* memory, Bytes bytes, const Distribution& distribution, bool huge);
  /// The bytes asked for, 0 if it was not allocated here.
  [[nodiscard]] Bytes size_of(const void* memory) const;

  /// Memory that was allocated elsewhere (mami_register). Error: it overlaps what is known here.
  Result<bool> add(std::uintptr_t address, Bytes length);
  /// Forgets a registered range. Error: none starts there. (mami_unregister)
  Result<bool> remove(std::uintptr_t address);

  /// The owner of a range, and the domain as its home in the books (mami_attach; ForestGOMP 4.2:
  /// set_current_thread_affinity). No page moves.
  Result<bool> attach(std::uintptr_t address, Bytes length, const Owner& owner, DomainId home);
  /// To a team whose members run in these domains: a piece each, as schedule(static) divides.
  Result<bool> attach_to_team(std::uintptr_t address, Bytes length, std::int64_t team,
                              std::span<const DomainId> members);
  /// When the next team starts, chunk i becomes its member i's: in the books, or (`move`) for real
  /// (set_next_team_affinity, ForestGOMP 4.2). Holds for one team.
  Result<bool> attach_to_next_team(std::uintptr_t address, Bytes length, Bytes chunk, bool move);
  /// A host's word that a team starts, with its members' domains. Cheap if nobody asked.
  void team_starts(std::span<const DomainId> members);

  /// What an owner has.
  [[nodiscard]] Bytes owned(const Owner& owner) const;
  [[nodiscard]] std::vector<Run> ranges_of(const Owner& owner) const;

  RangeHomes homes_of(std::uintptr_t address, Bytes length);
  /// The same for each page that holds a byte of the range; an invalid id: absent or unknown. Fills
  /// at most homes.size(), gives how many there are.
  std::size_t page_homes(std::uintptr_t address, Bytes length, std::span<DomainId> homes);

  /// Moves a range to a domain (mami_migrate_on_node; OMPX migrate), or as a distribution says.
  /// Marks for a next touch end. Progress as in MoveOptions; may be null.
  using Progress = bool (*)(void* argument, const MoveReport& so_far) noexcept;
  Result<MoveReport> migrate(std::uintptr_t address, Bytes length, const Distribution& distribution,
                             Progress progress = nullptr, void* argument = nullptr);

  /// Marks a range; see NextTouch. Error: the kernel cannot watch it.
  Result<Marked> on_next_touch(std::uintptr_t address, Bytes length,
                               const NextTouchOptions& options);
  NextTouch& next_touch() noexcept { return next_touch_; }
  /// Enters who touched what into the books.
  void collect_touches();

  /// Nanoseconds for moving a page between these domains, measured at the first question with pages
  /// of our own; 0 if they share a memory or the kernel refuses.
  double migration_ns_per_page(DomainId from, DomainId to);

  /// For pthread_atfork.
  void before_fork() noexcept;
  void after_fork_in_parent() noexcept;
  void after_fork_in_child() noexcept;

 private:
  struct Area {
    Bytes length;
    Bytes mapped;  ///< 0 for a registered one
    std::uint64_t page = 0;
    std::size_t mappings = 0;  ///< that placing has taken from the budget
  };
  struct NextTeam {
    std::uintptr_t address = 0;
    Bytes length;
    Bytes chunk;
    bool move = false;
  };

  [[nodiscard]] std::uint64_t page_of(std::uintptr_t address) const;
  Result<Plan> plan(const Distribution& distribution, Bytes length, std::uint64_t page) const;
  std::uintptr_t map(Bytes bytes, std::uint64_t alignment) noexcept;
  // give() with the lock held, forget() without.
  void give(const Plan& plan, std::uintptr_t address, std::uint64_t page);
  void give(std::uintptr_t begin, std::uintptr_t end, DomainId home);
  void forget(std::uintptr_t address, Bytes length);
  void start_member_chunks(const NextTeam& wish, std::span<const DomainId> members);

  const SystemCalls calls_;
  const HomeTable table_;
  const Nodes nodes_;
  const std::uint64_t page_;
  GivenHomes given_;      ///< any thread, see there
  NextTouch next_touch_;  ///< any thread, see there

  mutable std::mutex lock_;  ///< of what follows
  std::map<std::uintptr_t, Area> areas_;
  Intervals<Owner> owners_;
  std::vector<NextTeam> next_team_;
  std::vector<double> migration_ns_;     ///< by from * domains + to; negative: not asked yet
  std::atomic<bool> team_waits_{false};  ///< whether next_team_ has any; any thread reads
};

}  // namespace lares::memory

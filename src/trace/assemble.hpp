// Puts the threads' records of a run together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/moves_file.hpp"
#include "analysis/record_file.hpp"
#include "analysis/recorded_blocks.hpp"
#include "analysis/touches_file.hpp"
#include "base/result.hpp"
#include "trace/trace.hpp"

namespace lares::trace {

/// The part of a task's number that counts its stream's tasks.
inline constexpr std::uint64_t task_number_mask =
    (std::uint64_t{1} << runtime::record_stream_shift) - 1;

/// What is told of a task before and after it runs. Tasks are created, made ready and run on
/// different threads, whose files are read one after the other.
struct TaskBook {
  Time created = 0;
  Time create_cost = 0;
  Time ready = 0;            ///< 0: nothing kept it from running
  Index creator = none;      ///< a grain, by its number in its thread
  Index released_by = none;  ///< a grain of `released_on`
  Index released_on = none;  ///< a thread
  Index construct = 0;       ///< as Follower says; later of the trace, or none
  Index region = none;
  Index first_access = 0;  ///< of the thread's
  std::uint16_t accesses = 0;
  bool is_known = false;
  bool undeferred = false;
  bool is_implicit = false;
  Index last_part = none;  ///< a grain of the trace
};

/// One thread's part, as its file tells it.
struct ThreadBook {
  std::uint32_t process = 0;
  std::uint32_t number = 0;
  std::vector<std::uint32_t> system_threads;  ///< the system's numbers of the thread
  std::vector<TaskBook> tasks;                ///< by their number in the stream, from 1
  std::vector<Grain> grains;                  ///< creators are numbers in this thread
  std::vector<std::uint64_t> task_of;         ///< of each grain: its task's number, 0 for a chunk
  std::vector<Access> accesses;
  std::vector<Wait> waits;
  std::vector<LoopVisit> loops;
  struct Release {
    std::uint64_t task = 0;
    Time at = 0;
    Index by = none;  ///< a grain of this thread
  };
  std::vector<Release> releases;
  struct Visit {
    std::uint64_t region = 0;
    std::uint64_t parent = 0;
    Time begin = 0;
    Time end = 0;
    std::uint32_t worker = 0;
    std::uint32_t team = 0;
  };
  std::vector<Visit> visits;  ///< to regions
  Thread thread;
  Time last = 0;
};

/// Reads records one by one and answers the trace.
class Assembler {
 public:
  /// Any bytes are allowed; an error is that of analysis::read_record.
  std::optional<Error> add(std::span<const std::byte> record);
  /// Who came to which pages first. At most once.
  void add(const analysis::RecordedTouches& touches) { touches_ = touches; }
  /// Which memory moved. At most once.
  void add(const analysis::RecordedMoves& moves) { moves_ = moves; }
  /// Call once. O(grains log grains + touches log touches).
  Trace finish();

 private:
  [[nodiscard]] TaskBook* find(std::uint32_t process, std::uint64_t task);
  [[nodiscard]] std::vector<Index> intern(const analysis::RecordedStream& stream);
  void number_threads();
  void make_regions();
  void release();
  void move_accesses();
  void move_grains();
  void link_parts();
  void tell_homes();
  void move_waits_and_loops();
  void count_depths();
  void number_system_threads();
  [[nodiscard]] Index thread_of(std::uint32_t process, std::uint32_t system_thread) const;
  void move_touches();
  void tell_moves();
  void tell_move_of_thread(const memory::MoveEvent& event);
  void tell_where_moved_threads_ran();

  Trace trace_;
  std::optional<analysis::RecordedTouches> touches_;
  analysis::RecordedMoves moves_;
  /// By process and the system's number.
  std::map<std::uint32_t, std::map<std::uint32_t, Index>> system_threads_;
  std::vector<ThreadBook> books_;
  std::map<std::uint32_t, analysis::BlockSightings> blocks_;                ///< by process
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> book_at_;  ///< process, stream
  std::map<std::pair<std::string, std::uint64_t>, Index> construct_at_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, Index> region_at_;  ///< process, number
};

}  // namespace lares::trace

// What a run did, in numbers: one process's counters added up, and many processes merged.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "runtime/counters.hpp"

namespace lares::analysis {

/// Amounts (tasks, or bytes) by how they ran relative to the home of their data or their creator.
struct Shares {
  std::uint64_t local = 0;
  std::uint64_t same_domain = 0;
  std::uint64_t remote = 0;

  [[nodiscard]] std::uint64_t total() const noexcept { return local + same_domain + remote; }
  Shares& operator+=(const Shares& other) noexcept;
  bool operator==(const Shares&) const = default;
};

Shares operator+(Shares a, const Shares& b) noexcept;

/// `part` of `whole`, 0 to 1; 0 if `whole` is 0.
double fraction(double part, double whole) noexcept;

/// The counts that add up over threads and over processes.
struct Counts {
  Shares creator_tasks;  ///< tasks judged by their creator: no home of data was known
  Shares data_tasks;     ///< tasks judged by the home of their data
  Shares data_bytes;     ///< bytes of those tasks, where lengths are known
  std::uint64_t inlined = 0;
  std::array<std::uint64_t, runtime::distance_ranks> steals{};  ///< [0] = in the thief's domain
  std::uint64_t failed_rounds = 0;
  std::uint64_t loops = 0;                                           ///< worksharing loops of ours
  Shares loop_iterations;                                            ///< by whose part they were of
  std::array<std::uint64_t, runtime::distance_ranks> loop_steals{};  ///< ranges, as `steals`
  double loop_ns = 0;               ///< threads' time in loops of ours
  double loop_wait_ns = 0;          ///< at the barriers behind them
  double loop_span_ns = 0;          ///< if all threads had been in loops as long as the longest one
  std::uint64_t bubbles = 0;        ///< teams that a bubble scheduler placed
  std::uint64_t bubble_shakes = 0;  ///< threads that it moved to their data
  std::uint64_t bubble_seen = 0;    ///< threads that it moved to what they were seen to use
  std::uint64_t bubble_steals = 0;  ///< threads that it moved to idle cores
  std::uint64_t bubble_data = 0;    ///< ranges of data that went along
  std::uint64_t queue_operations = 0;
  double queueing_ns = 0;     ///< time in queue operations, estimated from samples
  double thread_time_ns = 0;  ///< threads x time from the first region to the end of the last

  [[nodiscard]] Shares tasks() const noexcept { return creator_tasks + data_tasks; }
  [[nodiscard]] std::uint64_t stolen() const noexcept;
  [[nodiscard]] std::uint64_t loop_ranges_stolen() const noexcept;
  /// The longest thread's time in loops over the mean of those that had any, all loops of a process
  /// together; 0 if unknown.
  [[nodiscard]] double loop_imbalance() const noexcept;
  Counts& operator+=(const Counts& other) noexcept;
};

/// What one process left in its counters file.
struct ProcessStats {
  std::uint32_t pid = 0;
  std::string command;
  std::string runtime;  ///< the OpenMP runtime met, "" if none
  std::string policy;   ///< canonical text
  std::uint32_t domains = 0;
  std::uint32_t threads = 0;  ///< largest team seen
  std::uint64_t regions = 0;
  Nanoseconds wall;  ///< first region to end of the last; 0 if the process did not get that far
  Counts counts;
  std::uint64_t busiest_operations = 0;  ///< queue operations of the thread that had most
  std::uint64_t running_ns = 0;          ///< its threads on processors; 0: not known
  std::uint64_t waiting_ns = 0;          ///< able to run, while others had the processors
  std::vector<std::string> notes;

  /// False for a process that merely loaded the library.
  [[nodiscard]] bool used_openmp() const noexcept;
};

/// Where threads waited for processors more than this, a run's times are not the program's own.
inline constexpr double notable_waiting_share = 0.1;

/// All processes of a run.
struct RunStats {
  std::vector<ProcessStats> processes;  ///< those that used OpenMP, by pid
  Counts counts;                        ///< of all of them
  std::uint32_t threads = 0;            ///< of the largest team
  std::uint64_t regions = 0;
  Nanoseconds wall;                   ///< of the process that ran longest
  double busiest_share = 0;           ///< largest share of one thread in its process's operations
  std::vector<std::string> runtimes;  ///< distinct, in the order of first use
  std::vector<std::string> notes;     ///< distinct, in the order of first use; of all processes

  std::uint64_t running_ns = 0;  ///< of all processes
  std::uint64_t waiting_ns = 0;

  [[nodiscard]] bool used_openmp() const noexcept { return !processes.empty(); }
  /// Of the time in which threads could run, the share in which they waited for a processor; 0 if
  /// unknown.
  [[nodiscard]] double waiting_share() const noexcept;
  /// Share of the threads' time that went into queue operations; 0 if unknown.
  [[nodiscard]] double queueing_share() const noexcept;
  /// Time of one queue operation; 0 if unknown.
  [[nodiscard]] double operation_ns() const noexcept;
};

/// O(processes log processes).
RunStats merge(std::vector<ProcessStats> processes);

}  // namespace lares::analysis

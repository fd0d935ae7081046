// Follows one thread's events: what it ran, created and waited for.
#pragma once

#include <span>
#include <vector>

#include "analysis/record_file.hpp"
#include "trace/assemble.hpp"

namespace lares::trace {

/// Fills in a thread's book. Times are nanoseconds of the machine's clock; constructs are numbers
/// of the stream's plus 1, or 0, in `Grain::construct`, `TaskBook::construct` and the like.
class Follower {
 public:
  /// A stream of so many bytes tells of no more tasks than it has words.
  Follower(ThreadBook& book, std::size_t bytes)
      : book_(book), most_tasks_(bytes / sizeof(std::uint64_t)) {}

  void see(const analysis::RecordedEvent& event,
           std::span<const analysis::RecordedAccess> accesses);
  /// No more events come: what has begun and not ended ends with the last of them.
  void finish();

 private:
  /// A body that the thread is in, a region's own code among them.
  struct Frame {
    std::uint64_t task = 0;
    Index grain = none;  ///< of the book's; none: a region's own code
    Index visit = none;  ///< to the region that it is in
    Time since = 0;      ///< it goes on, or something else began
    Time inside = 0;     ///< grains that ran since it stopped
    enum class Does : std::uint8_t { runs, creates, waits } does = Does::runs;
    std::uint64_t child = 0;  ///< that it creates
    Index wait = none;        ///< of the book's
    bool in_loop = false;
    Index loop = none;   ///< of the book's
    Index chunk = none;  ///< a grain
  };

  [[nodiscard]] TaskBook& task(std::uint64_t number);
  void stop(Time at);
  void enter(const analysis::RecordedEvent& event);
  void leave(Time at);
  void create(const analysis::RecordedEvent& event,
              std::span<const analysis::RecordedAccess> accesses);
  void resume(Time at);
  void begin(const analysis::RecordedEvent& event);
  void end(Time at);
  void wait(const analysis::RecordedEvent& event);
  void end_wait(Frame& frame, Time at);
  void begin_loop(const analysis::RecordedEvent& event);
  void begin_chunk(const analysis::RecordedEvent& event);
  void end_chunk(Frame& frame, Time at);
  void end_loop(const analysis::RecordedEvent& event);
  void ready(const analysis::RecordedEvent& event);
  /// A new grain of the innermost frame's region.
  Index add_grain(const analysis::RecordedEvent& event, Time begin, std::uint64_t task);

  ThreadBook& book_;
  std::size_t most_tasks_;
  std::vector<Frame> frames_;
  Index last_ended_ = none;
  TaskBook lost_;  ///< of a number that makes no sense
};

}  // namespace lares::trace

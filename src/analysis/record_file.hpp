// Reads what the threads of a recorded program wrote down (runtime/record_format.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "runtime/counters.hpp"
#include "runtime/explain_format.hpp"
#include "runtime/record_format.hpp"

namespace lares::analysis {

struct RecordedAccess {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;        ///< 0: not told
  std::uint64_t mapping_end = 0;  ///< 0: not known
  std::uint64_t home = 0;         ///< runtime::record_home_not_asked and its like
  runtime::RecordMode mode = runtime::RecordMode::in;
};

/// Code that makes tasks, or has a loop.
struct RecordedConstruct {
  std::uint64_t code = 0;    ///< its address in the process
  std::uint64_t offset = 0;  ///< in the file's image
  std::string file;          ///< "" if not known
};

inline constexpr std::uint16_t no_recorded_domain = 0xFFFF;

/// An event, with what the order of a thread's events tells put back. `words` by kind:
/// enter: region, own task, task that opened the region or 0. leave: own task. create: task,
/// creator, when writing it down was over. begin, end, ready: task. wait, group: creator. loop: own
/// task, iterations, chunk. chunk: the first iteration, how many, when it began. loop_end: own
/// task, when it went on. The other kinds do not appear.
struct RecordedEvent {
  runtime::RecordKind kind = runtime::RecordKind::none;
  runtime::Located located = runtime::Located::unknown;   ///< of begin and chunk
  runtime::Locality locality = runtime::Locality::local;  ///< the same
  bool by_home = false;                                   ///< what locality is by
  std::uint32_t argument = 0;  ///< of enter: worker; create: record_flag; wait: RecordWait
  std::uint32_t access_count = 0;
  std::uint32_t construct = 0;  ///< of create and loop: one of the stream's plus 1, or 0
  std::uint16_t domain = no_recorded_domain;       ///< of enter: the worker's; else the home
  std::uint16_t stolen_from = no_recorded_domain;  ///< of begin
  std::uint16_t core = no_recorded_domain;         ///< of enter
  std::uint16_t team = 0;                          ///< of enter: its size, at most 65535
  std::size_t first_access = 0;                    ///< of the stream's, where they are kept
  std::uint64_t at = 0;                            ///< nanoseconds
  std::uint64_t words[3] = {};
};

/// One thread's file, in the order of time.
struct RecordedStream {
  std::uint32_t pid = 0;
  std::uint32_t number = 0;
  bool full = false;                          ///< what came later is missing
  std::vector<std::uint32_t> system_threads;  ///< the system's numbers of its threads, in turn
  std::vector<RecordedConstruct> constructs;
  std::vector<RecordedEvent> events;
  std::vector<RecordedAccess> accesses;
};

/// Gets a stream's events one by one, with their accesses.
using RecordSink =
    std::function<void(const RecordedEvent& event, std::span<const RecordedAccess> accesses)>;

/// Any bytes are allowed. An error says what is wrong with the head; events that make no sense end
/// what is read of their window. Answers the stream without its events. O(bytes).
Result<RecordedStream> read_record(std::span<const std::byte> bytes, const RecordSink& sink);

/// The same with the events.
Result<RecordedStream> parse_record(std::span<const std::byte> bytes);

/// Every `record.<pid>.<n>` of a directory that can be read, by process and number.
std::vector<RecordedStream> read_records(const std::string& directory);

/// The paths of a directory's `record.<pid>.<n>`, in the order of their names; none if it cannot be
/// read.
std::vector<std::string> record_files(const std::string& directory);

/// A file's bytes; none if it is no regular file or cannot be read.
std::vector<std::byte> read_record_bytes(const std::string& path);

}  // namespace lares::analysis

// What `lares measure` found out about a machine, with its spread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"

namespace lares::machine {

/// Repetitions of one measurement. 0 < least <= median <= most <= max_figure.
struct Spread {
  double median = 0;
  double least = 0;
  double most = 0;
};

inline constexpr double max_figure = 1e12;
inline constexpr std::uint32_t max_slit = 65'535;

/// Cores of one domain, with memory of one domain, nobody else on the machine.
struct MeasuredPair {
  DomainId from;  ///< whose cores access
  DomainId to;    ///< whose memory it is
  /// "read", "write", "update", "copy", "triad": MB/s; "latency": ns
  std::string kernel;
  Bytes footprint;  ///< of each thread
  std::uint32_t threads = 1;
  Spread figure;
};

/// All chosen cores at once.
struct MeasuredAggregate {
  std::string pattern;  ///< "local", "interleaved", "all-to-all"
  std::string kernel;   ///< "read", "write", "update", "copy", "triad"
  std::uint32_t threads = 1;
  Spread mb_s;      ///< of all threads together
  Bytes footprint;  ///< of each thread; 0: not told, but no cache held it
};

/// Pages that go from one domain's memory to another's.
struct MeasuredMigration {
  DomainId from;
  DomainId to;
  std::string method;       ///< "move-pages", "next-touch", "copy"
  std::uint64_t pages = 1;  ///< moved at once
  Spread ns_per_page;
  std::string way;  ///< of "next-touch": "userfault-thread", "userfault-signal", "protect"; or ""
};

/// What it costs threads to wait for each other.
struct MeasuredSync {
  std::string construct;  ///< "barrier", "parallel"
  std::string by;         ///< "lares" (threads of the command), "libgomp", "libomp"
  std::uint32_t threads = 1;
  Spread ns;
};

/// Floating-point operations without memory.
struct MeasuredCompute {
  std::string kind;  ///< "fma", "add", "scalar-fma", "scalar-add", "chain": see docs/measure.md
  std::uint32_t threads = 1;
  Spread gflops;  ///< of all threads together
};

/// Everything that was measured; the machine's distances and performance are made of the first
/// list. It stands beside the machine in its file, and not in it: scheduling asks for none of it.
struct Measurements {
  std::string when;  ///< "2026-11-21T23:00:00Z"; for people
  std::uint32_t repeats = 0;
  std::vector<std::uint32_t> slit;  ///< the firmware's distances, domains x domains; may be empty
  std::vector<MeasuredPair> pairs;
  std::vector<MeasuredAggregate> aggregate;
  std::vector<MeasuredMigration> migration;
  std::vector<MeasuredSync> synchronisation;
  std::vector<MeasuredCompute> compute;

  [[nodiscard]] bool empty() const noexcept {
    return slit.empty() && pairs.empty() && aggregate.empty() && migration.empty() &&
           synchronisation.empty() && compute.empty();
  }
};

/// The first broken rule as a sentence, or nothing: words that are not listed above, domains beyond
/// `domains`, no thread or page, a spread that is out of order.
std::optional<Error> check_measurements(const Measurements& measurements, std::size_t domains);

}  // namespace lares::machine

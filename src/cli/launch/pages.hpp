// `lares run --trace DIR --pages`: notes which thread of the program comes first to which pages.
// The program's processes take no part in it: the kernel tells this one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/touches_file.hpp"
#include "base/result.hpp"
#include "machine/machine.hpp"
#include "memory/touches/page_faults.hpp"
#include "runtime/record_format.hpp"

namespace lares::cli {

/// The file of touches in the trace's folder. It may take what the threads' records leave of the
/// session's budget.
///
/// Thread safety: none. Used by the thread that starts the program.
class PageTrace {
 public:
  /// Before the program starts. `trace`: the trace's folder; `session`: the folder with the file
  /// `record`, if one is there. An Error says why nothing can be noted.
  static Result<PageTrace> begin(const std::string& trace, const std::string& session,
                                 const machine::Machine& machine);
  PageTrace(PageTrace&& other) noexcept;
  PageTrace& operator=(PageTrace&& other) = delete;
  ~PageTrace();

  /// Fetches what the kernel has noted, and writes what is complete of it. At least every 5 ms: a
  /// ring has room for the touches of some 20 ms.
  void look();
  /// After the program's end: the rest.
  void finish();

 private:
  PageTrace(memory::PageFaults faults, const machine::Machine& machine);
  [[nodiscard]] std::uint16_t domain_of(OsCpu cpu) const noexcept;
  void note(const analysis::TouchRun& run);
  [[nodiscard]] bool take_room(std::uint64_t bytes) noexcept;
  void write_head();

  memory::PageFaults faults_;
  analysis::TouchRuns runs_;
  analysis::TouchesHead head_;
  analysis::TouchesHead written_head_;  ///< as it stands in the file
  std::vector<std::uint16_t> domain_of_cpu_;
  std::vector<analysis::TouchRun> waiting_;  ///< to be written
  std::uint64_t room_ = 0;                   ///< bytes that the budget has given and nobody used
  runtime::RecordBudget* budget_ = nullptr;  ///< mapped; shared with the program's processes
  int file_ = -1;
};

}  // namespace lares::cli

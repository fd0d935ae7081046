#include "analysis/touches_file.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "analysis/file_mark.hpp"
#include "analysis/record_clock.hpp"

namespace lares::analysis {
namespace {

/// Pages are from 512 bytes to 16 GiB large: anything else is damage.
constexpr std::uint16_t least_page_shift = 9;
constexpr std::uint16_t most_page_shift = 34;
/// Linux gives no program memory from here on that does not ask for it. So sums over the processes
/// of a trace, at most 65,534, do not overflow.
constexpr std::uint64_t most_touched_address = std::uint64_t{1} << 48U;

bool can_be(const TouchRun& run) noexcept {
  return run.page_shift >= least_page_shift && run.page_shift <= most_page_shift &&
         run.pages != 0 && run.address < most_touched_address &&
         run.pages <= (most_touched_address - run.address) >> run.page_shift &&
         run.begin_ns <= most_recorded_nanoseconds;
}

bool goes_on(const TouchRun& run, const TouchRun& page) noexcept {
  return page.address == run.end() && page.thread == run.thread && page.process == run.process &&
         page.domain == run.domain && page.page_shift == run.page_shift &&
         page.begin_ns - run.begin_ns <= TouchRun::most_nanoseconds && run.pages != 0xFFFFFFFF;
}

}  // namespace

std::optional<TouchRun> TouchRuns::add(const memory::PageTouch& touch, std::uint16_t domain) {
  TouchRun page;
  page.page_shift = std::has_single_bit(touch.page.count)
                        ? static_cast<std::uint16_t>(std::countr_zero(touch.page.count))
                        : page_shift_;
  page.address = touch.address >> page.page_shift << page.page_shift;
  page.begin_ns = static_cast<std::uint64_t>(touch.at.count);
  page.process = touch.process;
  page.thread = touch.thread;
  page.pages = 1;
  page.domain = domain;
  const auto [at, is_first] = open_.try_emplace(touch.cpu, page);
  if (is_first) return std::nullopt;
  if (goes_on(at->second, page)) {
    ++at->second.pages;
    return std::nullopt;
  }
  return std::exchange(at->second, page);
}

std::vector<TouchRun> TouchRuns::take_open() {
  std::vector<TouchRun> runs;
  for (const auto& [cpu, run] : open_) runs.push_back(run);
  open_.clear();
  return runs;
}

Result<RecordedTouches> parse_touches(std::span<const std::byte> bytes) {
  RecordedTouches touches;
  if (bytes.size() < sizeof(TouchesHead)) return Error{"it is truncated"};
  std::memcpy(&touches.head, bytes.data(), sizeof(TouchesHead));
  if (const auto wrong = wrong_mark(touches.head.magic, TouchesHead::expected_magic)) {
    return *wrong;
  }
  bytes = bytes.subspan(sizeof(TouchesHead));
  touches.runs.reserve(bytes.size() / sizeof(TouchRun));
  for (; bytes.size() >= sizeof(TouchRun); bytes = bytes.subspan(sizeof(TouchRun))) {
    TouchRun run;
    std::memcpy(&run, bytes.data(), sizeof(run));
    if (can_be(run)) touches.runs.push_back(run);
  }
  return touches;
}

}  // namespace lares::analysis

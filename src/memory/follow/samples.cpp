#include "memory/follow/samples.hpp"

#include <algorithm>

#include "memory/pointer.hpp"

namespace lares::memory {
namespace {

/// Whole pages inside an area.
struct Whole {
  std::uintptr_t begin = 0;
  std::uint64_t pages = 0;
};

Whole whole_pages(const LargeArea& area, std::uint64_t page) noexcept {
  const std::uintptr_t begin = (area.begin + page - 1) & ~(page - 1);
  const std::uintptr_t end = area.end & ~(page - 1);
  return {begin, end > begin ? (end - begin) / page : 0};
}

/// Where in its part of the memory, of so many pages, a run begins: in no rhythm, as data may be
/// dealt out in one, and four times in a row elsewhere.
std::uint64_t place_in_part(std::uint64_t run, std::size_t choice, std::uint64_t pages) noexcept {
  const std::uint64_t mixed = (run + 1) * 0x9E3779B97F4A7C15ULL;
  const std::uint64_t eighth = pages / 8;
  if (eighth < Samples::run_pages) return (choice + (mixed >> 62U)) % 4 * (pages / 4);
  const std::uint64_t fours = choice / 4 + (mixed >> 61U);
  const std::uint64_t slot = 2 * ((choice + (mixed >> 62U)) % 4) + fours % 2;
  return slot * eighth + (mixed >> 32U) % (eighth - Samples::run_pages + 1);
}

}  // namespace

void Samples::choose(const SystemCalls& calls, const Nodes& nodes, std::span<const LargeArea> areas,
                     Bytes page) noexcept {
  page_ = page.count;
  count_ = 0;
  const std::size_t choice = chosen_++;
  std::uint64_t all = 0;
  for (const LargeArea& area : areas) all += whole_pages(area, page_).pages;
  const std::uint64_t wanted = std::min<std::uint64_t>(all / pages_per_run, most_runs);
  std::uint64_t before = 0;  // pages of the areas so far
  std::uint64_t next = 0;    // the next run
  for (std::size_t a = 0; a < areas.size() && next < wanted; ++a) {
    const Whole whole = whole_pages(areas[a], page_);
    for (; next < wanted; ++next) {
      const std::uint64_t at = next * all / wanted + place_in_part(next, choice, all / wanted);
      if (at >= before + whole.pages) break;
      const std::uint64_t length = std::min<std::uint64_t>(whole.pages, run_pages);
      const std::uint64_t first = std::min(at - before, whole.pages - length);
      runs_[count_] = {whole.begin + first * page_, static_cast<std::size_t>(length), a};
      if (ask(calls, nodes, count_)) ++count_;
    }
    before += whole.pages;
  }
}

/// False if no page of it exists.
bool Samples::ask(const SystemCalls& calls, const Nodes& nodes, std::size_t run) noexcept {
  std::array<void*, run_pages> pages{};
  std::array<int, run_pages> status{};
  const Run& here = runs_[run];
  for (std::size_t i = 0; i < here.pages; ++i) pages[i] = pointer(here.begin + i * page_);
  if (calls.move(here.pages, pages.data(), nullptr, status.data()) < 0) return false;
  bool exists = false;
  for (std::size_t i = 0; i < here.pages; ++i) {
    pages_[run][i] = {};
    if (status[i] >= 0) pages_[run][i].home = nodes.domain_of(OsNode{status[i]});
    exists = exists || pages_[run][i].home.valid();
  }
  return exists;
}

int Samples::mark(NextTouch& next_touch) noexcept {
  // A system call that fails with EFAULT would change what the program does.
  const NextTouchOptions options{
      .chunk = {page_}, .purpose = Purpose::sample, .way = WantedWay::userfault_thread};
  int error = 0;
  bool any = false;
  for (std::size_t r = 0; r < count_; ++r) {
    const Marked marked = next_touch.mark(runs_[r].begin, {runs_[r].pages * page_}, options);
    any = any || marked.bytes.count > 0;
    if (error == 0) error = marked.error;
  }
  return any ? 0 : error;
}

void Samples::collect(NextTouch& next_touch, std::size_t turn) noexcept {
  struct Asked {
    Samples& samples;
    std::size_t turn;
  } asked{*this, turn};
  next_touch.collect(
      [](void* argument, const NextTouch::Touched& touched) noexcept {
        const Asked& by = *static_cast<Asked*>(argument);
        by.samples.note(by.turn, touched);
      },
      &asked, NextTouch::Same::cpu);
}

void Samples::note(std::size_t turn, const NextTouch::Touched& touched) noexcept {
  for (std::size_t r = 0; r < count_; ++r) {
    for (std::size_t i = 0; i < runs_[r].pages; ++i) {
      const std::uintptr_t at = runs_[r].begin + i * page_;
      if (at < touched.begin || at >= touched.end) continue;
      pages_[r][i].toucher[turn] = touched.domain;
      pages_[r][i].cpu[turn] = touched.cpu;
    }
  }
}

double Samples::touched(std::size_t turn) const noexcept {
  std::size_t there = 0;
  std::size_t touched = 0;
  for_each([&](std::size_t, const SampledPage& page, const SampledPage*) {
    ++there;
    touched += page.toucher[turn].valid() ? 1 : 0;
  });
  return there == 0 ? 0 : static_cast<double>(touched) / static_cast<double>(there);
}

void Samples::settle(NextTouch& next_touch) noexcept {
  for (std::size_t r = 0; r < count_; ++r) {
    next_touch.settle(runs_[r].begin, {runs_[r].pages * page_});
  }
}

}  // namespace lares::memory

#include "trace/findings/pages.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "trace/findings/page_pieces.hpp"

namespace lares::trace {
namespace {

std::uint64_t& part(BytesByUse& bytes, PageUse use) { return bytes[static_cast<std::size_t>(use)]; }

// Lares binds threads in regions only; a runtime that binds does so from a thread's first one on.
bool was_bound(const Trace& trace, const Touch& touch) {
  if (touch.thread == none || !trace.threads[touch.thread].bound) return false;
  return touch.moment == Moment::in_region ||
         (touch.moment == Moment::between_regions && trace.about.binding == "user");
}

std::uint64_t unbound_bytes(const Trace& trace, const PagePiece& piece) {
  return was_bound(trace, trace.touches.list[piece.touch]) ? 0 : piece.bytes();
}

/// Puts neighbours together that the same thread touched from the same domain.
class AreaMaker {
 public:
  AreaMaker(const Trace& trace, std::vector<PageArea>& areas)
      : trace_(trace), areas_(areas), uses_(trace.domains, 0) {}

  void add(const PagePiece& piece) {
    const Touch& touch = trace_.touches.list[piece.touch];
    if (!goes_on(piece, touch)) {
      finish();
      areas_.push_back({.process = piece.process,
                        .begin = piece.begin,
                        .end = piece.begin,
                        .thread = touch.thread,
                        .domain = touched_from(trace_, touch)});
    }
    PageArea& area = areas_.back();
    area.end = piece.end;
    part(area.bytes, piece.use) += piece.bytes();
    area.unbound += unbound_bytes(trace_, piece);
    for (std::size_t i = 0; i < piece.uses.size(); ++i) {
      uses_[i] += static_cast<double>(piece.uses[i]) * static_cast<double>(piece.bytes());
    }
  }

  /// After the last.
  void finish() {
    double sum = 0;
    for (const double each : uses_) sum += each;
    if (sum > 0) {
      const auto most = std::max_element(uses_.begin(), uses_.end());
      areas_.back().user = static_cast<std::uint16_t>(most - uses_.begin());
      areas_.back().user_share = *most / sum;
    }
    std::fill(uses_.begin(), uses_.end(), 0);
  }

 private:
  [[nodiscard]] bool goes_on(const PagePiece& piece, const Touch& touch) const {
    if (areas_.empty()) return false;
    const PageArea& area = areas_.back();
    return area.process == piece.process && area.end == piece.begin &&
           area.thread == touch.thread && area.domain == touched_from(trace_, touch);
  }

  const Trace& trace_;
  std::vector<PageArea>& areas_;
  std::vector<double> uses_;  ///< of the last area, byte for byte, by domain
};

/// Cuts memory into rows of equal size, in which each thread's part is told.
class RowMaker {
 public:
  RowMaker(PageFindings& pages, std::uint64_t bytes_of_row)
      : pages_(pages), bytes_of_row_(bytes_of_row) {}

  void add(PagePiece piece, std::size_t column) {
    if (!goes_on(piece)) begin_row(piece);
    while (filled_ + piece.bytes() > bytes_of_row_) {
      const std::uint64_t end = piece.end;
      piece.end = piece.begin + (bytes_of_row_ - filled_);
      put(piece, column);
      piece.begin = piece.end;
      piece.end = end;
      begin_row(piece);
    }
    put(piece, column);
  }

 private:
  // A row reaches over gaps, but not over wide ones if there is something in it already.
  [[nodiscard]] bool goes_on(const PagePiece& piece) const {
    if (pages_.rows.empty()) return false;
    const PageRow& row = pages_.rows.back();
    if (row.process != piece.process || filled_ == bytes_of_row_) return false;
    return piece.begin - row.end <= bytes_of_row_ || filled_ * 4 < bytes_of_row_;
  }

  void begin_row(const PagePiece& piece) {
    PageRow row{piece.process, piece.begin, piece.begin, {}};
    row.cells.resize(pages_.columns.size());
    pages_.rows.push_back(std::move(row));
    filled_ = 0;
  }

  void put(const PagePiece& piece, std::size_t column) {
    PageRow& row = pages_.rows.back();
    row.end = piece.end;
    part(row.cells[column], piece.use) += piece.bytes();
    filled_ += piece.bytes();
  }

  PageFindings& pages_;
  std::uint64_t bytes_of_row_;
  std::uint64_t filled_ = 0;  ///< of the last row
};

// Numbers of threads are smaller than `none`, so who was in no team comes last.
void add_columns(const Trace& trace, const std::vector<PagePiece>& pieces, PageFindings& pages) {
  std::map<Index, PageColumn> of_thread;
  for (const PagePiece& piece : pieces) {
    if (piece.touch == none) {
      pages.not_seen += piece.bytes();
      continue;
    }
    const Index thread = trace.touches.list[piece.touch].thread;
    PageColumn& column = of_thread.try_emplace(thread, PageColumn{.thread = thread}).first->second;
    const std::uint64_t unbound = unbound_bytes(trace, piece);
    part(column.bytes, piece.use) += piece.bytes();
    part(pages.bytes, piece.use) += piece.bytes();
    column.unbound += unbound;
    pages.unbound += unbound;
  }
  for (const auto& [thread, column] : of_thread) pages.columns.push_back(column);
}

void add_rows(const Trace& trace, const std::vector<PagePiece>& pieces, PageFindings& pages) {
  // Whole pages, however large these are.
  constexpr std::uint64_t page = 4096;
  RowMaker rows(pages, (all_bytes(pages.bytes) / wanted_page_rows / page + 1) * page);
  for (const PagePiece& piece : pieces) {
    if (piece.touch == none) continue;
    const Index thread = trace.touches.list[piece.touch].thread;
    const auto column =
        std::lower_bound(pages.columns.begin(), pages.columns.end(), thread,
                         [](const PageColumn& each, Index wanted) { return each.thread < wanted; });
    rows.add(piece, static_cast<std::size_t>(column - pages.columns.begin()));
  }
}

void add_areas(const Trace& trace, const std::vector<PagePiece>& pieces, PageFindings& pages) {
  AreaMaker areas(trace, pages.areas);
  for (const PagePiece& piece : pieces) {
    if (piece.touch != none) areas.add(piece);
  }
  areas.finish();
  const auto key = [](const PageArea& area) {
    return std::tuple(~named_bytes(area.bytes), ~all_bytes(area.bytes), area.process, area.begin);
  };
  std::sort(pages.areas.begin(), pages.areas.end(),
            [&key](const PageArea& a, const PageArea& b) { return key(a) < key(b); });
}

}  // namespace

PageFindings find_pages(const Trace& trace) {
  PageFindings pages;
  if (!trace.touches.are_known) return pages;
  const std::vector<PagePiece> pieces = page_pieces(trace);
  add_columns(trace, pieces, pages);
  add_rows(trace, pieces, pages);
  add_areas(trace, pieces, pages);
  return pages;
}

}  // namespace lares::trace

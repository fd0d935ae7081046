#include "trace/findings/page_pieces.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace lares::trace {
namespace {

/// Data that grains name alike.
struct NamedBlock {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  Time used_first = ~Time{0};                   ///< when the first grain that names it ended
  std::map<std::uint16_t, std::uint64_t> uses;  ///< by domain
};

/// Of one process.
struct TouchedMemory {
  std::vector<NamedBlock> blocks;
  std::vector<Index> touches;
};

std::uint64_t end_of(const Access& access) noexcept {
  const std::uint64_t bytes = std::max<std::uint64_t>(1, access.bytes);
  return access.address + std::min(bytes, ~std::uint64_t{0} - access.address);
}

// Where it is not known how much is named, its first byte is. Address 0 is omp_all_memory's.
void add_blocks(const Trace& trace, std::map<std::uint32_t, TouchedMemory>& memory) {
  std::map<std::tuple<std::uint32_t, std::uint64_t, std::uint64_t>, NamedBlock> blocks;
  for (const Grain& grain : trace.grains) {
    if (grain.domain >= trace.domains || grain.has(grain_flag::goes_on)) continue;
    for (std::size_t i = 0; i < grain.accesses; ++i) {
      const Access& access = trace.accesses[grain.first_access + i];
      if (access.address == 0) continue;
      const std::uint64_t end = end_of(access);
      NamedBlock& block = blocks[{trace.threads[grain.thread].process, access.address, end}];
      block.begin = access.address;
      block.end = end;
      block.used_first = std::min(block.used_first, grain.end);
      ++block.uses[grain.domain];
    }
  }
  for (auto& [key, block] : blocks) memory[std::get<0>(key)].blocks.push_back(std::move(block));
}

/// Goes through a process's memory from its first address to its last.
class PageSweep {
 public:
  PageSweep(const Trace& trace, std::uint32_t process, const TouchedMemory& memory,
            std::vector<PagePiece>& pieces)
      : trace_(trace),
        process_(process),
        memory_(memory),
        pieces_(pieces),
        uses_(trace.domains, 0) {}

  void operator()() {
    std::vector<Edge> edges = all_edges();
    std::sort(edges.begin(), edges.end(),
              [](const Edge& a, const Edge& b) { return a.address < b.address; });
    std::uint64_t since = 0;
    for (const Edge& edge : edges) {
      if (edge.address > since) add_piece(since, edge.address);
      since = edge.address;
      if (edge.is_touch) {
        pass_touch(edge);
      } else {
        pass_block(edge);
      }
    }
  }

 private:
  struct Edge {
    std::uint64_t address;
    Index index;  ///< a touch of the trace's, or a block
    bool is_touch;
    bool begins;
  };

  [[nodiscard]] std::vector<Edge> all_edges() const {
    std::vector<Edge> edges;
    for (const Index touch : memory_.touches) {
      edges.push_back({trace_.touches.list[touch].address, touch, true, true});
      edges.push_back({trace_.touches.list[touch].end(), touch, true, false});
    }
    for (Index i = 0; i < memory_.blocks.size(); ++i) {
      edges.push_back({memory_.blocks[i].begin, i, false, true});
      edges.push_back({memory_.blocks[i].end, i, false, false});
    }
    return edges;
  }

  void pass_touch(const Edge& edge) {
    if (edge.begins) {
      touches_.insert(edge.index);
    } else {
      touches_.erase(edge.index);
    }
  }

  void pass_block(const Edge& edge) {
    const NamedBlock& block = memory_.blocks[edge.index];
    if (edge.begins) {
      first_uses_.insert(block.used_first);
      for (const auto& [domain, count] : block.uses) uses_[domain] += count;
    } else {
      first_uses_.erase(first_uses_.find(block.used_first));
      for (const auto& [domain, count] : block.uses) uses_[domain] -= count;
    }
  }

  void add_piece(std::uint64_t begin, std::uint64_t end) {
    if (touches_.empty() && first_uses_.empty()) return;
    PagePiece piece{process_, begin, end, touch_here(), PageUse::not_named, {}};
    if (!first_uses_.empty()) {
      piece.uses = uses_;
      piece.use = use_of(piece);
    }
    pieces_.push_back(std::move(piece));
  }

  // Touches are numbered by time.
  [[nodiscard]] Index touch_here() const {
    if (touches_.empty()) return none;
    if (first_uses_.empty()) return *touches_.rbegin();
    const auto& list = trace_.touches.list;
    const auto later =
        std::upper_bound(list.begin(), list.end(), *first_uses_.begin(),
                         [](Time time, const Touch& touch) { return time < touch.at; });
    const auto at = touches_.lower_bound(static_cast<Index>(later - list.begin()));
    return at == touches_.begin() ? *at : *std::prev(at);
  }

  [[nodiscard]] PageUse use_of(const PagePiece& piece) const {
    std::uint64_t sum = 0;
    for (const std::uint64_t count : piece.uses) sum += count;
    const auto most = std::max_element(piece.uses.begin(), piece.uses.end());
    if (*most * 3 < sum * 2) return PageUse::shared;
    if (piece.touch == none) return PageUse::remote;
    const auto user = static_cast<std::uint16_t>(most - piece.uses.begin());
    return touched_from(trace_, trace_.touches.list[piece.touch]) == user ? PageUse::local
                                                                          : PageUse::remote;
  }

  const Trace& trace_;
  std::uint32_t process_;
  const TouchedMemory& memory_;
  std::vector<PagePiece>& pieces_;
  // Of where it is:
  UsesByDomain uses_;
  std::multiset<Time> first_uses_;
  std::set<Index> touches_;
};

}  // namespace

std::uint16_t touched_from(const Trace& trace, const Touch& touch) noexcept {
  if (touch.domain != no_domain || touch.thread == none) return touch.domain;
  return trace.threads[touch.thread].domain;
}

std::vector<PagePiece> page_pieces(const Trace& trace) {
  std::map<std::uint32_t, TouchedMemory> memory;
  add_blocks(trace, memory);
  for (Index i = 0; i < trace.touches.list.size(); ++i) {
    memory[trace.touches.list[i].process].touches.push_back(i);
  }
  std::vector<PagePiece> pieces;
  for (const auto& [process, of_process] : memory) PageSweep(trace, process, of_process, pieces)();
  return pieces;
}

}  // namespace lares::trace

// Dependences that name an order and not data.
//
// Many programs depend on a byte of a flag array, on the slot of a table of pointers, or on an
// address outside of every array: a *name* of a block of data that lies somewhere else. The page of
// a name says nothing about where its block is. But tasks of one name work on one block, so they
// belong together, whatever they are called, and blocks whose names follow each other lie beside
// each other most often: flags, slots and rows are numbered as the blocks are, also where a program
// makes its tasks in another order. So a name's home is its position in the order of the names that
// a construct writes first, as addresses, once all are known: when one comes again.
//
// A program that writes into two arrays in turn names the blocks of the second one anew. They begin
// a *generation* of names of their own, made in the same order: its first task reads what the first
// name of the generation before it stands for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace lares::decide {

/// The names that one creator has told of.
class NameBook {
 public:
  /// Names nearer to each other than this are no blocks of data.
  static constexpr std::uint64_t smallest_block = 256;
  /// More are not told apart.
  static constexpr std::size_t most_names = 65536;
  /// Blocks of less share their pages with others.
  static constexpr std::uint64_t smallest_moved = 4096;
  /// Of one construct's names about so many are asked where they are.
  static constexpr std::uint32_t sample = 32;

  struct Told {
    std::uint32_t position = 0;  ///< in the order of addresses
    std::uint32_t count = 0;     ///< 0: not known yet
    bool strong = false;         ///< these say more than the pages that hold the names
    bool begins = false;         ///< it is the first name of its construct, which comes again
  };

  /// A task of the construct at `code` writes what `name` (not 0) stands for.
  /// `reads(name)`: true if it reads that. `home_of(name)` answers a number for the place that
  /// holds an address, none below 0. O(1) amortised; once for each construct O(names log names) and
  /// `sample` homes.
  template <class Reads, class HomeOf>
  Told next(std::uintptr_t code, std::uintptr_t name, Reads reads, HomeOf home_of) {
    if (const Entry* const known = find(name); known != nullptr) {
      return told(constructs_[known->construct], known->construct, known->position, home_of);
    }
    Construct* const construct = names_ == most_names ? nullptr : construct_of(code);
    if (construct == nullptr) return {};
    if (construct->names >= smallest_generation && reads(construct->first)) {
      if (construct->count == 0) complete(*construct, index_of(*construct), home_of);
      construct->names = 0;
    }
    const std::uint32_t position = add(*construct, name);
    if (construct->count == 0) return {.strong = are_too_near(*construct)};
    return told(*construct, index_of(*construct), position, home_of);
  }

  /// Who looks at memory takes some of it along: up to a quarter of what was on one node may be
  /// elsewhere.
  void expect_samples_away() noexcept { some_may_be_away_ = true; }

  /// Memory that shall go where the tasks are at home that write what the names in it stand for.
  struct Part {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    [[nodiscard]] bool is_empty() const noexcept { return begin == end; }
  };
  /// The part that `name` lies in, if all of its construct's names were on one node and have been
  /// told of `rounds` times since they are known; each part once. `home_of(position, count)` tells
  /// homes apart. A name's block ends where the next one begins; where that is far away the part
  /// ends, too. O(names of the part).
  template <class HomeOf>
  Part bring(std::uintptr_t name, std::uint32_t rounds, HomeOf home_of) {
    Entry* const known = find(name);
    if (known == nullptr || known->is_brought) return {};
    const Construct& construct = constructs_[known->construct];
    if (construct.count == 0 || !construct.strong || construct.nearest < smallest_moved) return {};
    if (construct.told < std::uint64_t{rounds} * construct.count) return {};
    known->is_brought = true;
    const std::uint32_t rank = construct.ranks[known->position % construct.count];
    return new_part(part_of(construct, name, rank, home_of));
  }

 private:
  static constexpr std::size_t most_parts = 4096;
  /// A task that reads what one of so few names before it stands for is most likely its neighbour.
  static constexpr std::uint32_t smallest_generation = 8;
  static constexpr std::size_t most_constructs = 64;

  struct Entry {
    std::uintptr_t name = 0;     ///< 0: free
    std::uint32_t position = 0;  ///< as they were made
    std::uint32_t construct = 0;
    bool is_brought = false;  ///< its part is known to be
  };
  struct Construct {
    std::uintptr_t code = 0;
    std::uintptr_t first = 0;  ///< the first name of its newest generation
    std::uintptr_t last = 0;   ///< its newest name
    std::uint64_t nearest = std::numeric_limits<std::uint64_t>::max();  ///< two in a row, in bytes
    std::uint64_t smallest = 0;  ///< of its first generation's blocks, in bytes
    std::uint32_t names = 0;     ///< of its newest generation
    std::uint32_t count = 0;     ///< of its first generation, once that is complete; 0 before
    bool strong = false;
    std::uint64_t told = 0;            ///< how often positions were answered
    std::vector<std::uint32_t> ranks;  ///< by position, of its first generation: by address
    std::vector<std::uint64_t> ends;   ///< by rank: of its block, from the first one's begin on
  };

  static std::size_t hash(std::uintptr_t name) noexcept {
    return static_cast<std::size_t>((name * 0x9E3779B97F4A7C15ULL) >> 32U);
  }

  Entry* find(std::uintptr_t name) noexcept {
    if (entries_.empty()) return nullptr;
    const std::size_t mask = entries_.size() - 1;
    for (std::size_t at = hash(name) & mask;; at = (at + 1) & mask) {
      if (entries_[at].name == name) return &entries_[at];
      if (entries_[at].name == 0) return nullptr;
    }
  }

  void insert(const Entry& entry) {
    const std::size_t mask = entries_.size() - 1;
    std::size_t at = hash(entry.name) & mask;
    while (entries_[at].name != 0) at = (at + 1) & mask;
    entries_[at] = entry;
  }

  void grow() {
    std::vector<Entry> old(std::max<std::size_t>(2 * entries_.size(), 64));
    old.swap(entries_);
    for (const Entry& entry : old) {
      if (entry.name != 0) insert(entry);
    }
  }

  Construct* construct_of(std::uintptr_t code) {
    for (Construct& construct : constructs_) {
      if (construct.code == code) return &construct;
    }
    if (constructs_.size() == most_constructs) return nullptr;
    constructs_.emplace_back().code = code;
    return &constructs_.back();
  }

  [[nodiscard]] std::uint32_t index_of(const Construct& construct) const noexcept {
    return static_cast<std::uint32_t>(&construct - constructs_.data());
  }

  /// Answers its position.
  std::uint32_t add(Construct& construct, std::uintptr_t name) {
    if (2 * (names_ + 1) > entries_.size()) grow();
    ++names_;
    const std::uint32_t position = construct.names++;
    insert({name, position, index_of(construct)});
    if (position == 0) {
      construct.first = name;
    } else {
      const std::uintptr_t far = std::max(name, construct.last) - std::min(name, construct.last);
      construct.nearest = std::min<std::uint64_t>(construct.nearest, far);
    }
    construct.last = name;
    return position;
  }

  template <class HomeOf>
  Told told(Construct& construct, std::uint32_t index, std::uint32_t position, HomeOf home_of) {
    if (construct.count == 0) complete(construct, index, home_of);
    ++construct.told;
    return {construct.ranks[position % construct.count], construct.count, construct.strong,
            position == 0};
  }

  /// All names of the construct are there. They say more than the pages that hold them if they are
  /// too near to each other to be blocks, or if all are in one place: one thread has put them there
  /// before anybody else could use them.
  template <class HomeOf>
  void complete(Construct& construct, std::uint32_t index, HomeOf home_of) {
    construct.count = construct.names;
    rank(construct, index);
    construct.strong = are_too_near(construct) || are_in_one_place(construct, index, home_of);
  }
  void rank(Construct& construct, std::uint32_t index) {
    std::vector<Entry> names;
    for (const Entry& entry : entries_) {
      if (entry.name != 0 && entry.construct == index) names.push_back(entry);
    }
    std::sort(names.begin(), names.end(),
              [](const Entry& a, const Entry& b) { return a.name < b.name; });
    construct.ranks.resize(construct.count);
    for (std::uint32_t i = 0; i < construct.count; ++i) construct.ranks[names[i].position] = i;
    measure(construct, names);
  }
  static void measure(Construct& construct, const std::vector<Entry>& in_order) {
    construct.ends.clear();
    std::uint64_t smallest = std::numeric_limits<std::uint64_t>::max();
    for (std::size_t i = 1; i < in_order.size(); ++i) {
      smallest = std::min(smallest, in_order[i].name - in_order[i - 1].name);
      construct.ends.push_back(in_order[i].name - in_order[0].name);
    }
    const std::uint64_t all = construct.ends.empty() ? 0 : construct.ends.back();
    construct.ends.push_back(all + (in_order.size() > 1 ? smallest : 0));
    construct.smallest = smallest;
  }

  static std::uint64_t begin_of(const Construct& construct, std::uint32_t rank) noexcept {
    return rank == 0 ? 0 : construct.ends[rank - 1];
  }
  static bool is_far(const Construct& construct, std::uint32_t rank) noexcept {
    return construct.ends[rank] - begin_of(construct, rank) > 2 * construct.smallest;
  }

  /// Of names that follow each other in memory, those with the same home.
  template <class HomeOf>
  static Part part_of(const Construct& construct, std::uintptr_t name, std::uint32_t rank,
                      HomeOf home_of) {
    const auto home = home_of(rank, construct.count);
    std::uint32_t first = rank;
    std::uint32_t last = rank;
    const auto is_same = [&](std::uint32_t other) {
      return home_of(other, construct.count) == home;
    };
    while (first > 0 && is_same(first - 1) && !is_far(construct, first - 1)) --first;
    while (last + 1 < construct.count && is_same(last + 1) && !is_far(construct, last)) ++last;
    const std::uintptr_t base = name - begin_of(construct, rank);
    const std::uint64_t end = is_far(construct, last)
                                  ? begin_of(construct, last) + construct.smallest
                                  : construct.ends[last];
    return {base + begin_of(construct, first), base + end};
  }
  Part new_part(const Part& part) {
    if (parts_.size() == most_parts) return {};
    if (std::find(parts_.begin(), parts_.end(), part.begin) != parts_.end()) return {};
    parts_.push_back(part.begin);
    return part;
  }
  static bool are_too_near(const Construct& construct) noexcept {
    return construct.nearest < smallest_block;
  }

  template <class HomeOf>
  bool are_in_one_place(const Construct& construct, std::uint32_t index, HomeOf home_of) {
    const std::uint32_t step = std::max(construct.count / sample, 1U);
    std::vector<int> places;
    for (const Entry& entry : entries_) {
      if (entry.name == 0 || entry.construct != index) continue;
      // No rhythm that data may be dealt out in.
      if ((entry.position * 0x9E3779B9U >> 16U) % step != 0) continue;
      places.push_back(home_of(entry.name));
      if (places.back() < 0) return false;
    }
    if (places.size() < 2) return false;
    std::sort(places.begin(), places.end());
    const int middle = places[places.size() / 2];  // the place of most, if it is of more than half
    const auto away =
        places.size() - static_cast<std::size_t>(std::count(places.begin(), places.end(), middle));
    return some_may_be_away_ ? 4 * away <= places.size() : away == 0;
  }

  std::vector<Entry> entries_;  ///< open addressing, a power of two, at most half full
  std::size_t names_ = 0;
  std::vector<Construct> constructs_;
  bool some_may_be_away_ = false;
  std::vector<std::uintptr_t> parts_;  ///< begins of those that bring() has answered
};

}  // namespace lares::decide

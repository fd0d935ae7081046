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
// name of the generation before it stands for. Where another construct makes the tasks of the next
// generation, each name takes the place of one that its task reads, or nothing is known of it yet.
//
// Where one thread has written what the names stand for, it can be brought to the tasks. It lies
// at the names, or at what is stored there: slots of a table point to blocks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "decide/dealt_pieces.hpp"
#include "decide/parts.hpp"

namespace lares::decide {

/// The names that one creator has told of.
class NameBook {
 public:
  /// Names nearer to each other than this are no blocks of data.
  static constexpr std::uint64_t smallest_block = 256;
  /// More are not told apart, but for generations of them.
  static constexpr std::size_t most_names = 65536;
  /// Blocks of less share their pages with others.
  static constexpr std::uint64_t smallest_moved = 4096;
  /// Of one construct's names about so many are asked where they are.
  static constexpr std::uint32_t sample = 32;
  /// In place of the number of a place: nothing can be stored at that address.
  static constexpr int no_memory = -2;

  struct Told {
    std::uint32_t position = 0;  ///< in the order of addresses
    std::uint32_t count = 0;     ///< of how many; 0: not known yet
    bool strong = false;         ///< these say more than the pages that hold the names
    bool begins = false;         ///< it is the first name of its construct, which comes again
    std::uint32_t all = 0;       ///< names of the construct; more than `count` if dealt in pieces
    bool is_taken = false;       ///< by know(): a name of the newest generation has its place
    bool may_be_taken_again = false;  ///< that generation has names in half of the places
  };

  /// A task of the construct at `code` writes what `name` (not 0) stands for.
  /// `reads(name)`: true if it reads that. `home_of(name)` answers a number for the place that
  /// holds an address; below 0, none is known: `no_memory` where there can be none. O(1) amortised;
  /// once for each construct O(names log names) and `sample` homes.
  template <class Reads, class HomeOf>
  Told next(std::uintptr_t code, std::uintptr_t name, Reads reads, HomeOf home_of) {
    if (Entry* const known = find(name); known != nullptr) {
      known->came_again = true;
      return told(constructs_[known->construct], known->construct, known->position, home_of);
    }
    if (names_ == most_names) forget_old_generations();
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

  /// What is known of a name that next() has been asked for, also if its construct's names have but
  /// been dealt out; nothing that is told later changes by that. O(1) amortised.
  [[nodiscard]] Told know(std::uintptr_t name) {
    const Entry* const entry = find(name);
    if (entry == nullptr) return {};
    Construct& construct = constructs_[entry->construct];
    const std::uint32_t count = construct.count != 0 ? construct.count : construct.dealt;
    if (construct.count == 0) {
      if (entry->position >= count) return {};
      if (construct.ranks.size() != count) rank(construct, entry->construct, count);
    }
    Told told = answer(construct, entry->position, count);
    if (construct.count == 0) told.strong = are_too_near(construct);
    const std::uint32_t place = entry->position % count;
    told.is_taken = place < construct.taken.size() && construct.taken[place] == construct.round;
    told.may_be_taken_again = 2 * std::uint64_t{construct.taken_now} >= count;
    return told;
  }
  /// `name`, of which next() knew no place, stands for what comes in the place of `other`, of which
  /// know() knows one: both have the same from now on. Only right after next().
  void takes_place_of(std::uintptr_t name, std::uintptr_t other) {
    Entry* const entry = find(name);
    const Entry* const place = find(other);
    if (entry == nullptr || place == nullptr) return;
    --constructs_[entry->construct].names;
    entry->construct = place->construct;
    entry->position = place->position;
    take(constructs_[place->construct], place->position);
    entry->generation = constructs_[place->construct].round;
  }
  /// The tasks of the construct that name something so far have been dealt out, and came to new
  /// memory or not: matters until its names are known.
  void was_dealt(std::uintptr_t code, bool is_new) {
    for (Construct& each : constructs_) {
      if (each.code != code || each.count != 0) continue;
      each.pieces.add(each.names, is_new);
      each.dealt = each.names;
    }
  }

  /// Who looks at memory takes some of it along: up to a quarter of what was on one node may be
  /// elsewhere.
  void expect_samples_away() noexcept { some_may_be_away_ = true; }

  /// The memory of all blocks of this name's construct by their homes, if they were on one node and
  /// have been told of `rounds` times since their names are known; each block once.
  /// `domain_of(position, count)` answers the home of a name, place_of(address) what next() asks
  /// for. `read(addresses, words)` reads the words that are stored there, and answers whether it
  /// could. O(names log names) once for each generation.
  template <class DomainOf, class PlaceOf, class Read>
  PartsByHome bring(std::uintptr_t name, std::uint32_t rounds, DomainOf domain_of, PlaceOf place_of,
                    Read read) {
    const Entry* const known = find(name);
    if (known == nullptr || !known->came_again) return {};
    Construct& construct = constructs_[known->construct];
    if (construct.count == 0 || !construct.strong) return {};
    if (construct.where == Where::unknown) construct.where = where(construct, place_of, read);
    if (construct.where == Where::elsewhere) return {};
    if (construct.told < std::uint64_t{rounds} * construct.count) return {};
    return known->is_planned ? PartsByHome{} : plan(construct, domain_of, read);
  }

 private:
  /// A task that reads what one of so few names before it stands for is most likely its neighbour.
  static constexpr std::uint32_t smallest_generation = 8;
  static constexpr std::size_t most_constructs = 64;

  struct Entry {
    std::uintptr_t name = 0;     ///< 0: free
    std::uint32_t position = 0;  ///< as they were made
    std::uint32_t construct = 0;
    bool came_again = false;
    bool is_planned = false;       ///< it has been seen to whether its block shall be brought
    std::uint32_t generation = 0;  ///< of one in the place of a name that its construct has; else 0
  };
  /// The blocks that names stand for, each of a page and more and all on one node.
  enum class Where : std::uint8_t {
    unknown,    ///< nobody has looked yet
    at_names,   ///< begin there
    in_slots,   ///< begin where what is stored there points to
    elsewhere,  ///< are not there, too small, or on several nodes
  };
  struct Construct {
    std::uintptr_t code = 0;
    std::uintptr_t first = 0;  ///< the first name of its newest generation
    std::uintptr_t last = 0;   ///< its newest name
    std::uint64_t nearest = std::numeric_limits<std::uint64_t>::max();  ///< two in a row, in bytes
    std::uint32_t names = 0;  ///< of its newest generation
    std::uint32_t count = 0;  ///< of its first generation, once that is complete; 0 before
    std::uint32_t dealt = 0;  ///< of these, names whose tasks have been dealt out; until then
    bool strong = false;
    bool is_nowhere = false;           ///< most of its names lie in no memory
    Where where = Where::unknown;      ///< its blocks are
    std::uint64_t told = 0;            ///< how often positions were answered
    DealtPieces pieces;                ///< of its first generation
    std::vector<std::uint32_t> ranks;  ///< by position in that: by address, in each piece
    // Generations that other constructs make: takes_place_of().
    std::uint32_t round = 1;           ///< the newest of them
    std::uint32_t taken_now = 0;       ///< places that have a name of that
    std::vector<std::uint32_t> taken;  ///< by position: the generation of the newest name there
  };

  static std::size_t hash(std::uintptr_t name) noexcept {
    return static_cast<std::size_t>((name * 0x9E3779B97F4A7C15ULL) >> 32U);
  }

  [[nodiscard]] const Entry* find(std::uintptr_t name) const noexcept {
    if (entries_.empty()) return nullptr;
    const std::size_t mask = entries_.size() - 1;
    for (std::size_t at = hash(name) & mask;; at = (at + 1) & mask) {
      if (entries_[at].name == name) return &entries_[at];
      if (entries_[at].name == 0) return nullptr;
    }
  }

  Entry* find(std::uintptr_t name) noexcept {
    return const_cast<Entry*>(std::as_const(*this).find(name));
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

  /// Those of places whose two newest generations have other names: nobody reads them any more.
  /// Once in vain, it is not tried again: the names are of something else.
  void forget_old_generations() {
    if (is_full_) return;
    std::vector<Entry> kept;
    for (const Entry& entry : entries_) {
      const bool is_old =
          entry.generation != 0 && constructs_[entry.construct].round - entry.generation > 1;
      if (entry.name != 0 && !is_old) kept.push_back(entry);
    }
    is_full_ = 2 * kept.size() > most_names;
    names_ = kept.size();
    std::fill(entries_.begin(), entries_.end(), Entry{});
    for (const Entry& entry : kept) insert(entry);
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

  /// A name is in that place; of a new generation, if the newest one has one there.
  static void take(Construct& construct, std::uint32_t position) {
    const std::uint32_t place =
        position % (construct.count != 0 ? construct.count : construct.dealt);
    if (place >= construct.taken.size()) construct.taken.resize(place + std::size_t{1});
    if (construct.taken[place] == construct.round) {
      ++construct.round;
      construct.taken_now = 0;
    }
    construct.taken[place] = construct.round;
    ++construct.taken_now;
  }

  template <class HomeOf>
  Told told(Construct& construct, std::uint32_t index, std::uint32_t position, HomeOf home_of) {
    if (construct.count == 0) complete(construct, index, home_of);
    ++construct.told;
    return answer(construct, position);
  }
  static Told answer(const Construct& construct, std::uint32_t position) noexcept {
    return answer(construct, position, construct.count);
  }
  static Told answer(const Construct& construct, std::uint32_t position,
                     std::uint32_t count) noexcept {
    const std::uint32_t in_first = position % count;
    const Rank piece = construct.pieces.place(in_first, count);
    return {construct.ranks[in_first], static_cast<std::uint32_t>(piece.of), construct.strong,
            position == 0, count};
  }

  /// All names of the construct are there. They say more than the pages that hold them if they are
  /// too near to each other to be blocks, if all are in one place: one thread has put them there
  /// before anybody else could use them; or if most are nowhere: what holds the others is there by
  /// chance.
  template <class HomeOf>
  void complete(Construct& construct, std::uint32_t index, HomeOf home_of) {
    construct.count = construct.names;
    const std::vector<std::uintptr_t> names = rank(construct, index, construct.count);
    if (are_too_near(construct)) {
      construct.strong = true;
      return;
    }
    const std::vector<int> places = places_of(names, home_of);
    construct.is_nowhere = are_nowhere(places);
    construct.strong = construct.is_nowhere || are_in_one_place(places);
  }
  /// Ranks its first `count` names, and answers them in order.
  std::vector<std::uintptr_t> rank(Construct& construct, std::uint32_t index, std::uint32_t count) {
    std::vector<Entry> entries;
    for (const Entry& entry : entries_) {
      const bool is_own = entry.name != 0 && entry.construct == index && entry.generation == 0;
      if (is_own && entry.position < count) entries.push_back(entry);
    }
    std::sort(entries.begin(), entries.end(),
              [](const Entry& a, const Entry& b) { return a.name < b.name; });
    construct.ranks.resize(count);
    std::vector<std::uintptr_t> names;
    for (const Entry& entry : entries) names.push_back(entry.name);
    std::vector<std::uint32_t> next(count);  // by where a piece begins
    for (const Entry& entry : entries) {
      const std::uint64_t begin =
          entry.position - construct.pieces.place(entry.position, count).rank;
      construct.ranks[entry.position] = next[begin]++;
    }
    return names;
  }
  template <class DomainOf>
  static std::uint32_t home_in(const Construct& construct, const Entry& name, DomainOf domain_of) {
    const Told told = answer(construct, name.position);
    const auto home = domain_of(told.position, told.count);
    // A piece of fewer names than there are domains says nothing.
    const std::uint32_t in_all = name.position % construct.count;
    return static_cast<std::uint32_t>(
        (home.valid() ? home : domain_of(in_all, construct.count)).index());
  }

  /// As soon as all names are known: later, who looks at memory has taken some of it along.
  template <class PlaceOf, class Read>
  Where where(const Construct& construct, PlaceOf place_of, Read read) const {
    if (construct.is_nowhere) return Where::elsewhere;
    std::vector<OwnedBlock> blocks;
    for (const Entry& entry : entries_) {
      if (is_of(entry, construct)) blocks.push_back({entry.name, 0});
    }
    // Other strong ones that lie so far apart are on one node.
    if (put_in_order(blocks) >= smallest_moved) return Where::at_names;
    if (!follow_slots(blocks, read)) return Where::elsewhere;
    if (put_in_order(blocks) < smallest_moved) return Where::elsewhere;
    std::vector<std::uintptr_t> begins;
    for (const OwnedBlock& block : blocks) begins.push_back(block.begin);
    return are_in_one_place(places_of(begins, place_of)) ? Where::in_slots : Where::elsewhere;
  }

  /// For the names that are complete since the last time.
  template <class DomainOf, class Read>
  PartsByHome plan(const Construct& construct, DomainOf domain_of, Read read) {
    std::vector<OwnedBlock> blocks;
    for (Entry& entry : entries_) {
      if (!is_of(entry, construct) || entry.is_planned) continue;
      entry.is_planned = true;
      blocks.push_back({entry.name, home_in(construct, entry, domain_of)});
    }
    if (construct.where == Where::in_slots && !follow_slots(blocks, read)) return {};
    const std::uint64_t nearest = put_in_order(blocks);
    return nearest >= smallest_moved ? parts_of(blocks, nearest) : PartsByHome{};
  }
  [[nodiscard]] bool is_of(const Entry& entry, const Construct& construct) const noexcept {
    return entry.name != 0 && entry.construct == index_of(construct);
  }

  /// Replaces names by what is stored there, if they are slots and at least half of them hold
  /// anything.
  template <class Read>
  static bool follow_slots(std::vector<OwnedBlock>& blocks, Read read) {
    std::vector<std::uintptr_t> slots;
    for (const OwnedBlock& block : blocks) slots.push_back(block.begin);
    const auto is_slot = [](std::uintptr_t name) { return name % sizeof(std::uintptr_t) == 0; };
    if (!std::all_of(slots.begin(), slots.end(), is_slot)) return false;
    std::vector<std::uintptr_t> words(slots.size());
    if (!read(std::span<const std::uintptr_t>(slots), std::span(words))) return false;
    for (std::size_t i = 0; i < words.size(); ++i) blocks[i].begin = words[i];
    // One that is empty has no block yet.
    const auto is_empty = [](const OwnedBlock& block) { return block.begin == 0; };
    blocks.erase(std::remove_if(blocks.begin(), blocks.end(), is_empty), blocks.end());
    return 2 * blocks.size() >= words.size();
  }

  static bool are_too_near(const Construct& construct) noexcept {
    return construct.nearest < smallest_block;
  }

  /// Of a sample of them, in order.
  template <class PlaceOf>
  static std::vector<int> places_of(const std::vector<std::uintptr_t>& addresses,
                                    PlaceOf place_of) {
    const std::size_t step = std::max<std::size_t>(addresses.size() / sample, 1);
    std::vector<int> places;
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      // No rhythm that data may be dealt out in.
      if ((static_cast<std::uint32_t>(i) * 0x9E3779B9U >> 16U) % step != 0) continue;
      places.push_back(place_of(addresses[i]));
    }
    std::sort(places.begin(), places.end());
    return places;
  }
  /// At least half of a few of them: more would not be blocks' addresses by mistake.
  static bool are_nowhere(const std::vector<int>& places) noexcept {
    const std::ptrdiff_t nowhere = std::ranges::count(places, no_memory);
    return places.size() >= smallest_generation && 2 * nowhere >= std::ssize(places);
  }
  [[nodiscard]] bool are_in_one_place(const std::vector<int>& places) const noexcept {
    if (places.size() < 2 || places.front() < 0) return false;
    const int middle = places[places.size() / 2];  // the place of most, if it is of more than half
    const auto away =
        places.size() - static_cast<std::size_t>(std::count(places.begin(), places.end(), middle));
    return some_may_be_away_ ? 4 * away <= places.size() : away == 0;
  }

  std::vector<Entry> entries_;  ///< open addressing, a power of two, at most half full
  std::size_t names_ = 0;
  std::vector<Construct> constructs_;
  bool some_may_be_away_ = false;
  bool is_full_ = false;  ///< nothing is to be forgotten
};

}  // namespace lares::decide

// Where the next task belongs that one creator makes and that names no data as such: what its
// arguments point to, what its name stands for, or its place in a series.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <span>

#include "base/ids.hpp"
#include "decide/hold.hpp"
#include "decide/limits.hpp"
#include "decide/names.hpp"
#include "decide/series.hpp"
#include "decide/votes.hpp"
#include "policy/places.hpp"

namespace lares::decide {

/// From what an opinion comes.
enum class Basis : std::uint8_t {
  series,   ///< its place among the tasks that one thread makes (series.hpp)
  name,     ///< `depend` names a flag or a slot, which stands for a block (names.hpp)
  argument  ///< pointers among its arguments (arguments.hpp)
};

/// What is known of one task.
struct Opinion {
  DomainId home;                ///< invalid if nothing is
  bool held = false;            ///< its series is to be complete before it is known
  bool begins = false;          ///< it is the first of what has been made before
  bool strong = false;          ///< it says more than the pages that hold its names
  std::uint32_t names = 0;      ///< how many the construct has, if `home` is known by one
  Basis basis = Basis::series;  ///< of `home`
  [[nodiscard]] bool known() const noexcept { return home.valid() || held; }
};

/// One thread that makes the tasks of its team alone, as its executor shows it.
template <class C>
concept SoleCreator = requires(C c, Series& series, std::uintptr_t address) {
  { c.places() } -> std::convertible_to<const policy::Places&>;
  { c.workers() } -> std::convertible_to<std::size_t>;  // of the team
  { c.round() } -> std::convertible_to<std::uint32_t>;  // changes when it has waited
  { c.names() } -> std::convertible_to<NameBook&>;
  // A task of a new series is to be held: false if nobody shall wait.
  { c.begins_hold(series) } -> std::convertible_to<bool>;
  c.settles();  // what is new stays where it runs from now on
  // The domain with workers that has this page, or an invalid id.
  { c.home_of_page(address) } -> std::convertible_to<DomainId>;
  // A number for the place of an address, as NameBook::next() asks for.
  { c.place_of(address) } -> std::convertible_to<int>;
};

/// The domain of the workers to whom part `position` of `count` belongs; an invalid id if there are
/// fewer parts than domains. `position` < `count`.
inline DomainId home_of_part(const policy::Places& places, std::uint64_t position,
                             std::uint64_t count, std::size_t workers) noexcept {
  if (count < places.domains_with_workers().size()) return {};
  return places.domain_of(worker_of_part(position, count, workers));
}

/// The next task of the series. O(1).
template <SoleCreator C>
Opinion by_series(C creator, Series& series) {
  switch (series.next(creator.round())) {
    case Series::Answer::hold:
      return {.home = {}, .held = creator.begins_hold(series)};
    case Series::Answer::place:
      break;
    case Series::Answer::none:
      return {};
  }
  const auto [rank, of] = series.rank();
  const DomainId home = home_of_part(creator.places(), rank, of, creator.workers());
  if (home.valid() && series.rounds() < limits::first_instances) creator.settles();
  return {.home = home, .begins = series.position() == 0};
}

/// The same of one with these words among its arguments: where these point to where that says
/// something.
template <SoleCreator C>
Opinion by_arguments(C creator, Series& series, std::span<const std::uintptr_t> words) {
  Opinion known = by_series(creator, series);
  if (words.empty() || series.has_tiny_tasks() || !series.arguments().may_tell()) return known;
  const auto home_of = [&creator](std::uintptr_t page) { return creator.home_of_page(page); };
  const std::size_t domains = creator.places().domains_with_workers().size();
  const DomainId home = series.arguments().next(words, domains, known.home, home_of);
  if (known.held || !home.valid()) return known;
  known.home = home;
  known.basis = Basis::argument;
  return known;
}

/// The tasks of the series shall not be held, or not for now.
inline void give_up(Series& series, Hold::End why) noexcept {
  why == Hold::End::tiny_tasks ? series.is_tiny() : series.hurry();
}

/// True if nothing is new any more, since `told` tasks have been told where they belong by one of
/// `names`: two rounds of them have been made, and what they touch has been touched.
inline bool are_settled(std::uint64_t told, std::uint32_t names) noexcept {
  return told > 2 * std::uint64_t{names};
}

/// What one task names in `depend`, as its executor shows it.
template <class N>
concept Names = requires(N names, std::uintptr_t name) {
  { names.first_written() } -> std::convertible_to<std::uintptr_t>;  // 0: it writes nothing
  { names.reads(name) } -> std::convertible_to<bool>;                // and does not write it
  { names.writes_several() } -> std::convertible_to<bool>;
  names.for_each([](std::uintptr_t /*name*/, bool /*writes*/) {});
};

/// Where most of what the task names is at home; what it writes counts twice. Among equals
/// `first`, the home of what it writes first.
template <SoleCreator C, Names N>
DomainId home_of_most_names(C creator, N names, DomainId first) {
  Votes votes;
  names.for_each([&](std::uintptr_t name, bool writes) {
    const NameBook::Told told = creator.names().know(name);
    if (told.count == 0) return;
    const DomainId home =
        home_of_part(creator.places(), told.position, told.count, creator.workers());
    if (!home.valid()) return;
    votes.add(home);
    if (writes) votes.add(home);
  });
  const DomainId most = votes.most(first);
  return most.valid() ? most : first;
}

/// The name, among those that the task reads, in whose place a new one is that it writes, as where
/// the names of one array follow those of another: the first in order of those at home where most
/// are. 0 if there is none, or it says no more than its page.
///
/// Each place is for one name of a generation. One whose neighbour of its own generation has been
/// told of reads that as well: it follows another one, or nothing is known of it.
template <SoleCreator C, Names N>
std::uintptr_t place_among_read(C creator, N names) {
  struct Read {
    std::uintptr_t name;
    DomainId home;
    NameBook::Told told;
  };
  std::array<Read, Votes::most_votes> all;
  std::size_t count = 0;
  Votes votes;
  names.for_each([&](std::uintptr_t name, bool writes) {
    if (writes || count == all.size()) return;
    const NameBook::Told told = creator.names().know(name);
    if (told.count == 0 || !told.strong) return;
    const DomainId home =
        home_of_part(creator.places(), told.position, told.count, creator.workers());
    if (!home.valid()) return;
    votes.add(home);
    all[count++] = {name, home, told};
  });
  const auto first = [&](bool of_next_generation) -> std::uintptr_t {
    const Read* best = nullptr;
    for (const Read& read : std::span(all).first(count)) {
      const bool is_free =
          !read.told.is_taken || (of_next_generation && read.told.may_be_taken_again);
      if (!is_free || votes.most(read.home) != read.home) continue;
      if (best == nullptr || read.told.position < best->told.position) best = &read;
    }
    return best == nullptr ? 0 : best->name;
  };
  const std::uintptr_t name = first(false);
  return name != 0 ? name : first(true);
}

/// The same of a task of the construct at `code` that names something: it is at home where the
/// block is whose name it writes, or if these are several, where most of its blocks are: a kernel
/// that changes two rows of tiles would else go to the first one's home always. As
/// NameBook::next().
template <SoleCreator C, Names N>
Opinion by_name(C creator, Series& series, std::uintptr_t code, N names) {
  Opinion known = by_series(creator, series);
  const std::uintptr_t name = names.first_written();
  if (name == 0) return known;
  const auto place_of = [&creator](std::uintptr_t address) { return creator.place_of(address); };
  const auto reads = [&names](std::uintptr_t read) { return names.reads(read); };
  NameBook::Told told = creator.names().next(code, name, reads, place_of);
  known.strong = told.strong;
  if (const std::uintptr_t place = told.count == 0 ? place_among_read(creator, names) : 0;
      place != 0) {
    creator.names().takes_place_of(name, place);
    told = creator.names().know(name);
  }
  if (told.count == 0) return known;
  DomainId home = home_of_part(creator.places(), told.position, told.count, creator.workers());
  if (home.valid() && names.writes_several()) home = home_of_most_names(creator, names, home);
  return {.home = home,
          .begins = told.begins,
          .strong = told.strong,
          .names = told.all,
          .basis = Basis::name};
}

}  // namespace lares::decide

#include "machine/measurements.hpp"

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace lares::machine {
namespace {

using Words = std::initializer_list<std::string_view>;

std::optional<Error> check_word(const char* what, std::string_view word, Words accepted) {
  if (std::find(accepted.begin(), accepted.end(), word) != accepted.end()) return std::nullopt;
  std::string names;
  for (const std::string_view name : accepted)
    names += (names.empty() ? "" : ", ") + std::string(name);
  return Error{std::string("a measurement has an unknown ") + what + ", accepted are " + names};
}

/// Written so that "not a number" is refused, too.
std::optional<Error> check_spread(const Spread& spread) {
  const bool ordered = spread.least > 0 && spread.least <= spread.median &&
                       spread.median <= spread.most && spread.most <= max_figure;
  if (ordered) return std::nullopt;
  return Error{"a measurement's spread is not 0 < least <= median <= most <= 1e12"};
}

std::optional<Error> check_domain(DomainId domain, std::size_t domains) {
  if (domain.valid() && domain.index() < domains) return std::nullopt;
  return Error{"a measurement names a domain that does not exist"};
}

std::optional<Error> check_count(std::uint64_t count) {
  if (count > 0) return std::nullopt;
  return Error{"a measurement has no thread or no page"};
}

/// The first verdict that is one.
std::optional<Error> first_of(std::initializer_list<std::optional<Error>> verdicts) {
  for (const auto& verdict : verdicts) {
    if (verdict) return verdict;
  }
  return std::nullopt;
}

std::optional<Error> check(const MeasuredPair& pair, std::size_t domains) {
  return first_of(
      {check_domain(pair.from, domains), check_domain(pair.to, domains),
       check_word("kernel", pair.kernel, {"read", "write", "update", "copy", "triad", "latency"}),
       check_count(pair.threads), check_spread(pair.figure)});
}

std::optional<Error> check(const MeasuredAggregate& all, std::size_t /*domains*/) {
  return first_of({check_word("pattern", all.pattern, {"local", "interleaved", "all-to-all"}),
                   check_word("kernel", all.kernel, {"read", "write", "update", "copy", "triad"}),
                   check_count(all.threads), check_spread(all.mb_s)});
}

std::optional<Error> check_way(const MeasuredMigration& move) {
  if (move.way.empty()) return std::nullopt;
  if (move.method != "next-touch") return Error{"a measurement has a way and is no next-touch"};
  return check_word("way", move.way, {"userfault-thread", "userfault-signal", "protect"});
}

std::optional<Error> check(const MeasuredMigration& move, std::size_t domains) {
  return first_of({check_domain(move.from, domains), check_domain(move.to, domains),
                   check_word("method", move.method, {"move-pages", "next-touch", "copy"}),
                   check_way(move), check_count(move.pages), check_spread(move.ns_per_page)});
}

std::optional<Error> check(const MeasuredSync& sync, std::size_t /*domains*/) {
  return first_of({check_word("construct", sync.construct, {"barrier", "parallel"}),
                   check_word("runtime", sync.by, {"lares", "libgomp", "libomp"}),
                   check_count(sync.threads), check_spread(sync.ns)});
}

std::optional<Error> check(const MeasuredCompute& compute, std::size_t /*domains*/) {
  return first_of(
      {check_word("kind", compute.kind, {"fma", "add", "scalar-fma", "scalar-add", "chain"}),
       check_count(compute.threads), check_spread(compute.gflops)});
}

template <class Item>
std::optional<Error> check_all(const std::vector<Item>& items, std::size_t domains) {
  for (const Item& item : items) {
    if (auto verdict = check(item, domains)) return verdict;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Error> check_measurements(const Measurements& measurements, std::size_t domains) {
  return first_of(
      {check_all(measurements.pairs, domains), check_all(measurements.aggregate, domains),
       check_all(measurements.migration, domains), check_all(measurements.synchronisation, domains),
       check_all(measurements.compute, domains)});
}

}  // namespace lares::machine

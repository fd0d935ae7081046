// Which pushes and steals go together.
#include <algorithm>
#include <string>
#include <utility>

#include "policy/registry.hpp"

namespace lares::policy {
namespace {

/// The least reach of `steal` among the kinds of places that `push` fills.
Reach least_reach(const PlaceRole<Push>& push, const PlaceRole<Steal>& steal) noexcept {
  Reach least = Reach::all;
  // A worker's place is always drained by its owner.
  if (push.workers) least = std::min(least, std::max(steal.workers, Reach::own));
  if (push.domains) least = std::min(least, steal.domains);
  if (push.root) least = std::min(least, steal.root);
  return least;
}

std::string steals_that_go_with(const Entry<Push>& push) {
  std::string names;
  for (const Entry<Steal>& steal : steals()) {
    if (fit(push, steal) == Fit::excluded) continue;
    if (!names.empty()) names += ", ";
    names += steal.name;
  }
  return names;
}

}  // namespace

std::string_view to_string(Fit fit) noexcept {
  switch (fit) {
    case Fit::balanced:
      return "balanced";
    case Fit::unbalanced:
      return "unbalanced";
    case Fit::excluded:
      break;
  }
  return "excluded";
}

Fit fit(const Entry<Push>& push, const Entry<Steal>& steal) noexcept {
  switch (least_reach(push.places, steal.places)) {
    case Reach::all:
      return Fit::balanced;
    case Reach::own:
      return Fit::unbalanced;
    case Reach::none:
      break;
  }
  return Fit::excluded;
}

bool wants_homes(const Choice& choice) {
  return choice.push->make()->uses_data() || choice.distribution->make()->decides();
}

std::optional<Error> check(const Choice& choice) {
  if (choice.push->places.root && choice.distribution->make()->decides()) {
    std::string sentence = "policy distribution=";
    sentence += choice.distribution->name;
    sentence += " cannot act with push=";
    sentence += choice.push->name;
    sentence +=
        ", which has one queue for all domains; the distribution that goes with it is first-touch";
    return Error{std::move(sentence)};
  }
  if (fit(*choice.push, *choice.steal) != Fit::excluded) return std::nullopt;
  std::string sentence = "policy push=";
  sentence += choice.push->name;
  sentence += " puts tasks into places that steal=";
  sentence += choice.steal->name;
  sentence += " never visits; the steals that go with it are ";
  sentence += steals_that_go_with(*choice.push);
  return Error{std::move(sentence)};
}

}  // namespace lares::policy

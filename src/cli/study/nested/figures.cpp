#include "cli/study/nested/figures.hpp"

#include <algorithm>
#include <numeric>

namespace lares::cli::nested {

Range range_of(const std::vector<double>& values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return {*least, sum / static_cast<double>(values.size()), *most};
}

Range rates_of(const Row& row, std::size_t phase, const std::string& kernel) {
  std::vector<double> least;
  std::vector<double> mean;
  std::vector<double> most;
  for (const Outcome& outcome : row.outcomes) {
    for (const TeamPhase& team : outcome.phases.at(phase)) {
      const Rate& rate = team.rates.at(kernel);
      least.push_back(rate.least);
      mean.push_back(rate.mean);
      most.push_back(rate.most);
    }
  }
  return {range_of(least).least, range_of(mean).mean, range_of(most).most};
}

Range seconds_of(const Row& row, std::size_t phase) {
  std::vector<double> values;
  for (const Outcome& outcome : row.outcomes) values.push_back(outcome.seconds.at(phase));
  return range_of(values);
}

Range team_seconds(const Row& row, std::size_t team) {
  std::vector<double> values;
  for (const Outcome& outcome : row.outcomes) {
    values.push_back(outcome.phases.front().at(team).seconds);
  }
  return range_of(values);
}

Range moved_bytes(const Row& row) {
  std::vector<double> values;
  for (const Outcome& outcome : row.outcomes) values.push_back(outcome.moved_bytes);
  return range_of(values);
}

Range shares_of(const Row& row, std::size_t phase, double TeamPhase::* share,
                std::optional<std::size_t> team) {
  std::vector<double> values;
  for (const Outcome& outcome : row.outcomes) {
    const auto& teams = outcome.phases.at(phase);
    for (std::size_t t = 0; t < teams.size(); ++t) {
      if (!team || *team == t) values.push_back(teams[t].*share);
    }
  }
  return range_of(values);
}

}  // namespace lares::cli::nested

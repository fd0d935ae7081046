// Broquedis et al. 2010, "ForestGOMP: an efficient OpenMP environment for NUMA architectures".
#include <algorithm>
#include <array>

#include "memory/manager/costs.hpp"
#include "simulate/papers/runner.hpp"

namespace lares::simulate::papers {
namespace {

constexpr std::size_t opteron_nodes = 4;
constexpr std::size_t opteron_cores = 4;  // of a node
constexpr double to_mb = 1e-6;
constexpr double to_seconds = 1e-6;
constexpr std::size_t many_rounds = 16;
constexpr std::size_t stream_rounds = 10;  // STREAM's own number of repetitions
constexpr const char* milder = "in the model the thieves' remote traffic is milder";

using Homes = std::vector<DomainId>;
using Teams = std::vector<StreamTeam>;

class Forest {
 public:
  Forest(const Loaded& loaded, std::uint32_t seeds)
      : loaded_(loaded),
        runner_(loaded, seeds),
        team_data_(3 * sheet_.input("section 5.4", "a vector") / to_mb),
        moving_threads_(opteron_cores * to_seconds *
                        sheet_.input("section 3.2", "a thread migrates")) {}

  Result<Reproduction> reproduce() {
    add_bandwidths();
    add_imbalanced();
    judge_remote_vectors();
    judge_mixed_vectors();
    if (runner_.error) return *runner_.error;
    return sheet_.take();
  }

 private:
  /// When each team ends, at every point.
  std::vector<Values> run(const Teams& teams, const StealOfThreads* steal = nullptr) {
    const BoundThreads threads = make_teams(teams, steal);
    const Runs runs = runner_.run(threads);
    std::vector<Values> ends;
    for (std::size_t t = 0; t < teams.size(); ++t) {
      ends.push_back(runs.of([&](const Outcome& outcome) {
        double end = 0;
        for (std::size_t w = threads.first[t]; w < threads.first[t + 1]; ++w) {
          end = std::max(end, outcome.ended[w]);
        }
        return end;
      }));
    }
    return ends;
  }
  /// STREAM's rates are those of the whole phase, which ends with its slowest team.
  Values phase(const Teams& teams) { return last(run(teams)); }
  static Values last(const std::vector<Values>& ends) {
    Values all = ends[0];
    for (const Values& each : ends) {
      all = pointwise(all, each, [](double a, double b) { return std::max(a, b); });
    }
    return all;
  }
  [[nodiscard]] Values rate(const Values& seconds) const {
    return Values(stream_rounds * team_data_ * to_mb) / seconds;
  }

  /// `threads` threads of one team on the cores of `node`, equal parts of their data on `data`.
  [[nodiscard]] StreamTeam team_on(std::size_t node, std::size_t threads, Homes data,
                                   std::size_t rounds) const {
    StreamTeam team{.cores = {},
                    .data = std::move(data),
                    .rounds = rounds,
                    .bytes = team_data_ / static_cast<double>(threads)};
    for (std::size_t i = 0; i < threads; ++i) {
      team.cores.emplace_back(node * opteron_cores + i % opteron_cores);
    }
    return team;
  }
  /// One team a node; part i of its data is on the node that is shifts[i] further.
  [[nodiscard]] Teams four_teams(const std::vector<std::size_t>& shifts, std::size_t rounds,
                                 bool next_touch = false) const {
    Teams teams;
    for (std::size_t n = 0; n < opteron_nodes; ++n) {
      Homes data;
      for (const std::size_t shift : shifts) data.emplace_back((n + shift) % opteron_nodes);
      teams.push_back(team_on(n, opteron_cores, data, rounds));
      teams.back().next_touch = next_touch;
    }
    return teams;
  }
  /// A node and its two neighbours: all but the farthest.
  [[nodiscard]] Homes neighbourhood(std::size_t node) const {
    const auto far = [&](std::size_t other) {
      return loaded_.machine.distances.at(DomainId{node}, DomainId{other});
    };
    std::uint32_t most = 0;
    for (std::size_t other = 0; other < opteron_nodes; ++other) most = std::max(most, far(other));
    Homes homes;
    for (std::size_t other = 0; other < opteron_nodes; ++other) {
      if (far(other) < most) homes.emplace_back(other);
    }
    return homes;
  }

  void add_bandwidths() {
    const Values alone = rate(run({team_on(0, 4, {DomainId{std::size_t{0}}}, stream_rounds)})[0]);
    const Values alone_spread = rate(run({team_on(0, 4, neighbourhood(0), stream_rounds)})[0]);
    const Values together = rate(run(four_teams({0}, stream_rounds))[0]);
    Teams teams;
    for (std::size_t n = 0; n < opteron_nodes; ++n) {
      teams.push_back(team_on(n, 4, neighbourhood(n), stream_rounds));
    }
    const Values spread = rate(phase(teams));
    const char* filled = "four cores of the model fill one controller, and are slower afar";
    const Baseline one = sheet_.add("Table 1", "4 threads on one node, local",
                                    {.basis = Basis::input, .simulated = alone});
    sheet_.add("Table 1", "the same, local and neighbours",
               {.simulated = alone_spread, .baseline = &one, .why = filled});
    const Baseline four =
        sheet_.add("Table 1", "4 threads on each node, local, a node",
                   {.basis = Basis::input, .simulated = together, .quantity = "probes"});
    sheet_.add("Table 1", "the same, local and neighbours, a node",
               {.basis = Basis::fitted, .simulated = spread, .baseline = &four});
    for (const char* kernel : {"copy", "scale", "add", "triad"}) {
      // The model knows no kernels: each is the rate of Table 1 once more.
      sheet_.add("Table 5", kernel,
                 {.basis = Basis::input,
                  .simulated = together * Values(opteron_nodes),
                  .quantity = "probes"});
      sheet_.add("Table 6", kernel,
                 {.basis = Basis::input, .simulated = together, .quantity = "probes"});
    }
    sheet_.state(
        {.place = "Table 1",
         .statement = "spreading pages helps a lone team",
         .claims = {below(alone, alone_spread)},
         .evidence = "local " + number(alone) + ", spread " + number(alone_spread, " MB/s"),
         .why = filled});
    sheet_.state(
        {.place = "Table 1",
         .statement = "spreading pages hurts four teams",
         .basis = Basis::fitted,
         .claims = {below(spread, together)},
         .evidence = "local " + number(together) + ", spread " + number(spread, " MB/s a node")});
  }

  /// Imbalanced-STREAM: eight threads a team, by team.
  [[nodiscard]] std::vector<Values> imbalanced(const StealOfThreads* steal) {
    Teams teams;
    for (std::size_t n = 0; n < opteron_nodes; ++n) {
      const double rounds = sheet_.input("section 5.5", "team " + std::to_string(n));
      teams.push_back(
          team_on(n, 2 * opteron_cores, {DomainId{n}}, static_cast<std::size_t>(rounds)));
    }
    return run(teams, steal);
  }
  void add_imbalanced() {
    const std::vector<Values> ends = imbalanced(nullptr);
    // To the model teams 0 and 1 are the same, and team 3 is over before anybody steals.
    const std::array<const char*, opteron_nodes> quantities = {
        "Table 8, teams 0 and 1", "Table 8, teams 0 and 1", "", "team 3"};
    std::vector<Baseline> alone;
    for (std::size_t i = 0; i < opteron_nodes; ++i) {
      alone.push_back(sheet_.add("Table 8", "team " + std::to_string(i),
                                 {.simulated = ends[i], .quantity = quantities[i]}));
    }
    for (const bool migrates : {false, true}) {
      std::vector<Values> overall;
      for (std::size_t from = 0; from < 3; ++from) {
        overall.push_back(add_steal({from, 3, migrates}, alone));
      }
      judge_stealing(migrates, overall, last(ends));
    }
  }
  /// Answers when all teams have ended.
  Values add_steal(const StealOfThreads& steal, const std::vector<Baseline>& alone) {
    const std::vector<Values> ends = imbalanced(&steal);
    const std::string table = steal.migrates ? "Table 10" : "Table 9";
    const std::string from = "stealing from team " + std::to_string(steal.from);
    for (std::size_t i = 0; i < opteron_nodes; ++i) {
      // The rate at which a thread migrates pages was taken from this cell.
      const bool fitted = steal.migrates && steal.from == 2 && i == 2;
      std::string quantity;
      if (steal.from == 2 && i < 2)
        quantity.append(table).append(", ").append(from).append(", teams 0 and 1");
      if (i == 3) quantity = "team 3";
      sheet_.add(table, from + ", team " + std::to_string(i),
                 {.basis = fitted ? Basis::fitted : Basis::follows,
                  .simulated = ends[i],
                  .quantity = quantity,
                  .baseline = &alone[i],
                  .why = i == 3 ? "to look for work costs the idle team nothing"
                                : (steal.migrates ? "" : milder)});
    }
    return last(ends);
  }
  void judge_stealing(bool migrates, const std::vector<Values>& overall, const Values& idle) {
    const std::string evidence = "stealing from teams 0, 1, 2: " + number(overall[0], " s, ") +
                                 number(overall[1], " s, ") + number(overall[2], " s") +
                                 "; from nobody: " + number(idle, " s");
    if (migrates) {
      // Stealing from team 2 is what the migration was fitted to.
      sheet_.state({.place = "Table 10",
                    .statement = "with its data, stealing from the most loaded team is best",
                    .basis = Basis::fitted,
                    .claims = {below(overall[2], overall[0]), below(overall[2], overall[1])},
                    .evidence = evidence});
      sheet_.state({.place = "Table 10",
                    .statement = "with its data, it is better than leaving cores idle",
                    .basis = Basis::fitted,
                    .claims = {below(overall[2], idle)},
                    .evidence = evidence});
    } else {
      sheet_.state({.place = "Table 9",
                    .statement = "without its data, stealing from the most loaded team is worst",
                    .claims = {below(overall[0], overall[2]), below(overall[1], overall[2])},
                    .evidence = evidence,
                    .why = milder});
      sheet_.state(
          {.place = "Table 9",
           .statement = "without its data, stealing is worse than leaving cores idle",
           .claims = {below(idle, overall[0]), below(idle, overall[1]), below(idle, overall[2])},
           .evidence = evidence,
           .why = milder});
    }
  }

  // Twisted-STREAM, section 5.4.1: all three vectors are on another node.
  void judge_remote_vectors() {
    const auto moved = [&](std::size_t rounds) {
      return phase(four_teams({0}, rounds)) + Values(moving_threads_);
    };
    const auto migrated = [&](std::size_t rounds) { return phase(four_teams({1}, rounds, true)); };
    const auto remote = [&](std::size_t rounds) { return phase(four_teams({1}, rounds)); };
    std::vector<Answers> best;
    for (std::size_t rounds = 1; rounds <= many_rounds; rounds *= 2) {
      best.push_back(below(moved(rounds), least(migrated(rounds), remote(rounds))));
    }
    const double pays = memory::break_even(migrated(1).median() - moved(1).median(),
                                           remote(1).median(), moved(1).median());
    sheet_.state({.place = "Figure 7",
                  .statement = "moving the threads to their data is best",
                  .claims = best,
                  .evidence = "one round: threads " + number(moved(1), " s, data ") +
                              number(migrated(1), " s, nothing ") + number(remote(1), " s")});
    sheet_.state({.place = "Figure 7",
                  .statement = "moving the data pays where threads have enough to do",
                  .claims = {below(remote(1), migrated(1)),
                             below(migrated(many_rounds), remote(many_rounds))},
                  .evidence = "from " + number(pays) + " rounds on; 16 rounds: data " +
                              number(migrated(many_rounds), " s, nothing ") +
                              number(remote(many_rounds), " s")});
  }
  // Section 5.4.2: two of the three are elsewhere.
  void judge_mixed_vectors() {
    const auto next_touch = [&](std::size_t rounds) {
      return phase(four_teams({0, 1, 1}, rounds, true));
    };
    // The threads have gone to the two; the third follows.
    const auto mixed = [&](std::size_t rounds) {
      return phase(four_teams({0, 0, 1}, rounds, true));
    };
    const auto remote = [&](std::size_t rounds) { return phase(four_teams({0, 1, 1}, rounds)); };
    sheet_.state({.place = "Figure 8",
                  .statement = "moving threads and one vector costs less than next touch of two",
                  .claims = {below(mixed(1), next_touch(1))},
                  .evidence = "one round: " + number(mixed(1), " s against ") +
                              number(next_touch(1), " s")});
    sheet_.state(
        {.place = "Figure 8",
         .statement = "and is best where threads have enough to do",
         .claims = {below(mixed(many_rounds), least(next_touch(many_rounds), remote(many_rounds)))},
         .evidence = "16 rounds: " + number(mixed(many_rounds), " s, next touch ") +
                     number(next_touch(many_rounds), " s, nothing ") +
                     number(remote(many_rounds), " s")});
  }

  const Loaded& loaded_;
  Runner runner_;
  Sheet sheet_{"Broquedis 2010"};
  double team_data_;
  double moving_threads_;  // seconds, for a team
};

}  // namespace

Result<Reproduction> reproduce_forestgomp(const FindMachine& find, std::uint32_t seeds) {
  const auto loaded = load(find, "opteron-4s-square");
  if (!loaded) return loaded.error();
  return Forest(loaded.value(), seeds).reproduce();
}

}  // namespace lares::simulate::papers

// Broquedis et al. 2010, "ForestGOMP: an efficient OpenMP environment for NUMA architectures".
#include <algorithm>
#include <array>

#include "memory/manager/costs.hpp"
#include "simulate/papers/runner.hpp"
#include "simulate/workloads/teams.hpp"

namespace lares::simulate::papers {
namespace {

constexpr std::size_t opteron_nodes = 4;
constexpr std::size_t opteron_cores = 4;  // of a node
constexpr double vector_bytes = 160e6;
constexpr double team_data = 3 * vector_bytes;
constexpr double to_mb = 1e-6;
// What Broquedis et al. state for a thread that changes its core (section 3.2).
constexpr double seconds_to_move_a_thread = 2.5e-6;
constexpr double many_rounds = 16;
constexpr const char* milder = "in the model the thieves' remote traffic is milder";

using Homes = std::vector<DomainId>;

/// `threads` threads of one team on the cores of `node`, equal parts of their data on `data`.
StreamTeam team_on(std::size_t node, std::size_t threads, Homes data, double rounds) {
  StreamTeam team;
  for (std::size_t i = 0; i < threads; ++i) {
    team.cores.emplace_back(node * opteron_cores + i % opteron_cores);
  }
  team.data = std::move(data);
  team.rounds = rounds;
  team.bytes = team_data / static_cast<double>(threads);
  return team;
}

class Forest {
 public:
  explicit Forest(const Loaded& loaded) : loaded_(loaded) {}

  Reproduction reproduce() {
    add_bandwidths();
    for (const bool migrates : {false, true}) add_stealing(migrates);
    judge_remote_vectors();
    judge_mixed_vectors();
    return std::move(found_);
  }

 private:
  [[nodiscard]] std::vector<double> run(const std::vector<StreamTeam>& teams,
                                        const StealOfThreads* steal = nullptr) const {
    return run_teams(loaded_.machine, loaded_.model.best, teams, steal);
  }
  /// STREAM's rates are those of the whole phase, which ends with its slowest team.
  [[nodiscard]] double phase(const std::vector<StreamTeam>& teams) const {
    const std::vector<double> ends = run(teams);
    return *std::max_element(ends.begin(), ends.end());
  }
  /// One team a node; part i of its data is on the node that is shifts[i] further.
  static std::vector<StreamTeam> four_teams(const std::vector<std::size_t>& shifts,
                                            double rounds = 1, double move_bytes = 0) {
    std::vector<StreamTeam> teams;
    for (std::size_t n = 0; n < opteron_nodes; ++n) {
      Homes data;
      for (const std::size_t shift : shifts) data.emplace_back((n + shift) % opteron_nodes);
      teams.push_back(team_on(n, opteron_cores, data, rounds));
      teams.back().move_bytes = move_bytes / opteron_cores;
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

  void add(const std::string& table, const std::string& what, double published, double simulated,
           Basis basis = Basis::predicted, const std::string& why = "") {
    found_.cells.push_back({"Broquedis 2010, " + table, what, published, simulated, simulated,
                            simulated, basis, false, why});
  }
  void judge(const std::string& where, const std::string& statement, bool holds,
             const std::string& evidence, const std::string& why = "") {
    found_.findings.push_back({"Broquedis 2010, " + where, statement, holds, evidence, why});
  }

  void add_bandwidths() {
    const double alone = team_data * to_mb / run({team_on(0, 4, {DomainId{0}}, 1)})[0];
    const double together = team_data * to_mb / run(four_teams({0}))[0];
    const double spread = team_data * to_mb / run({team_on(0, 4, neighbourhood(0), 1)})[0];
    std::vector<StreamTeam> all;
    for (std::size_t n = 0; n < opteron_nodes; ++n) {
      all.push_back(team_on(n, 4, neighbourhood(n), 1));
    }
    add("Table 1", "4 threads on one node, local, MB/s", 5151, alone, Basis::fitted);
    add("Table 1", "the same, local and neighbours, MB/s", 5740, spread);
    add("Table 1", "4 threads on each node, local, MB/s a node", 3635, together, Basis::fitted);
    add("Table 1", "the same, local and neighbours, MB/s a node", 2257,
        team_data * to_mb / phase(all), Basis::fitted);
    judge("Table 1", "spreading pages helps a lone team", spread > alone,
          "local " + number(alone) + ", spread " + number(spread, " MB/s"),
          "four cores of the model fill one controller, and are slower afar");
    judge("Table 1", "spreading pages hurts four teams", phase(all) > team_data * to_mb / together,
          "local " + number(together) + ", spread " +
              number(team_data * to_mb / phase(all), " MB/s a node"));
    add_kernels("Table 5", {14299, 14326, 14677, 14681}, together * opteron_nodes);
    add_kernels("Table 6", {3615, 3613, 3722, 3723}, together);
    add("Table 7", "phase 2, MB/s", 6008,
        opteron_nodes * team_data * to_mb / phase(four_teams({1})));
  }
  void add_kernels(const std::string& table, const std::array<double, 4>& published, double rate) {
    constexpr std::array<const char*, 4> kernels = {"copy", "scale", "add", "triad"};
    for (std::size_t k = 0; k < 4; ++k) {
      add(table, std::string(kernels[k]) + ", MB/s", published[k], rate);
    }
  }

  /// Imbalanced-STREAM: eight threads a team.
  [[nodiscard]] std::vector<double> imbalanced(const StealOfThreads* steal) const {
    constexpr std::array<double, opteron_nodes> rounds = {15, 15, 30, 1};
    std::vector<StreamTeam> teams;
    for (std::size_t n = 0; n < opteron_nodes; ++n) {
      teams.push_back(team_on(n, 2 * opteron_cores, {DomainId{n}}, rounds[n]));
    }
    return run(teams, steal);
  }
  /// Answers when all teams have ended.
  double add_row(const std::string& table, const std::string& what,
                 const std::array<double, opteron_nodes>& published, const StealOfThreads* steal) {
    const std::vector<double> ends = imbalanced(steal);
    for (std::size_t i = 0; i < opteron_nodes; ++i) {
      // The rate at which a thread migrates pages was taken from this cell.
      const bool fitted = steal != nullptr && steal->migrates && steal->from == 2 && i == 2;
      const char* why = "";
      if (steal != nullptr && !steal->migrates) why = milder;
      if (steal != nullptr && steal->migrates) why = "to look for work costs the idle team nothing";
      add(table, "team " + std::to_string(i) + what + ", s", published[i], ends[i],
          fitted ? Basis::fitted : Basis::predicted, why);
    }
    return *std::max_element(ends.begin(), ends.end());
  }
  void add_stealing(bool migrates) {
    if (!migrates) idle_ = add_row("Table 8", "", {1.6595, 1.4879, 2.715, 0.1336}, nullptr);
    constexpr std::array<std::array<double, opteron_nodes>, 3> stolen = {
        {{1.9755, 1.5226, 2.9716, 0.1334},
         {1.5228, 1.9755, 2.9692, 0.1333},
         {1.5252, 1.5306, 3.4574, 0.1329}}};
    constexpr std::array<std::array<double, opteron_nodes>, 3> migrated = {
        {{1.4401, 1.7453, 2.7178, 0.1632},
         {1.7564, 1.4285, 2.7155, 0.1627},
         {1.7374, 1.772, 2.2843, 0.1629}}};
    std::array<double, 3> overall{};
    for (std::size_t from = 0; from < 3; ++from) {
      const StealOfThreads steal{from, 3, migrates, team_data / (2 * opteron_cores)};
      overall[from] =
          add_row(migrates ? "Table 10" : "Table 9", ", stealing from team " + std::to_string(from),
                  migrates ? migrated[from] : stolen[from], &steal);
    }
    judge_stealing(migrates, overall);
  }
  void judge_stealing(bool migrates, const std::array<double, 3>& overall) {
    const std::string evidence = "stealing from teams 0, 1, 2: " + number(overall[0], " s, ") +
                                 number(overall[1], " s, ") + number(overall[2], " s") +
                                 "; from nobody: " + number(idle_, " s");
    const double best = *std::min_element(overall.begin(), overall.end());
    if (migrates) {
      judge("Table 10", "with its data, stealing from the most loaded team is best",
            overall[2] == best && overall[2] < overall[0], evidence);
      judge("Table 10", "with its data, it is better than leaving cores idle", overall[2] < idle_,
            evidence);
    } else {
      judge("Table 9", "without its data, stealing from the most loaded team is worst",
            overall[2] > std::max(overall[0], overall[1]), evidence, milder);
      judge("Table 9", "without its data, stealing is worse than leaving cores idle", best > idle_,
            evidence, milder);
    }
  }

  // Twisted-STREAM, section 5.4.1: all three vectors are on another node.
  void judge_remote_vectors() {
    const auto moved = [&](double rounds) {
      return phase(four_teams({0}, rounds)) + opteron_cores * seconds_to_move_a_thread;
    };
    const auto migrated = [&](double rounds) { return phase(four_teams({1}, rounds, team_data)); };
    const auto remote = [&](double rounds) { return phase(four_teams({1}, rounds)); };
    bool best = true;
    for (double rounds = 1; rounds <= many_rounds; rounds *= 2) {
      best = best && moved(rounds) < std::min(migrated(rounds), remote(rounds));
    }
    const double pays = memory::break_even(migrated(1) - moved(1), remote(1), moved(1));
    judge("Figure 7", "moving the threads to their data is best", best,
          "one round: threads " + number(moved(1), " s, data ") +
              number(migrated(1), " s, nothing ") + number(remote(1), " s"));
    judge("Figure 7", "moving the data pays where threads have enough to do",
          migrated(1) > remote(1) && migrated(many_rounds) < remote(many_rounds),
          "from " + number(pays) + " rounds on; 16 rounds: data " +
              number(migrated(many_rounds), " s, nothing ") + number(remote(many_rounds), " s"));
  }
  // Section 5.4.2: two of the three are elsewhere.
  void judge_mixed_vectors() {
    const auto next_touch = [&](double rounds) {
      return phase(four_teams({0, 1, 1}, rounds, 2 * vector_bytes));
    };
    // The threads have gone to the two; the third follows.
    const auto mixed = [&](double rounds) {
      return phase(four_teams({0, 0, 1}, rounds, vector_bytes));
    };
    const auto remote = [&](double rounds) { return phase(four_teams({0, 1, 1}, rounds)); };
    judge("Figure 8", "moving threads and one vector costs less than next touch of two",
          mixed(1) < next_touch(1),
          "one round: " + number(mixed(1), " s against ") + number(next_touch(1), " s"));
    judge("Figure 8", "and is best where threads have enough to do",
          mixed(many_rounds) < std::min(next_touch(many_rounds), remote(many_rounds)),
          "16 rounds: " + number(mixed(many_rounds), " s, next touch ") +
              number(next_touch(many_rounds), " s, nothing ") + number(remote(many_rounds), " s"));
  }

  const Loaded& loaded_;
  Reproduction found_;
  double idle_ = 0;  // seconds of all when nobody steals
};

}  // namespace

Result<Reproduction> reproduce_forestgomp(const FindMachine& find) {
  const auto loaded = load(find, "opteron-4s-square");
  if (!loaded) return loaded.error();
  return Forest(loaded.value()).reproduce();
}

std::span<const LeftOut> left_out_of_forestgomp() noexcept {
  static constexpr std::array<LeftOut, 10> list{{
      {"Figures 1 to 6", "drawings"},
      {"Tables 2 and 3", "interfaces; their counterparts are listed in [memory](memory.md)"},
      {"Table 4", "latencies: they went into the machine file"},
      {"columns of libgomp in Tables 5 to 7, icc's rates in 5.4.2",
       "where unbound threads ran was up to the kernel of that time"},
      {"Table 7, phase 1", "9108 MB/s for what Table 6 has with 3723 MB/s"},
      {"overall times of Tables 8 to 10",
       "they repeat their slowest teams; with them the mean error would be larger by about 0.2 "
       "points"},
      {"Figures 7 and 8, the bars", "no numbers printed; their statements are above"},
      {"Figure 8(a): moving the written vector helps more than the read one",
       "the model's Opteron treats reads and writes alike"},
      {"section 3.2: a thread migrates in 2.5 us", "no such threads; used as printed in Figure 7"},
      {"section 3.4: next touch in the kernel is faster than by signals",
       "needs their kernel; what the ways of today's kernels cost is in "
       "[memory](memory.md#what-it-costs)"},
  }};
  return list;
}

}  // namespace lares::simulate::papers

#include "simulate/papers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "simulate/experiment.hpp"
#include "simulate/workloads/teams.hpp"

namespace lares::simulate {
namespace {

std::string number(double value, const char* unit = "") {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.3g%s", value, unit);
  return text.data();
}

/// A machine and what the simulation knows of it.
struct Loaded {
  machine::Machine machine;
  MachineModel model;
};

Result<Loaded> load(const FindMachine& find, const std::string& name) {
  auto machine = find(name);
  if (!machine) return machine.error();
  auto model = read_model(machine.value(), machine.value().simulation);
  if (!model) return model.error();
  return Loaded{std::move(machine.value()), std::move(model.value())};
}

/// Runs one workload under one policy.
class Runner {
 public:
  Runner(const Loaded& loaded, std::uint32_t seeds) : loaded_(loaded), seeds_(seeds) {}

  /// The row of the experiment; after an error, an empty one, and `error` says what it was.
  Measured run(const std::string& workload, const std::string& policy, std::size_t cores = 0,
               bool vary = false) {
    auto schedule = parse_schedule(policy, loaded_.machine.domains_with_cores());
    if (!schedule) return failed(schedule.error());
    if (cores == 0) cores = loaded_.machine.cores.size();
    auto found = run_experiment({loaded_.machine,
                                 loaded_.model,
                                 workload,
                                 {{policy, schedule.value()}},
                                 {cores},
                                 seeds_,
                                 vary});
    if (!found) return failed(found.error());
    return found.value().rows.front();
  }
  double seconds(const std::string& workload, const std::string& policy) {
    return run(workload, policy).seconds.median;
  }

  std::optional<Error> error;

 private:
  Measured failed(const Error& why) {
    if (!error) error = why;
    return {};
  }
  const Loaded& loaded_;
  std::uint32_t seeds_;
};

// --- ForestGOMP

constexpr std::size_t nodes = 4;
constexpr std::size_t cores_per_node = 4;
constexpr double team_data = 480e6;  // three vectors of 160 MB

/// `threads` threads of one team on the cores of `node`, their data on `data`.
StreamTeam team_on(std::size_t node, std::size_t threads, std::size_t data, double rounds) {
  StreamTeam team;
  for (std::size_t i = 0; i < threads; ++i) {
    team.cores.emplace_back(node * cores_per_node + i % cores_per_node);
  }
  team.data = DomainId{data};
  team.rounds = rounds;
  team.bytes = team_data / static_cast<double>(threads);
  return team;
}

class Forest {
 public:
  explicit Forest(const Loaded& loaded) : loaded_(loaded) {}

  Reproduction reproduce() {
    const double alone = team_data / 1e6 / run({team_on(0, 4, 0, 1)})[0];
    const double together = team_data / 1e6 / run(four_teams(0))[0];
    add("Table 1", "4 threads on one node, MB/s", 5151, alone, true);
    add("Table 1", "4 threads on each node, MB/s a node", 3635, together, true);
    add_kernels("Table 5", {14299, 14326, 14677, 14681}, together * nodes);
    add_kernels("Table 6", {3615, 3613, 3722, 3723}, together);
    // STREAM's rates are those of the whole phase, which ends with its slowest team.
    const std::vector<double> twisted = run(four_teams(1));
    const double phase = *std::max_element(twisted.begin(), twisted.end());
    add("Table 7", "phase 2, MB/s", 6008, nodes * team_data / 1e6 / phase);
    add_row("Table 8", "", {1.6595, 1.4879, 2.715, 0.1336}, nullptr);
    constexpr std::array<std::array<double, nodes>, 3> stolen = {
        {{1.9755, 1.5226, 2.9716, 0.1334},
         {1.5228, 1.9755, 2.9692, 0.1333},
         {1.5252, 1.5306, 3.4574, 0.1329}}};
    constexpr std::array<std::array<double, nodes>, 3> migrated = {
        {{1.4401, 1.7453, 2.7178, 0.1632},
         {1.7564, 1.4285, 2.7155, 0.1627},
         {1.7374, 1.772, 2.2843, 0.1629}}};
    for (const bool migrates : {false, true}) {
      std::array<double, 3> overall{};
      for (std::size_t from = 0; from < 3; ++from) {
        const StealOfThreads steal{from, 3, migrates, team_data / 8};
        overall[from] = add_row(migrates ? "Table 10" : "Table 9",
                                ", stealing from team " + std::to_string(from),
                                migrates ? migrated[from] : stolen[from], &steal);
      }
      add_ranking(migrates, overall);
    }
    return std::move(found_);
  }

 private:
  [[nodiscard]] std::vector<double> run(const std::vector<StreamTeam>& teams,
                                        const StealOfThreads* steal = nullptr) const {
    return run_teams(loaded_.machine, loaded_.model.best, teams, steal);
  }
  /// One team a node, its data on the node that is `shift` further.
  static std::vector<StreamTeam> four_teams(std::size_t shift) {
    std::vector<StreamTeam> teams;
    for (std::size_t n = 0; n < nodes; ++n) teams.push_back(team_on(n, 4, (n + shift) % nodes, 1));
    return teams;
  }
  void add(const std::string& table, const std::string& what, double published, double simulated,
           bool calibrated = false) {
    found_.cells.push_back(
        {"Broquedis 2010, " + table, what, published, simulated, simulated, simulated, calibrated});
  }
  void add_kernels(const std::string& table, const std::array<double, 4>& published, double rate) {
    constexpr std::array<const char*, 4> kernels = {"copy", "scale", "add", "triad"};
    for (std::size_t k = 0; k < 4; ++k) {
      add(table, std::string(kernels[k]) + ", MB/s", published[k], rate);
    }
  }
  /// Imbalanced-STREAM: eight threads a team. Answers when all have ended.
  double add_row(const std::string& table, const std::string& what,
                 const std::array<double, nodes>& published, const StealOfThreads* steal) {
    constexpr std::array<double, nodes> rounds = {15, 15, 30, 1};
    std::vector<StreamTeam> teams;
    for (std::size_t n = 0; n < nodes; ++n) teams.push_back(team_on(n, 8, n, rounds[n]));
    const std::vector<double> ends = run(teams, steal);
    for (std::size_t i = 0; i < nodes; ++i) {
      // The rate at which a thread migrates pages was taken from this cell.
      const bool fitted = table == "Table 10" && steal->from == 2 && i == 2;
      add(table, "team " + std::to_string(i) + what + ", s", published[i], ends[i], fitted);
    }
    return *std::max_element(ends.begin(), ends.end());
  }
  void add_ranking(bool migrates, const std::array<double, 3>& overall) {
    const std::string evidence = "stealing from teams 0, 1, 2: " + number(overall[0], " s, ") +
                                 number(overall[1], " s, ") + number(overall[2], " s");
    if (migrates) {
      const bool best = overall[2] < std::min(overall[0], overall[1]);
      found_.findings.push_back({"Broquedis 2010, Table 10",
                                 "with its data, stealing from the most loaded team is best", best,
                                 evidence});
    } else {
      const bool worst = overall[2] > std::max(overall[0], overall[1]);
      found_.findings.push_back({"Broquedis 2010, Table 9",
                                 "without its data, stealing from the most loaded team is worst",
                                 worst, evidence});
    }
  }

  const Loaded& loaded_;
  Reproduction found_;
};

// --- Schmidl

struct BalanceCase {
  const char* figure;
  const char* what;
  std::size_t cores;
  const char* workload;
  const char* policy;
  double published;
  bool calibrated;
};

constexpr std::array<BalanceCase, 9> balance_cases{{
    {"Figure 4.3", "4 sockets, static", 32, "balance", "static", 4.5, true},
    {"Figure 4.3", "4 sockets, dynamic", 32, "balance", "dynamic", 2.67, false},
    {"Figure 4.4", "16 sockets, static", 128, "balance", "static", 1.16, false},
    {"Figure 4.4", "16 sockets, dynamic", 128, "balance", "dynamic", 1.67, false},
    {"Figure 4.6", "random stealing", 128, "balance", "push=local,steal=random", 0.67, false},
    {"Figure 4.6", "near stealing", 128, "balance", "push=local,steal=near", 0.92, false},
    {"Figure 4.6", "most-loaded stealing", 128, "balance", "push=local,steal=most-loaded", 0.64,
     false},
    {"Figure 4.9", "tasks, Intel", 128, "balance:order=front", "stock-like", 0.68, false},
    {"Figure 4.9", "tasks, GNU", 128, "balance:order=front", "central", 5.4, true},
}};

// --- Wittmann & Hager

constexpr double margin = 0.9;  // "within 10 %"
constexpr double noise_margin = 1.02;

struct JacobiRates {
  double stat = 0;  // of static scheduling; all others relative to it
  double round_robin = 0;
  double serial = 0;
  std::array<double, 4> plain{};   // static ijk, static kji, static,1 ijk, static,1 kji
  std::array<double, 4> queues{};  // the same
};

JacobiRates jacobi_rates(Runner& runner) {
  JacobiRates rates;
  rates.stat = runner.seconds("jacobi:init=static", "static");
  rates.round_robin = rates.stat / runner.seconds("jacobi:init=interleave", "static");
  rates.serial = rates.stat / runner.seconds("jacobi:init=serial", "static");
  constexpr std::array<const char*, 4> variants = {
      "jacobi:init=static,order=ijk", "jacobi:init=static,order=kji",
      "jacobi:init=static1,order=ijk", "jacobi:init=static1,order=kji"};
  for (std::size_t v = 0; v < 4; ++v) {
    rates.plain[v] = rates.stat / runner.seconds(variants[v], "central");
    rates.queues[v] = rates.stat / runner.seconds(variants[v], "locality-queues");
  }
  return rates;
}

std::string four(const std::array<double, 4>& values) {
  return number(values[0]) + ", " + number(values[1]) + ", " + number(values[2]) + ", " +
         number(values[3]);
}

void judge_jacobi(const std::string& machine, const JacobiRates& r, Reproduction& found) {
  const std::string source = "Wittmann & Hager 2010, Figure 3, " + machine;
  const auto add = [&](const char* statement, bool holds, const std::string& evidence) {
    found.findings.push_back({source, statement, holds, evidence});
  };
  const double best_plain = *std::max_element(r.plain.begin(), r.plain.end());
  const double worst_plain = *std::min_element(r.plain.begin(), r.plain.end());
  add("round robin lies between serial and first touch",
      r.serial < r.round_robin && r.round_robin <= 1.0 * noise_margin,
      "relative to static: round robin " + number(r.round_robin) + ", serial " + number(r.serial));
  add("plain tasks are never faster than static with round-robin pages",
      best_plain <= r.round_robin * noise_margin,
      "static ijk, static kji, static,1 ijk, static,1 kji: " + four(r.plain));
  add("of plain tasks, static initialisation with ijk submission is worst",
      r.plain[0] <= worst_plain * noise_margin, four(r.plain));
  add("locality queues come within 10 % of static with kji submission or static,1",
      std::min({r.queues[1], r.queues[2], r.queues[3]}) >= margin, "the same: " + four(r.queues));
  add("locality queues lose their gain with static and ijk", r.queues[0] < 0.6, four(r.queues));
}

// --- Virouleau

constexpr const char* strategy1 = "distribution=cyclic,push=local,steal=random";
constexpr const char* strategy3 =
    "distribution=cyclic,push=writer-domain-or-local,steal=cores-only";
constexpr const char* strategy4 =
    "distribution=cyclic,push=writer-domain-or-local,steal=domain-first";
constexpr const char* strategy5 =
    "distribution=cyclic,push=writer-domain-or-local,steal=domains-only";
constexpr const char* strategy7 = "distribution=cyclic,push=writer-domain,steal=random-domain";

void judge_size(Runner& runner, const std::string& application, std::size_t n,
                Reproduction& found) {
  const std::string size = "n=" + std::to_string(n);
  const std::string workload = application + ":" + size;
  const double one = runner.seconds(workload, strategy1);
  const double four = runner.seconds(workload, strategy4);
  const double seven = runner.seconds(workload, strategy7);
  found.findings.push_back(
      {"Virouleau 2016, Figure 4, " + application + " " + size,
       n >= 32768 ? "sNumaProc+pNumaWLoc (4) is best from 32768 on"
                  : "no clear advantage of (4) for small matrices",
       n >= 32768 ? four <= std::min(one, seven) : four >= 0.9 * std::min(one, seven),
       "strategies 1, 4, 7: " + number(one, " s, ") + number(four, " s, ") + number(seven, " s")});
}

}  // namespace

Result<Reproduction> reproduce_forestgomp(const FindMachine& find) {
  const auto loaded = load(find, "opteron-4s-square");
  if (!loaded) return loaded.error();
  return Forest(loaded.value()).reproduce();
}

Result<Reproduction> reproduce_schmidl(const FindMachine& find, std::uint32_t seeds) {
  const auto loaded = load(find, "bull-bcs-16s");
  if (!loaded) return loaded.error();
  Runner runner(loaded.value(), seeds);
  Reproduction found;
  for (const BalanceCase& each : balance_cases) {
    const Measured row = runner.run(each.workload, each.policy, each.cores, true);
    found.cells.push_back({std::string("Schmidl 2016, ") + each.figure,
                           std::string(each.what) + ", s", each.published, row.seconds.median,
                           row.lowest, row.highest, each.calibrated});
  }
  if (runner.error) return *runner.error;
  const auto& c = found.cells;
  found.findings.push_back(
      {"Schmidl 2016, 4.2.3",
       "most-loaded is best, then random, then near, then static, then dynamic",
       c[6].simulated < c[4].simulated && c[4].simulated < c[5].simulated &&
           c[5].simulated < c[2].simulated && c[2].simulated < c[3].simulated,
       number(c[6].simulated, " s, ") + number(c[4].simulated, " s, ") +
           number(c[5].simulated, " s, ") + number(c[2].simulated, " s, ") +
           number(c[3].simulated, " s")});
  found.findings.push_back({"Schmidl 2016, 4.3.4", "a central queue is several times slower",
                            c[8].simulated > 3 * c[7].simulated,
                            number(c[8].simulated, " s against ") + number(c[7].simulated, " s")});
  return found;
}

Result<Reproduction> reproduce_wittmann(const FindMachine& find, std::uint32_t seeds) {
  Reproduction found;
  for (const char* name : {"istanbul-4s", "nehalem-ep-2s", "nehalem-ex-4s"}) {
    const auto loaded = load(find, name);
    if (!loaded) return loaded.error();
    Runner runner(loaded.value(), seeds);
    const JacobiRates rates = jacobi_rates(runner);
    if (runner.error) return *runner.error;
    judge_jacobi(name, rates, found);
  }
  return found;
}

Result<Reproduction> reproduce_virouleau(const FindMachine& find, std::uint32_t seeds,
                                         const std::vector<std::size_t>& sizes) {
  const auto loaded = load(find, "sgi-uv2000-24s");
  if (!loaded) return loaded.error();
  Runner runner(loaded.value(), seeds);
  Reproduction found;
  const std::size_t middle = sizes.empty() ? 8192 : sizes[sizes.size() / 2];
  const std::string size = ":n=" + std::to_string(middle);
  const double parallel = runner.seconds("cholesky" + size, strategy1);
  const double serial = runner.seconds("cholesky" + size + ",init=serial", strategy1);
  found.findings.push_back({"Virouleau 2016, Figure 2", "parallel initialisation is decisive",
                            serial > 1.3 * parallel,
                            "n=" + std::to_string(middle) + ": " + number(parallel, " s, serial ") +
                                number(serial, " s")});
  const double cores = runner.seconds("cholesky" + size, strategy3);
  const double domains = runner.seconds("cholesky" + size, strategy5);
  const double both = runner.seconds("cholesky" + size, strategy4);
  found.findings.push_back(
      {"Virouleau 2016, Figure 3", "with pNumaWLoc, one level loses to naive strategies, two win",
       std::min(cores, domains) > parallel && both < parallel,
       "sProc, sNuma, sNumaProc, naive: " + number(cores, " s, ") + number(domains, " s, ") +
           number(both, " s, ") + number(parallel, " s")});
  for (const char* application : {"cholesky", "qr"}) {
    for (const std::size_t n : sizes) judge_size(runner, application, n, found);
  }
  if (runner.error) return *runner.error;
  return found;
}

double mean_error(const std::vector<Cell>& cells) {
  double sum = 0;
  std::size_t count = 0;
  for (const Cell& cell : cells) {
    if (cell.calibrated) continue;
    sum += std::abs(cell.error());
    ++count;
  }
  return count == 0 ? 0 : sum / static_cast<double>(count);
}

}  // namespace lares::simulate

// Schmidl 2016, chapter 4 and Table 5.3: load balancing against locality.
#include <algorithm>
#include <array>

#include "simulate/papers/runner.hpp"

namespace lares::simulate::papers {
namespace {

struct BalanceCase {
  const char* figure;
  const char* what;
  std::size_t cores;
  const char* workload;
  const char* policy;
  double published;
  Basis basis;
  const char* why;
};

enum BalanceRow : std::size_t {
  static_4,
  dynamic_4,
  static_16,
  dynamic_16,
  random_16,
  near_16,
  most_loaded_16,
  intel_16,
  gnu_16
};

constexpr std::array<BalanceCase, 9> balance_cases{{
    {"Figure 4.3", "4 sockets, static", 32, "balance", "static", 4.5, Basis::fitted, ""},
    {"Figure 4.3", "4 sockets, dynamic", 32, "balance", "dynamic", 2.67, Basis::predicted, ""},
    {"Figure 4.4", "16 sockets, static", 128, "balance", "static", 1.16, Basis::predicted, ""},
    {"Figure 4.4", "16 sockets, dynamic", 128, "balance", "dynamic", 1.67, Basis::predicted,
     "the loss of the fabric under many flows is the one that GNU's tasks need"},
    {"Figure 4.6", "random stealing", 128, "balance", "push=local,steal=random", 0.67,
     Basis::predicted, "the fabric between boards is a little too slow for those who steal"},
    {"Figure 4.6", "near stealing", 128, "balance", "push=local,steal=near", 0.92, Basis::predicted,
     ""},
    {"Figure 4.6", "most-loaded stealing", 128, "balance", "push=local,steal=most-loaded", 0.64,
     Basis::predicted, ""},
    {"Figure 4.9", "tasks, Intel", 128, "balance:order=front", "stock-like", 0.68, Basis::predicted,
     "as random stealing"},
    {"Figure 4.9", "tasks, GNU", 128, "balance:order=front", "central", 5.4, Basis::fitted, ""},
}};

void add_shares(const Measured& row, const char* figure, const char* what, double remote,
                Reproduction& found) {
  const double share = remote_share(row);
  found.cells.push_back({std::string("Schmidl 2016, ") + figure,
                         std::string(what) + ", remote share", remote, share, share, share});
}

// What a core of the Xeon Phi works through, in MB/s: makes the static loop of Figure 4.2.
constexpr const char* balance_on_phi = "balance:gb=7,kernel=87.6";
constexpr std::size_t phi_threads = 59;

std::optional<Error> add_balance_on_phi(const FindMachine& find, std::uint32_t seeds,
                                        Reproduction& found) {
  const auto loaded = load(find, "xeon-phi");
  if (!loaded) return loaded.error();
  Runner runner(loaded.value(), seeds);
  const auto add = [&](const char* policy, double published, Basis basis, const char* why) {
    const Measured row = runner.run(balance_on_phi, policy, phi_threads, true);
    found.cells.push_back({"Schmidl 2016, Figure 4.2", std::string("Xeon Phi, ") + policy + ", s",
                           published, row.seconds.median, row.lowest, row.highest, basis, true,
                           why});
  };
  add("static", 2.69, Basis::fitted, "");
  add("dynamic", 1.65, Basis::predicted,
      "by its bytes the work is balanced after 1.35 s; something besides bytes costs time there");
  return runner.error;
}

// Threads on four sockets with a central queue: who runs a task, seen from its creator.
void add_gnu_locality(Runner& runner, Reproduction& found) {
  const Measured row = runner.run("balance:order=front", "central", 32);
  constexpr std::array<const char*, 3> names = {"on the creator's core", "on its socket",
                                                "on another socket"};
  constexpr std::array<double, 3> published = {0.032, 0.225, 0.743};
  const double all = std::max(1.0, static_cast<double>(row.typical.tasks));
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double share = static_cast<double>(row.typical.by_locality[i]) / all;
    found.cells.push_back(
        {"Schmidl 2016, Table 5.3", std::string("GNU tasks ") + names[i] + ", share", published[i],
         share, share, share, Basis::predicted, false, "published is time, simulated are tasks"});
  }
}

void judge_balance(const std::vector<Cell>& c, Reproduction& found) {
  const auto at = [&](BalanceRow row) { return c[row].simulated; };
  const auto judge = [&](const char* where, const char* statement, bool holds,
                         const std::string& evidence) {
    found.findings.push_back({std::string("Schmidl 2016, ") + where, statement, holds, evidence});
  };
  judge("4.1.1", "on four sockets dynamic beats static", at(dynamic_4) < at(static_4),
        number(at(dynamic_4), " s against ") + number(at(static_4), " s"));
  judge("4.2.3", "most-loaded is best, then random, then near, then static, then dynamic",
        at(most_loaded_16) < at(random_16) && at(random_16) < at(near_16) &&
            at(near_16) < at(static_16) && at(static_16) < at(dynamic_16),
        number(at(most_loaded_16), " s, ") + number(at(random_16), " s, ") +
            number(at(near_16), " s, ") + number(at(static_16), " s, ") +
            number(at(dynamic_16), " s"));
  judge("4.3.4", "thread-local queues do as well as random stealing",
        at(intel_16) < 1.1 * at(random_16),
        number(at(intel_16), " s against ") + number(at(random_16), " s"));
  judge("4.3.4", "a central queue is several times slower", at(gnu_16) > 3 * at(intel_16),
        number(at(gnu_16), " s against ") + number(at(intel_16), " s"));
}

}  // namespace

Result<Reproduction> reproduce_balance(const FindMachine& find, std::uint32_t seeds) {
  const auto loaded = load(find, "bull-bcs-16s");
  if (!loaded) return loaded.error();
  Runner runner(loaded.value(), seeds);
  Reproduction found;
  std::vector<Measured> rows;
  for (const BalanceCase& each : balance_cases) {
    const Measured row = runner.run(each.workload, each.policy, each.cores, true);
    found.cells.push_back({std::string("Schmidl 2016, ") + each.figure,
                           std::string(each.what) + ", s", each.published, row.seconds.median,
                           row.lowest, row.highest, each.basis, false, each.why});
    rows.push_back(row);
  }
  if (runner.error) return *runner.error;
  judge_balance(found.cells, found);
  const bool ordered = std::all_of(found.findings.begin(), found.findings.end(),
                                   [](const Finding& finding) { return finding.holds; });
  for (Cell& cell : found.cells) cell.ranked = ordered;
  add_shares(rows[dynamic_4], "Figure 4.3", "4 sockets, dynamic", 3.0 / 4, found);
  add_shares(rows[dynamic_16], "Figure 4.4", "16 sockets, dynamic", 15.0 / 16, found);
  add_gnu_locality(runner, found);
  if (runner.error) return *runner.error;
  if (auto problem = add_balance_on_phi(find, seeds, found)) return *problem;
  return found;
}

}  // namespace lares::simulate::papers

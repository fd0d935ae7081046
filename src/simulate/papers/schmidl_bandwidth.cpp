// Schmidl 2016, chapter 2: what the machines' memories deliver, and their distances.
#include <algorithm>

#include "machine/distance_findings.hpp"
#include "simulate/hardware.hpp"
#include "simulate/papers/runner.hpp"

namespace lares::simulate::papers {
namespace {

constexpr double to_gb = 1e-9;

/// One flow for each of the first `threads` cores; thread t reads the memory of thread t + step and
/// writes the same lines, if `writes`. All together, in GB/s of lines.
double bandwidth(const machine::Machine& machine, const Parameters& parameters, std::size_t threads,
                 std::size_t step, bool writes = false) {
  Hardware hardware(machine, parameters);
  const std::vector<CoreId> cores = compact_cores(machine, threads);
  const auto domain = [&](std::size_t t) { return machine.cores[cores[t].index()].domain; };
  std::vector<std::uint32_t> flows;
  std::vector<Use> uses;
  for (std::size_t t = 0; t < threads; ++t) {
    const double written = writes ? 1 : 0;
    const std::vector<Traffic> traffic{{domain((t + step) % threads), 1, written}};
    hardware.uses_of(domain(t), traffic, uses);
    flows.push_back(hardware.sharing.add(uses, hardware.core_rate(domain(t), traffic)));
  }
  hardware.sharing.settle();
  double sum = 0;
  for (const std::uint32_t flow : flows) sum += hardware.sharing.rate(flow);
  return sum * to_gb / (writes ? 2 : 1);
}

/// One machine in memory_go_around, section 2.1.3.
struct GoAround {
  const char* machine;
  const char* name;
  std::size_t threads;
  double start;       // GB/s; 0: not printed
  Basis start_basis;  // whether the model's controllers were made from it
  double worst;       // GB/s; below 1: of the start
  Basis worst_basis;
  const char* why;
};

constexpr GoAround machines_around[] = {
    {"westmere-2s", "Westmere", 12, 0, Basis::fitted, 0.5, Basis::fitted, ""},
    {"hp-dl980-8s", "HP", 64, 120, Basis::fitted, 60, Basis::fitted, ""},
    {"bull-bcs-16s", "BCS", 128, 250, Basis::predicted, 18, Basis::predicted,
     "the loss under many flows was made from GNU's tasks (Figure 4.9); this test does not show "
     "it"},
    {"sgi-altix-uv-32s", "Altix", 128, 250, Basis::fitted, 8, Basis::predicted,
     "an assumed capacity, whose low end is this figure"},
    {"xeon-phi", "Xeon Phi", 60, 130, Basis::fitted, 130, Basis::fitted, ""},
};

class Bandwidths {
 public:
  explicit Bandwidths(const FindMachine& find) : find_(find) {}

  std::optional<Error> add_losses() {
    const auto hp = load(find_, "hp-dl980-8s");
    const auto bcs = load(find_, "bull-bcs-16s");
    const auto altix = load(find_, "sgi-altix-uv-32s");
    for (const auto* each : {&hp, &bcs, &altix}) {
      if (!*each) return each->error();
    }
    // 25 to 30 % to another socket of the board; the HP machine has no second level.
    add_loss("HP, to another socket", hp.value(), 4, 27.5);
    add_loss("BCS, to another socket", bcs.value(), 1, 27.5);
    add_loss("BCS, to another board", bcs.value(), 4, 75);
    add_loss("Altix, to another blade", altix.value(), 2, 85);
    judge_scaling(bcs.value());
    return std::nullopt;
  }

  std::optional<Error> add_phi() {
    const auto phi = load(find_, "xeon-phi");
    if (!phi) return phi.error();
    const auto& [machine, model] = phi.value();
    add("Figure 2.2", "Xeon Phi, reads, GB/s", 130, bandwidth(machine, model.best, 60, 0),
        Basis::fitted);
    add("Figure 2.2", "Xeon Phi, writes, GB/s", 60, bandwidth(machine, model.best, 60, 0, true),
        Basis::predicted);
    return std::nullopt;
  }

  std::optional<Error> go_around(const GoAround& each) {
    const auto loaded = load(find_, each.machine);
    if (!loaded) return loaded.error();
    const Worst worst = worst_of(loaded.value(), each.threads);
    const std::string name = each.name;
    if (each.start > 0) {
      add("Figure 2.4", name + ", start, GB/s", each.start, worst.start, each.start_basis);
    }
    const bool share = each.worst < 1;
    add("Figure 2.4", name + (share ? ", worst, of the start" : ", worst, GB/s"), each.worst,
        share ? worst.best / worst.start : worst.best, each.worst_basis, each.why);
    if (!share) {
      found.cells.back().low = worst.low;
      found.cells.back().high = worst.high;
    }
    const double early = bandwidth(loaded.value().machine, loaded.value().model.best, each.threads,
                                   each.threads / 16) /
                         worst.start;
    evidence_ += (evidence_.empty() ? "" : ", ") + name + " " + number(early);
    (loaded.value().machine.domains.size() > 8 ? deep_ : flat_).push_back(early);
    return std::nullopt;
  }

  void judge_go_around() {
    const bool earlier = *std::max_element(deep_.begin(), deep_.end()) <
                         *std::min_element(flat_.begin(), flat_.end());
    judge("Figure 2.4", "with two levels of distance the drop comes earlier", earlier,
          "left after a sixteenth of the steps: " + evidence_);
  }

  /// The measured distances show the boards.
  std::optional<Error> judge_groups(const char* machine, const std::string& where,
                                    const std::string& statement, std::size_t groups) {
    const auto loaded = load(find_, machine);
    if (!loaded) return loaded.error();
    const auto& distances = loaded.value().machine.distances.values;
    const std::size_t size = loaded.value().machine.domains.size();
    const auto seen = machine::find_in_distances({{}, distances}, size, size).groups;
    const bool equal = std::all_of(seen.groups.begin(), seen.groups.end(), [&](const auto& group) {
      return group.size() == size / groups;
    });
    judge(where, statement, equal && seen.groups.size() == groups,
          std::to_string(seen.groups.size()) + " groups; steps inside up to " +
              number(seen.inside) + ", between them from " + number(seen.between) + " on");
    return std::nullopt;
  }

  Reproduction found;

 private:
  struct Worst {
    double start = 0;
    double best = 0;  // the least over the steps, at the best parameters
    double low = 0;
    double high = 0;
  };
  static double least(const machine::Machine& machine, const Parameters& parameters,
                      std::size_t threads) {
    double sum = bandwidth(machine, parameters, threads, 0);
    // The first half: then it rises again.
    for (std::size_t step = 1; step <= threads / 2; ++step) {
      sum = std::min(sum, bandwidth(machine, parameters, threads, step));
    }
    return sum;
  }
  static Worst worst_of(const Loaded& loaded, std::size_t threads) {
    const auto& [machine, model] = loaded;
    Worst worst;
    worst.start = bandwidth(machine, model.best, threads, 0);
    worst.best = least(machine, model.best, threads);
    worst.low = worst.high = worst.best;
    for (const Uncertain& each : model.uncertain) {
      for (const Parameters* parameters : {&each.low, &each.high}) {
        const double value = least(machine, *parameters, threads);
        worst.low = std::min(worst.low, value);
        worst.high = std::max(worst.high, value);
      }
    }
    return worst;
  }
  void add(const std::string& figure, const std::string& what, double published, double simulated,
           Basis basis, const char* why = "") {
    found.cells.push_back({"Schmidl 2016, " + figure, what, published, simulated, simulated,
                           simulated, basis, false, why});
  }
  void judge(const std::string& where, const std::string& statement, bool holds,
             const std::string& evidence) {
    found.findings.push_back({"Schmidl 2016, " + where, statement, holds, evidence});
  }
  void add_loss(const std::string& what, const Loaded& loaded, std::size_t other, double percent) {
    const Hardware hardware(loaded.machine, loaded.model.best);
    const DomainId here{std::size_t{0}};
    const double left = hardware.core_rate(here, DomainId{other}) / hardware.core_rate(here, here);
    add("Figure 2.1", what + ", loss of one thread, %", percent, 100 * (1 - left), Basis::fitted);
  }
  void judge_scaling(const Loaded& bcs) {
    const auto at = [&](std::size_t threads) {
      return bandwidth(bcs.machine, bcs.model.best, threads, 0);
    };
    judge("Figure 2.2", "on local memory bandwidth grows with the sockets to the last one",
          at(128) > 1.9 * at(64) && at(64) > 1.9 * at(32),
          "BCS, 32, 64, 128 threads: " + number(at(32)) + ", " + number(at(64)) + ", " +
              number(at(128), " GB/s"));
  }

  const FindMachine& find_;
  std::string evidence_;
  std::vector<double> deep_;  // what is left early, on machines with boards
  std::vector<double> flat_;  // and on those without
};

}  // namespace

Result<Reproduction> reproduce_bandwidth(const FindMachine& find) {
  Bandwidths bandwidths(find);
  if (auto problem = bandwidths.add_losses()) return *problem;
  if (auto problem = bandwidths.add_phi()) return *problem;
  for (const GoAround& each : machines_around) {
    if (auto problem = bandwidths.go_around(each)) return *problem;
  }
  bandwidths.judge_go_around();
  if (auto problem = bandwidths.judge_groups("fujitsu-8s", "Figure 2.6",
                                             "measured distances show two blocks of four sockets, "
                                             "the firmware's none",
                                             2)) {
    return *problem;
  }
  if (auto problem = bandwidths.judge_groups("hp-dl980-8s", "Figure 2.8 left",
                                             "measured distances show blocks of two sockets", 4)) {
    return *problem;
  }
  if (auto problem = bandwidths.judge_groups("bull-bcs-16s", "Figure 2.8 right",
                                             "measured distances show four boards", 4)) {
    return *problem;
  }
  return std::move(bandwidths.found);
}

}  // namespace lares::simulate::papers

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
  Basis start;  // whether the model's controllers were made from it
  Basis worst;
  const char* start_quantity = "";
  const char* worst_quantity = "";
  const char* why = "";
};

constexpr GoAround machines_around[] = {
    {.machine = "hp-dl980-8s",
     .name = "HP",
     .threads = 64,
     .start = Basis::input,
     .worst = Basis::input},
    // Sixteen controllers of 15 GB/s, which the thesis states elsewhere.
    {.machine = "bull-bcs-16s",
     .name = "BCS",
     .threads = 128,
     .start = Basis::follows,
     .worst = Basis::follows,
     .start_quantity = "controllers of BCS",
     .why = "the fabric has this capacity, but its loss under many flows was made from GNU's tasks "
            "(Figure 4.9), and this figure contradicts it"},
    {.machine = "sgi-altix-uv-32s",
     .name = "Altix",
     .threads = 128,
     .start = Basis::input,
     .worst = Basis::input,
     .why = "an assumed capacity, whose low end is this figure"},
    {.machine = "xeon-phi",
     .name = "Xeon Phi",
     .threads = 60,
     .start = Basis::input,
     .worst = Basis::input,
     .start_quantity = "controller of the Xeon Phi",
     .worst_quantity = "controller of the Xeon Phi",
     .why = "a core's rate is assumed"},
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
    // The HP machine has no second level.
    add_loss("HP, to another socket", hp.value(), 4);
    add_loss("BCS, to another socket", bcs.value(), 1);
    add_loss("BCS, to another board", bcs.value(), 4);
    add_loss("Altix, to another blade", altix.value(), 2);
    judge_scaling(bcs.value());
    return std::nullopt;
  }

  std::optional<Error> add_phi() {
    const auto phi = load(find_, "xeon-phi");
    if (!phi) return phi.error();
    const auto rate = [&](bool writes) {
      return over_ranges(phi.value().model, [&](const Parameters& parameters) {
        return bandwidth(phi.value().machine, parameters, 60, 0, writes);
      });
    };
    sheet_.add("Figure 2.2", "Xeon Phi, reads",
               {.basis = Basis::input,
                .simulated = rate(false),
                .quantity = "controller of the Xeon Phi",
                .why = "a core's rate is assumed"});
    sheet_.add("Figure 2.2", "Xeon Phi, writes",
               {.simulated = rate(true), .why = "a core's rate is assumed"});
    return std::nullopt;
  }

  std::optional<Error> add_westmere() {
    const auto westmere = load(find_, "westmere-2s");
    if (!westmere) return westmere.error();
    const Values start = at_step(westmere.value(), 12, 0);
    const Values worst = least_of(westmere.value(), 12);
    sheet_.add("Figure 2.4, Westmere", "Westmere, worst",
               {.basis = Basis::input, .simulated = worst / start});
    note_early("Westmere", westmere.value(), 12, start);
    return std::nullopt;
  }

  std::optional<Error> go_around(const GoAround& each) {
    const auto loaded = load(find_, each.machine);
    if (!loaded) return loaded.error();
    const std::string name = each.name;
    const Values start = at_step(loaded.value(), each.threads, 0);
    sheet_.add("Figure 2.4", name + ", start",
               {.basis = each.start,
                .simulated = start,
                .quantity = each.start_quantity,
                .why = each.why});
    sheet_.add("Figure 2.4", name + ", worst",
               {.basis = each.worst,
                .simulated = least_of(loaded.value(), each.threads),
                .quantity = each.worst_quantity,
                .why = each.why});
    note_early(name, loaded.value(), each.threads, start);
    return std::nullopt;
  }

  void judge_go_around() {
    std::vector<Answers> earlier;
    for (const Values& deep : deep_) {
      for (const Values& flat : flat_) {
        const auto [one, other] = crossed(deep, flat);
        earlier.push_back(below(one, other));
      }
    }
    sheet_.state({.place = "Figure 2.4",
                  .statement = "with two levels of distance the drop comes earlier",
                  .basis = Basis::fitted,
                  .claims = earlier,
                  .evidence = "left after a sixteenth of the steps: " + evidence_,
                  .why = "the assumed ends of the fabrics' capacities"});
  }

  /// The measured distances show the boards.
  std::optional<Error> judge_groups(const char* machine, const char* where, const char* statement,
                                    std::size_t groups) {
    const auto loaded = load(find_, machine);
    if (!loaded) return loaded.error();
    const auto& distances = loaded.value().machine.distances.values;
    const std::size_t size = loaded.value().machine.domains.size();
    const auto seen = machine::find_in_distances({{}, distances}, size, size).groups;
    const bool equal = std::all_of(seen.groups.begin(), seen.groups.end(), [&](const auto& group) {
      return group.size() == size / groups;
    });
    sheet_.state({.place = where,
                  .statement = statement,
                  .claims = {fact(equal && seen.groups.size() == groups)},
                  .evidence = std::to_string(seen.groups.size()) + " groups; steps inside up to " +
                              number(seen.inside) + ", between them from " + number(seen.between) +
                              " on"});
    return std::nullopt;
  }

  Reproduction take() { return sheet_.take(); }

 private:
  static Values at_step(const Loaded& loaded, std::size_t threads, std::size_t step) {
    return over_ranges(loaded.model, [&](const Parameters& parameters) {
      return bandwidth(loaded.machine, parameters, threads, step);
    });
  }
  static Values least_of(const Loaded& loaded, std::size_t threads) {
    Values least_so_far = at_step(loaded, threads, 0);
    // The first half: then it rises again.
    for (std::size_t step = 1; step <= threads / 2; ++step) {
      least_so_far = least(least_so_far, at_step(loaded, threads, step));
    }
    return least_so_far;
  }
  /// What is left of the start after a sixteenth of the steps.
  void note_early(const std::string& name, const Loaded& loaded, std::size_t threads,
                  const Values& start) {
    const Values early = at_step(loaded, threads, threads / 16) / start;
    evidence_ += (evidence_.empty() ? "" : ", ") + name + " " + number(early);
    (loaded.machine.domains.size() > 8 ? deep_ : flat_).push_back(early);
  }
  void add_loss(const char* what, const Loaded& loaded, std::size_t other) {
    const DomainId here{std::size_t{0}};
    const Values loss = over_ranges(loaded.model, [&](const Parameters& parameters) {
      const Hardware hardware(loaded.machine, parameters);
      return 1 - hardware.core_rate(here, DomainId{other}) / hardware.core_rate(here, here);
    });
    sheet_.add("Figure 2.1", what, {.basis = Basis::input, .simulated = loss});
  }
  void judge_scaling(const Loaded& bcs) {
    const Values all = at_step(bcs, 128, 0);
    const Values half = at_step(bcs, 64, 0);
    const Values quarter = at_step(bcs, 32, 0);
    sheet_.state({.place = "Figure 2.2",
                  .statement = "on local memory bandwidth grows with the sockets to the last one",
                  .claims = {about(all, half * Values(2)), about(half, quarter * Values(2))},
                  .evidence = "BCS, 32, 64, 128 threads: " + number(quarter) + ", " + number(half) +
                              ", " + number(all, " GB/s")});
  }

  const FindMachine& find_;
  Sheet sheet_{"Schmidl 2016"};
  std::string evidence_;
  std::vector<Values> deep_;  // what is left early, on machines with boards
  std::vector<Values> flat_;  // and on those without
};

}  // namespace

Result<Reproduction> reproduce_bandwidth(const FindMachine& find) {
  Bandwidths bandwidths(find);
  if (auto problem = bandwidths.add_losses()) return *problem;
  if (auto problem = bandwidths.add_phi()) return *problem;
  if (auto problem = bandwidths.add_westmere()) return *problem;
  for (const GoAround& each : machines_around) {
    if (auto problem = bandwidths.go_around(each)) return *problem;
  }
  bandwidths.judge_go_around();
  struct Groups {
    const char* machine;
    const char* where;
    const char* statement;
    std::size_t groups;
  };
  for (const Groups& each :
       {Groups{"fujitsu-8s", "Figure 2.6",
               "measured distances show two blocks of four sockets, the firmware's none", 2},
        Groups{"hp-dl980-8s", "Figure 2.8 left", "measured distances show blocks of two sockets",
               4},
        Groups{"bull-bcs-16s", "Figure 2.8 right", "measured distances show four boards", 4}}) {
    if (auto problem =
            bandwidths.judge_groups(each.machine, each.where, each.statement, each.groups)) {
      return *problem;
    }
  }
  return bandwidths.take();
}

}  // namespace lares::simulate::papers

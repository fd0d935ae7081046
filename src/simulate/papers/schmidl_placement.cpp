// Schmidl 2016, chapter 3: tours over the sockets, and when moving pages pays.
#include <algorithm>

#include "machine/tour/tour.hpp"
#include "memory/manager/costs.hpp"
#include "simulate/papers/runner.hpp"

namespace lares::simulate::papers {
namespace {

constexpr double page_gb = 4096e-9;
constexpr double microseconds = 1e6;

struct TourMachine {
  const char* machine;
  const char* name;
  bool shortest_is_known;
};

constexpr TourMachine tour_machines[] = {{"hp-dl980-8s", "HP", true},
                                         {"bull-bcs-16s", "BCS", true},
                                         {"sgi-altix-uv-32s", "Altix", false}};

class Tours {
 public:
  explicit Tours(Sheet& sheet) : sheet_(sheet) {}

  void add(const TourMachine& each, const machine::Machine& machine) {
    std::vector<DomainId> domains(machine.domains.size());
    for (std::size_t d = 0; d < domains.size(); ++d) domains[d] = DomainId{d};
    const machine::TourGraph graph(machine.distances, domains);
    const double greedy = half(machine::greedy_tour(graph));
    const machine::ChristofidesTour matched = machine::christofides_tour(graph);
    const double christofides = half(matched.tour);
    const machine::BestTour best = machine::best_tour(graph);
    const double shortest = half(best.tour);
    const std::string name = each.name;
    const auto add_cell = [&](const char* way, double length, const char* why) {
      sheet_.add("Table 3.1", name + ", " + way,
                 {.simulated = length,
                  // Ways that find the same tour count once.
                  .quantity = name + ", tour of " + number(length),
                  .why = why});
    };
    const char* rounded = "the printed distances are rounded";
    if (each.shortest_is_known) add_cell("shortest tour", shortest, rounded);
    add_cell("Christofides", christofides,
             matched.matching_is_minimal ? "another implementation, with a minimal matching"
                                         : "on so many sockets our matching is not minimal");
    add_cell("greedy", greedy, rounded);
    never_worse_.push_back(at_most(greedy, christofides));
    close_.push_back(at_most(greedy, shortest));
    close_.push_back(fact(best.optimal));
    const char* comma = evidence_.empty() ? "" : ", ";
    evidence_ += comma + name + " " + number(greedy) + " against " + number(christofides);
    proofs_ += comma + name + " " + number(shortest) + (best.optimal ? " proved" : " not proved");
  }
  void judge() {
    sheet_.state({.place = "Table 3.1",
                  .statement = "greedy is never worse than Christofides",
                  .claims = never_worse_,
                  .evidence = evidence_});
    sheet_.state({.place = "Table 3.1",
                  .statement = "greedy comes close to the shortest tour, which brute force cannot "
                               "find on the Altix",
                  .claims = close_,
                  .evidence = "shortest: " + proofs_});
  }

 private:
  static double half(const machine::Tour& tour) { return static_cast<double>(tour.length) / 2; }

  Sheet& sheet_;
  std::vector<Answers> never_worse_;
  std::vector<Answers> close_;
  std::string evidence_;
  std::string proofs_;
};

/// Table 3.2 and Figure 3.2 for one machine.
void add_pages(const std::string& name, const char* hot, Runner& runner, Sheet& sheet) {
  // The time that all cores together take for a page.
  const auto page_time = [&](const char* init) {
    return Values(microseconds * page_gb) /
           runner.run(std::string("stream:kernel=triad,init=") + init, "static").rate();
  };
  const Values serial = page_time("serial");
  const Values parallel = page_time("static");
  const Baseline base =
      sheet.add("Table 3.2", name + ", parallel", {.basis = Basis::input, .simulated = parallel});
  sheet.add("Table 3.2", name + ", serial",
            {.simulated = serial, .quantity = name + ", serial", .baseline = &base, .why = hot});
  sheet.add("Table 3.2", name + ", interleaved",
            {.simulated = page_time("interleave"),
             .baseline = &base,
             .why = "the model's links carry these bytes without loss"});
  for (const std::string way : {"migration", "next touch"}) {
    std::string what = name;
    what.append(", ").append(way);
    const double overhead = sheet.input("Table 3.2", what);
    sheet.add(
        "Figure 3.2", what,
        {.simulated = memory::break_even(overhead, sheet.input("Table 3.2", name + ", serial"),
                                         sheet.input("Table 3.2", name + ", after migration")),
         .quantity = what + ", from printed times",
         .how = "from the printed times"});
    // Serial access decides it; the parallel one is an input.
    sheet.add("Figure 3.2", what,
              {.simulated = pointwise(serial, parallel,
                                      [&](double before, double after) {
                                        return memory::break_even(overhead, before, after);
                                      }),
               .quantity = name + ", serial",
               .how = "from simulated access",
               .why = hot});
  }
}

}  // namespace

Result<Reproduction> reproduce_placement(const FindMachine& find, std::uint32_t seeds) {
  Sheet sheet("Schmidl 2016");
  Tours tours(sheet);
  for (const TourMachine& each : tour_machines) {
    const auto machine = find(each.machine);
    if (!machine) return machine.error();
    tours.add(each, machine.value());
  }
  tours.judge();
  for (const auto& [machine, name, hot] :
       {std::tuple{"westmere-2s", "Westmere", ""},
        std::tuple{"sandybridge-4s", "SandyBridge",
                   "a memory that all sockets use is slower than its controller"}}) {
    const auto loaded = load(find, machine);
    if (!loaded) return loaded.error();
    Runner runner(loaded.value(), seeds);
    add_pages(name, hot, runner, sheet);
    if (runner.error) return *runner.error;
  }
  return sheet.take();
}

}  // namespace lares::simulate::papers

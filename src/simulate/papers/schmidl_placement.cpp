// Schmidl 2016, chapter 3: tours over the sockets, and when moving pages pays.
#include <algorithm>

#include "machine/tour/tour.hpp"
#include "memory/manager/costs.hpp"
#include "simulate/papers/runner.hpp"

namespace lares::simulate::papers {
namespace {

constexpr double page_gb = 4096e-9;
constexpr double microseconds = 1e6;
constexpr const char* rounded = "the printed distances are rounded";

struct PublishedTours {
  const char* machine;
  const char* name;
  double shortest;  // 0: none
  double christofides;
  double greedy;
};

constexpr PublishedTours published_tours[] = {
    {"hp-dl980-8s", "HP", 106, 106, 106},
    {"bull-bcs-16s", "BCS", 376, 512, 379},
    {"sgi-altix-uv-32s", "Altix", 0, 863, 848},
};

class Tours {
 public:
  void add(const PublishedTours& each, const machine::Machine& machine) {
    std::vector<DomainId> domains(machine.domains.size());
    for (std::size_t d = 0; d < domains.size(); ++d) domains[d] = DomainId{d};
    const machine::TourGraph graph(machine.distances, domains);
    const double greedy = half(machine::greedy_tour(graph));
    const machine::ChristofidesTour found_by_matching = machine::christofides_tour(graph);
    const double christofides = half(found_by_matching.tour);
    const machine::BestTour best = machine::best_tour(graph);
    const std::string name = each.name;
    if (each.shortest > 0) add_cell(name + ", shortest tour", each.shortest, half(best.tour));
    add_cell(name + ", Christofides", each.christofides, christofides);
    if (christofides < each.christofides) found.cells.back().why = "ours is shorter";
    if (!found_by_matching.matching_is_minimal) {
      found.cells.back().why = "on so many sockets our matching is not minimal";
    }
    add_cell(name + ", greedy", each.greedy, greedy);
    greedy_wins_ = greedy_wins_ && greedy <= christofides;
    proved_ = proved_ && best.optimal;
    evidence_ += (evidence_.empty() ? "" : ", ") + name + " " + number(greedy) + " against " +
                 number(christofides);
    proofs_ += (proofs_.empty() ? "" : ", ") + name + " " + number(half(best.tour)) +
               (best.optimal ? " proved" : " not proved");
    close_ = close_ && greedy <= 1.01 * half(best.tour);
  }
  void judge() {
    found.findings.push_back({"Schmidl 2016, Table 3.1", "greedy is never worse than Christofides",
                              greedy_wins_, evidence_});
    found.findings.push_back({"Schmidl 2016, Table 3.1",
                              "greedy comes close to the shortest tour, which brute force cannot "
                              "find on the Altix",
                              close_ && proved_, "shortest: " + proofs_});
  }
  Reproduction found;

 private:
  static double half(const machine::Tour& tour) { return static_cast<double>(tour.length) / 2; }
  void add_cell(const std::string& what, double published, double computed) {
    found.cells.push_back({"Schmidl 2016, Table 3.1", what, published, computed, computed, computed,
                           Basis::computed, false, rounded});
  }
  bool greedy_wins_ = true;
  bool proved_ = true;
  bool close_ = true;
  std::string evidence_;
  std::string proofs_;
};

/// A machine of Table 3.2: microseconds for each page, and after how many accesses moving pays.
struct PublishedPages {
  const char* machine;
  const char* name;
  double serial;
  double parallel;
  double interleaved;
  double moved;  // access after migration
  double migrate;
  double next_touch;
  double pays;             // Figure 3.2: migration
  double next_touch_pays;  // and next touch
  const char* why;
};

constexpr PublishedPages published_pages[] = {
    {"westmere-2s", "Westmere", 0.204, 0.102, 0.141, 0.102, 1.295, 15.593, 12.7, 154, ""},
    {"sandybridge-4s", "SandyBridge", 0.334, 0.048, 0.095, 0.047, 14.458, 73.939, 50, 258,
     "a memory that all sockets use is slower than its controller"},
};

/// The time that all cores together take for a page.
double page_time(Runner& runner, const std::string& init) {
  return microseconds * page_gb / runner.run("stream:kernel=triad,init=" + init, "static").rate;
}

void add_pages(const PublishedPages& each, Runner& runner, Reproduction& found) {
  const std::string name = each.name;
  const auto add = [&](const char* where, const std::string& what, double published, double value,
                       Basis basis, const char* why = "") {
    found.cells.push_back({std::string("Schmidl 2016, ") + where, name + ", " + what, published,
                           value, value, value, basis, false, why});
  };
  const double serial = page_time(runner, "serial");
  const double parallel = page_time(runner, "static");
  add("Table 3.2", "serial, us a page", each.serial, serial, Basis::predicted, each.why);
  add("Table 3.2", "parallel, us a page", each.parallel, parallel, Basis::fitted);
  add("Table 3.2", "interleaved, us a page", each.interleaved, page_time(runner, "interleave"),
      Basis::predicted, "the model's links carry these bytes without loss");
  const auto add_break_even = [&](const std::string& what, double published, double overhead) {
    add("Figure 3.2", what + " pays after, from the printed times", published,
        memory::break_even(overhead, each.serial, each.moved), Basis::computed);
    add("Figure 3.2", what + " pays after, from simulated access", published,
        memory::break_even(overhead, serial, parallel), Basis::predicted, each.why);
  };
  add_break_even("migration", each.pays, each.migrate);
  add_break_even("next touch", each.next_touch_pays, each.next_touch);
}

}  // namespace

Result<Reproduction> reproduce_placement(const FindMachine& find, std::uint32_t seeds) {
  Tours tours;
  for (const PublishedTours& each : published_tours) {
    const auto machine = find(each.machine);
    if (!machine) return machine.error();
    tours.add(each, machine.value());
  }
  tours.judge();
  Reproduction found = std::move(tours.found);
  for (const PublishedPages& each : published_pages) {
    const auto loaded = load(find, each.machine);
    if (!loaded) return loaded.error();
    Runner runner(loaded.value(), seeds);
    add_pages(each, runner, found);
    if (runner.error) return *runner.error;
  }
  return found;
}

}  // namespace lares::simulate::papers

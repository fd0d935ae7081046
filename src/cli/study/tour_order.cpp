#include "cli/study/tour_order.hpp"

#include "machine/tour/tour.hpp"

namespace lares::cli {

std::vector<DomainId> along_the_tour(const machine::Machine& machine) {
  std::vector<DomainId> domains;
  for (std::size_t d = 0; d < machine.domains_with_cores(); ++d) domains.emplace_back(d);
  const machine::TourGraph graph(machine.distances, domains);
  std::vector<DomainId> tour;
  for (const std::size_t v : begun_at(graph, machine::best_tour(graph).tour.order, 0)) {
    tour.push_back(domains[v]);
  }
  return tour;
}

}  // namespace lares::cli

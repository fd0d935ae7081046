// `lares places`: a place list in which neighbours are close, for OMP_PLACES.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/clock.hpp"
#include "cli/allowed_cpus.hpp"
#include "cli/commands.hpp"
#include "cli/machine_options.hpp"
#include "cli/output.hpp"
#include "machine/omp_places.hpp"
#include "machine/tour/tour.hpp"

namespace lares::cli {
namespace {

using Json = nlohmann::ordered_json;
using machine::BestTour;
using machine::Machine;
using machine::TourGraph;

struct PlacesOptions {
  MachineOptions machine;
  machine::Smt smt = machine::Smt::core;
  std::int32_t start = -1;
  bool compare = false;
  bool allowed = false;
  Format format = Format::text;
};

/// The domains with cores in the order of their tour.
struct Order {
  std::vector<DomainId> tour;
  BestTour best;
};

/// One line of --compare.
struct Row {
  std::string method;
  std::uint64_t length = 0;
  Nanoseconds time;
  bool optimal = false;
  std::vector<DomainId> tour;
  std::string note;
};

/// Lengths of tours are twice the distance, so that halves stay exact.
std::string length_text(std::uint64_t twice) {
  return fmt::format("{}{}", twice / 2, twice % 2 == 0 ? "" : ".5");
}

double length_number(std::uint64_t twice) { return static_cast<double>(twice) / 2; }

std::string tour_text(const std::vector<DomainId>& tour) {
  std::string text;
  for (const DomainId domain : tour)
    text += fmt::format("{}{}", text.empty() ? "" : " ", domain.value());
  return text;
}

/// Leaves the cpus that this process may use; a domain or a core may keep none.
void restrict_to(Machine& machine, const AllowedCpus& allowed) {
  for (machine::Core& core : machine.cores) {
    std::erase_if(core.cpus, [&](OsCpu cpu) { return !allowed.contains(cpu); });
  }
  for (machine::Domain& domain : machine.domains) {
    std::erase_if(domain.cores,
                  [&](CoreId core) { return machine.cores[core.index()].cpus.empty(); });
  }
}

std::vector<DomainId> domains_to_visit(const Machine& machine) {
  std::vector<DomainId> domains;
  for (std::size_t d = 0; d < machine.domains.size(); ++d) {
    if (!machine.domains[d].cores.empty()) domains.emplace_back(d);
  }
  if (!domains.empty()) return domains;
  throw UserMistake{
      {"--allowed: this process may use none of the cpus of machine \"" + machine.name + "\""}};
}

std::size_t first_vertex(const std::vector<DomainId>& domains, std::int32_t start) {
  if (start < 0) return 0;
  const auto found = std::find(domains.begin(), domains.end(), DomainId{start});
  if (found != domains.end()) return static_cast<std::size_t>(found - domains.begin());
  throw UserMistake{
      {fmt::format("--start: domain {} does not exist or has no cores, accepted are {}", start,
                   id_list(domains))}};
}

std::vector<DomainId> as_domains(const TourGraph& graph, const std::vector<std::size_t>& tour,
                                 const std::vector<DomainId>& domains, std::size_t first) {
  std::vector<DomainId> list;
  for (const std::size_t vertex : machine::begun_at(graph, tour, first)) {
    list.push_back(domains[vertex]);
  }
  return list;
}

/// Every method on the same graph. What a method takes from another is not in its time.
class Comparison {
 public:
  Comparison(const TourGraph& graph, const std::vector<DomainId>& domains, std::size_t first)
      : graph_(graph), domains_(domains), first_(first) {}

  std::vector<Row> rows(const BestTour& best) {
    if (graph_.size() <= machine::max_exact_size) {
      add("exact", [&] { return machine::exact_tour(graph_); });
    }
    add("greedy", [&] { return machine::greedy_tour(graph_); });
    bool minimal = true;
    add("christofides", [&] {
      auto found = machine::christofides_tour(graph_);
      minimal = found.matching_is_minimal;
      return found.tour;
    });
    if (!minimal) rows_.back().note = "matching not minimal";
    add("local-search",
        [&] { return machine::local_search_tour(graph_, machine::greedy_tour(graph_), 1); });
    const Nanoseconds start = now();
    const std::uint64_t bound = machine::tour_lower_bound(graph_, best.tour.length);
    rows_.push_back({"lower bound", bound, now() - start, false, {}, ""});
    for (Row& row : rows_) row.optimal = best.optimal && row.length == best.tour.length;
    rows_.back().optimal = false;
    return rows_;
  }

 private:
  template <class Method>
  void add(const char* name, Method method) {
    const Nanoseconds start = now();
    const machine::Tour tour = method();
    const Nanoseconds time = now() - start;
    rows_.push_back(
        {name, tour.length, time, false, as_domains(graph_, tour.order, domains_, first_), ""});
  }

  const TourGraph& graph_;
  const std::vector<DomainId>& domains_;
  std::size_t first_;
  std::vector<Row> rows_;
};

std::string optimal_text(const Row& row) {
  if (row.tour.empty()) return "-";
  return row.optimal ? "yes" : row.note.empty() ? "" : row.note;
}

std::string compare_text(const std::vector<Row>& rows, const Palette& palette) {
  using Align = Table::Align;
  Table table({Align::left, Align::right, Align::right, Align::left, Align::left});
  table.add({palette.bold("method"), palette.bold("length"), palette.bold("seconds"),
             palette.bold("optimal"), palette.bold("tour")});
  for (const Row& row : rows) {
    table.add({row.method, length_text(row.length),
               fmt::format("{:.6f}", static_cast<double>(row.time.count) / 1e9), optimal_text(row),
               tour_text(row.tour)});
  }
  return table.text();
}

std::string compare_csv(const std::vector<Row>& rows) {
  std::string text = "method,length,seconds,optimal,note,tour\n";
  for (const Row& row : rows) {
    text += fmt::format("{},{},{:.6f},{},{},{}\n", row.method, length_text(row.length),
                        static_cast<double>(row.time.count) / 1e9,
                        row.tour.empty() ? ""
                        : row.optimal    ? "yes"
                                         : "no",
                        csv_field(row.note), tour_text(row.tour));
  }
  return text;
}

Json numbers(const std::vector<DomainId>& domains) {
  Json list = Json::array();
  for (const DomainId domain : domains) list.push_back(domain.value());
  return list;
}

Json compare_json(const std::vector<Row>& rows) {
  Json list = Json::array();
  for (const Row& row : rows) {
    Json entry = {{"method", row.method},
                  {"length", length_number(row.length)},
                  {"seconds", static_cast<double>(row.time.count) / 1e9}};
    if (!row.tour.empty()) {
      entry["optimal"] = row.optimal;
      entry["tour"] = numbers(row.tour);
    }
    if (!row.note.empty()) entry["note"] = row.note;
    list.push_back(std::move(entry));
  }
  return list;
}

Order order_domains(const TourGraph& graph, const std::vector<DomainId>& domains,
                    std::size_t first) {
  BestTour best = machine::best_tour(graph);
  auto tour = as_domains(graph, best.tour.order, domains, first);
  return {std::move(tour), std::move(best)};
}

Json order_json(const Machine& machine, const Order& order, const std::string& places) {
  return {{"omp_places", places},
          {"machine", machine.name},
          {"domain_level", level_name(machine.domain_level)},
          {"distances", machine.distances.source},
          {"tour", numbers(order.tour)},
          {"length", length_number(order.best.tour.length)},
          {"lower_bound", length_number(order.best.lower_bound)},
          {"optimal", order.best.optimal},
          {"method", order.best.method}};
}

void print_order(const Machine& machine, const Order& order, const PlacesOptions& options) {
  const std::string places = machine::omp_places(machine, order.tour, options.smt);
  if (options.format == Format::text) {
    fmt::print("{}\n", places);
    return;
  }
  if (options.format == Format::json) {
    fmt::print("{}\n", order_json(machine, order, places).dump(2));
    return;
  }
  fmt::print("position,domain,places\n");
  for (std::size_t i = 0; i < order.tour.size(); ++i) {
    const std::string part =
        machine::omp_places(machine, std::span(&order.tour[i], 1), options.smt);
    fmt::print("{},{},{}\n", i, order.tour[i].value(), csv_field(part));
  }
}

void print_comparison(const std::vector<Row>& rows, const Json& chosen, Format format) {
  if (format == Format::csv) {
    fmt::print("{}", compare_csv(rows));
  } else if (format == Format::json) {
    Json all = chosen;
    all["methods"] = compare_json(rows);
    fmt::print("{}\n", all.dump(2));
  } else {
    fmt::print("{}", compare_text(rows, Palette(wants_colour(stdout))));
  }
}

void places(const PlacesOptions& options) {
  Machine machine = expect(load_machine(options.machine));
  if (options.allowed) restrict_to(machine, AllowedCpus());
  const std::vector<DomainId> domains = domains_to_visit(machine);
  const std::size_t first = first_vertex(domains, options.start);
  const TourGraph graph(machine.distances, domains);
  const Order order = order_domains(graph, domains, first);
  if (!options.compare) return print_order(machine, order, options);
  const auto chosen =
      order_json(machine, order, machine::omp_places(machine, order.tour, options.smt));
  print_comparison(Comparison(graph, domains, first).rows(order.best), chosen, options.format);
}

void add_options(CLI::App& command, PlacesOptions& options) {
  add_machine_options(command, options.machine);
  command
      .add_option_function<std::string>(
          "--smt",
          [&options](const std::string& word) {
            const auto smt = machine::parse_smt(word);
            if (!smt) throw UserMistake{{"--smt: " + smt.error().sentence}};
            options.smt = smt.value();
          },
          "Hardware threads: core (one place per core with all of its threads), thread (one place "
          "per thread), first (the first thread of each core only), last (one place per thread, "
          "second threads after the first of every core)")
      ->type_name("WAY");
  command.add_option("--start", options.start, "The domain that the list begins with")
      ->type_name("DOMAIN")
      ->check(CLI::Range(0, 65'535));
  command.add_flag("--allowed", options.allowed,
                   "Of the machine from --machine, only cpus that this process may use");
  command.add_flag("--compare", options.compare,
                   "Show the tours of all methods: length, time, whether proved optimal");
  add_format_option(command, options.format, {Format::text, Format::json, Format::csv});
}

}  // namespace

void add_places(CLI::App& app) {
  const auto options = std::make_shared<PlacesOptions>();
  CLI::App* command = app.add_subcommand(
      "places", "Print OMP_PLACES: domains along the shortest closed tour, cores by cache");
  add_options(*command, *options);
  command->footer(
      "Examples:\n  export OMP_PLACES=$(lares places) OMP_PROC_BIND=close\n"
      "  lares places --machine bull-bcs-16s --compare\n"
      "  taskset -c 0-31 lares places --machine measured.json --allowed --smt first");
  command->callback([options] { places(*options); });
}

}  // namespace lares::cli

// `lares measure`: fills a machine file with what this machine really does.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "base/file_stream.hpp"
#include "cli/commands.hpp"
#include "cli/machine_options.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "machine/machine_file.hpp"
#include "measure/measure.hpp"
#include "measure/spread.hpp"

namespace lares::cli {
namespace {

using machine::Machine;
using machine::Measurements;
using machine::Spread;

constexpr std::size_t kibi = 1'024;
constexpr std::size_t mebi = 1'024 * kibi;

struct MeasureOptions {
  MachineOptions machine;
  std::string output;
  std::vector<std::int32_t> domains;
  std::size_t cores = 0;
  std::size_t repeat = 5;
  std::size_t footprint_mebibytes = 0;
  bool quick = false;
  Format format = Format::text;
};

measure::Plan plan_for(const MeasureOptions& options, const Machine& machine) {
  measure::Plan plan;
  plan.cores_per_domain = options.cores;
  plan.pace.repeats = options.repeat;
  plan.memory_footprint = {options.footprint_mebibytes * mebi};
  plan.chain_footprints = {{16 * kibi}, {512 * kibi}};
  plan.cache_footprints = {{16 * kibi}, {512 * kibi}, {4 * mebi}, {32 * mebi}};
  for (const std::int32_t domain : options.domains) plan.domains.emplace_back(domain);
  for (std::size_t d = 0; options.domains.empty() && d < machine.domains.size(); ++d) {
    plan.domains.emplace_back(d);
  }
  if (!options.quick) return plan;
  plan.kernels = {measure::Kernel::read, measure::Kernel::triad};
  plan.cache_footprints.clear();
  plan.chain_footprints.clear();
  plan.pace.least_time = {2'000'000};
  plan.pace.repeats = std::min<std::size_t>(options.repeat, 3);
  if (options.footprint_mebibytes == 0) plan.memory_footprint = {16 * mebi};
  return plan;
}

std::string spread_text(const Spread& spread, double divisor, const char* format) {
  const auto number = [&](double value) {
    return fmt::format(fmt::runtime(format), value / divisor);
  };
  return fmt::format("{} [{}..{}]", number(spread.median), number(spread.least),
                     number(spread.most));
}

std::string pairs_text(const Measurements& measurements) {
  using Align = Table::Align;
  Table table({Align::right, Align::right, Align::left, Align::right, Align::right, Align::right});
  table.add({"from", "to", "what", "footprint", "threads", "median [least..most]"});
  for (const auto& pair : measurements.pairs) {
    const bool latency = pair.kernel == "latency";
    table.add({std::to_string(pair.from.value()), std::to_string(pair.to.value()), pair.kernel,
               human_bytes(pair.footprint), std::to_string(pair.threads),
               latency ? spread_text(pair.figure, 1, "{:.1f}") + " ns"
                       : spread_text(pair.figure, 1e3, "{:.2f}") + " GB/s"});
  }
  return table.text("  ");
}

/// "move-pages, 256 pages"; "next-touch by protect, 64 pages".
std::string how_it_moved(const machine::MeasuredMigration& move) {
  const std::string way = move.way.empty() ? "" : " by " + move.way;
  return fmt::format("{}{}, {} {}", move.method, way, move.pages,
                     move.pages == 1 ? "page" : "pages");
}

std::string others_text(const Measurements& measurements) {
  using Align = Table::Align;
  Table table({Align::left, Align::left, Align::right, Align::right});
  table.add({"what", "how", "threads", "median [least..most]"});
  for (const auto& all : measurements.aggregate) {
    const std::string footprint = all.footprint.count == 0 ? "" : ", " + human_bytes(all.footprint);
    table.add({all.kernel + ", all cores", all.pattern + footprint, std::to_string(all.threads),
               spread_text(all.mb_s, 1e3, "{:.2f}") + " GB/s"});
  }
  for (const auto& move : measurements.migration) {
    table.add({fmt::format("a page from {} to {}", move.from.value(), move.to.value()),
               how_it_moved(move), "1", spread_text(move.ns_per_page, 1e3, "{:.3f}") + " us"});
  }
  for (const auto& sync : measurements.synchronisation) {
    table.add({sync.construct, sync.by, std::to_string(sync.threads),
               spread_text(sync.ns, 1e3, "{:.2f}") + " us"});
  }
  for (const auto& compute : measurements.compute) {
    table.add({"operations", compute.kind, std::to_string(compute.threads),
               spread_text(compute.gflops, 1, "{:.2f}") + " GFLOPS"});
  }
  return table.text("  ");
}

std::string to_text(const Machine& machine, const Measurements& measurements,
                    const Palette& palette) {
  return fmt::format("{}: {} domains at level {}, {} repetitions, {}\n\n{}\n{}\n{}\n{}",
                     palette.bold(machine.name), machine.domains.size(),
                     level_name(machine.domain_level), measurements.repeats, measurements.when,
                     palette.bold("From the cores of a domain to the memory of a domain"),
                     pairs_text(measurements), palette.bold("All together"),
                     others_text(measurements));
}

std::string csv_spread(const Spread& spread, const char* unit) {
  return fmt::format("{},{},{},{}\n", unit, spread.median, spread.least, spread.most);
}

std::string to_csv(const Measurements& measurements) {
  std::string text = "what,how,from,to,footprint_bytes,threads,unit,median,least,most\n";
  for (const auto& p : measurements.pairs) {
    text += fmt::format("pair,{},{},{},{},{},{}", p.kernel, p.from.value(), p.to.value(),
                        p.footprint.count, p.threads,
                        csv_spread(p.figure, p.kernel == "latency" ? "ns" : "mb_s"));
  }
  for (const auto& a : measurements.aggregate) {
    text += fmt::format("aggregate {},{},,,{},{},{}", a.pattern, a.kernel,
                        a.footprint.count == 0 ? "" : std::to_string(a.footprint.count), a.threads,
                        csv_spread(a.mb_s, "mb_s"));
  }
  for (const auto& m : measurements.migration) {
    text += fmt::format("migration,{}{}{},{},{},,1,{}", m.method, m.way.empty() ? "" : " ", m.way,
                        m.from.value(), m.to.value(), csv_spread(m.ns_per_page, "ns_per_page"));
  }
  for (const auto& s : measurements.synchronisation) {
    text += fmt::format("{},{},,,,{},{}", s.construct, s.by, s.threads, csv_spread(s.ns, "ns"));
  }
  for (const auto& c : measurements.compute) {
    text += fmt::format("compute,{},,,,{},{}", c.kind, c.threads, csv_spread(c.gflops, "gflops"));
  }
  return text;
}

/// Beside the file first, so that a command that is stopped leaves the old one whole.
void write_file(const std::string& path, const std::string& text) {
  const std::string beside = path + ".new";
  if (write_text(beside, text) && std::rename(beside.c_str(), path.c_str()) == 0) return;
  const std::string why = std::strerror(errno);
  std::remove(beside.c_str());
  throw UserMistake{{fmt::format("--output: cannot write \"{}\": {}", path, why)}};
}

/// Before minutes of measuring, not after them.
void check_writable(const std::string& path) {
  if (path.empty()) return;
  const std::string beside = path + ".new";
  if (!write_text(beside, "")) {
    throw UserMistake{
        {fmt::format("--output: cannot write \"{}\": {}", path, std::strerror(errno))}};
  }
  std::remove(beside.c_str());
}

/// One figure in twenty may be chance.
void warn_if_unsteady(const Measurements& measurements) {
  const measure::Unsteady found = measure::unsteady(measurements);
  if (20 * found.figures <= found.of) return;
  fmt::print(
      stderr,
      "lares: {} of {} figures vary more than twofold, so something else was probably running; "
      "measure again while nothing is, or with a larger --repeat\n",
      found.figures, found.of);
}

void measure_machine(const MeasureOptions& options) {
  Machine machine = expect(load_machine(options.machine));
  check_writable(options.output);
  const measure::Plan plan = plan_for(options, machine);
  const auto measured = [&] {
    ProgressLine line;
    return measure::measure(machine, plan,
                            [&](const std::string& what, std::size_t done, std::size_t all) {
                              line.show(what, done, all);
                            });
  }();
  if (!measured) throw UserMistake{measured.error()};
  if (!measure::apply(measured.value(), machine)) {
    fmt::print(stderr,
               "lares: distances stay those of the source \"{}\": not every pair of "
               "domains was measured\n",
               machine.distances.source);
  }
  warn_if_unsteady(measured.value());
  machine.about = "Measured by lares measure at " + measured.value().when + ".";
  const std::string file = machine::to_machine_file(machine, measured.value());
  if (!options.output.empty()) write_file(options.output, file);
  if (options.format == Format::json) {
    fmt::print("{}", file);
  } else if (options.format == Format::csv) {
    fmt::print("{}", to_csv(measured.value()));
  } else {
    fmt::print("{}", to_text(machine, measured.value(), Palette(wants_colour(stdout))));
  }
}

void add_options(CLI::App& command, MeasureOptions& options) {
  add_domain_option(command, options.machine);
  command
      .add_option("--output", options.output, "Write a machine file, for --machine of all commands")
      ->type_name("FILE");
  command.add_flag("--quick", options.quick,
                   "Seconds: read, triad and latency only, 16 MiB per thread, three repetitions");
  command.add_option("--domains", options.domains, "Only these domains, by number; default: all")
      ->delimiter(',')
      ->type_name("LIST")
      ->check(CLI::Range(0, 65'535));
  command
      .add_option("--cores", options.cores, "At most so many cores of each domain; default: all")
      ->type_name("N")
      ->check(CLI::Range(std::size_t{1}, std::size_t{65'536}));
  command.add_option("--repeat", options.repeat, "Repetitions of each measurement; default: 5")
      ->type_name("N")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1'000}));
  command
      .add_option("--footprint", options.footprint_mebibytes,
                  "MiB of each thread that no cache shall hold; default: four times the last "
                  "cache, 16 to 256")
      ->type_name("MIB")
      ->check(CLI::Range(std::size_t{1}, std::size_t{65'536}));
  add_format_option(command, options.format, {Format::text, Format::json, Format::csv});
}

}  // namespace

void add_measure(CLI::App& app) {
  const auto options = std::make_shared<MeasureOptions>();
  CLI::App* command = app.add_subcommand("measure", measure_summary);
  add_options(*command, *options);
  command->footer(
      "Run it while nothing else runs. Examples:\n  lares measure --output here.json\n"
      "  lares measure --quick --domain l2\n  lares measure --domains 0,2 --cores 4 --repeat 9");
  command->callback([options] { measure_machine(*options); });
}

}  // namespace lares::cli

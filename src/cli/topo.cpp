// `lares topo`: the machine as Lares sees it.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "cli/commands.hpp"
#include "cli/machine_options.hpp"
#include "cli/output.hpp"
#include "machine/machine_file.hpp"

namespace lares::cli {
namespace {

using machine::Machine;
using machine::TreeNode;

struct TopoOptions {
  MachineOptions machine;
  Format format = Format::text;
};

std::vector<OsCpu> cpus_of(const Machine& machine, const std::vector<CoreId>& cores) {
  std::vector<OsCpu> cpus;
  for (const CoreId core : cores) {
    const auto& more = machine.cores[core.index()].cpus;
    cpus.insert(cpus.end(), more.begin(), more.end());
  }
  std::sort(cpus.begin(), cpus.end());
  return cpus;
}

std::string counted(std::size_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string node_name(OsNode node) {
  return node.valid() ? fmt::format("node {}", node.value()) : "no node";
}

std::string headline(const Machine& machine, const Palette& palette) {
  std::vector<CoreId> all;
  for (std::size_t c = 0; c < machine.cores.size(); ++c) all.emplace_back(c);
  return fmt::format("{}: {}, {}, {}, {} at level {}\n", palette.bold(machine.name),
                     counted(all.size(), "core", "cores"),
                     counted(cpus_of(machine, all).size(), "hardware thread", "hardware threads"),
                     counted(machine.memory.size(), "memory node", "memory nodes"),
                     counted(machine.domains.size(), "domain", "domains"),
                     level_name(machine.domain_level));
}

/// The part of the tree that is drawn so far.
class TreeText {
 public:
  TreeText(const Machine& machine, const Palette& palette)
      : machine_(machine), palette_(palette), children_(machine.tree.size()) {
    for (std::size_t n = 1; n < machine.tree.size(); ++n) {
      children_[static_cast<std::size_t>(machine.tree[n].parent)].push_back(n);
    }
  }

  std::string draw() {
    text_ = "machine\n";
    const std::size_t bare = machine_.domains.size() - machine_.domains_with_cores();
    draw_children(0, "", bare > 0);
    for (std::size_t d = machine_.domains_with_cores(); d < machine_.domains.size(); ++d) {
      text_ += (d + 1 == machine_.domains.size() ? "└─ " : "├─ ") + domain_text(DomainId{d}) + '\n';
    }
    return text_;
  }

 private:
  [[nodiscard]] std::string domain_text(DomainId id) const {
    const machine::Domain& domain = machine_.domains[id.index()];
    const std::string memory =
        fmt::format("{}, {}", node_name(domain.node), human_bytes(domain.memory));
    const std::string what = domain.cores.empty()
                                 ? fmt::format("memory only, {}", memory)
                                 : fmt::format("{}, {}", cores_text(domain.cores), memory);
    return fmt::format("{} {}: {}", palette_.green(fmt::format("domain {}", id.value())),
                       palette_.bold(domain.name), what);
  }

  [[nodiscard]] std::string cores_text(const std::vector<CoreId>& cores) const {
    const auto cpus = cpus_of(machine_, cores);
    return fmt::format("{} {} ({} {})", cores.size() == 1 ? "core" : "cores", id_list(cores),
                       cpus.size() == 1 ? "cpu" : "cpus", id_list(cpus));
  }

  void draw_children(std::size_t parent, const std::string& indent, bool more_follow) {
    const auto& children = children_[parent];
    for (std::size_t i = 0; i < children.size(); ++i) {
      const TreeNode& node = machine_.tree[children[i]];
      const bool last = i + 1 == children.size() && !more_follow;
      text_ += indent + (last ? "└─ " : "├─ ");
      text_ += node.domain.valid()
                   ? domain_text(node.domain)
                   : fmt::format("{}: {}", level_name(node.level), cores_text(node.cores));
      text_ += '\n';
      draw_children(children[i], indent + (last ? "   " : "│  "), false);
    }
  }

  const Machine& machine_;
  const Palette& palette_;
  std::vector<std::vector<std::size_t>> children_;  // by tree node
  std::string text_;
};

std::string distances_text(const Machine& machine, const Palette& palette) {
  const auto& distances = machine.distances;
  return fmt::format("{} between domains (10 = local, source: {})\n{}", palette.bold("Distances"),
                     distances.source, domain_matrix(distances.values, distances.size, palette));
}

/// Nothing for a machine that has no such figures.
std::string performance_text(const Machine& machine, const Palette& palette) {
  const auto& [latency, bandwidth] = machine.performance;
  const std::size_t size = machine.domains.size();
  std::string text;
  if (!latency.empty()) {
    text += fmt::format("\n{} between domains in ns\n{}", palette.bold("Latency"),
                        domain_matrix(latency, size, palette));
  }
  if (!bandwidth.empty()) {
    text += fmt::format("\n{} between domains in MB/s\n{}", palette.bold("Bandwidth"),
                        domain_matrix(bandwidth, size, palette));
  }
  return text;
}

std::string memory_text(const Machine& machine, const Palette& palette) {
  using Align = Table::Align;
  Table table({Align::right, Align::right, Align::right, Align::left, Align::left, Align::right});
  table.add({"node", "total", "free", "kind", "cores", "domain"});
  for (const machine::MemoryNode& memory : machine.memory) {
    table.add({std::to_string(memory.node.value()), human_bytes(memory.total),
               memory.free.count == 0 ? "unknown" : human_bytes(memory.free), memory.kind,
               memory.has_cores ? "yes" : "no",
               memory.domain.valid() ? std::to_string(memory.domain.value()) : "none"});
  }
  return palette.bold("Memory") + "\n" + table.text("  ");
}

std::string to_text(const Machine& machine, const Palette& palette) {
  return headline(machine, palette) + "\n" + TreeText(machine, palette).draw() + "\n" +
         distances_text(machine, palette) + performance_text(machine, palette) + "\n" +
         memory_text(machine, palette);
}

/// One line per hardware thread, then one per domain without cores.
std::string to_csv(const Machine& machine) {
  std::string text = "domain,name,node,memory_bytes,core,cpu\n";
  for (std::size_t d = 0; d < machine.domains.size(); ++d) {
    const machine::Domain& domain = machine.domains[d];
    const std::string node = domain.node.valid() ? std::to_string(domain.node.value()) : "";
    const std::string start =
        fmt::format("{},{},{},{}", d, csv_field(domain.name), node, domain.memory.count);
    if (domain.cores.empty()) text += start + ",,\n";
    for (const CoreId core : domain.cores) {
      for (const OsCpu cpu : machine.cores[core.index()].cpus) {
        text += fmt::format("{},{},{}\n", start, core.value(), cpu.value());
      }
    }
  }
  return text;
}

void topo(const TopoOptions& options) {
  const auto machine = load_machine(options.machine);
  if (!machine) throw UserMistake{machine.error()};
  switch (options.format) {
    case Format::json:
      fmt::print("{}", machine::to_machine_file(machine.value()));
      return;
    case Format::csv:
      fmt::print("{}", to_csv(machine.value()));
      return;
    default:
      fmt::print("{}", to_text(machine.value(), Palette(wants_colour(stdout))));
  }
}

}  // namespace

void add_topo(CLI::App& app) {
  const auto options = std::make_shared<TopoOptions>();
  CLI::App* command =
      app.add_subcommand("topo", "Draw the machine: its domains, their distances, their memory");
  add_machine_options(*command, options->machine);
  add_format_option(*command, options->format, {Format::text, Format::json, Format::csv});
  command->footer(
      "Examples:\n  lares topo --domain l2\n"
      "  lares topo --machine 'synthetic:pack:2 [numa] l3:2 core:4 pu:2' --domain l3\n"
      "  lares topo --format json > machine.json && lares topo --machine machine.json");
  command->callback([options] { topo(*options); });
}

}  // namespace lares::cli

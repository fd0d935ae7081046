// What is known about a machine before its domains are chosen: plain data, no hwloc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "machine/machine.hpp"

namespace lares::machine {

/// Cores that share something: a group, a package or a cache.
struct SharedSet {
  Level level = Level::machine;
  int depth = 0;              ///< groups nest: the outer ones have the smaller depth
  std::vector<CoreId> cores;  ///< ascending, never empty
};

/// A NUMA node that this process may use.
struct SurveyNode {
  OsNode node;
  Bytes total;
  Bytes free;
  std::string kind;                ///< as in MemoryNode
  bool own_cpus = true;            ///< false if the operating system lists no cpu for it
  std::uint64_t bandwidth = 0;     ///< from where it is nearest, as the firmware says; 0: unknown
  std::vector<CoreId> near_cores;  ///< the cores that it is attached to; may be empty
};

/// Everything that a description says, with what this process may not use left out.
struct Survey {
  std::string name;
  std::vector<std::vector<OsCpu>> cores;  ///< the cpus of each core, by CoreId
  std::vector<SharedSet> sets;            ///< in no particular order
  std::vector<SurveyNode> nodes;          ///< in OS order
  std::vector<std::uint32_t> slit;        ///< nodes x nodes; empty if unknown

  [[nodiscard]] std::uint32_t slit_at(std::size_t from, std::size_t to) const {
    return slit[from * nodes.size() + to];
  }
};

/// Where nobody names the kind of a node without cpus, what the firmware says of bandwidths does:
/// of at least half as much again as the best node with cpus, it is HBM; of at most two thirds, CXL
/// (which counts as large capacity, like NVM). Between the two it stays unknown.
void guess_kinds(Survey& survey);

/// Whether `node` has memory. Some descriptions leave all amounts out: then every node has.
bool has_memory(const Survey& survey, const SurveyNode& node);

/// The node whose memory is each core's own, as indices into `survey.nodes`: the ordinary memory
/// that is attached most closely. Cores of a node without memory get the nearest node that has
/// some. Precondition: at least one node.
std::vector<std::size_t> home_nodes(const Survey& survey);

/// The cores that share `level`, as sets; for numa those with the same home node. Cores that share
/// it with nobody (hybrid processors have cores without an l3) form one set per wider set, so that
/// every core is in one. Empty if the machine has no such level.
std::vector<SharedSet> sets_of(const Survey& survey, const std::vector<std::size_t>& homes,
                               Level level);

}  // namespace lares::machine

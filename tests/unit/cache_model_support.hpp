// Machines for tests of the lab's cache model.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "lab/plugin/cache_model.hpp"

namespace lares::lab::counting {

inline constexpr std::uint64_t lines_per_chunk = std::uint64_t{1} << Homes::chunk_shift;

/// What a test's machine looks like.
struct Shape {
  Node nodes = 2;
  unsigned cpus_per_node = 1;
  std::uint64_t l2_bytes = l2_unit;  ///< the smallest: 512 lines
  std::uint64_t l3_bytes = 0;
  unsigned nodes_per_l3 = 1;
  unsigned chunks_per_node = 1;
};

inline Layout layout_of(const Shape& shape) {
  Layout layout;
  layout.nodes = shape.nodes;
  layout.l2_bytes = shape.l2_bytes;
  layout.l3_bytes = shape.l3_bytes;
  for (Node node = 0; node < shape.nodes; ++node) {
    layout.node_of_vcpu.insert(layout.node_of_vcpu.end(), shape.cpus_per_node, node);
    if (shape.l3_bytes > 0) layout.l3_of_node.push_back(node / shape.nodes_per_l3);
  }
  return layout;
}

inline Homes homes_of(const Shape& shape) {
  Homes homes;
  for (Node node = 0; node < shape.nodes; ++node) {
    homes.node_of_chunk.insert(homes.node_of_chunk.end(), shape.chunks_per_node, node);
  }
  return homes;
}

inline CacheModel make_model(const Shape& shape) {
  return CacheModel(layout_of(shape), homes_of(shape));
}

/// The `index`th line of a node's memory.
inline Line line_in(const Shape& shape, Node node, std::uint64_t index) {
  return static_cast<Line>(node * shape.chunks_per_node * lines_per_chunk + index);
}

inline std::uint64_t sum(const CacheModel& model, Kind kind) { return model.traffic().sum(kind); }

}  // namespace lares::lab::counting

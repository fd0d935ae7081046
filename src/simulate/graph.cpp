#include "simulate/graph.hpp"

#include <algorithm>
#include <utility>

namespace lares::simulate {
namespace {

constexpr std::uint32_t nobody = 0xFFFFFFFFU;

/// Who used a block last, while the tasks are gone through in the order of their creation.
struct Users {
  std::uint32_t writer = nobody;
  std::vector<std::uint32_t> readers;  // since that write
};

using Edges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;  // successor, predecessor

void link(Users& users, std::uint32_t task, policy::AccessMode mode, Edges& edges) {
  if (!policy::writes(mode)) {
    if (users.writer != nobody && users.writer != task) edges.emplace_back(task, users.writer);
    users.readers.push_back(task);
    return;
  }
  for (const std::uint32_t reader : users.readers) {
    if (reader != task) edges.emplace_back(task, reader);
  }
  // Readers already wait for the writer before them.
  const bool has_readers = !users.readers.empty() && users.readers != std::vector{task};
  if (!has_readers && users.writer != nobody && users.writer != task) {
    edges.emplace_back(task, users.writer);
  }
  users.readers.clear();
  users.writer = task;
}

}  // namespace

Graph::Graph(const Workload& workload, const Phase& phase) {
  if (!phase.dependences) return;
  const std::uint32_t count = phase.end - phase.first;
  std::vector<Users> users(workload.blocks.size());
  Edges edges;
  predecessors_.assign(count, 0);
  begin_.assign(count + 1, 0);
  for (std::uint32_t i = 0; i < count; ++i) {
    const TaskIndex task = phase.order.empty() ? phase.first + i : phase.order[i];
    const std::size_t before = edges.size();
    for (const Access& access : workload.accesses_of(task)) {
      if (access.mode == policy::AccessMode::affinity) continue;
      link(users[access.block], task - phase.first, access.mode, edges);
    }
    const auto mine = edges.begin() + static_cast<std::ptrdiff_t>(before);
    std::sort(mine, edges.end());
    edges.erase(std::unique(mine, edges.end()), edges.end());
    predecessors_[task - phase.first] = static_cast<std::uint32_t>(edges.size() - before);
  }
  for (const auto& edge : edges) ++begin_[edge.second + 1];
  for (std::uint32_t i = 0; i < count; ++i) begin_[i + 1] += begin_[i];
  std::vector<std::uint32_t> at(begin_.begin(), begin_.end() - 1);
  successors_.resize(edges.size());
  for (const auto& [successor, predecessor] : edges) successors_[at[predecessor]++] = successor;
}

}  // namespace lares::simulate

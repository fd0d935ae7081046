#include "simulate/graph.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace lares::simulate {
namespace {

constexpr std::uint32_t nobody = 0xFFFFFFFFU;

/// Who used a block last, while the tasks are gone through in the order of their creation.
struct Users {
  std::uint32_t writer = nobody;
  std::vector<std::uint32_t> readers;  // since that write, or a set of writers (inoutset)
  std::vector<std::uint32_t> before;   // what the members of the newest set wait for
  bool shared = false;                 // `readers` is such a set
};

using Edges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;  // successor, predecessor

/// Finds what a task waits for; `last` tells the node that ends a task.
template <class Last>
struct Linker {
  Edges& edges;
  Last last;

  void wait_for(std::uint32_t task, std::uint32_t other) const {
    if (other != nobody && other != task) edges.emplace_back(task, last(other));
  }
  void wait_for_all(std::uint32_t task, const std::vector<std::uint32_t>& others) const {
    for (const std::uint32_t other : others) wait_for(task, other);
  }

  /// `seen` false: later tasks do not see this one.
  void link(Users& users, std::uint32_t task, const Access& access, bool seen) const {
    if (!policy::writes(access.mode) || access.shared) {
      link_member(users, task, access.shared, seen);
      return;
    }
    wait_for_all(task, users.readers);
    // Readers already wait for the writer before them.
    const bool has_readers = !users.readers.empty() && users.readers != std::vector{task};
    if (!has_readers) wait_for(task, users.writer);
    if (!seen) return;
    users.readers.clear();
    users.before.clear();
    users.writer = task;
  }

 private:
  // Readers, and the tasks of an inoutset, do not wait for each other.
  void link_member(Users& users, std::uint32_t task, bool shared, bool seen) const {
    if (users.readers.empty() || users.shared == shared) {
      wait_for_all(task, users.before);
      if (users.before.empty()) wait_for(task, users.writer);
    } else {
      wait_for_all(task, users.readers);
      if (seen) users.before = std::exchange(users.readers, {});
    }
    if (!seen) return;
    users.shared = shared;
    users.readers.push_back(task);
  }
};

/// Users of blocks, apart for the children of each creator.
class Tables {
 public:
  explicit Tables(const Workload& workload)
      : script_(workload.script), all_(workload.blocks.size()) {}
  Users& of(TaskIndex task, BlockIndex block) {
    if (script_.empty() || script_.scope[task] == Script::none) return all_[block];
    return nested_[static_cast<std::uint64_t>(script_.scope[task]) << 32U | block];
  }

 private:
  const Script& script_;
  std::vector<Users> all_;
  std::unordered_map<std::uint64_t, Users> nested_;
};

Edges find_edges(const Workload& workload, const Phase& phase,
                 std::vector<std::uint32_t>& predecessors) {
  const Script& script = workload.script;
  const auto last = [&](std::uint32_t task) {
    return script.empty() ? task : script.last[phase.first + task] - phase.first;
  };
  Edges edges;
  Tables users(workload);
  const Linker<decltype(last)> linker{edges, last};
  const std::uint32_t count = phase.end - phase.first;
  for (std::uint32_t i = 0; i < count; ++i) {
    const TaskIndex task = phase.order.empty() ? phase.first + i : phase.order[i];
    const std::size_t before = edges.size();
    const bool seen = script.counts(task);
    for (const Access& access : workload.accesses_of(task)) {
      if (access.mode == policy::AccessMode::affinity) continue;
      linker.link(users.of(task, access.block), task - phase.first, access, seen);
    }
    const auto mine = edges.begin() + static_cast<std::ptrdiff_t>(before);
    std::sort(mine, edges.end());
    edges.erase(std::unique(mine, edges.end()), edges.end());
    predecessors[task - phase.first] = static_cast<std::uint32_t>(edges.size() - before);
  }
  // Those of earlier phases stand before those of later ones.
  auto each = std::partition_point(script.after.begin(), script.after.end(),
                                   [&](const auto& edge) { return edge.first < phase.first; });
  for (; each != script.after.end() && each->first < phase.end; ++each) {
    edges.emplace_back(each->first - phase.first, each->second - phase.first);
    ++predecessors[each->first - phase.first];
  }
  return edges;
}

}  // namespace

Graph::Graph(const Workload& workload, const Phase& phase) {
  if (!phase.dependences) return;
  const std::uint32_t count = phase.end - phase.first;
  predecessors_.assign(count, 0);
  begin_.assign(count + 1, 0);
  const Edges edges = find_edges(workload, phase, predecessors_);
  for (const auto& edge : edges) ++begin_[edge.second + 1];
  for (std::uint32_t i = 0; i < count; ++i) begin_[i + 1] += begin_[i];
  std::vector<std::uint32_t> at(begin_.begin(), begin_.end() - 1);
  successors_.resize(edges.size());
  for (const auto& [successor, predecessor] : edges) successors_[at[predecessor]++] = successor;
}

}  // namespace lares::simulate

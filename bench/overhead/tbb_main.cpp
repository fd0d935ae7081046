// The overhead benchmark on oneTBB: the same work as the OpenMP programs, in TBB's own words.
// Rows that TBB has no counterpart for are left out. OMP_NUM_THREADS sets the threads here, too.
#include <tbb/flow_graph.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <deque>
#include <iterator>
#include <thread>
#include <vector>

#include "measure.h"

namespace {

using Node = tbb::flow::continue_node<tbb::flow::continue_msg>;
using Message = tbb::flow::continue_msg;

constexpr int fib_argument = 20;
constexpr long fib_result = 6765;
constexpr long fib_calls = 21891;
constexpr long spawned = 20;
constexpr long loop_iterations = 1024;
constexpr long readers = 16;
constexpr std::size_t width = 64;
// A graph is built, run and thrown away, as OpenMP does with its dependences; one of millions of
// nodes would measure the memory allocator.
constexpr long graph_nodes = 4096;

long row_producer(long operations) {
  tbb::task_group group;
  for (long k = 0; k < operations; ++k) group.run([] { use(0); });
  group.wait();
  return operations;
}

long fib(int n) {
  if (n < 2) return n;
  long left = 0;
  long right = 0;
  tbb::task_group group;
  group.run([&left, n] { left = fib(n - 1); });
  group.run([&right, n] { right = fib(n - 2); });
  group.wait();
  return left + right;
}

long row_fib(long operations) {
  const long times = (operations + fib_calls - 1) / fib_calls;
  for (long k = 0; k < times; ++k) {
    if (fib(fib_argument) != fib_result) return -1;
  }
  return times * fib_calls;
}

long row_spawn_wait(long operations) {
  const long times = (operations + spawned - 1) / spawned;
  tbb::task_group group;
  for (long k = 0; k < times; ++k) {
    for (long j = 0; j < spawned; ++j) group.run([] { use(0); });
    group.wait();
  }
  return times * spawned;
}

long row_taskgroup(long operations) {
  for (long k = 0; k < operations; ++k) {
    tbb::task_group group;
    group.run([] { use(0); });
    group.wait();
  }
  return operations;
}

template <typename Partitioner>
long run_loop(long operations, long iterations, const Partitioner& partitioner) {
  const long times = (operations + iterations - 1) / iterations;
  for (long k = 0; k < times; ++k) {
    tbb::parallel_for(
        tbb::blocked_range<long>(0, iterations, 1),
        [](const tbb::blocked_range<long>& range) {
          for (long j = range.begin(); j != range.end(); ++j) use(j);
        },
        partitioner);
  }
  return times * iterations;
}

long row_taskloop(long operations) {
  return run_loop(operations, loop_iterations, tbb::auto_partitioner());
}

long row_taskloop_single(long operations) {
  return run_loop(operations, loop_iterations, tbb::simple_partitioner());
}

bool chain_is_right(long length) {
  tbb::flow::graph graph;
  std::deque<Node> nodes;
  long counter = 0;
  for (long k = 0; k < length; ++k) {
    nodes.emplace_back(graph, [&counter](const Message&) { ++counter; });
    if (k > 0) tbb::flow::make_edge(*std::prev(nodes.end(), 2), nodes.back());
  }
  nodes.front().try_put(Message());
  graph.wait_for_all();
  return counter == length;
}

long row_chain(long operations) {
  const long graphs = (operations + graph_nodes - 1) / graph_nodes;
  for (long k = 0; k < graphs; ++k) {
    if (!chain_is_right(graph_nodes)) return -1;
  }
  return graphs * graph_nodes;
}

bool fans_are_right(long fans) {
  tbb::flow::graph graph;
  std::deque<Node> nodes;
  std::vector<Node*> last_readers;
  long value = -1;
  std::atomic<bool> wrong{false};
  for (long fan = 0; fan < fans; ++fan) {
    Node& writer = nodes.emplace_back(graph, [&value, fan](const Message&) { value = fan; });
    for (Node* reader : last_readers) tbb::flow::make_edge(*reader, writer);
    last_readers.clear();
    for (long k = 0; k < readers; ++k) {
      Node& reader = nodes.emplace_back(graph, [&value, &wrong, fan](const Message&) {
        if (value != fan) wrong.store(true, std::memory_order_relaxed);
      });
      tbb::flow::make_edge(writer, reader);
      last_readers.push_back(&reader);
    }
  }
  nodes.front().try_put(Message());
  graph.wait_for_all();
  return !wrong.load(std::memory_order_relaxed) && value == fans - 1;
}

long row_fan(long operations) {
  constexpr long fans = graph_nodes / (readers + 1);
  constexpr long each = fans * (readers + 1);
  const long graphs = (operations + each - 1) / each;
  for (long k = 0; k < graphs; ++k) {
    if (!fans_are_right(fans)) return -1;
  }
  return graphs * each;
}

struct alignas(64) Cell {
  long value = 0;
};

long max3(long a, long b, long c) { return std::max(a, std::max(b, c)); }

bool stencil_is_right(long steps) {
  std::array<std::array<Cell, width>, 2> grid{};
  tbb::flow::graph graph;
  std::deque<Node> nodes;
  for (long step = 0; step < steps; ++step) {
    auto& from = grid[static_cast<std::size_t>(step % 2)];
    auto& to = grid[static_cast<std::size_t>((step + 1) % 2)];
    for (std::size_t k = 0; k < width; ++k) {
      const std::size_t left = (k + width - 1) % width;
      const std::size_t right = (k + 1) % width;
      nodes.emplace_back(graph, [&from, &to, left, k, right](const Message&) {
        to[k].value = max3(from[left].value, from[k].value, from[right].value) + 1;
      });
      if (step == 0) continue;
      const std::size_t row = static_cast<std::size_t>(step - 1) * width;
      for (std::size_t before : {left, k, right}) {
        tbb::flow::make_edge(nodes[row + before], nodes.back());
      }
    }
  }
  for (std::size_t k = 0; k < width; ++k) nodes[k].try_put(Message());
  graph.wait_for_all();
  for (const Cell& cell : grid[static_cast<std::size_t>(steps % 2)]) {
    if (cell.value != steps) return false;
  }
  return true;
}

long row_stencil(long operations) {
  constexpr long steps = graph_nodes / static_cast<long>(width);
  const long graphs = (operations + graph_nodes - 1) / graph_nodes;
  for (long k = 0; k < graphs; ++k) {
    if (!stencil_is_right(steps)) return -1;
  }
  return graphs * graph_nodes;
}

int threads_asked_for() {
  const char* text = std::getenv("OMP_NUM_THREADS");
  const int threads = text == nullptr ? 0 : std::atoi(text);
  return threads > 0 ? threads : static_cast<int>(std::thread::hardware_concurrency());
}

}  // namespace

int main(int argc, char** argv) {
  static const Row rows[] = {
      {"producer", row_producer, 20000},
      {"fib", row_fib, 20000},
      {"chain", row_chain, 10000},
      {"fan", row_fan, 4080},
      {"stencil", row_stencil, 5120},
      {"taskloop", row_taskloop, 1024000},
      {"taskloop-1", row_taskloop_single, 20480},
      {"spawn-wait", row_spawn_wait, 10000},
      {"taskgroup", row_taskgroup, 10000},
  };
  const int threads = threads_asked_for();
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(threads));
  tbb::task_arena arena(threads);
  return arena.execute(
      [&] { return measure_rows(argc, argv, rows, static_cast<int>(std::size(rows)), threads); });
}

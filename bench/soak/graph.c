// Random graphs of tasks over a few cells, compared with the same tasks run one after another.
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "soak.h"

// GCC has inoutset since version 13; before, those tasks exclude each other.
#if defined(__clang__) || __GNUC__ >= 13
#define ADD_TOGETHER inoutset
#else
#define ADD_TOGETHER mutexinoutset
#endif

enum { most_cells = 48, most_nodes = 1500, most_reads = 3 };

typedef enum {
  replace,          // out, with the cells that it reads as an iterator
  replace_two,      // out, with two cells that it reads named one by one
  change,           // inout
  change_untied,    // inout, untied, with a priority
  change_now,       // inout, undeferred
  change_object,    // inout, the cell that it reads given as a dependence object
  change_detached,  // inout, with an event that its body fulfils
  // The same, fulfilled by a thread outside of OpenMP: stock libgomp 12 ends with an error if the
  // event comes before its task has ended, stock libomp 19 if the team has one thread.
  change_elsewhere,
  change_nested,  // inout, with child tasks
  add_exclusive,  // mutexinoutset
  add_together,   // inoutset where the compiler has it
  wait_for,       // no task: taskwait depend(in), then the cell must have its value
  kinds
} Kind;

typedef struct {
  Kind kind;
  int target;
  int read_count;
  int reads[most_reads];  // never the target
  uint64_t salt;
  uint64_t expected;  // what the target holds once a serial run has done this node
} Node;

typedef struct {
  int cell_count, node_count;
  uint64_t cells[most_cells];
  uint64_t serial[most_cells];
  Node nodes[most_nodes];
  int wrong;  // written by the creating thread only
} Graph;

static uint64_t combine(const Node* node, const uint64_t* cells) {
  uint64_t sum = node->salt;
  for (int k = 0; k < node->read_count; ++k) sum = mix(sum + cells[node->reads[k]]);
  return sum;
}

static void replace_cell(const Node* node, uint64_t* cells) {
  cells[node->target] = combine(node, cells);
}

static void change_cell(const Node* node, uint64_t* cells) {
  cells[node->target] = mix(cells[node->target]) + combine(node, cells);
}

static void add_to_cell(const Node* node, uint64_t* cells) {
  cells[node->target] += combine(node, cells);
}

static void run_serially(Graph* graph) {
  for (int k = 0; k < graph->node_count; ++k) {
    Node* node = &graph->nodes[k];
    if (node->kind <= replace_two) {
      replace_cell(node, graph->serial);
    } else if (node->kind <= change_nested) {
      change_cell(node, graph->serial);
    } else if (node->kind <= add_together) {
      add_to_cell(node, graph->serial);
    }
    node->expected = graph->serial[node->target];
  }
}

static Node random_node(Random* random, int cell_count) {
  Node node = {.kind = (Kind)random_below(random, kinds),
               .target = random_below(random, cell_count),
               .salt = next_random(random)};
  node.read_count = node.kind == replace_two     ? 2
                    : node.kind == change_object ? 1
                                                 : random_below(random, most_reads + 1);
  for (int k = 0; k < node.read_count; ++k) {
    node.reads[k] = (node.target + 1 + random_below(random, cell_count - 1)) % cell_count;
  }
  return node;
}

static Graph* make_graph(Random* random) {
  Graph* graph = calloc(1, sizeof *graph);
  if (graph == NULL) abort();
  graph->cell_count = 2 + random_below(random, most_cells - 1);
  graph->node_count = 1 + random_below(random, most_nodes);
  for (int k = 0; k < graph->cell_count; ++k) {
    graph->cells[k] = graph->serial[k] = next_random(random);
  }
  for (int k = 0; k < graph->node_count; ++k) {
    graph->nodes[k] = random_node(random, graph->cell_count);
  }
  run_serially(graph);
  return graph;
}

static void create_replace(const Node* node, uint64_t* cells) {
  const int *reads = node->reads, count = node->read_count, target = node->target;
  if (node->kind == replace_two) {
    uint64_t *first = &cells[reads[0]], *second = &cells[reads[1]];
#pragma omp task depend(in : *first, *second) depend(out : cells[target])
    replace_cell(node, cells);
  } else {
#pragma omp task depend(iterator(k = 0 : count), in : cells[reads[k]]) depend(out : cells[target])
    replace_cell(node, cells);
  }
}

static void create_change(const Node* node, uint64_t* cells) {
  const int *reads = node->reads, count = node->read_count, target = node->target;
  if (node->kind == change) {
#pragma omp task depend(iterator(k = 0 : count), in : cells[reads[k]]) depend(inout : cells[target])
    change_cell(node, cells);
  } else if (node->kind == change_now) {
#pragma omp task if (0) depend(iterator(k = 0 : count), in : cells[reads[k]]) \
    depend(inout : cells[target])
    change_cell(node, cells);
  } else {
    const int priority = (int)(node->salt % 4);
#pragma omp task untied priority(priority) depend(iterator(k = 0 : count), in : cells[reads[k]]) \
    depend(inout : cells[target])
    change_cell(node, cells);
  }
}

static void create_with_object(const Node* node, uint64_t* cells) {
  const int target = node->target;
  omp_depend_t object;
#pragma omp depobj(object) depend(in : cells[node -> reads[0]])
#pragma omp task depend(depobj : object) depend(inout : cells[target])
  change_cell(node, cells);
#pragma omp depobj(object) destroy
}

static void create_detached(const Node* node, uint64_t* cells) {
  const int *reads = node->reads, count = node->read_count, target = node->target;
  const int elsewhere = node->kind == change_elsewhere;
  omp_event_handle_t event = (omp_event_handle_t)0;
#pragma omp task detach(event) depend(iterator(k = 0 : count), in : cells[reads[k]]) \
    depend(inout : cells[target])
  {
    change_cell(node, cells);
    // Not by another task: libgomp 12 stops the program if that one comes first, and makes a
    // creator that has too many tasks wait for the event.
    if (elsewhere) {
      fulfill_elsewhere(event);
    } else {
      omp_fulfill_event(event);
    }
  }
}

static void change_by_children(const Node* node, uint64_t* cells) {
  uint64_t parts[8];
  for (int k = 0; k < 8; ++k) {
#pragma omp task shared(parts) firstprivate(k)
    parts[k] = mix((uint64_t)k);
  }
#pragma omp taskwait
  for (int k = 0; k < 8; ++k) {
    if (parts[k] != mix((uint64_t)k)) return;  // the cell then has a wrong value
  }
  change_cell(node, cells);
}

static void create_nested(const Node* node, uint64_t* cells) {
  const int *reads = node->reads, count = node->read_count, target = node->target;
#pragma omp task depend(iterator(k = 0 : count), in : cells[reads[k]]) depend(inout : cells[target])
  change_by_children(node, cells);
}

static void create_add(const Node* node, uint64_t* cells) {
  const int *reads = node->reads, count = node->read_count, target = node->target;
  if (node->kind == add_exclusive) {
#pragma omp task depend(iterator(k = 0 : count), in : cells[reads[k]]) \
    depend(mutexinoutset : cells[target])
    add_to_cell(node, cells);
  } else {
#pragma omp task depend(iterator(k = 0 : count), in : cells[reads[k]]) \
    depend(ADD_TOGETHER : cells[target])
    {
      const uint64_t amount = combine(node, cells);
#pragma omp atomic
      cells[node->target] += amount;
    }
  }
}

static void wait_and_check(const Node* node, Graph* graph) {
  uint64_t* cells = graph->cells;
  const int target = node->target;
#pragma omp taskwait depend(in : cells[target])
  graph->wrong |= cells[node->target] != node->expected;
}

static void create_node(const Node* node, Graph* graph) {
  switch (node->kind) {
    case replace:
    case replace_two:
      create_replace(node, graph->cells);
      break;
    case change:
    case change_untied:
    case change_now:
      create_change(node, graph->cells);
      break;
    case change_object:
      create_with_object(node, graph->cells);
      break;
    case change_detached:
    case change_elsewhere:
      create_detached(node, graph->cells);
      break;
    case change_nested:
      create_nested(node, graph->cells);
      break;
    case add_exclusive:
    case add_together:
      create_add(node, graph->cells);
      break;
    default:
      wait_and_check(node, graph);
  }
}

static void create_all(Graph* graph) {
  for (int k = 0; k < graph->node_count; ++k) create_node(&graph->nodes[k], graph);
#pragma omp taskwait
}

static int is_right(const Graph* graph) {
  const size_t bytes = (size_t)graph->cell_count * sizeof graph->cells[0];
  return !graph->wrong && memcmp(graph->cells, graph->serial, bytes) == 0;
}

int phase_graph(Random* random) {
  Graph* graph = make_graph(random);
#pragma omp parallel
#pragma omp single
  create_all(graph);
  const int right = is_right(graph);
  free(graph);
  return right;
}

int phase_graph_each(Random* random) {
  const uint64_t seed = next_random(random);
  int wrong = 0;
#pragma omp parallel reduction(| : wrong)
  {
    Random own = {mix(seed + (uint64_t)omp_get_thread_num())};
    Graph* graph = make_graph(&own);
    create_all(graph);
    wrong |= !is_right(graph);
    free(graph);
  }
  return !wrong;
}

// PageRank and a count of triangles by SuiteSparse:GraphBLAS, whose loops have schedule(dynamic).
//
//   library-graphblas [SCALE] [DEGREE] [STEPS] [TRIANGLE_SCALE] [WORK]
//
// A random graph of 2^SCALE vertices with DEGREE edges each in the mean, most of them at few
// vertices (R-MAT), so that the rows of its matrix are uneven, the longest ones first. STEPS steps
// of PageRank by GrB_mxv; the triangles of a graph of 2^TRIANGLE_SCALE vertices by GrB_mxm under a
// mask, once with dot products and once row by row. 0 steps, or a scale of 0, leave that out. WORK
// is the library's own GxB_CHUNK: it takes one thread more for so much work; 0 leaves it at its
// default.
//
// Ranks and triangles are compared with those that a plain serial program finds. Prints one line
// for each part and a last one with result=ok; exit status 1 if something is wrong, 2 if the
// arguments are. Inside `lares lab` the parts are counted regions.
#include <GraphBLAS.h>
#include <lares/lab.h>
#include <math.h>

#include "common.h"

// Rows of sorted column numbers without duplicates.
typedef struct {
  GrB_Index vertices, edges;
  GrB_Index* row_start;  // vertices + 1
  GrB_Index* column;
} Graph;

typedef struct {
  int scale, degree, steps, triangle_scale, work;
} Options;

static const double damping = 0.85;

static void must(GrB_Info info, const char* what) {
  if (info == GrB_SUCCESS) return;
  fprintf(stderr, "library-graphblas: %s failed with %d\n", what, (int)info);
  exit(1);
}

// One edge of an R-MAT graph: a quadrant of the matrix in each of `scale` steps.
static void random_edge(int scale, uint64_t number, GrB_Index* from, GrB_Index* to) {
  *from = *to = 0;
  for (int k = 0; k < scale; ++k) {
    const double r = random_at(number, (uint64_t)k);
    const int lower = r >= 0.76, right = (r >= 0.57 && r < 0.76) || r >= 0.95;
    *from = *from << 1 | (GrB_Index)lower;
    *to = *to << 1 | (GrB_Index)right;
  }
}

static int compare_indices(const void* a, const void* b) {
  const GrB_Index x = *(const GrB_Index*)a, y = *(const GrB_Index*)b;
  return (x > y) - (x < y);
}

// Sorts each row and drops what is in it twice.
static void tidy_rows(Graph* graph) {
  GrB_Index kept = 0;
  for (GrB_Index row = 0; row < graph->vertices; ++row) {
    const GrB_Index begin = graph->row_start[row], end = graph->row_start[row + 1];
    qsort(graph->column + begin, end - begin, sizeof(GrB_Index), compare_indices);
    graph->row_start[row] = kept;
    for (GrB_Index k = begin; k < end; ++k) {
      if (k == begin || graph->column[k] != graph->column[k - 1]) {
        graph->column[kept++] = graph->column[k];
      }
    }
  }
  graph->row_start[graph->vertices] = graph->edges = kept;
}

// Edges of the random graph, without loops. `below`: each is turned so that its column is smaller
// than its row, which makes the lower half of a symmetric matrix.
static Graph make_graph(int scale, int degree, int below) {
  const GrB_Index vertices = (GrB_Index)1 << scale, asked = vertices * (GrB_Index)degree;
  Graph graph = {.vertices = vertices};
  graph.row_start = allocate(vertices + 2, sizeof(GrB_Index));
  graph.column = allocate(asked, sizeof(GrB_Index));
  GrB_Index(*edge)[2] = allocate(asked, sizeof(*edge));
  for (GrB_Index k = 0; k < asked; ++k) {
    GrB_Index row, column;
    random_edge(scale, k, &row, &column);
    const int turn = below && row < column;
    edge[k][0] = turn ? column : row;
    edge[k][1] = turn ? row : column;
    // Counted one row later, so that filling leaves each row's start in its own place.
    if (row != column) ++graph.row_start[edge[k][0] + 2];
  }
  for (GrB_Index row = 2; row <= vertices + 1; ++row) {
    graph.row_start[row] += graph.row_start[row - 1];
  }
  for (GrB_Index k = 0; k < asked; ++k) {
    if (edge[k][0] == edge[k][1]) continue;
    graph.column[graph.row_start[edge[k][0] + 1]++] = edge[k][1];
  }
  free(edge);
  tidy_rows(&graph);
  return graph;
}

static void free_graph(Graph* graph) {
  free(graph->row_start);
  free(graph->column);
}

// The graph's matrix, by rows, as a user of the library builds it: from tuples.
static GrB_Matrix to_matrix(const Graph* graph) {
  GrB_Index* rows = allocate(graph->edges, sizeof(GrB_Index));
  double* ones = allocate(graph->edges, sizeof(double));
  for (GrB_Index row = 0; row < graph->vertices; ++row) {
    for (GrB_Index k = graph->row_start[row]; k < graph->row_start[row + 1]; ++k) {
      rows[k] = row;
      ones[k] = 1.0;
    }
  }
  GrB_Matrix matrix = NULL;
  must(GrB_Matrix_new(&matrix, GrB_FP64, graph->vertices, graph->vertices), "GrB_Matrix_new");
  must(GrB_Matrix_build_FP64(matrix, rows, graph->column, ones, graph->edges, GrB_PLUS_FP64),
       "GrB_Matrix_build");
  must(GrB_Matrix_wait(matrix, GrB_MATERIALIZE), "GrB_Matrix_wait");
  free(rows);
  free(ones);
  return matrix;
}

// What a vertex passes on along each of the edges that leave it, by its rank: the column sums.
static double* shares_of(const Graph* incoming) {
  double* share = allocate(incoming->vertices, sizeof(double));
  for (GrB_Index k = 0; k < incoming->edges; ++k) share[incoming->column[k]] += 1.0;
  for (GrB_Index v = 0; v < incoming->vertices; ++v) {
    share[v] = share[v] > 0.0 ? damping / share[v] : 0.0;
  }
  return share;
}

static GrB_Vector dense_vector(GrB_Index size, const double* values, double otherwise) {
  GrB_Vector vector = NULL;
  must(GrB_Vector_new(&vector, GrB_FP64, size), "GrB_Vector_new");
  must(GrB_Vector_assign_FP64(vector, NULL, NULL, otherwise, GrB_ALL, size, NULL), "GrB_assign");
  for (GrB_Index v = 0; values != NULL && v < size; ++v) {
    must(GrB_Vector_setElement_FP64(vector, values[v], v), "GrB_setElement");
  }
  must(GrB_Vector_wait(vector, GrB_MATERIALIZE), "GrB_Vector_wait");
  return vector;
}

// Steps of PageRank on a matrix whose row v has the vertices that point to v.
static void rank_steps(GrB_Matrix incoming, GrB_Vector rank, GrB_Vector share, int steps,
                       double* seconds) {
  GrB_Index n = 0;
  must(GrB_Vector_size(&n, rank), "GrB_Vector_size");
  GrB_Vector passed = dense_vector(n, NULL, 0.0);
  const double start = seconds_now();
  lares_lab_region_begin("pagerank");
  for (int step = 0; step < steps; ++step) {
    must(GrB_Vector_eWiseMult_BinaryOp(passed, NULL, NULL, GrB_TIMES_FP64, rank, share, NULL),
         "GrB_eWiseMult");
    must(GrB_Vector_assign_FP64(rank, NULL, NULL, (1.0 - damping) / (double)n, GrB_ALL, n, NULL),
         "GrB_assign");
    must(GrB_mxv(rank, NULL, GrB_PLUS_FP64, GxB_PLUS_SECOND_FP64, incoming, passed, NULL),
         "GrB_mxv");
    must(GrB_Vector_wait(rank, GrB_MATERIALIZE), "GrB_Vector_wait");
  }
  lares_lab_region_end("pagerank");
  *seconds = seconds_now() - start;
  must(GrB_Vector_free(&passed), "GrB_Vector_free");
}

// The same by plain loops.
static double* serial_ranks(const Graph* incoming, const double* share, int steps) {
  const GrB_Index n = incoming->vertices;
  double* rank = allocate(n, sizeof(double));
  double* next = allocate(n, sizeof(double));
  for (GrB_Index v = 0; v < n; ++v) rank[v] = 1.0 / (double)n;
  for (int step = 0; step < steps; ++step) {
    for (GrB_Index v = 0; v < n; ++v) {
      next[v] = (1.0 - damping) / (double)n;
      for (GrB_Index k = incoming->row_start[v]; k < incoming->row_start[v + 1]; ++k) {
        const GrB_Index from = incoming->column[k];
        next[v] += rank[from] * share[from];
      }
    }
    double* other = rank;
    rank = next;
    next = other;
  }
  free(next);
  return rank;
}

// The largest difference between two lists of ranks, relative to the rank.
static double rank_difference(GrB_Vector rank, const double* expected, GrB_Index n) {
  double largest = 0.0;
  for (GrB_Index v = 0; v < n; ++v) {
    double found = 0.0;
    must(GrB_Vector_extractElement_FP64(&found, rank, v), "GrB_extractElement");
    const double here = fabs(found - expected[v]) / expected[v];
    // Not fmax, which would lose a NaN.
    if (!(here <= largest)) largest = here;
  }
  return largest;
}

static int check_pagerank(const Options* o) {
  Graph graph = make_graph(o->scale, o->degree, 0);
  GrB_Matrix incoming = to_matrix(&graph);
  double* share = shares_of(&graph);
  GrB_Vector shares = dense_vector(graph.vertices, share, 0.0);
  GrB_Vector rank = dense_vector(graph.vertices, NULL, 1.0 / (double)graph.vertices);
  double seconds = 0.0;
  rank_steps(incoming, rank, shares, o->steps, &seconds);
  double* expected = serial_ranks(&graph, share, o->steps);
  const double difference = rank_difference(rank, expected, graph.vertices);
  // Sums of at most all edges in another order: far below this, while a lost row is far above.
  const int good = difference <= 1e-9;
  printf("part=pagerank vertices=%llu edges=%llu steps=%d seconds=%.6f difference=%.1e %s\n",
         (unsigned long long)graph.vertices, (unsigned long long)graph.edges, o->steps, seconds,
         difference, good ? "right" : "wrong");
  GrB_Vector_free(&rank);
  GrB_Vector_free(&shares);
  GrB_Matrix_free(&incoming);
  free(expected);
  free(share);
  free_graph(&graph);
  return good;
}

// Triangles by C<L> = L * L' (dot products) or L * L (row by row): the sum of C's entries.
static uint64_t count_triangles(GrB_Matrix lower, GrB_Descriptor how, const char* region,
                                double* seconds) {
  GrB_Index n = 0;
  must(GrB_Matrix_nrows(&n, lower), "GrB_Matrix_nrows");
  GrB_Matrix product = NULL;
  must(GrB_Matrix_new(&product, GrB_UINT64, n, n), "GrB_Matrix_new");
  uint64_t count = 0;
  const double start = seconds_now();
  lares_lab_region_begin(region);
  must(GrB_mxm(product, lower, NULL, GxB_PLUS_PAIR_UINT64, lower, lower, how), "GrB_mxm");
  must(GrB_Matrix_reduce_UINT64(&count, NULL, GrB_PLUS_MONOID_UINT64, product, NULL), "GrB_reduce");
  lares_lab_region_end(region);
  *seconds = seconds_now() - start;
  must(GrB_Matrix_free(&product), "GrB_Matrix_free");
  return count;
}

// The same by plain loops: for each edge, the columns that both of its rows have.
static uint64_t serial_triangles(const Graph* lower) {
  uint64_t count = 0;
  for (GrB_Index row = 0; row < lower->vertices; ++row) {
    for (GrB_Index k = lower->row_start[row]; k < lower->row_start[row + 1]; ++k) {
      GrB_Index a = lower->row_start[row], b = lower->row_start[lower->column[k]];
      const GrB_Index a_end = lower->row_start[row + 1];
      const GrB_Index b_end = lower->row_start[lower->column[k] + 1];
      while (a < a_end && b < b_end) {
        const GrB_Index x = lower->column[a], y = lower->column[b];
        count += x == y;
        a += x <= y;
        b += y <= x;
      }
    }
  }
  return count;
}

static int check_triangles(const Options* o) {
  Graph graph = make_graph(o->triangle_scale, o->degree, 1);
  GrB_Matrix lower = to_matrix(&graph);
  const uint64_t expected = serial_triangles(&graph);
  int good = 1;
  for (int by_row = 0; by_row < 2; ++by_row) {
    const char* part = by_row ? "triangles-row" : "triangles-dot";
    double seconds = 0.0;
    const uint64_t found =
        count_triangles(lower, by_row ? GrB_DESC_S : GrB_DESC_ST1, part, &seconds);
    printf("part=%s vertices=%llu edges=%llu seconds=%.6f triangles=%llu expected=%llu %s\n", part,
           (unsigned long long)graph.vertices, (unsigned long long)graph.edges, seconds,
           (unsigned long long)found, (unsigned long long)expected,
           found == expected ? "right" : "wrong");
    good = good && found == expected;
  }
  GrB_Matrix_free(&lower);
  free_graph(&graph);
  return good;
}

static Options read_options(int argc, char** argv) {
  Options o = {.scale = 17, .degree = 16, .steps = 20, .triangle_scale = 14, .work = 0};
  const char* me = "library-graphblas";
  if (argc > 1) o.scale = (int)number_argument(me, "SCALE", argv[1], 1, 30);
  if (argc > 2) o.degree = (int)number_argument(me, "DEGREE", argv[2], 1, 1000);
  if (argc > 3) o.steps = (int)number_argument(me, "STEPS", argv[3], 0, 1000000);
  if (argc > 4) o.triangle_scale = (int)number_argument(me, "TRIANGLE_SCALE", argv[4], 0, 30);
  if (argc > 5) o.work = (int)number_argument(me, "WORK", argv[5], 0, 1 << 30);
  if (argc > 6) {
    fprintf(stderr, "%s: '%s' is one argument too many, five are accepted\n", me, argv[6]);
    exit(2);
  }
  return o;
}

int main(int argc, char** argv) {
  const Options o = read_options(argc, argv);
  must(GrB_init(GrB_NONBLOCKING), "GrB_init");
  if (o.work > 0) must(GxB_Global_Option_set(GxB_CHUNK, (double)o.work), "GxB_CHUNK");
  int threads = 0;
  must(GxB_Global_Option_get(GxB_GLOBAL_NTHREADS, &threads), "GxB_GLOBAL_NTHREADS");
  const int ranks = o.steps == 0 || check_pagerank(&o);
  const int triangles = o.triangle_scale == 0 || check_triangles(&o);
  must(GrB_finalize(), "GrB_finalize");
  printf("threads=%d result=%s\n", threads, ranks && triangles ? "ok" : "wrong");
  return ranks && triangles ? 0 : 1;
}

/* Worksharing loops. */
#include "walk/walk.h"

/* The schedule of a loop that leaves it to the run, from 5 up. */
static int choose_schedule(const struct node* node) {
  static const omp_sched_t kinds[] = {omp_sched_static, omp_sched_dynamic, omp_sched_guided,
                                      omp_sched_auto};
  unsigned monotonic = (unsigned)omp_sched_monotonic;
  if (node->schedule >= 5 && own_runtime) {
    unsigned kind = (unsigned)kinds[(node->schedule - 5) % 4];
    if (node->schedule >= 9) kind |= monotonic;
    omp_set_schedule((omp_sched_t)kind, node->size);
  }
  return node->size < 1 ? 1 : node->size;
}

static void iteration(const struct node* node, const struct place* place, int slot, long index,
                      long total, long* x) {
  handle hit = sh_hit(place->task, slot, index, total);
  struct place inside = in_task(place, hit);
  inside.cancellable = inside.may_cancel = 0;
  inside.reduced = 0;
  if (x) fold(node->operation, x, sh_amount(place->folds[node->operation - 1], node->number));
  walk_all(node->first, &inside);
  sh_hit_end(hit);
}

#define UP(type) for (type v = low; v < high; v += step)
#define DOWN(type) for (type v = high; v > low; v -= step)
#define UP_INDEX ((long)((v - low) / step))
#define DOWN_INDEX ((long)((high - v) / step))
#define ORDERED_BODY(index)                         \
  {                                                 \
    long at = index;                                \
    iteration(node, place, slot, at, total, 0);     \
    OMP(ordered) sh_ordered(place->task, slot, at); \
  }
#define PLAIN_BODY(index) iteration(node, place, slot, index, total, 0);

#define SCHEDULED(LOOP, BODY, ...)                                        \
  switch (node->schedule) {                                               \
    case 0: OMP(for __VA_ARGS__) LOOP BODY break;                         \
    case 1: OMP(for schedule(static) __VA_ARGS__) LOOP BODY break;        \
    case 2: OMP(for schedule(static, size) __VA_ARGS__) LOOP BODY break;  \
    case 3: OMP(for schedule(dynamic, size) __VA_ARGS__) LOOP BODY break; \
    case 4: OMP(for schedule(guided, size) __VA_ARGS__) LOOP BODY break;  \
    default: OMP(for schedule(runtime) __VA_ARGS__) LOOP BODY             \
  }
#define DIRECTED(type, LOOP, index)                            \
  if (node->ordered && node->nowait) {                         \
    SCHEDULED(LOOP(type), ORDERED_BODY(index), ordered nowait) \
  } else if (node->ordered) {                                  \
    SCHEDULED(LOOP(type), ORDERED_BODY(index), ordered)        \
  } else if (node->nowait) {                                   \
    SCHEDULED(LOOP(type), PLAIN_BODY(index), nowait)           \
  } else {                                                     \
    SCHEDULED(LOOP(type), PLAIN_BODY(index))                   \
  }

/* One for each type. What is signed goes down, too; GCC 12 takes an unsigned -7 for 4294967289. */
#define TYPED_LOOP(name, type, top, may_go_down)                                             \
  static void name(const struct node* node, const struct place* place, int slot, long total, \
                   int size) {                                                               \
    type step = (type)(node->step + 1), low, high;                                           \
    low = node->low < 0 ? (type)(top - 1000) : (type)node->low;                              \
    high = (type)(low + (type)total * step);                                                 \
    if (may_go_down && node->down) {                                                         \
      DIRECTED(type, DOWN, DOWN_INDEX)                                                       \
    } else {                                                                                 \
      DIRECTED(type, UP, UP_INDEX)                                                           \
    }                                                                                        \
  }
TYPED_LOOP(int_loop, int, INT_MAX, 1)
TYPED_LOOP(unsigned_loop, unsigned, UINT_MAX, 0)
TYPED_LOOP(long_loop, long, LONG_MAX, 1)
TYPED_LOOP(unsigned_long_loop, unsigned long, ULONG_MAX, 0)

static void reducing_loop(const struct node* node, const struct place* place, int slot, long total,
                          int size) {
  long* x = &place->totals[node->operation - 1];
  switch (node->operation) {
#define REDUCING_FOR(number, op)                                                               \
  case number:                                                                                 \
    if (node->schedule == 0) {                                                                 \
      OMP(for reduction(op : x[0:1])) for (long i = 0; i < total; i++)                \
        iteration(node, place, slot, i, total, x);                                             \
    } else if (node->schedule < 5) {                                                           \
      OMP(for schedule(dynamic, size) reduction(op : x[0:1])) for (long i = 0; i < total; i++) \
        iteration(node, place, slot, i, total, x);                                             \
    } else {                                                                                   \
      OMP(for schedule(runtime) reduction(op : x[0:1])) for (long i = 0; i < total; i++) \
        iteration(node, place, slot, i, total, x);                                             \
    }                                                                                          \
    break;
    OPERATIONS(REDUCING_FOR)
  }
}

static void cancelled_loop(const struct node* node, const struct place* place, int slot,
                           long total) {
  sh_may_miss(place->task, slot, omp_get_cancellation());
#define CANCELLED_FOR(...)                                \
  OMP(for __VA_ARGS__) for (long i = 0; i < total; i++) { \
    iteration(node, place, slot, i, total, 0);            \
    if (i == total / 2) {                                 \
      OMP(cancel for)                                     \
    }                                                     \
  }
  if (node->schedule < 2 || !by_gcc) { /* libomp hangs if others are cancelled often */
    CANCELLED_FOR(schedule(static))
  } else {
    CANCELLED_FOR(schedule(dynamic))
  }
}

/* libgomp 12 leaves a static ordered loop with one permission too many, and lets the next one go
 * wrong. */
static struct node without_static_order(const struct node* drawn) {
  struct node node = *drawn;
  int kind = (node.schedule - 5) % 4;
  if (by_gcc && node.ordered &&
      (node.schedule < 3 || (node.schedule > 4 && kind == 0) || !own_runtime))
    node.schedule = 3;
  return node;
}

void loop(const struct node* drawn, const struct place* place) {
  struct node chosen = without_static_order(drawn);
  const struct node* node = &chosen;
  int slot = place->cancellable ? -1 : new_slot(place);
  if (slot < 0) {
    struct place inside = without_region(place);
    for (int i = 0; i < node->count && i < 4; i++) walk_all(node->first, &inside);
    return;
  }
  int size = choose_schedule(node), inner = node->collapse;
  long total = node->count, nowait = node->nowait;
  if (node->operation) {
    nowait = 0;
    reducing_loop(node, place, slot, total, size);
  } else if (node->cancels && own_runtime) {
    nowait = 0;
    cancelled_loop(node, place, slot, total);
  } else if (inner) {
    long outer = total;
    total *= inner;
    nowait = 0;
    OMP(for collapse(2) schedule(runtime)) for (long i = 0; i < outer; i++)
      for (int j = 0; j < inner; j++) iteration(node, place, slot, i * inner + j, total, 0);
  } else {
    switch (node->type) {
      case 1:
        unsigned_loop(node, place, slot, total, size);
        break;
      case 2:
        long_loop(node, place, slot, total, size);
        break;
      case 3:
        unsigned_long_loop(node, place, slot, total, size);
        break;
      default:
        int_loop(node, place, slot, total, size);
    }
  }
  end_sharing(place, slot, (int)nowait, total);
}

void doacross(const struct node* node, const struct place* place) {
  int slot = place->cancellable ? -1 : new_slot(place);
  long total = node->count;
  if (slot < 0) return;
  choose_schedule(node);
  OMP(for ordered(1) schedule(runtime)) for (long i = 0; i < total; i++) {
    handle hit = sh_hit(place->task, slot, i, total);
    OMP(ordered depend(sink : i - 1))
    sh_ordered(place->task, slot, i);
    OMP(ordered depend(source))
    sh_hit_end(hit);
  }
  end_sharing(place, slot, 0, total);
}

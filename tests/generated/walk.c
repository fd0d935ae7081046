/* Walks a program of tree.h: one site for each construct and shape, all other clauses by their
 * values.
 *
 * Built as a part of the executable and again as libraries, UNIT says which: the same source by the
 * same and by the other compiler. What a stock runtime gets wrong is left out, as in emit.py, with
 * a comment.
 */
#include "tree.h"

#include <limits.h>
#include <omp.h>
#include <stdint.h>

#if defined(__clang__)
enum { by_gcc = 0 };
#else
enum { by_gcc = 1 };
#endif

/* Calls of omp_* reach the runtime of this file: not in a library of the other compiler. */
enum { own_runtime = UNIT != unit_other };
enum { max_slots = 58, max_count = 8, max_payload = 90 };

/* Clang takes no array of variable length. */
#if defined(__clang__)
#define LENGTH(count) max_payload
#else
#define LENGTH(count) (count)
#endif

#define TEXT(...) #__VA_ARGS__
#define OMP(...) _Pragma(TEXT(omp __VA_ARGS__))

static void walk_all(const struct node* first, const struct place* place);
static void walk_one(const struct node* node, const struct place* place);

__attribute__((constructor)) static void enlist(void) { walkers[UNIT] = walk_all; }

static struct place in_task(const struct place* place, handle task) {
  struct place inside = *place;
  inside.task = task;
  inside.region = 0;
  inside.domain = 0;
  return inside;
}

static struct place without_region(const struct place* place) {
  struct place inside = *place;
  inside.region = 0;
  return inside;
}

/* Reductions that tasks may take part in. A task names its item where it is created, far from where
 * the reduction is: so the items are variables of this file, and there is a site for each and each
 * operation. (Sections of an array would need one only, but Clang 19 lets taskloops fold into the
 * original.)
 */
enum { sums = 4 };
static long sum0, sum1, sum2, sum3;
static char taken[sums];
static long* const sum_at[sums] = {&sum0, &sum1, &sum2, &sum3};

static int take_sum(long initial) {
  for (int i = 0; i < sums; i++) {
    if (__atomic_exchange_n(&taken[i], 1, __ATOMIC_SEQ_CST)) continue;
    *sum_at[i] = initial;
    return i;
  }
  return -1;
}

static void check_sum(int k, handle reduction) {
  sh_reduced(reduction, *sum_at[k]);
  __atomic_store_n(&taken[k], 0, __ATOMIC_SEQ_CST);
}

/* The case of an item in the switches below; the arguments are the case, operation, sign, item. */
#define SITE_OF(operation, k) (((operation) - 1) * sums + (k))
/* clang-format off */
#define FOUR(X, number, operation)                                                              \
  X(SITE_OF(number, 0), number, operation, sum0) X(SITE_OF(number, 1), number, operation, sum1) \
  X(SITE_OF(number, 2), number, operation, sum2) X(SITE_OF(number, 3), number, operation, sum3)
/* clang-format on */
#define ITEMS(X) FOUR(X, 1, +) FOUR(X, 2, ^) FOUR(X, 3, |) FOUR(X, 4, max)

#define OPERATIONS(X) X(1, +) X(2, ^) X(3, |) X(4, max)

static void fold(int operation, long* value, long amount) {
  switch (operation) {
    case 1:
      *value += amount;
      break;
    case 2:
      *value ^= amount;
      break;
    case 3:
      *value |= amount;
      break;
    default:
      if (*value < amount) *value = amount;
  }
}

static handle new_reduction(const struct place* place, int operation, long initial) {
  return sh_reduction(place->task, operation - 1, initial);
}

/* Outside of every region libgomp 12 frees what it never had. */
static int may_reduce(const struct place* place) { return (place->team && own_runtime) || !by_gcc; }

/* Dependences */

struct depends {
  int n[access_kinds];
  char* cell[access_kinds][max_items];
  int all;
  int via_object;
  omp_depend_t object;
};

static void make_object(struct depends* d, char* cell, int kind) {
  omp_depend_t object;
  switch (kind) {
    case a_in: {
      OMP(depobj(object) depend(inout : cell[0]))
      OMP(depobj(object) update(in))
      break;
    }
    case a_out: {
      OMP(depobj(object) depend(in : cell[0]))
      OMP(depobj(object) update(out))
      break;
    }
    case a_inout: {
      OMP(depobj(object) depend(inout : cell[0]))
      break;
    }
    default: {
      OMP(depobj(object) depend(in : cell[0]))
      OMP(depobj(object) update(mutexinoutset))
    }
  }
  d->object = object;
  d->via_object = 1;
}

static const int shadow_kinds[] = {SH_IN, SH_OUT, SH_OUT, SH_MUTEX, SH_INOUTSET};

/* Tells the shadow, unless the task is none for it, and fills in the clauses. */
static void collect(struct depends* d, const struct node* node, const struct place* place,
                    handle task) {
  unsigned seen = 0;
  int waiting = node->kind == k_depwait;
  *d = (struct depends){0};
  if (!place->domain) return;
  if (node->all && !by_gcc && node->items) {
    for (int cell = 0; cell < place->count; cell++) sh_access(task, place->domain, cell, SH_OUT);
    d->all = 1;
    return;
  }
  for (int i = 0; i < node->items; i++) {
    int kind = node->item[i].kind, cell = node->item[i].cell % place->count;
    if (seen & 1u << cell) continue;
    seen |= 1u << cell;
    if (kind == a_set && (by_gcc || waiting || (node->via && i == 0))) kind = a_inout;
    if (kind == a_mutex && waiting) kind = a_inout;
    if (task) sh_access(task, place->domain, cell, shadow_kinds[kind]);
    if (node->via && i == 0 && !waiting)
      make_object(d, place->cells + cell, kind);
    else
      d->cell[kind][d->n[kind]++] = place->cells + cell;
  }
}

#if defined(__clang__)
#define DEPEND_SETS depend(iterator(int z = 0 : d.n[a_set]), inoutset : d.cell[a_set][z][0])
#define DEPEND_ALL depend(inout : omp_all_memory)
#else
#define DEPEND_SETS
#define DEPEND_ALL
#endif
#define DEPEND_PLAIN                                                      \
  depend(iterator(int z = 0 : d.n[a_in]), in : d.cell[a_in][z][0])        \
      depend(iterator(int z = 0 : d.n[a_out]), out : d.cell[a_out][z][0]) \
          depend(iterator(int z = 0 : d.n[a_inout]), inout : d.cell[a_inout][z][0])
#define DEPEND_EACH \
  DEPEND_PLAIN      \
  depend(iterator(int z = 0 : d.n[a_mutex]), mutexinoutset : d.cell[a_mutex][z][0]) DEPEND_SETS
/* Clang 19 orders wrongly what has depobj in an iterator. */
#define DEPEND_OBJECT depend(depobj : object) DEPEND_EACH

static void depwait(const struct node* node, const struct place* place) {
  struct depends d;
  if (!place->domain || !node->items) return;
#if defined(__clang__)
  if (node->nowait) { /* only orders others, and the shadow can do without */
    collect(&d, node, place, 0);
    OMP(taskwait DEPEND_PLAIN nowait)
    return;
  }
#endif
  handle waited = sh_task(place->task, node->number);
  collect(&d, node, place, waited);
  OMP(taskwait DEPEND_PLAIN)
  sh_begin(waited, 1);
  sh_end(waited);
}

static void domain(const struct node* node, const struct place* place) {
  struct place inside = without_region(place);
  inside.count = node->count < 1 ? 1 : node->count < max_count ? node->count : max_count;
  inside.domain = sh_domain(place->task, inside.count);
  inside.cells = sh_cells(inside.domain);
  inside.domain_deferred = node->all_deferred;
  walk_all(node->first, &inside);
}

/* Tasks */

struct made {
  const struct node* node;
  struct place place;
  handle child;
  int untied;
  int undeferred;
};

static int is_final(const struct node* node, const struct place* place) {
  return place->final || node->final == 2;
}

/* libomp's entry points for code by GCC give such a task wrong data. */
static int is_undeferred(const struct node* node) {
  return node->undeferred && !(UNIT == unit_other && by_gcc);
}

static struct place below_task(const struct made* m) {
  struct place inside = in_task(&m->place, m->child);
  inside.final = (char)is_final(m->node, &m->place);
  inside.may_cancel = m->place.in_group && !m->undeferred;
  return inside;
}

/* sum: what the task takes part in, if it does. */
static struct place begin_task(const struct made* m, long* sum) {
  struct place inside = below_task(m);
  sh_begin(m->child, !m->untied);
  if (inside.team && own_runtime) sh_expect(omp_in_final(), inside.final, "omp_in_final");
  if (sum) fold(inside.operation, sum, sh_amount(inside.reduction, m->node->number));
  return inside;
}

static void task_body(const struct made* m, long* sum) {
  struct place inside = begin_task(m, sum);
  walk_all(m->node->first, &inside);
  sh_end(m->child);
}

/* Another task or the creator may fulfil an event only where no wait comes before. */
static int detach_mode(const struct node* node, const struct place* place) {
  int included = is_final(node, place) || node->undeferred;
  if (!node->detach || !own_runtime || place->inexact || !place->team) return by_nobody;
  for (int i = 0; i < node->items; i++)
    if (node->item[i].kind == a_mutex) return by_nobody;
  /* libgomp 12: an undeferred task does not wait for a detached one. */
  if (by_gcc && place->domain && !place->domain_deferred) return by_body;
  if (node->detach == by_thread) return node->undeferred || place->alone ? by_body : by_thread;
  return place->alone || included || !walked->small ? by_body : node->detach;
}

/* What the other clauses ask for: a task has one of these shapes. */
enum shape { s_plain, s_mergeable, s_untied, s_array, s_elements, s_cancel, s_detach, s_reduce };

static enum shape shape_of(const struct node* node, const struct place* place, int undeferred,
                           int detach) {
  if (node->cancels && place->in_group && !undeferred && own_runtime) return s_cancel;
  if (detach) return s_detach;
  if (node->reduces && place->reduced && may_reduce(place)) return s_reduce;
  if (node->untied && !(undeferred && !by_gcc))
    return s_untied; /* libomp 19 asserts on both together */
  if (node->payload) return node->payload == 1 ? s_array : s_elements;
  return node->mergeable ? s_mergeable : s_plain;
}

static void fulfill(unsigned long event) { omp_fulfill_event((omp_event_handle_t)event); }

static void after_body(const struct made* m, int detach, omp_event_handle_t event) {
  if (detach == by_body) {
    sh_drop(m->child);
    omp_fulfill_event(event);
  } else if (detach == by_thread) {
    sh_drop_elsewhere(m->child, (unsigned long)event, fulfill);
  }
}

static void after_task(const struct made* m, int detach, omp_event_handle_t event) {
  handle child = m->child;
  if (detach == by_sibling) {
    OMP(task firstprivate(child, event)) {
      sh_drop(child);
      omp_fulfill_event(event);
    }
  } else if (detach == by_creator) {
    sh_drop(child);
    omp_fulfill_event(event);
  } else if (detach == by_thread) { /* libgomp 12: no barrier wakes up for another thread's event;
                                       libomp 19: some do not wait */
    OMP(taskwait)
  }
}

#define SITE(...) \
  OMP(task firstprivate(m) if (!m.undeferred) final(final) priority(priority) __VA_ARGS__)

/* All shapes of a task with these depend clauses. */
#define SHAPES(...)                                                                   \
  switch (shape) {                                                                    \
    case s_mergeable:                                                                 \
      SITE(mergeable __VA_ARGS__) task_body(&m, 0);                                   \
      break;                                                                          \
    case s_untied:                                                                    \
      SITE(untied __VA_ARGS__) task_body(&m, 0);                                      \
      break;                                                                          \
    case s_array: {                                                                   \
      int data[40];                                                                   \
      sh_fill(data, 40, node->number);                                                \
      SITE(firstprivate(data) __VA_ARGS__) {                                          \
        sh_filled(data, 40, m.node->number);                                          \
        task_body(&m, 0);                                                             \
      }                                                                               \
      break;                                                                          \
    }                                                                                 \
    case s_elements: {                                                                \
      int count = node->payload < max_payload ? node->payload : max_payload;          \
      int elements[LENGTH(count)];                                                    \
      sh_fill(elements, count, node->number);                                         \
      SITE(firstprivate(elements, count) __VA_ARGS__) {                               \
        sh_filled(elements, count, m.node->number);                                   \
        task_body(&m, 0);                                                             \
      }                                                                               \
      break;                                                                          \
    }                                                                                 \
    case s_cancel:                                                                    \
      SITE(__VA_ARGS__) {                                                             \
        struct place inside = begin_task(&m, 0);                                      \
        const struct node* first = m.node->first;                                     \
        if (first) walk_one(first, &inside);                                          \
        sh_leave(m.child);                                                            \
        if (m.node->cancels == 1) {                                                   \
          OMP(cancel taskgroup)                                                       \
        } else {                                                                      \
          OMP(cancellation point taskgroup)                                           \
        }                                                                             \
        sh_return(m.child);                                                           \
        if (first) walk_all(first->next, &inside);                                    \
        sh_end(m.child);                                                              \
      }                                                                               \
      break;                                                                          \
    case s_detach: {                                                                  \
      omp_event_handle_t event;                                                       \
      SITE(detach(event) firstprivate(detach) __VA_ARGS__) {                          \
        task_body(&m, 0);                                                             \
        after_body(&m, detach, event);                                                \
      }                                                                               \
      after_task(&m, detach, event);                                                  \
      break;                                                                          \
    }                                                                                 \
    case s_reduce: {                                                                  \
      switch (SITE_OF(place->operation, place->reduced - 1)) { ITEMS(REDUCING_TASK) } \
      break;                                                                          \
    }                                                                                 \
    default:                                                                          \
      SITE(__VA_ARGS__) task_body(&m, 0);                                             \
  }

static void free_task(const struct node* node, const struct place* place, struct made m,
                      enum shape shape, int detach) {
  int final = node->final == 2, priority = node->priority;
#define REDUCING_TASK(at, number, operation, item)                      \
  case at:                                                              \
    if (node->untied && !(m.undeferred && !by_gcc)) {                   \
      m.untied = 1;                                                     \
      SITE(in_reduction(operation : item) untied) task_body(&m, &item); \
    } else {                                                            \
      SITE(in_reduction(operation : item)) task_body(&m, &item);        \
    }                                                                   \
    break;
  SHAPES()
#undef REDUCING_TASK
}

static void dependent_task(const struct node* node, const struct place* place, struct made m,
                           enum shape shape, int detach) {
  struct depends d;
  int final = node->final == 2, priority = node->priority;
  collect(&d, node, place, m.child);
  if (d.all) {
    SITE(DEPEND_ALL) task_body(&m, 0);
  } else if (d.via_object) {
    omp_depend_t object = d.object;
    SITE(DEPEND_OBJECT) task_body(&m, 0);
    OMP(depobj(object) destroy)
  } else {
#define REDUCING_TASK(at, number, operation, item)                         \
  case at:                                                                 \
    SITE(in_reduction(operation : item) DEPEND_EACH) task_body(&m, &item); \
    break;
    SHAPES(DEPEND_EACH)
#undef REDUCING_TASK
  }
}

static void task(const struct node* node, const struct place* place) {
  int detach = detach_mode(node, place), undeferred = is_undeferred(node);
  int depends = place->domain && node->items;
  enum shape shape = shape_of(node, place, undeferred, detach);
  if (depends && (node->via || (node->all && !by_gcc))) shape = s_plain, detach = by_nobody;
  struct made m = {node, *place, sh_task(place->task, node->number), shape == s_untied, undeferred};
  if (shape == s_detach) sh_detach(m.child);
  if (depends)
    dependent_task(node, place, m, shape, detach);
  else
    free_task(node, place, m, shape, detach);
}

static void group(const struct node* node, const struct place* place) {
  struct place inside = without_region(place);
  int cancels = node->cancels && own_runtime;
  int operation = cancels || !may_reduce(place) ? 0 : node->operation;
  int k = operation ? take_sum(node->number) : -1;
  inside.may_cancel = 0;
  if (cancels) inside.in_group = inside.inexact = 1, inside.reduced = 0;
  if (k < 0) operation = 0;
  if (operation) {
    inside.reduced = k + 1;
    inside.operation = operation;
    inside.reduction = new_reduction(place, operation, node->number);
  }
  sh_group(place->task, cancels ? omp_get_cancellation() : 0);
  switch (operation ? SITE_OF(operation, k) : -1) {
#define GROUP(at, number, operation, item)                                          \
  case at:                                                                          \
    OMP(taskgroup task_reduction(operation : item)) walk_all(node->first, &inside); \
    break;
    ITEMS(GROUP)
    default:
      OMP(taskgroup) walk_all(node->first, &inside);
  }
  sh_group_end(place->task);
  if (operation) check_sum(k, inside.reduction);
}

/* Loops of tasks */

struct looped {
  const struct node* node;
  struct place place;
  handle loop;
};

static void taskloop_body(const struct looped* l, long index, long* sum) {
  handle iteration = sh_iteration(l->loop, index);
  struct place inside = in_task(&l->place, iteration);
  inside.may_cancel = 0;
  inside.final = (char)is_final(l->node, &l->place);
  if (sum) fold(inside.operation, sum, sh_amount(inside.reduction, l->node->number));
  walk_all(l->node->first, &inside);
  sh_iteration_end(iteration);
}

#define GRAINS(...)                               \
  switch (node->grain) {                          \
    case 1:                                       \
      LOOP(grainsize(size) __VA_ARGS__);          \
      break;                                      \
    case 2:                                       \
      LOOP(num_tasks(size) __VA_ARGS__);          \
      break;                                      \
    case 3:                                       \
      LOOP(grainsize(strict : size) __VA_ARGS__); \
      break;                                      \
    case 4:                                       \
      LOOP(num_tasks(strict : size) __VA_ARGS__); \
      break;                                      \
    default:                                      \
      LOOP(__VA_ARGS__);                          \
  }
#define TASKLOOP(...) \
  OMP(taskloop firstprivate(l) if (!undeferred) final(final) priority(priority) __VA_ARGS__)

static void taskloop(const struct node* node, const struct place* place) {
  struct looped l = {node, *place, 0};
  long count = node->count, inner = node->collapse;
  int size = node->size < 1 ? 1 : node->size, undeferred = is_undeferred(node);
  int final = node->final == 2, priority = node->priority;
  int operation = may_reduce(place) ? node->operation : 0;
  int grouped = !node->nowait || node->operation;
  int own = operation ? take_sum(node->number) : -1, k = own >= 0 ? own : place->reduced - 1;
  int in_reduction = own < 0 && node->reduces && k >= 0 && may_reduce(place);
  if (own < 0) operation = 0;
  if (operation) {
    l.place.reduced = k + 1;
    l.place.operation = operation;
    l.place.reduction = new_reduction(place, operation, node->number);
  }
  if (inner && (operation || in_reduction)) inner = 0;
  l.loop = sh_loop(place->task, count * (inner ? inner : 1), grouped);
  l.place.task = place->task;
#define LOOP(...) TASKLOOP(__VA_ARGS__) for (long i = 0; i < count; i++) taskloop_body(&l, i, 0)
  if (operation) {
    switch (SITE_OF(operation, k)) {
#define REDUCING_LOOP(at, number, operation, item)                \
  case at:                                                        \
    TASKLOOP(grainsize(size) reduction(operation : item))         \
    for (long i = 0; i < count; i++) taskloop_body(&l, i, &item); \
    break;
      ITEMS(REDUCING_LOOP)
    }
  } else if (in_reduction) {
    switch (SITE_OF(place->operation, k)) {
#define TAKING_PART(at, number, operation, item)                  \
  case at:                                                        \
    TASKLOOP(num_tasks(size) in_reduction(operation : item))      \
    for (long i = 0; i < count; i++) taskloop_body(&l, i, &item); \
    break;
      ITEMS(TAKING_PART)
    }
  } else if (inner) {
    if (grouped) {
      TASKLOOP(collapse(2))
      for (long i = 0; i < count; i++)
        for (long j = 0; j < inner; j++) taskloop_body(&l, i * inner + j, 0);
    } else {
      TASKLOOP(collapse(2) nogroup grainsize(size))
      for (long i = 0; i < count; i++)
        for (unsigned j = 0; j < (unsigned)inner; j++) taskloop_body(&l, i * inner + (long)j, 0);
    }
  } else if (node->type) {
    unsigned long high = (unsigned long)count;
    if (grouped) {
      TASKLOOP(num_tasks(size))
      for (unsigned long i = 0; i < high; i++) taskloop_body(&l, (long)i, 0);
    } else if (UNIT == unit_other &&
               by_gcc) { /* libomp's entry for code by GCC counts wrongly down */
      TASKLOOP(nogroup) for (unsigned long i = 0; i < high; i++) taskloop_body(&l, (long)i, 0);
    } else {
      TASKLOOP(nogroup) for (unsigned long i = high; i > 0; i--) taskloop_body(&l, (long)i - 1, 0);
    }
  } else if (node->untied && !(undeferred && !by_gcc)) {
    if (grouped) GRAINS(untied) else GRAINS(untied nogroup)
  } else {
    if (grouped) GRAINS() else GRAINS(nogroup)
  }
#undef LOOP
  sh_loop_end(l.loop);
  if (operation) check_sum(k, l.place.reduction);
}

/* Recursion and volume */

static void recurse(const struct node* node, handle self, long depth) {
  for (int k = 0; k < node->width; k++) {
    handle child = sh_task(self, node->number);
    int final = node->final && depth <= node->final;
#define RECURSE(...)                                                    \
  OMP(task firstprivate(node, child, depth) final(final) __VA_ARGS__) { \
    sh_begin(child, !node->untied);                                     \
    if (depth > 1) {                                                    \
      if (node->wait == 2) {                                            \
        sh_group(child, 0);                                             \
        OMP(taskgroup) recurse(node, child, depth - 1);                 \
        sh_group_end(child);                                            \
      } else {                                                          \
        recurse(node, child, depth - 1);                                \
      }                                                                 \
      if (node->wait == 1) {                                            \
        OMP(taskwait)                                                   \
        sh_taskwait(child);                                             \
      }                                                                 \
    }                                                                   \
    sh_end(child);                                                      \
  }
    if (node->untied) {
      RECURSE(untied)
    } else {
      RECURSE()
    }
  }
}

static void recursion(const struct node* node, const struct place* place) {
  if (node->count < 1) return;
  if (!node->grouped) {
    recurse(node, place->task, node->count);
    return;
  }
  sh_group(place->task, 0);
  OMP(taskgroup) recurse(node, place->task, node->count);
  sh_group_end(place->task);
}

static void successor(handle counter, long left) {
  OMP(task firstprivate(counter, left)) {
    sh_count(counter);
    if (left > 1) successor(counter, left - 1);
  }
}

static void successors(const struct node* node, const struct place* place) {
  handle counter = sh_counter(place->task);
  if (node->count < 1) return;
  OMP(taskgroup) successor(counter, node->count);
  sh_counted(counter, node->count);
}

static void flood(const struct node* node, const struct place* place) {
  handle counter = sh_counter(place->task);
  char* cells = sh_cells(sh_domain(place->task, 1));
  (void)cells; /* GCC sees no use in the clause */
  OMP(taskgroup) {
    for (int i = 0; i < node->count; i++) {
      if (node->items) {
        OMP(task firstprivate(counter) depend(inout : cells[0])) sh_count(counter);
      } else {
        OMP(task firstprivate(counter)) sh_count(counter);
      }
    }
  }
  sh_counted(counter, node->count);
}

/* Regions */

static struct place member_of(handle team, const struct place* below, int* slots) {
  struct place mine = *below;
  mine.task = sh_member(team);
  mine.slots = slots;
  return mine;
}

static void region_body(const struct node* node, const struct place* below, handle team,
                        int operation, long* sum) {
  int slots = 0;
  struct place mine = member_of(team, below, &slots);
  if (operation) fold(operation, sum, sh_amount(below->reduction, node->number));
  walk_all(node->first, &mine);
  sh_member_end(mine.task);
}

#define REGION(...) OMP(parallel firstprivate(team, below) __VA_ARGS__)

/* Its barriers and cancellations must stand in the region itself. */
static void cancellable_region(const struct node* node, const struct place* below_here,
                               handle team) {
  struct place below = *below_here;
  int threads = node->threads;
#define CANCELLED                                              \
  {                                                            \
    int slots = 0;                                             \
    struct place mine = member_of(team, &below, &slots);       \
    for (const struct node* n = node->first; n; n = n->next) { \
      if (n->kind == k_barrier) {                              \
        slots++;                                               \
        OMP(barrier)                                           \
        sh_barrier(mine.task);                                 \
      } else if (n->kind == k_cancel && n->cancels == 2) {     \
        OMP(cancellation point parallel)                       \
      } else if (n->kind == k_cancel) {                        \
        OMP(cancel parallel)                                   \
      } else {                                                 \
        walk_one(n, &mine);                                    \
      }                                                        \
    }                                                          \
    sh_member_end(mine.task);                                  \
  }
  if (threads) {
    REGION(num_threads(threads)) CANCELLED
  } else {
    REGION() CANCELLED
  }
}

static void parallel(const struct node* node, const struct place* place) {
  struct place below = in_task(place, 0);
  handle folds[4];
  long totals[4], total = node->number;
  int cancels = node->cancels && own_runtime;
  int operation = cancels ? 0 : node->operation;
  int threads = node->threads, several = !node->undeferred, site = node->number + 1;
  below.alone = place->team || threads == 1 || !several;
  below.region = below.team = 1;
  below.cancellable = (char)cancels;
  below.reduced = 0;
  below.may_cancel = below.in_group = below.final = 0;
  below.inexact |= cancels;
  below.totals = totals;
  below.folds = folds;
  for (int i = 0; i < 4; i++) {
    totals[i] = node->number;
    folds[i] = sh_reduction(place->task, i, totals[i]);
  }
  if (operation) {
    below.operation = operation;
    below.reduction = new_reduction(place, operation, node->number);
  }
  handle team = sh_team(place->task, cancels ? omp_get_cancellation() : 0);
  if (cancels) {
    cancellable_region(node, &below, team);
  } else if (operation && node->modifier) {
    switch (operation) {
/* The tasks that take part must be created in the region itself, where its own copy has the name.
 */
#define TASKS_AND_BODY(number, op)                                 \
  {                                                                \
    for (int i = 0; i < 2; i++) {                                  \
      OMP(task in_reduction(op : total) firstprivate(below, site)) \
      fold(number, &total, sh_amount(below.reduction, site));      \
    }                                                              \
    region_body(node, &below, team, number, &total);               \
  }
#define WITH_TASKS(number, op)                                                            \
  case number:                                                                            \
    if (threads) {                                                                        \
      REGION(num_threads(threads) reduction(task, op : total)) TASKS_AND_BODY(number, op) \
    } else {                                                                              \
      REGION(reduction(task, op : total)) TASKS_AND_BODY(number, op)                      \
    }                                                                                     \
    break;
      OPERATIONS(WITH_TASKS)
    }
  } else if (operation) {
    switch (operation) {
#define REDUCING_REGION(number, op)                                                             \
  case number:                                                                                  \
    REGION(if (several) reduction(op : total)) region_body(node, &below, team, number, &total); \
    break;
      OPERATIONS(REDUCING_REGION)
    }
  } else if (threads && node->bind == 1) {
    REGION(num_threads(threads) proc_bind(close)) region_body(node, &below, team, 0, 0);
  } else if (threads && node->bind == 2) {
    REGION(num_threads(threads) proc_bind(spread)) region_body(node, &below, team, 0, 0);
  } else if (threads) {
    REGION(num_threads(threads) if (several)) region_body(node, &below, team, 0, 0);
  } else {
    REGION(if (several)) region_body(node, &below, team, 0, 0);
  }
  sh_team_end(team);
  if (operation) sh_reduced(below.reduction, total);
  if (!cancels)
    for (int i = 0; i < 4; i++) sh_reduced(folds[i], totals[i]);
}

/* A region and its loop in one: the iterations are all that the shadow sees. */
static void combined(const struct node* node, const struct place* place) {
  struct looped l = {node, *place, 0};
  int threads = node->threads ? node->threads : 2, size = node->size < 1 ? 1 : node->size;
  int shape = node->shape;
  long count = shape == 4 ? 4 : node->count;
  l.place = in_task(place, place->task);
  l.place.team = l.place.alone = 1;
  l.place.final = l.place.in_group = l.place.may_cancel = 0;
  l.place.reduced = 0;
  if (shape == 5 && (place->team || !own_runtime)) shape = 0;
  l.loop = sh_loop(place->task, count, 1);
#define COMBINED(...) OMP(__VA_ARGS__) for (long i = 0; i < count; i++) taskloop_body(&l, i, 0)
  switch (shape) {
    case 1: COMBINED(parallel for num_threads(threads) schedule(dynamic, size));
      break;
    case 2: COMBINED(parallel for num_threads(threads) schedule(guided, size));
      break;
    case 3: COMBINED(parallel for num_threads(threads) schedule(runtime));
      break;
    case 4:
      OMP(parallel sections num_threads(threads)) {
        OMP(section) taskloop_body(&l, 0, 0);
        OMP(section) taskloop_body(&l, 1, 0);
        OMP(section) taskloop_body(&l, 2, 0);
        OMP(section) taskloop_body(&l, 3, 0);
      }
      break;
    case 5: COMBINED(teams distribute parallel for num_teams(2) num_threads(threads));
      break;
    default: COMBINED(parallel for num_threads(threads));
  }
  sh_loop_end(l.loop);
}

/* Worksharing. Slots count the constructs that a thread meets: the same number in each thread. */

static int new_slot(const struct place* place) {
  return place->region && *place->slots < max_slots ? (*place->slots)++ : -1;
}

static void end_sharing(const struct place* place, int slot, int nowait, long count) {
  if (nowait) return;
  sh_barrier(place->task);
  if (count) sh_all_hit(place->task, slot);
}

static void barrier(const struct place* place) {
  if (place->cancellable || new_slot(place) < 0) return;
  OMP(barrier)
  sh_barrier(place->task);
}

/* What exactly one thread runs; its tasks are children of the implicit task. */
static void once(const struct node* first, const struct place* place, int slot, long index,
                 long count) {
  struct place inside = without_region(place);
  handle hit = sh_hit(place->task, slot, index, count);
  inside.cancellable = 0;
  walk_all(first, &inside);
  sh_hit_end(hit);
}

static void single(const struct node* node, const struct place* place) {
  int slot = new_slot(place);
  long given = 0;
  if (slot < 0) {
    struct place inside = without_region(place);
    walk_all(node->first, &inside);
    return;
  }
  if (node->copyprivate && !place->cancellable) {
    OMP(single copyprivate(given)) {
      once(node->first, place, slot, 0, 1);
      given = slot + 7;
    }
    sh_expect(given, slot + 7, "what copyprivate gives");
    end_sharing(place, slot, 0, 1);
  } else if (node->nowait || place->cancellable) {
    OMP(single nowait) once(node->first, place, slot, 0, 1);
  } else {
    OMP(single) once(node->first, place, slot, 0, 1);
    end_sharing(place, slot, 0, 1);
  }
}

static void masked(const struct node* node, const struct place* place) {
  int slot = new_slot(place);
  if (slot < 0) {
    struct place inside = without_region(place);
    walk_all(node->first, &inside);
  } else if (node->nowait && own_runtime) {
    int last = omp_get_num_threads() - 1;
    OMP(masked filter(last)) once(node->first, place, slot, 0, 1);
  } else {
    OMP(masked) once(node->first, place, slot, 0, 1);
  }
}

static void section(const struct node* node, const struct place* place, int slot, int index) {
  const struct node* chosen = node->first;
  for (int i = 0; i < index && chosen; i++) chosen = chosen->next;
  struct place inside = without_region(place);
  handle hit = sh_hit(place->task, slot, index, 4);
  inside.cancellable = 0;
  if (chosen) walk_one(chosen, &inside);
  sh_hit_end(hit);
}

static void sections(const struct node* node, const struct place* place) {
  int slot = place->cancellable ? -1 : new_slot(place);
  if (slot < 0) {
    struct place inside = without_region(place);
    walk_all(node->first, &inside);
    return;
  }
#define FOUR_SECTIONS                           \
  {                                             \
    OMP(section) section(node, place, slot, 0); \
    OMP(section) section(node, place, slot, 1); \
    OMP(section) section(node, place, slot, 2); \
    OMP(section) section(node, place, slot, 3); \
  }
  if (node->nowait) {
    OMP(sections nowait) FOUR_SECTIONS
  } else {
    OMP(sections) FOUR_SECTIONS
  }
  end_sharing(place, slot, node->nowait, 4);
}

static void critical(const struct node* node, const struct place* place) {
  if (!place->region || !own_runtime) {
    sh_work(node->count);
    return;
  }
  OMP(critical) {
    sh_critical(place->task, 1);
    sh_work(node->count);
    sh_critical(place->task, 0);
  }
}

/* Three ways to let one in: a named critical section, a lock, and a lock that is set twice. */
static void lock(const struct node* node, const struct place* place) {
  static int inside[3], made;
  static omp_lock_t simple;
  static omp_nest_lock_t nested;
  int way = node->count % 3;
  if (!place->region || !own_runtime) return;
  OMP(critical(named)) {
    if (!made) {
      omp_init_lock(&simple);
      omp_init_nest_lock(&nested);
      made = 1;
    }
    if (way == 0) {
      sh_expect(inside[0]++, 0, "how many are inside of a named critical section");
      sh_work(node->count);
      inside[0]--;
    }
  }
  if (way == 1) {
    omp_set_lock(&simple);
    sh_expect(inside[1]++, 0, "how many hold a lock");
    sh_work(node->count);
    inside[1]--;
    omp_unset_lock(&simple);
  } else if (way == 2) {
    omp_set_nest_lock(&nested);
    sh_expect(inside[2]++, 0, "how many hold a lock");
    sh_expect(omp_test_nest_lock(&nested), 2, "the depth of a lock that is set twice");
    sh_work(node->count);
    omp_unset_nest_lock(&nested);
    inside[2]--;
    omp_unset_nest_lock(&nested);
  }
}

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

static void loop(const struct node* drawn, const struct place* place) {
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

static void doacross(const struct node* node, const struct place* place) {
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

/* The rest */

static void repeat(const struct node* node, const struct place* place) {
  struct place inside = *place;
  if (place->cancellable) inside.region = 0;
  for (int i = 0; i < node->count; i++) walk_all(node->first, &inside);
}

static void call(const struct node* node, const struct place* place) {
  int unit = UNIT == unit_own ? node->where : UNIT;
  struct place inside = in_task(place, place->task);
  if (!walkers[unit]) unit = UNIT;
  inside.reduced = 0;
  inside.may_cancel = 0;
  inside.region =
      place->region && !(unit == unit_other && UNIT != unit_other) && !place->cancellable;
  if (unit == unit_other && UNIT != unit_other)
    inside.task = sh_guest(place->task); /* it does not know the tasks of this one */
  walkers[unit](node->first, &inside);
}

static void walk_one(const struct node* node, const struct place* place) {
  switch (node->kind) {
    case k_work:
      sh_work(node->count);
      break;
    case k_yield: {
      OMP(taskyield)
      break;
    }
    case k_taskwait: {
      OMP(taskwait)
      sh_taskwait(place->task);
      break;
    }
    case k_depwait:
      depwait(node, place);
      break;
    case k_task:
      task(node, place);
      break;
    case k_group:
      group(node, place);
      break;
    case k_domain:
      domain(node, place);
      break;
    case k_repeat:
      repeat(node, place);
      break;
    case k_call:
      call(node, place);
      break;
    case k_taskloop:
      taskloop(node, place);
      break;
    case k_recurse:
      recursion(node, place);
      break;
    case k_successors:
      successors(node, place);
      break;
    case k_flood:
      flood(node, place);
      break;
    case k_parallel:
      parallel(node, place);
      break;
    case k_combined:
      combined(node, place);
      break;
    case k_barrier:
      barrier(place);
      break;
    case k_single:
      single(node, place);
      break;
    case k_masked:
      masked(node, place);
      break;
    case k_sections:
      sections(node, place);
      break;
    case k_critical:
      critical(node, place);
      break;
    case k_lock:
      lock(node, place);
      break;
    case k_loop:
      loop(node, place);
      break;
    case k_doacross:
      doacross(node, place);
      break;
    case k_cancel:
    case kinds:
      break;
  }
}

static void walk_all(const struct node* first, const struct place* place) {
  for (const struct node* node = first; node; node = node->next) walk_one(node, place);
}

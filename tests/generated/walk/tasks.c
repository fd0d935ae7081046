/* Tasks and their groups. */
#include "walk/depends.h"

struct made {
  const struct node* node;
  struct place place;
  handle child;
  int untied;
  int undeferred;
};

int is_final(const struct node* node, const struct place* place) {
  return place->final || node->final == 2;
}

/* libomp's entry points for code by GCC give such a task wrong data. */
int is_undeferred(const struct node* node) {
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

void task(const struct node* node, const struct place* place) {
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

void group(const struct node* node, const struct place* place) {
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

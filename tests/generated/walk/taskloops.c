/* Loops of tasks. */
#include "walk/walk.h"

void taskloop_body(const struct looped* l, long index, long* sum) {
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

void taskloop(const struct node* node, const struct place* place) {
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

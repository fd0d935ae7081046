/* Regions. */
#include "walk/walk.h"

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

void parallel(const struct node* node, const struct place* place) {
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
void combined(const struct node* node, const struct place* place) {
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

/* From a node of the tree to its construct. */
#include "walk/walk.h"

__attribute__((constructor)) static void enlist(void) { walkers[UNIT] = walk_all; }

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

void walk_one(const struct node* node, const struct place* place) {
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

void walk_all(const struct node* first, const struct place* place) {
  for (const struct node* node = first; node; node = node->next) walk_one(node, place);
}

/* Worksharing without loops, and what lets one in. */
#include "walk/walk.h"

int new_slot(const struct place* place) {
  return place->region && *place->slots < max_slots ? (*place->slots)++ : -1;
}

void end_sharing(const struct place* place, int slot, int nowait, long count) {
  if (nowait) return;
  sh_barrier(place->task);
  if (count) sh_all_hit(place->task, slot);
}

void barrier(const struct place* place) {
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

void single(const struct node* node, const struct place* place) {
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

void masked(const struct node* node, const struct place* place) {
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

void sections(const struct node* node, const struct place* place) {
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

void critical(const struct node* node, const struct place* place) {
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
void lock(const struct node* node, const struct place* place) {
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

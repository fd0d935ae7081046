/* Dependences */
#include "walk/depends.h"

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

void collect(struct depends* d, const struct node* node, const struct place* place, handle task) {
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

void depwait(const struct node* node, const struct place* place) {
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

void domain(const struct node* node, const struct place* place) {
  struct place inside = without_region(place);
  inside.count = node->count < 1 ? 1 : node->count < max_count ? node->count : max_count;
  inside.domain = sh_domain(place->task, inside.count);
  inside.cells = sh_cells(inside.domain);
  inside.domain_deferred = node->all_deferred;
  walk_all(node->first, &inside);
}

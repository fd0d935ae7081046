/* Recursion and volume: many tasks. */
#include "walk/walk.h"

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

void recursion(const struct node* node, const struct place* place) {
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

void successors(const struct node* node, const struct place* place) {
  handle counter = sh_counter(place->task);
  if (node->count < 1) return;
  OMP(taskgroup) successor(counter, node->count);
  sh_counted(counter, node->count);
}

void flood(const struct node* node, const struct place* place) {
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

/* Runs the programs of tree.h that its arguments name by their seeds, one after the other.
 *
 *   walker [--progress FILE] SEED...
 *   walker --print SEED
 *
 * WALK_DROP=LIST takes parts out of every program, see tree.h.
 */
#include "tree.h"

#include <stdlib.h>
#include <string.h>

static void run_tree(handle root) {
  struct place place = {.task = root};
  walkers[unit_own](walked->first, &place);
}

static void make_case(struct sh_case* one) {
  walked = draw_tree(one->number, getenv("WALK_DROP"));
  one->body = run_tree;
  one->copies = walked->copies;
  one->stack_kib = walked->stack_kib;
}

int main(int argc, char** argv) {
  if (argc != 3 || strcmp(argv[1], "--print") != 0) return sh_main_of(argc, argv, make_case);
  print_tree(draw_tree(atoi(argv[2]), getenv("WALK_DROP")));
  return 0;
}

/* See tree.h. The whole program is drawn before any of it runs, by one thread. */
#include "tree.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { max_nodes = 600, deepest = 6 };

walker* walkers[3];
const struct tree* walked;

static struct node nodes[max_nodes];
static struct tree tree;
static int used;
static int left; /* tasks that may still be created */
static int text; /* nodes that may still be drawn */
static uint64_t state;

/* Chances */

static uint64_t next_random(void) { /* splitmix64 */
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

static int between(int low, int high) {
  return low + (int)(next_random() % (uint64_t)(high - low + 1));
}
static int chance(int percent) { return between(0, 99) < percent; }
static int at_least(int low, int value) { return value < low ? low : value; }

/* The index of one of the weights, which end with 0. */
static int pick(const int* weights) {
  int sum = 0, at = 0;
  for (int i = 0; weights[i]; i++) sum += weights[i];
  for (int left_over = between(0, sum - 1); left_over >= weights[at]; at++)
    left_over -= weights[at];
  return at;
}
#define PICK(...) pick((const int[]){__VA_ARGS__, 0})

/* Nodes */

static struct node* make(enum kind kind, int count) {
  struct node* node = &nodes[used];
  if (used == max_nodes - 1) return memset(node, 0, sizeof *node); /* of kind work */
  memset(node, 0, sizeof *node);
  node->number = ++used;
  node->kind = kind;
  node->count = count;
  text--;
  return node;
}

static struct node* append(struct node** list, struct node* node) {
  while (*list) list = &(*list)->next;
  return *list = node;
}

static struct node* statement(int depth, int times);
static struct node* region_statement(int depth, int times);

static void body(struct node* node, int least, int most, int depth, int times) {
  for (int i = between(least, most); i > 0; i--) append(&node->first, statement(depth, times));
}

/* Statements of one task */

static struct node* leaf(void) {
  switch (PICK(3, 3, 1)) {
    case 0:
      return make(k_taskwait, 0);
    case 1:
      return make(k_work, between(1, 20));
    default:
      return make(k_yield, 0);
  }
}

static void task_clauses(struct node* task) {
  task->undeferred = chance(8);
  task->untied = chance(18);
  task->mergeable = chance(10);
  task->final = PICK(20, 1, 2);
  task->priority = chance(20) ? between(1, 9) : 0;
  task->detach = PICK(20, 2, 2, 1, 1);
  task->reduces = chance(60);
  task->payload = chance(25) ? between(1, 90) : 0;
}

static struct node* task(int depth, int times) {
  struct node* made = make(k_task, 0);
  left -= times;
  task_clauses(made);
  if (chance(55 - 8 * depth))
    body(made, 1, 4, depth + 1, times);
  else if (chance(50))
    append(&made->first, make(k_work, between(1, 30)));
  return made;
}

static void draw_items(struct node* node, int cells, int waiting) {
  int wanted = PICK(6, 3, 0 + 1, 1) + 1;
  node->via = chance(12);
  node->all = !waiting && chance(3);
  for (int i = 0; i < wanted && i < max_items; i++) {
    node->item[i].kind = waiting ? PICK(2, 1, 3) : PICK(4, 2, 4, 3, 2);
    node->item[i].cell = between(0, cells - 1);
    node->items++;
  }
}

static struct node* dependent(int depth, int times, int cells) {
  struct node* made;
  if (chance(8)) {
    made = make(k_depwait, 0);
    made->nowait = chance(40);
    draw_items(made, cells, 1);
    return made;
  }
  if (chance(4)) return leaf();
  made = make(k_task, 0);
  left -= times;
  task_clauses(made);
  draw_items(made, cells, 0);
  if (chance(25 - 5 * depth))
    body(made, 1, 3, depth + 1, times);
  else if (chance(60))
    append(&made->first, make(k_work, between(1, 30)));
  return made;
}

static struct node* domain(int depth, int times) {
  struct node* made = make(k_domain, between(1, 5));
  struct node** list = &made->first;
  int count = (int[]){between(2, 6), between(7, 16), 30}[PICK(5, 3, 1)];
  if (chance(15)) {
    struct node* repeat = append(list, make(k_repeat, between(2, 5)));
    times *= repeat->count;
    list = &repeat->first;
  }
  for (int i = 0; i < count && left >= times && text > -12; i++)
    append(list, dependent(depth, times, made->count));
  return made;
}

static struct node* group(int depth, int times) {
  struct node* made = make(k_group, 0);
  made->cancels = chance(20);
  made->operation = chance(40) ? between(1, 4) : 0;
  body(made, 1, 5, depth + 1, times);
  for (int i = made->cancels ? between(1, 3) : 0; i > 0; i--) {
    struct node* canceller = append(&made->first, make(k_task, 0));
    canceller->cancels = chance(40) ? 2 : 1;
    append(&canceller->first, make(k_work, between(1, 9)));
  }
  if (made->cancels && chance(50)) body(made, 1, 3, depth + 1, times);
  return made;
}

static struct node* repeat(int depth, int times) {
  struct node* made = make(k_repeat, between(2, 6));
  body(made, 1, 3, depth + 1, times * made->count);
  return made;
}

static struct node* call(int depth, int times) {
  struct node* made = make(k_call, 0);
  made->where = PICK(2, 3, 3);
  body(made, 1, 4, depth + 1, times);
  return made;
}

static struct node* taskloop(int depth, int times) {
  struct node* made = make(k_taskloop, (int[]){0, between(1, 9), between(10, 60)}[PICK(1, 4, 2)]);
  left -= times * made->count / 4;
  made->grain = PICK(3, 2, 2, 1, 1);
  made->size = between(1, 9);
  made->nowait = chance(25); /* nogroup */
  made->operation = chance(35) ? between(1, 4) : 0;
  made->reduces = chance(60);
  made->untied = chance(15);
  made->priority = chance(10) ? 3 : 0;
  made->undeferred = chance(5);
  made->final = PICK(20, 1, 2);
  made->collapse = chance(15) ? between(1, 3) : 0;
  made->type = PICK(3, 1);
  if (chance(40))
    body(made, 1, 2, depth + 2, times * at_least(1, made->count * at_least(1, made->collapse)));
  return made;
}

static struct node* recursion(int depth, int times) {
  struct node* made = make(k_recurse, between(1, 4));
  (void)depth;
  made->width = between(1, 3);
  made->wait = PICK(2, 2, 1);
  made->untied = chance(20);
  made->grouped = chance(30);
  for (int level = 1, tasks = made->width; level <= made->count; level++, tasks *= made->width)
    left -= times * tasks;
  return made;
}

static struct node* region(struct node* made, int nested) {
  made->threads = nested ? PICK(2, 1, 3, 2)
                         : (int[]){0, 2, 3, 4, 1, 5, 8, 17, 33}[PICK(24, 10, 8, 8, 4, 2, 2, 1, 1)];
  made->operation = chance(15) ? between(1, 4) : 0;
  made->modifier = chance(50);
  made->bind = PICK(12, 1, 1);
  made->undeferred = chance(3); /* if(0): a team of one */
  return made;
}

static struct node* nested(int depth, int times) {
  struct node* made = region(make(k_parallel, 0), 1);
  struct node* one = append(&made->first, make(k_single, 0));
  body(one, 1, 4, depth + 2, times);
  while (chance(30)) append(&made->first, region_statement(depth + 2, times * 3));
  return made;
}

static struct node* combined(int depth, int times) {
  struct node* made = make(k_combined, between(0, 40));
  made->threads = PICK(2, 1, 3, 2);
  made->shape = between(0, 5);
  made->size = between(1, 9);
  if (chance(40)) body(made, 1, 2, depth + 2, times * at_least(1, made->count));
  return made;
}

static struct node* statement(int depth, int times) {
  if (left < times || depth >= deepest || text < 0) return leaf();
  switch (PICK(30, 12, 8, 7, 7, 6, 4, 8, depth < 4 && times <= 4 ? 4 : 1)) {
    case 0:
      return task(depth, times);
    case 1:
      return domain(depth, times);
    case 2:
      return group(depth, times);
    case 3:
      return repeat(depth, times);
    case 4:
      return call(depth, times);
    case 5:
      return leaf();
    case 6:
      return recursion(depth, times);
    case 7:
      return taskloop(depth, times);
    default:
      if (depth >= 4 || times > 4) return leaf();
      return chance(70) ? nested(depth, times) : combined(depth, times);
  }
}

/* Statements of all threads */

static struct node* loop(int depth) {
  struct node* made = make(k_loop, (int[]){between(1, 20), between(21, 120), 0}[PICK(4, 2, 1)]);
  made->schedule = between(0, 10);
  made->size = chance(40) ? 0 : between(1, 9);
  made->ordered = chance(15);
  made->type = PICK(4, 2, 2, 2);
  made->low = (int[]){0, between(1, 50), -1}[PICK(4, 1, 1)];
  made->step = (int[]){0, 2, 6}[PICK(4, 1, 1)];
  made->down = chance(20);
  made->collapse = chance(15) ? 3 : 0;
  made->nowait = chance(30);
  made->operation = chance(20) ? between(1, 4) : 0;
  made->modifier = chance(30);
  made->cancels = chance(10);
  if (chance(40))
    body(made, 1, 2, depth + 2, at_least(1, made->count * at_least(1, made->collapse)));
  return made;
}

static struct node* region_statement(int depth, int times) {
  struct node* made;
  switch (PICK(5, 3, 2, 2, 2, 3, 1, 1, 1, 1)) {
    case 0:
      return loop(depth);
    case 1:
      return statement(depth, times);
    case 2:
      made = make(k_sections, 0);
      made->nowait = chance(30);
      body(made, 0, 4, depth + 1, 1);
      return made;
    case 3:
      made = make(chance(40) ? k_masked : k_single, 0);
      made->nowait = chance(40);
      made->copyprivate = chance(20);
      body(made, 1, 3, depth + 1, 1);
      return made;
    case 4:
      return make(k_critical, between(1, 5));
    case 5:
      return make(k_barrier, 0);
    case 6:
      made = make(k_call, 0);
      made->where = PICK(2, 3);
      for (int i = between(1, 2); i > 0; i--)
        append(&made->first, region_statement(depth + 1, times));
      return made;
    case 7:
      return make(k_lock, between(1, 5));
    case 8:
      made = make(k_doacross, between(0, 12));
      made->schedule = between(0, 10);
      made->size = between(0, 3);
      return made;
    default:
      if (depth >= deepest) return make(k_barrier, 0);
      made = make(k_repeat, between(2, 4));
      append(&made->first, region_statement(depth + 1, times * made->count));
      return made;
  }
}

/* Shapes of programs */

static struct node* team_program(void) {
  struct node* made = region(make(k_parallel, 0), 0);
  while (chance(25)) append(&made->first, region_statement(2, 4));
  struct node* one = append(&made->first, make(k_single, 0));
  one->nowait = chance(40);
  one->copyprivate = chance(10);
  body(one, 3, 8, 0, 1);
  while (chance(25)) append(&made->first, region_statement(2, 4));
  return made;
}

static struct node* sharing_program(void) {
  struct node* made = region(make(k_parallel, 0), 0);
  for (int i = between(2, 7); i > 0; i--) append(&made->first, region_statement(2, 4));
  return made;
}

static struct node* cancelled_program(void) {
  struct node* made = region(make(k_parallel, 0), 0);
  made->cancels = 1;
  made->operation = made->modifier = 0;
  int when = between(0, 4);
  for (int i = 0; i < 5; i++) {
    if (i == when) append(&made->first, make(k_cancel, 0))->cancels = 1;
    switch (PICK(4, 2, 2, 2, 1)) {
      case 0:
        append(&made->first, task(2, 4));
        break;
      case 1:
        append(&made->first, make(k_barrier, 0));
        break;
      case 2:
        append(&made->first, group(3, 4));
        break;
      case 3: {
        struct node* one = append(&made->first, make(k_single, 0));
        one->nowait = 1;
        body(one, 1, 3, 3, 1);
        break;
      }
      default:
        append(&made->first, make(k_taskwait, 0));
    }
  }
  append(&made->first, make(k_barrier, 0));
  append(&made->first, make(k_cancel, 0))->cancels = 2;
  return made;
}

static struct node* deep_program(void) {
  struct node* made = region(make(k_parallel, 0), 0);
  struct node** list = &made->first;
  int of_all = chance(30);
  if (!of_all) list = &append(list, make(k_single, 0))->first;
  struct node* walk = append(list, make(k_recurse, 0));
  walk->wait = PICK(4, 2, 1);
  switch (PICK(3, 2, 1)) {
    case 0:
      walk->count = between(30, walk->wait ? 250 : 700), walk->width = 1;
      break;
    case 1:
      walk->count = between(3, 6), walk->width = 2;
      break;
    default:
      walk->count = between(2, 3), walk->width = 4;
  }
  walk->untied = chance(20);
  walk->final = chance(30) ? 2 : 0;
  walk->grouped = chance(60);
  return made;
}

static struct node* volume_program(void) {
  struct node* made = region(make(k_parallel, 0), 0);
  struct node** list = &made->first;
  if (!chance(25)) list = &append(list, make(k_single, 0))->first;
  struct node* volume = append(list, make(chance(50) ? k_successors : k_flood, between(100, 1500)));
  volume->items = volume->kind == k_flood && chance(40);
  return made;
}

static void draw_program(void) {
  left = (int[]){20, 80, 500}[PICK(5, 4, 1)];
  text = (int[]){12, 25, 45}[PICK(3, 3, 1)];
  switch (PICK(24, 10, 2, 2, 2, 1, 1)) {
    case 0:
      append(&tree.first, team_program());
      break;
    case 1:
      append(&tree.first, sharing_program());
      break;
    case 2:
      append(&tree.first, cancelled_program());
      break;
    case 3:
      for (int i = between(2, 5); i > 0; i--) append(&tree.first, statement(0, 1));
      break;
    case 4:
      append(&tree.first, deep_program());
      break;
    case 5:
      append(&tree.first, volume_program());
      break;
    default:
      append(&tree.first, combined(0, 1));
  }
  if (chance(15)) append(&tree.first, sharing_program());
}

/* Drops, and what is known about the whole */

static int* field_of(struct node* node, const char* name, size_t length) {
#define X(field) \
  if (length == sizeof #field - 1 && strncmp(name, #field, length) == 0) return &node->field;
  FIELDS(X)
  X(items)
#undef X
  return NULL;
}

static void unlink_node(struct node** list, int number) {
  while (*list) {
    if ((*list)->number == number) {
      *list = (*list)->next;
      return;
    }
    unlink_node(&(*list)->first, number);
    list = &(*list)->next;
  }
}

static void apply(const char* drop) {
  while (drop && *drop) {
    char* end;
    long number = strtol(drop, &end, 10);
    size_t length = strcspn(end, ",");
    if (*end == '.') {
      int* field =
          number > 0 && number <= used ? field_of(&nodes[number - 1], end + 1, length - 1) : NULL;
      if (field) *field = 0;
    } else {
      unlink_node(&tree.first, (int)number);
    }
    drop = end + length;
    drop += *drop == ',';
  }
}

static int know(struct node* first, int times);

static int know_one(struct node* node, int times) {
  int tasks = 0, factor = times;
  if (node->kind == k_repeat || node->kind == k_loop || node->kind == k_taskloop ||
      node->kind == k_combined)
    factor *= at_least(1, node->count * at_least(1, node->collapse));
  if (node->kind == k_parallel) factor *= 4;
  if (node->kind == k_task) tasks += times;
  if (node->kind == k_taskloop) tasks += factor;
  if (node->kind == k_successors || node->kind == k_flood) tasks += times * node->count;
  if (node->kind == k_recurse)
    for (int level = 1, many = node->width; level <= node->count && many < 4000;
         level++, many *= at_least(1, node->width))
      tasks += times * many;
  tasks += know(node->first, factor);
  node->all_deferred = !node->undeferred && node->kind != k_depwait;
  node->last = node->number;
  for (struct node* child = node->first; child; child = child->next) {
    node->all_deferred &= child->all_deferred;
    node->last = at_least(child->last, node->last);
  }
  return tasks;
}

static int know(struct node* first, int times) {
  int tasks = 0;
  for (struct node* node = first; node; node = node->next) tasks += know_one(node, times);
  return tasks;
}

static int is_deep(void) {
  for (int i = 0; i < used; i++)
    if (nodes[i].kind == k_recurse && nodes[i].count > 20) return 1;
  return 0;
}

const struct tree* draw_tree(int seed, const char* drop) {
  memset(&tree, 0, sizeof tree);
  used = 0;
  state = (uint64_t)seed * 0x2545f4914f6cdd1d + 1;
  tree.seed = seed;
  draw_program();
  if (chance(12)) {
    tree.copies = (int[]){1, 2, 4}[PICK(3, 2, 1)];
    tree.stack_kib = (int[]){1024, 512, 256}[PICK(4, 1, 1)];
    if (is_deep()) tree.stack_kib = 0; /* who recurses needs a stack for it */
  }
  apply(drop);
  tree.small = know(tree.first, at_least(1, tree.copies)) < 60;
  return &tree;
}

/* Print */

static const char* const kind_names[] = {
#define X(name) #name,
    KINDS(X)
#undef X
};
static const char* const access_names[] = {"in", "out", "inout", "mutexinoutset", "inoutset"};

static void print_nodes(const struct node* node, int depth) {
  for (; node; node = node->next) {
    printf("%*s%d %s", 2 * depth, "", node->number, kind_names[node->kind]);
#define X(name) \
  if (node->name) printf(" " #name "=%d", node->name);
    FIELDS(X)
#undef X
    if (node->kind != k_flood)
      for (int i = 0; i < node->items; i++)
        printf(" %s:%d", access_names[node->item[i].kind], node->item[i].cell);
    else if (node->items)
      printf(" items=1");
    printf("\n");
    print_nodes(node->first, depth + 1);
  }
}

void print_tree(const struct tree* shown) {
  printf("seed %d copies=%d stack_kib=%d\n", shown->seed, shown->copies, shown->stack_kib);
  print_nodes(shown->first, 1);
}

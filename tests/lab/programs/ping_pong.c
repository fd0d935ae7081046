// One line that two threads on two nodes write in turns: each turn moves it from cache to cache.
//
// ping_pong [ROUNDS [NODE [OTHER_NODE]]], in the region "ping-pong".
#include "numa.h"

#include <lares/lab.h>
#include <pthread.h>
#include <stdatomic.h>

static _Alignas(64) atomic_long turn = -1;
static _Alignas(64) atomic_int arrived;
static _Alignas(64) atomic_int counted;
static long rounds;
static int nodes[2];

static void play(int player) {
  for (long mine = player; mine < 2 * rounds; mine += 2) {
    // Reading what has not changed counts nothing. Yielding lets the other one run.
    while (atomic_load_explicit(&turn, memory_order_acquire) != mine) sched_yield();
    atomic_store_explicit(&turn, mine + 1, memory_order_release);
  }
}

static void* other_player(void* unused) {
  (void)unused;
  run_on_node(nodes[1]);
  atomic_store(&arrived, 1);
  play(1);
  while (!atomic_load(&counted)) sched_yield();  // the thread's end is not part of the game
  return NULL;
}

int main(int argc, char** argv) {
  rounds = argument(argc, argv, 1, 1000);
  nodes[0] = (int)argument(argc, argv, 2, 0);
  nodes[1] = (int)argument(argc, argv, 3, node_count() - 1);
  run_on_node(nodes[0]);
  pthread_t thread;
  if (pthread_create(&thread, NULL, other_player, NULL) != 0) fail("pthread_create");
  while (!atomic_load(&arrived)) sched_yield();
  lares_lab_region_begin("ping-pong");
  atomic_store(&turn, 0);
  play(0);
  while (atomic_load(&turn) != 2 * rounds) sched_yield();
  lares_lab_region_end("ping-pong");
  atomic_store(&counted, 1);
  pthread_join(thread, NULL);
  expect("ping-pong", "transfer", nodes[0], nodes[1], (unsigned long)rounds);
  expect("ping-pong", "transfer", nodes[1], nodes[0], (unsigned long)rounds);
  return 0;
}

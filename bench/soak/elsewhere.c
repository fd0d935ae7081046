// Tasks whose end a thread outside of OpenMP tells, as a library that waits for messages does.
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "soak.h"

enum { most_events = 1 << 12 };

// The events that wait for the thread; all under the lock.
static struct {
  pthread_mutex_t lock;
  pthread_cond_t some, room;
  omp_event_handle_t events[most_events];
  int count;
} inbox = {.lock = PTHREAD_MUTEX_INITIALIZER,
           .some = PTHREAD_COND_INITIALIZER,
           .room = PTHREAD_COND_INITIALIZER};

// All that are there, the last one first, so that they end in another order than they began.
static int take_all(omp_event_handle_t* events) {
  pthread_mutex_lock(&inbox.lock);
  while (inbox.count == 0) pthread_cond_wait(&inbox.some, &inbox.lock);
  const int count = inbox.count;
  for (int k = 0; k < count; ++k) events[k] = inbox.events[count - 1 - k];
  inbox.count = 0;
  pthread_cond_broadcast(&inbox.room);
  pthread_mutex_unlock(&inbox.lock);
  return count;
}

static void* fulfill_for_ever(void* nothing) {
  static omp_event_handle_t events[most_events];
  for (;;) {
    const int count = take_all(events);
    if (count % 2 != 0) sched_yield();  // sometimes late
    for (int k = 0; k < count; ++k) omp_fulfill_event(events[k]);
  }
  return nothing;
}

static void start_thread(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, fulfill_for_ever, NULL) != 0) abort();
  pthread_detach(thread);
}

void fulfill_elsewhere(omp_event_handle_t event) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, start_thread);
  pthread_mutex_lock(&inbox.lock);
  while (inbox.count == most_events) pthread_cond_wait(&inbox.room, &inbox.lock);
  inbox.events[inbox.count++] = event;
  pthread_cond_signal(&inbox.some);
  pthread_mutex_unlock(&inbox.lock);
}

enum { block_length = 512, most_blocks = 64 };

// A message comes into each block, then a task works on it.
static void create_pair(long* block, atomic_long* done, int named) {
  omp_event_handle_t event = (omp_event_handle_t)0;
#pragma omp task detach(event) depend(out : block[0 : block_length]) firstprivate(block)
  {
    ++block[0];
    fulfill_elsewhere(event);
  }
  if (named) {
#pragma omp task depend(inout : block[0 : block_length]) firstprivate(block, done)
    {
      ++block[block_length - 1];
      atomic_fetch_add(done, 1);
    }
  } else {
#pragma omp task depend(in : block[0]) firstprivate(block, done) priority(1)
    {
      if (block[0] > 0) atomic_fetch_add(done, 1);
    }
  }
}

// The creator waits in OpenMP, or for a variable, as a program may whose team has other threads.
int phase_elsewhere(Random* random) {
  const int blocks = 1 + random_below(random, most_blocks), rounds = 1 + random_below(random, 40);
  const int named = random_below(random, 2), polls = random_below(random, 2);
  long* data = calloc((size_t)blocks * block_length, sizeof *data);
  if (data == NULL) abort();
  atomic_long done = 0;
  const long pairs = (long)blocks * rounds;
#pragma omp parallel
#pragma omp single
  {
    for (long k = 0; k < pairs; ++k) create_pair(data + k % blocks * block_length, &done, named);
    while (polls && omp_get_num_threads() > 1 && atomic_load(&done) < pairs) sched_yield();
    // libgomp 12 lets a barrier sleep through the last event that another thread fulfils.
#pragma omp taskwait
  }
  int right = atomic_load(&done) == pairs;
  for (int k = 0; k < blocks; ++k) {
    right &= data[(k + 1) * block_length - 1] == (named ? rounds : 0);
    right &= data[k * block_length] == rounds;
  }
  free(data);
  return right;
}

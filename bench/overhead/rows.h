// The rows that the OpenMP programs of the overhead benchmark measure. Each is a RowBody.
#ifndef LARES_BENCH_OVERHEAD_ROWS_H
#define LARES_BENCH_OVERHEAD_ROWS_H

// Tasks. One operation is one task, unless said otherwise.
long row_producer(long operations);         // one thread creates empty tasks
long row_fib(long operations);              // recursion: two tasks and a taskwait in each task
long row_spawn_wait(long operations);       // 20 empty tasks and a taskwait
long row_taskgroup(long operations);        // a taskgroup with one empty task
long row_taskloop(long operations);         // default grain; one operation is one iteration
long row_taskloop_single(long operations);  // grainsize(1)

// Dependences, all created by one thread.
long row_chain(long operations);        // each task after the one before it
long row_fan(long operations);          // a writer, 16 readers, the next writer, ...
long row_independent(long operations);  // each task with data of its own
long row_stencil(long operations);      // each task after three of the step before

// Loops and teams.
long row_dynamic(long operations);           // schedule(dynamic, 1); one operation is one chunk
long row_dynamic_16(long operations);        // chunks of 16; one operation is one iteration
long row_dynamic_128(long operations);       // chunks of 128, likewise
long row_dynamic_ull(long operations);       // as dynamic, over unsigned long long
long row_dynamic_collapse(long operations);  // as dynamic, over two loops as one
long row_guided(long operations);    // schedule(guided); one operation is a loop of 64 iterations
long row_static(long operations);    // schedule(static); one operation is a loop of 64 iterations
long row_barrier(long operations);   // one operation is one barrier
long row_parallel(long operations);  // one operation is one empty parallel region

#endif

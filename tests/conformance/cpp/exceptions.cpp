// Exceptions that are thrown and caught inside tasks.
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.h"

namespace {

void caught_in_the_same_task() {
  int caught = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 100; i++) {
#pragma omp task shared(caught) firstprivate(i)
    try {
      if (i % 2 == 0) throw std::runtime_error(std::to_string(i));
    } catch (const std::runtime_error& error) {
      CHECK_EQUAL(std::stoi(error.what()), i);
      bump(&caught);
    }
  }
  CHECK_EQUAL(caught, 50);
}

void thrown_through_functions_between_scheduling_points() {
  int caught = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 40; i++) {
#pragma omp task shared(caught)
    try {
      int child = 0;
#pragma omp task shared(child)
      child = 1;
#pragma omp taskwait
      throw child;
    } catch (int value) {
      CHECK_EQUAL(value, 1);
      bump(&caught);
    }
  }
  CHECK_EQUAL(caught, 40);
}

int depth_with_exceptions(int depth) {
  int below = 0;
  if (depth == 0) return 0;
#pragma omp task shared(below) firstprivate(depth)
  try {
    below = depth_with_exceptions(depth - 1);
    throw below + 1;
  } catch (int value) {
    below = value;
  }
#pragma omp taskwait
  return below;
}

void nested_tasks_each_catch_their_own() {
  int depth = 0;
#pragma omp parallel
#pragma omp single
  depth = depth_with_exceptions(100);
  CHECK_EQUAL(depth, 100);
}

void carried_out_by_pointer() {
  std::vector<std::exception_ptr> errors(20);
#pragma omp parallel
#pragma omp single
  for (std::size_t i = 0; i < errors.size(); i++) {
#pragma omp task shared(errors) firstprivate(i)
    try {
      throw static_cast<int>(i);
    } catch (...) {
      errors[i] = std::current_exception();
    }
  }
  for (std::size_t i = 0; i < errors.size(); i++) {
    int value = -1;
    try {
      std::rethrow_exception(errors[i]);
    } catch (int caught) {
      value = caught;
    }
    CHECK_EQUAL(value, i);
  }
}

void a_task_inside_a_handler() {
  int done = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 20; i++) {
    try {
      throw i;
    } catch (int value) {
#pragma omp task shared(done) firstprivate(value)
      {
        CHECK(std::current_exception() == nullptr || value >= 0);
        bump(&done);
      }
#pragma omp taskwait
      try {
        throw;
      } catch (int again) {
        CHECK_EQUAL(again, value);
      }
    }
  }
  CHECK_EQUAL(done, 20);
}

void undeferred_tasks_catch() {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 20; i++) {
    int seen = -1;
#pragma omp task if (0) shared(seen)
    try {
      throw i;
    } catch (int value) {
      seen = value;
    }
    CHECK_EQUAL(seen, i);
  }
}

void destructors_run_while_unwinding() {
  struct Guard {
    int* counter;
    ~Guard() { bump(counter); }
  };
  int unwound = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 30; i++) {
#pragma omp task shared(unwound) firstprivate(i)
    try {
      Guard guard{&unwound};
      if (i % 3 == 0) throw i;
    } catch (int) {
    }
  }
  CHECK_EQUAL(unwound, 30);
}

void iterations_of_a_taskloop_catch() {
  int caught = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(4) shared(caught)
  for (int i = 0; i < 100; i++) {
    try {
      if (i % 4 == 0) throw i;
    } catch (int) {
      bump(&caught);
    }
  }
  CHECK_EQUAL(caught, 25);
}

}  // namespace

CASES(CASE(caught_in_the_same_task), CASE(thrown_through_functions_between_scheduling_points),
      CASE(nested_tasks_each_catch_their_own), CASE(carried_out_by_pointer),
      CASE(a_task_inside_a_handler), CASE(undeferred_tasks_catch),
      CASE(destructors_run_while_unwinding), CASE(iterations_of_a_taskloop_catch))

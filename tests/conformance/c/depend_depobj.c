// depend objects: made, changed, used in tasks and taskwaits, destroyed.
#include "check.h"

static void an_object_stands_for_its_dependence(void) {
  int value = 0;
  omp_depend_t object;
#pragma omp depobj(object) depend(inout : value)
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 50; i++) {
#pragma omp task depend(depobj : object) shared(value) firstprivate(i)
    {
      CHECK_EQUAL(value, i);
      value++;
    }
  }
#pragma omp depobj(object) destroy
  CHECK_EQUAL(value, 50);
}

static void objects_mix_with_plain_items(void) {
  int value = 0;
  omp_depend_t object;
#pragma omp depobj(object) depend(in : value)
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 30; i++) {
#pragma omp task depend(out : value) shared(value) firstprivate(i)
    value = i;
#pragma omp task depend(depobj : object) shared(value) firstprivate(i)
    CHECK_EQUAL(value, i);
  }
#pragma omp depobj(object) destroy
}

static void update_changes_the_kind(void) {
  int value = 0;
  int readers = 0;
  omp_depend_t object;
#pragma omp depobj(object) depend(out : value)
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(depobj : object) shared(value)
    {
      linger(10);
      value = 1;
    }
#pragma omp depobj(object) update(in)
    for (int i = 0; i < 5; i++) {
#pragma omp task depend(depobj : object) shared(value, readers)
      {
        CHECK_EQUAL(value, 1);
        bump(&readers);
      }
    }
#pragma omp depobj(object) update(inout)
#pragma omp task depend(depobj : object) shared(value, readers)
    {
      CHECK_EQUAL(value_of(&readers), 5);
      value = 2;
    }
#pragma omp depobj(object) update(mutexinoutset)
    for (int i = 0; i < 10; i++) {
#pragma omp task depend(depobj : object) shared(value)
      value++;
    }
  }
#pragma omp depobj(object) destroy
  CHECK_EQUAL(value, 12);
}

static void an_object_may_name_a_section(void) {
  int data[16] = {0};
  omp_depend_t object;
#pragma omp depobj(object) depend(inout : data[0 : 16])
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 20; i++) {
#pragma omp task depend(depobj : object) shared(data) firstprivate(i)
    for (int j = 0; j < 16; j++) {
      CHECK_EQUAL(data[j], i);
      data[j]++;
    }
  }
#pragma omp depobj(object) destroy
}

static void several_objects_in_one_task(void) {
  int a = 0;
  int b = 0;
  omp_depend_t objects[2];
  omp_depend_t* first = &objects[0];
  omp_depend_t* second = &objects[1];
#pragma omp depobj(objects[0]) depend(inout : a)
#pragma omp depobj(objects[1]) depend(inout : b)
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 30; i++) {
#pragma omp task depend(inout : a) shared(a)
    a++;
#pragma omp task depend(inout : b) shared(b)
    b++;
#pragma omp task depend(depobj : *first, *second) shared(a, b) firstprivate(i)
    {
      CHECK_EQUAL(a, i + 1);
      CHECK_EQUAL(b, i + 1);
    }
  }
#pragma omp depobj(objects[0]) destroy
#pragma omp depobj(objects[1]) destroy
}

static void an_object_in_taskwait(void) {
  int value = 0;
  omp_depend_t object;
#pragma omp depobj(object) depend(in : value)
#pragma omp parallel
#pragma omp single
  for (int i = 1; i <= 10; i++) {
#pragma omp task depend(out : value) shared(value) firstprivate(i)
    {
      linger(3);
      value = i;
    }
#pragma omp taskwait depend(depobj : object)
    CHECK_EQUAL(value, i);
  }
#pragma omp depobj(object) destroy
}

static void an_object_made_in_a_task_and_destroyed_there(void) {
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < 20; round++) {
#pragma omp task
    {
      int value = 0;
      omp_depend_t object;
#pragma omp depobj(object) depend(inout : value)
      for (int i = 0; i < 5; i++) {
#pragma omp task depend(depobj : object) shared(value)
        value++;
      }
#pragma omp taskwait
      CHECK_EQUAL(value, 5);
#pragma omp depobj(object) destroy
    }
  }
}

CASES(CASE(an_object_stands_for_its_dependence), CASE(objects_mix_with_plain_items),
      CASE(update_changes_the_kind), CASE(an_object_may_name_a_section),
      CASE(several_objects_in_one_task), CASE(an_object_in_taskwait),
      CASE(an_object_made_in_a_task_and_destroyed_there))

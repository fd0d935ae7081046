// Objects in tasks: copies, destructors, members, references, containers.
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "check.h"

namespace {

int made = 0;
int gone = 0;

/// Counts its makings and endings, and knows if it was copied rightly.
class Counted {
 public:
  explicit Counted(int value) : value_(value), self_(this) { bump(&made); }
  Counted() : Counted(-1) {}
  Counted(const Counted& other) : value_(other.value_), self_(this) { bump(&made); }
  Counted& operator=(const Counted& other) {
    value_ = other.value_;
    return *this;
  }
  ~Counted() {
    CHECK(self_ == this);
    bump(&gone);
  }
  int value() const {
    CHECK(self_ == this);
    return value_;
  }
  void set(int value) { value_ = value; }

 private:
  int value_;
  const Counted* self_;
};

void expect_balance() {
  CHECK_EQUAL(value_of(&made), value_of(&gone));
  set_value(&made, 0);
  set_value(&gone, 0);
}

void firstprivate_objects_are_copied_and_destroyed() {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 50; i++) {
    Counted object(i);
#pragma omp task firstprivate(object, i)
    CHECK_EQUAL(object.value(), i);
    object.set(-5);
  }
  CHECK(made >= 100);
  expect_balance();
}

void private_objects_are_made_by_default() {
  {
    Counted object(3);
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 20; i++) {
#pragma omp task private(object)
      {
        CHECK_EQUAL(object.value(), -1);
        object.set(i);
      }
    }
    CHECK_EQUAL(object.value(), 3);
  }
  expect_balance();
}

void arrays_of_objects() {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 20; i++) {
    Counted objects[4] = {Counted(i), Counted(i + 1), Counted(i + 2), Counted(i + 3)};
#pragma omp task firstprivate(objects, i)
    for (int j = 0; j < 4; j++) CHECK_EQUAL(objects[j].value(), i + j);
  }
  expect_balance();
}

void undeferred_and_final_tasks_copy_too() {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 20; i++) {
    Counted object(i);
#pragma omp task if (0) firstprivate(object)
    object.set(99);
    CHECK_EQUAL(object.value(), i);
#pragma omp task final(true) firstprivate(object, i)
    {
#pragma omp task firstprivate(object, i)
      {
        CHECK_EQUAL(object.value(), i);
        object.set(77);
      }
      CHECK_EQUAL(object.value(), i);
    }
  }
  expect_balance();
}

void copies_with_dependences() {
  int chain = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 50; i++) {
    Counted object(i);
#pragma omp task depend(inout : chain) firstprivate(object) shared(chain)
    {
      CHECK_EQUAL(object.value(), chain);
      chain++;
    }
  }
  CHECK_EQUAL(chain, 50);
  expect_balance();
}

void strings_and_vectors() {
  int bad = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 50; i++) {
    std::string text(static_cast<std::size_t>(i) + 1, 'x');
    std::vector<int> numbers(100, i);
    auto shared = std::make_shared<int>(i);
#pragma omp task firstprivate(text, numbers, shared, i) shared(bad)
    {
      bool right = text.size() == static_cast<std::size_t>(i) + 1 && text.back() == 'x';
      for (int number : numbers) right = right && number == i;
      right = right && *shared == i;
      if (!right) bump(&bad);
    }
    text.clear();
    numbers.assign(5, -1);
  }
  CHECK_EQUAL(bad, 0);
}

struct alignas(16) Wide {
  std::array<double, 4> values{};
};

void aligned_structures() {
  int bad = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 50; i++) {
    Wide wide;
    wide.values.fill(i);
#pragma omp task firstprivate(wide, i) shared(bad)
    {
      if (reinterpret_cast<std::uintptr_t>(&wide) % alignof(Wide) != 0) bump(&bad);
      if (wide.values[3] != i) bump(&bad);
    }
  }
  CHECK_EQUAL(bad, 0);
}

class Tree {
 public:
  explicit Tree(int depth) {
    if (depth == 0) return;
    left_ = std::make_unique<Tree>(depth - 1);
    right_ = std::make_unique<Tree>(depth - 1);
  }
  int count() {
    if (!left_) return 1;
    int left = 0;
    int right = 0;
#pragma omp task shared(left)
    left = left_->count();
#pragma omp task shared(right)
    right = right_->count();
#pragma omp taskwait
    total_ = left + right + 1;
    return total_;
  }

 private:
  std::unique_ptr<Tree> left_;
  std::unique_ptr<Tree> right_;
  int total_ = 0;
};

void members_use_this() {
  Tree tree(9);
  int nodes = 0;
#pragma omp parallel
#pragma omp single
  nodes = tree.count();
  CHECK_EQUAL(nodes, 1023);
}

void bump_by_reference(int& counter) {
#pragma omp task shared(counter)
  bump(&counter);
}

void references_are_shared() {
  int counter = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 100; i++) bump_by_reference(counter);
  CHECK_EQUAL(counter, 100);
}

void elements_of_a_vector_in_depend() {
  std::vector<int> cells(10, 0);
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 100; i++) {
    int& cell = cells[static_cast<std::size_t>(i % 10)];
#pragma omp task depend(inout : cell) shared(cell) firstprivate(i)
    {
      CHECK_EQUAL(cell, i / 10);
      cell++;
    }
  }
  for (int cell : cells) CHECK_EQUAL(cell, 10);
}

struct Holder {
  int first = 0;
  int second = 0;
  void run() {
    for (int i = 0; i < 20; i++) {
#pragma omp task depend(inout : this->first)
      {
        CHECK_EQUAL(first, i);
        first++;
      }
#pragma omp task depend(in : this->first) depend(inout : this -> second)
      {
        CHECK(first >= i + 1);
        second++;
      }
    }
#pragma omp taskwait
  }
};

void members_in_depend() {
  Holder holder;
#pragma omp parallel
#pragma omp single
  holder.run();
  CHECK_EQUAL(holder.first, 20);
  CHECK_EQUAL(holder.second, 20);
}

void taskloops_copy_objects() {
  {
    Counted object(4);
    Counted last(0);
#pragma omp parallel
#pragma omp single
#pragma omp taskloop firstprivate(object) lastprivate(last) num_tasks(5)
    for (int i = 0; i < 50; i++) {
      CHECK_EQUAL(object.value(), 4);
      last.set(i);
    }
    CHECK_EQUAL(last.value(), 49);
  }
  expect_balance();
}

}  // namespace

CASES(CASE(firstprivate_objects_are_copied_and_destroyed),
      CASE(private_objects_are_made_by_default), CASE(arrays_of_objects),
      CASE(undeferred_and_final_tasks_copy_too), CASE(copies_with_dependences),
      CASE(strings_and_vectors), CASE(aligned_structures), CASE(members_use_this),
      CASE(references_are_shared), CASE(elements_of_a_vector_in_depend), CASE(members_in_depend),
      CASE(taskloops_copy_objects))

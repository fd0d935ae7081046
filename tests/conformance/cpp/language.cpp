// Tasks with lambdas, templates, virtual calls, iterators and own reductions.
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "check.h"

namespace {

void lambdas_inside_tasks() {
  int sum = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 100; i++) {
#pragma omp task shared(sum) firstprivate(i)
    {
      auto add = [&sum, i] {
#pragma omp atomic
        sum += i;
      };
      add();
    }
  }
  CHECK_EQUAL(sum, 4950);
}

void tasks_inside_lambdas() {
  int sum = 0;
  auto spawn = [&sum](int i) {
#pragma omp task shared(sum) firstprivate(i)
    {
#pragma omp atomic
      sum += i;
    }
  };
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 100; i++) spawn(i);
  CHECK_EQUAL(sum, 4950);
}

void functions_as_values() {
  std::vector<std::function<int(int)>> steps{
      [](int x) { return x + 1; }, [](int x) { return x * 2; }, [](int x) { return x - 3; }};
  int value = 10;
#pragma omp parallel
#pragma omp single
  for (const auto& step : steps) {
    std::function<int(int)> mine = step;
#pragma omp task firstprivate(mine) depend(inout : value) shared(value)
    value = mine(value);
  }
  CHECK_EQUAL(value, 19);
}

template <class Value>
Value sum_of(const Value* data, std::size_t length) {
  if (length <= 8) return std::accumulate(data, data + length, Value{});
  Value left{};
  Value right{};
#pragma omp task shared(left) firstprivate(data, length)
  left = sum_of(data, length / 2);
#pragma omp task shared(right) firstprivate(data, length)
  right = sum_of(data + length / 2, length - length / 2);
#pragma omp taskwait
  return left + right;
}

void templates() {
  std::vector<double> numbers(1000, 0.5);
  std::vector<std::string> letters(60, "a");
  double sum = 0;
  std::string text;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task shared(sum, numbers)
    sum = sum_of(numbers.data(), numbers.size());
#pragma omp task shared(text, letters)
    text = sum_of(letters.data(), letters.size());
  }
  CHECK(sum == 500);
  CHECK_EQUAL(text.size(), 60);
}

struct Shape {
  virtual ~Shape() = default;
  virtual int area() const = 0;
};
struct Square : Shape {
  int side;
  explicit Square(int s) : side(s) {}
  int area() const override { return side * side; }
};
struct Strip : Shape {
  int length;
  explicit Strip(int l) : length(l) {}
  int area() const override { return length; }
};

void virtual_calls() {
  std::vector<std::unique_ptr<Shape>> shapes;
  for (int i = 0; i < 40; i++) {
    if (i % 2 == 0)
      shapes.push_back(std::make_unique<Square>(i));
    else
      shapes.push_back(std::make_unique<Strip>(i));
  }
  int total = 0;
#pragma omp parallel
#pragma omp single
  for (const auto& shape : shapes) {
    const Shape* pointer = shape.get();
#pragma omp task shared(total) firstprivate(pointer)
    {
      int area = pointer->area();
#pragma omp atomic
      total += area;
    }
  }
  int expected = 0;
  for (int i = 0; i < 40; i++) expected += i % 2 == 0 ? i * i : i;
  CHECK_EQUAL(total, expected);
}

void taskloops_over_iterators() {
  std::vector<int> cells(300, 0);
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop grainsize(11) shared(cells)
    for (auto it = cells.begin(); it < cells.end(); ++it) *it += 1;
#pragma omp taskloop num_tasks(7) shared(cells)
    for (auto it = cells.begin(); it < cells.end(); it += 3) *it += 10;
  }
  for (std::size_t i = 0; i < cells.size(); i++) CHECK_EQUAL(cells[i], i % 3 == 0 ? 11 : 1);
}

void loops_over_iterators_with_tasks() {
  std::vector<int> cells(200, 1);
  int sum = 0;
#pragma omp parallel for schedule(dynamic, 5)
  for (auto it = cells.begin(); it < cells.end(); ++it) {
    int value = *it;
#pragma omp task shared(sum) firstprivate(value)
    {
#pragma omp atomic
      sum += value;
    }
  }
  CHECK_EQUAL(sum, 200);
}

void range_loops_make_tasks() {
  std::map<int, int> results;
  for (int i = 0; i < 50; i++) results[i] = 0;
#pragma omp parallel
#pragma omp single
  for (auto& entry : results) {
    int key = entry.first;
    int& value = entry.second;
#pragma omp task shared(value) firstprivate(key)
    value = key * key;
  }
  for (const auto& [key, value] : results) CHECK_EQUAL(value, key * key);
}

/// Keeps the two largest values: an own type with an own reduction.
class TopTwo {
 public:
  void add(int value) {
    if (value > first_) {
      second_ = first_;
      first_ = value;
    } else {
      second_ = std::max(second_, value);
    }
  }
  void add(const TopTwo& other) {
    add(other.first_);
    add(other.second_);
  }
  int first() const { return first_; }
  int second() const { return second_; }

 private:
  int first_ = -1;
  int second_ = -1;
};

#pragma omp declare reduction(top:TopTwo : omp_out.add(omp_in)) initializer(omp_priv = TopTwo())

void own_reductions_over_tasks() {
  TopTwo top;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(top : top)
  for (int i = 0; i < 200; i++) {
#pragma omp task in_reduction(top : top) firstprivate(i)
    top.add(i * 37 % 211);
  }
  TopTwo expected;
  for (int i = 0; i < 200; i++) expected.add(i * 37 % 211);
  CHECK_EQUAL(top.first(), expected.first());
  CHECK_EQUAL(top.second(), expected.second());
}

/// A container with an own reduction that keeps all elements, in any order.
class Bag {
 public:
  void add(int value) { values_.push_back(value); }
  void add(const Bag& other) {
    values_.insert(values_.end(), other.values_.begin(), other.values_.end());
  }
  std::vector<int> sorted() const {
    std::vector<int> result = values_;
    std::sort(result.begin(), result.end());
    return result;
  }

 private:
  std::vector<int> values_;
};

#pragma omp declare reduction(join:Bag : omp_out.add(omp_in))

void own_reductions_of_containers() {
  Bag bag;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(join : bag)
  for (int i = 0; i < 100; i++) {
#pragma omp task in_reduction(join : bag) firstprivate(i)
    bag.add(i);
  }
  std::vector<int> all = bag.sorted();
  CHECK_EQUAL(all.size(), 100);
  for (int i = 0; i < 100; i++) CHECK_EQUAL(all[static_cast<std::size_t>(i)], i);
}

void quicksort(int* first, int* last) {
  if (last - first < 2) return;
  int pivot = first[(last - first) / 2];
  int* middle = std::partition(first, last, [pivot](int x) { return x < pivot; });
  int* end = std::partition(middle, last, [pivot](int x) { return x == pivot; });
#pragma omp task firstprivate(first, middle)
  quicksort(first, middle);
#pragma omp task firstprivate(end, last)
  quicksort(end, last);
}

void sorting_without_waiting() {
  std::vector<int> data(5000);
  unsigned state = 7;
  for (int& value : data) {
    state = state * 1664525U + 1013904223U;
    value = static_cast<int>(state >> 16);
  }
#pragma omp parallel
#pragma omp single
  quicksort(data.data(), data.data() + data.size());
  CHECK(std::is_sorted(data.begin(), data.end()));
}

}  // namespace

CASES(CASE(lambdas_inside_tasks), CASE(tasks_inside_lambdas), CASE(functions_as_values),
      CASE(templates), CASE(virtual_calls), CASE(taskloops_over_iterators),
      CASE(loops_over_iterators_with_tasks), CASE(range_loops_make_tasks),
      CASE(own_reductions_over_tasks), CASE(own_reductions_of_containers),
      CASE(sorting_without_waiting))

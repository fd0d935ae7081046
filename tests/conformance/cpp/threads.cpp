// std::thread and OpenMP in one program; objects that begin before main and end after it.
// conformance: env OMP_WAIT_POLICY=passive
#include <atomic>
#include <numeric>
#include <thread>
#include <vector>

#include "check.h"

namespace {

int tasks_sum(int count) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < count; i++) {
#pragma omp task shared(sum) firstprivate(i)
    {
#pragma omp atomic
      sum += i;
    }
  }
  return sum;
}

/// Runs tasks while it is made, before main, and while it ends, after main.
class Early {
 public:
  Early() : sum_(tasks_sum(20)) {}
  ~Early() {
    if (tasks_sum(20) != 190) conformance_fail(__FILE__, __LINE__, "wrong sum after main");
  }
  int sum() const { return sum_; }

 private:
  int sum_;
};

Early early;
thread_local int native = 0;

void objects_made_before_main() { CHECK_EQUAL(early.sum(), 190); }

void threads_beside_regions() {
  std::atomic<int> total{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; i++) threads.emplace_back([&total] { total += tasks_sum(50); });
  int own = tasks_sum(50);
  for (auto& thread : threads) thread.join();
  CHECK_EQUAL(own, 1225);
  CHECK_EQUAL(total.load(), 3 * 1225);
}

void thread_local_variables_in_tied_tasks() {
  int bad = 0;
#pragma omp parallel
  {
    native = omp_get_thread_num() + 1;
#pragma omp barrier
    for (int i = 0; i < 20; i++) {
#pragma omp task shared(bad)
      {
        if (native != omp_get_thread_num() + 1) bump(&bad);
#pragma omp taskyield
        if (native != omp_get_thread_num() + 1) bump(&bad);
      }
    }
  }
  CHECK_EQUAL(bad, 0);
}

void an_atomic_counter() {
  std::atomic<int> counter{0};
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 500; i++) {
#pragma omp task shared(counter)
    counter.fetch_add(1, std::memory_order_relaxed);
  }
  CHECK_EQUAL(counter.load(), 500);
}

void a_static_local_is_made_once() {
  static std::atomic<int> makings{0};
  struct Slow {
    Slow() {
      linger(20);
      makings++;
    }
  };
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 50; i++) {
#pragma omp task
    {
      static Slow slow;
      CHECK_EQUAL(makings.load(), 1);
    }
  }
}

}  // namespace

CASES(CASE(objects_made_before_main), CASE(threads_beside_regions),
      CASE(thread_local_variables_in_tied_tasks), CASE(an_atomic_counter),
      CASE(a_static_local_is_made_once))

// What a barrier and a parallel region cost in the OpenMP runtimes of this machine.
//
// The command is built without OpenMP. It loads a runtime as a program would and calls the entry
// points that compilers call, so what is measured is what such a program gets.
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "base/clock.hpp"
#include "measure/parts.hpp"
#include "measure/spread.hpp"
#include "measure/thread_counts.hpp"

namespace lares::measure {
namespace {

using machine::MeasuredSync;

/// A runtime behind two functions. `region` runs `body(member)` in `threads` threads.
class Runtime {
 public:
  using Body = void (*)(Runtime& runtime, std::size_t member);

  virtual ~Runtime() = default;
  virtual void region(std::size_t threads, Body body) = 0;
  virtual void barrier() = 0;

  Nanoseconds start;  // written by member 0 of a region, read after it
  Nanoseconds end;

 protected:
  /// Sets `function` to what `library` defines as `name`.
  template <class Function>
  static bool find(void* library, const char* name, Function& function) {
    void* symbol = library == nullptr ? nullptr : dlsym(library, name);
    std::memcpy(&function, &symbol, sizeof function);
    return symbol != nullptr;
  }
};

/// GCC's: a region is a function and its data.
class Libgomp final : public Runtime {
 public:
  bool load() {
    void* library = dlopen("libgomp.so.1", RTLD_NOW | RTLD_LOCAL);
    return find(library, "GOMP_parallel", parallel_) && find(library, "GOMP_barrier", barrier_) &&
           find(library, "omp_get_thread_num", number_);
  }
  void region(std::size_t threads, Body body) override {
    body_ = body;
    parallel_(
        [](void* self) {
          auto& runtime = *static_cast<Libgomp*>(self);
          runtime.body_(runtime, static_cast<std::size_t>(runtime.number_()));
        },
        this, static_cast<unsigned>(threads), 0);
  }
  void barrier() override { barrier_(); }

 private:
  void (*parallel_)(void (*)(void*), void*, unsigned, unsigned) = nullptr;
  void (*barrier_)() = nullptr;
  int (*number_)() = nullptr;
  Body body_ = nullptr;
};

/// LLVM's: every call names its place in the source and the calling thread.
class Libomp final : public Runtime {
 public:
  bool load() {
    void* library = nullptr;
    for (const char* name : {"libomp.so.5", "libomp.so", "libiomp5.so"}) {
      if (library == nullptr) library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
    return find(library, "__kmpc_fork_call", fork_) && find(library, "__kmpc_barrier", barrier_) &&
           find(library, "__kmpc_global_thread_num", thread_) &&
           find(library, "__kmpc_push_num_threads", push_);
  }
  void region(std::size_t threads, Body body) override {
    body_ = body;
    push_(&place_, thread_(&place_), static_cast<int>(threads));
    fork_(&place_, 1, &Libomp::enter, this);
  }
  void barrier() override { barrier_(&place_, thread_(&place_)); }

 private:
  struct Place {  // ident_t
    int reserved_1 = 0;
    int flags = 2;  // compiled for this runtime
    int reserved_2 = 0;
    int reserved_3 = 0;
    const char* source = ";unknown;unknown;0;0;;";
  };
  static void enter(int* /*global*/, int* member, void* self) {
    auto& runtime = *static_cast<Libomp*>(self);
    runtime.body_(runtime, static_cast<std::size_t>(*member));
  }

  void (*fork_)(Place*, int, void (*)(int*, int*, void*), ...) = nullptr;
  void (*barrier_)(Place*, int) = nullptr;
  int (*thread_)(Place*) = nullptr;
  void (*push_)(Place*, int, int) = nullptr;
  Place place_;
  Body body_ = nullptr;
};

double each(Nanoseconds time, std::size_t count) {
  return static_cast<double>(std::max<std::int64_t>(time.count, 1)) / static_cast<double>(count);
}

void many_barriers(Runtime& runtime, std::size_t member) {
  runtime.barrier();
  if (member == 0) runtime.start = now();
  for (std::size_t i = 0; i < barriers_per_value; ++i) runtime.barrier();
  if (member == 0) runtime.end = now();
}

void nothing(Runtime& /*runtime*/, std::size_t /*member*/) {}

void measure_counts(Runtime& runtime, const char* name, const std::vector<std::size_t>& counts,
                    std::size_t repeats, std::vector<MeasuredSync>& synchronisation) {
  for (const std::size_t count : counts) {
    std::vector<double> barrier_times;
    std::vector<double> region_times;
    runtime.region(count, nothing);  // threads that are new are made here
    for (std::size_t i = 0; i < repeats; ++i) {
      runtime.region(count, many_barriers);
      barrier_times.push_back(each(runtime.end - runtime.start, barriers_per_value));
      const Nanoseconds start = now();
      for (std::size_t r = 0; r < regions_per_value; ++r) runtime.region(count, nothing);
      region_times.push_back(each(now() - start, regions_per_value));
    }
    const auto threads = static_cast<std::uint32_t>(count);
    synchronisation.push_back({"barrier", name, threads, spread_of(std::move(barrier_times))});
    synchronisation.push_back({"parallel", name, threads, spread_of(std::move(region_times))});
  }
}

/// In a thread of its own: a runtime may bind the thread that starts it. It reads the variables
/// when it is loaded.
template <class Kind>
void measure_runtime(Bench& bench, const char* name, std::vector<MeasuredSync>& synchronisation) {
  bench.step(std::string("synchronisation by ") + name);
  std::thread([&] {
    Kind runtime;
    if (!runtime.load()) return;
    measure_counts(runtime, name, thread_counts(bench.all_cpus().size()), bench.plan.pace.repeats,
                   synchronisation);
  }).join();
}

std::string places_of(const std::vector<OsCpu>& cpus) {
  std::string places;
  for (const OsCpu cpu : cpus) {
    places += (places.empty() ? "{" : ",{") + std::to_string(cpu.value()) + "}";
  }
  return places;
}

}  // namespace

void measure_openmp_runtimes(Bench& bench, std::vector<MeasuredSync>& synchronisation) {
  setenv("OMP_PLACES", places_of(bench.all_cpus()).c_str(), 1);
  setenv("OMP_PROC_BIND", "close", 1);
  setenv("OMP_DYNAMIC", "false", 1);
  measure_runtime<Libgomp>(bench, "libgomp", synchronisation);
  measure_runtime<Libomp>(bench, "libomp", synchronisation);
}

}  // namespace lares::measure

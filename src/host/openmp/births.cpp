// Threads that the program and its runtimes make. A new one has the processors that its maker has
// without Lares. libgomp makes the threads of an inner team for its region: such a one is a thread
// that has been in an earlier team of the same master, where there is one, and becomes what a new
// one would be.
#include <locale.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <cstdint>
#include <cstdlib>
#include <optional>

#include "base/raw_memory.hpp"
#include "host/openmp/binding.hpp"
#include "host/openmp/c_library.hpp"
#include "host/openmp/float_control.hpp"
#include "host/openmp/kept_threads.hpp"
#include "host/openmp/region.hpp"
#include "host/openmp/stock.hpp"

namespace lares::omp {

namespace {

/// What a thread does that has run before, and what a new one would have of its maker.
struct Birth {
  Work work;
  int place = -1;          ///< where it runs, if that is known
  std::size_t number = 0;  ///< in its team
  int masters = -1;        ///< the processor that its master is on
  ProcessorMask before{};  ///< what it would have without Lares
  sigset_t signals{};
  FloatControl floats{};
};

/// A thread that has run before becomes as a new one would be.
void be_born_again(const Birth& birth) noexcept {
  if (birth.place >= 0) {
    bind_as_new(birth.place, birth.before);
  } else {
    free_as_new(birth.before);
  }
  pthread_sigmask(SIG_SETMASK, &birth.signals, nullptr);
  birth.floats.apply();
}

/// Of the last team of a thread that has run before.
struct LastTeam {
  std::size_t number;
  int masters;
};
__attribute__((tls_model("initial-exec"))) constinit thread_local LastTeam t_last_team{0, -1};

/// Where threads share processors, a new one begins on an idle one, or else on its master's: who
/// meets often is better off there. Who is woken begins on an idle one, or else where it fell
/// asleep. So it goes to its master's for that, as many of a team as share one.
void wait_at_masters() noexcept {
  if (t_place < 0 && t_last_team.number < KeptThreads::sharing()) {
    go_to_processor(t_last_team.masters);
  }
}

/// What the program has done to a thread that it takes for ended is undone, as far as a new one
/// would not have it; what it holds by pthread_setspecific and thread_local stays. Signals for the
/// process are for its other threads meanwhile.
void forget_program() noexcept {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
  uselocale(LC_GLOBAL_LOCALE);
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, nullptr);
  pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, nullptr);
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
  wait_at_masters();
}

void* begin_again(void* told) {
  auto* const birth = static_cast<Birth*>(told);
  be_born_again(*birth);
  t_last_team = {birth->number, birth->masters};
  const Work work = birth->work;
  std::free(birth);
  return work.routine(work.argument);
}

/// A kept thread's whole life. The argument is its KeptThread.
void* live(void* kept) {
  static_cast<KeptThread*>(kept)->live(forget_program);
  return nullptr;
}

/// False if they say what a thread that is there already cannot take over.
bool are_plain(const pthread_attr_t* attributes) noexcept {
  if (attributes == nullptr) return true;
  int inherits = 0;
  void* stack = nullptr;
  std::size_t bytes = 0;
  sigset_t signals;
  pthread_attr_getinheritsched(attributes, &inherits);
  pthread_attr_getstack(attributes, &stack, &bytes);
  const bool has_stack = reinterpret_cast<std::uintptr_t>(stack) + bytes != 0;
  return !has_stack && inherits == PTHREAD_INHERIT_SCHED &&
         pthread_attr_getsigmask_np(attributes, &signals) == PTHREAD_ATTR_NO_SIGMASK_NP;
}

/// The processors that the attributes name, if they do.
std::optional<ProcessorMask> processors_of(const pthread_attr_t* attributes) noexcept {
  if (attributes == nullptr) return std::nullopt;
  ProcessorMask mask;
  mask.bytes = sizeof(mask.words);
  auto* const cpus = reinterpret_cast<cpu_set_t*>(mask.words.data());
  if (pthread_attr_getaffinity_np(attributes, mask.bytes, cpus) != 0) return std::nullopt;
  const bool are_all = CPU_COUNT_S(mask.bytes, cpus) == static_cast<int>(8 * mask.bytes);
  if (are_all) return std::nullopt;  // what it gives if nothing was said
  return mask;
}

int make_new(const pthread_attr_t* attributes, Work work, pthread_t* thread) noexcept {
  const Unbound unbound;
  return LARES_C_LIBRARY(pthread_create)(thread, attributes, work.routine, work.argument);
}

/// How deep the team is that libgomp makes a thread for: from 2 on, it ends with its region. 0: the
/// caller is another.
std::size_t depth_of_inner_team(const void* caller) noexcept {
  if (!active()) return 0;
  Stock* const stock = stock_at(caller);
  if (stock == nullptr || stock->is_libomp()) return 0;
  auto* const level = real<int()>(*stock, Entry::omp_get_level);
  const int depth = level == nullptr ? 0 : level();
  return depth < 2 ? 0 : static_cast<std::size_t>(depth);
}

// The processors of a thread that it makes, without Lares.
ProcessorMask own_processors() noexcept {
  const ProcessorMask* const before = mask_before_binding();
  return before != nullptr ? *before : ProcessorMask::of_thread(0);
}

/// What thread `number` of a team is to have of the calling one. `where`: its place, if that is
/// known. `named`: its processors, if the program's runtime binds it.
Birth* birth_of(Work work, std::size_t number, const std::optional<Birthplace>& where,
                const std::optional<ProcessorMask>& named) noexcept {
  auto* const birth = new (need_memory(sizeof(Birth))) Birth{.work = work};
  const bool is_known = where && where->before != nullptr;
  if (named) {
    birth->before = *named;
  } else {
    birth->before = is_known ? *where->before : own_processors();
  }
  if (where && birth->before.contains(mask_of_place(where->place))) birth->place = where->place;
  birth->number = number;
  birth->masters = sched_getcpu();
  pthread_sigmask(SIG_SETMASK, nullptr, &birth->signals);
  birth->floats = FloatControl::here();
  return birth;
}

int make_kept(std::size_t depth, const pthread_attr_t* attributes, Work work,
              pthread_t* thread) noexcept {
  const std::size_t number = KeptThreads::next_in_team();
  const std::optional<Birthplace> where =
      t_births != nullptr ? t_births->next_birthplace() : last_birthplace(depth - 1, number);
  KeptThreads& own = KeptThreads::of_this_thread();
  const StackShape stack = StackShape::of(attributes);
  if (KeptThread* const again = own.find(depth, stack); again != nullptr) {
    *thread = again->give({begin_again, birth_of(work, number, where, processors_of(attributes))});
    return 0;
  }
  KeptThread& kept = own.add(work, depth, stack);
  const int error = make_new(attributes, {live, &kept}, thread);
  own.note_made(kept, error == 0, *thread);
  return error;
}

}  // namespace

}  // namespace lares::omp

// NOLINTBEGIN: the names and types are the C library's.
LARES_EXPORT int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                void* (*start)(void*), void* argument) {
  const std::size_t depth = lares::omp::depth_of_inner_team(__builtin_return_address(0));
  if (depth != 0 && lares::omp::are_plain(attributes)) {
    return lares::omp::make_kept(depth, attributes, {start, argument}, thread);
  }
  return lares::omp::make_new(attributes, {start, argument}, thread);
}

LARES_EXPORT int thrd_create(thrd_t* thread, thrd_start_t start, void* argument) {
  const lares::omp::Unbound unbound;
  return LARES_C_LIBRARY(thrd_create)(thread, start, argument);
}
// NOLINTEND

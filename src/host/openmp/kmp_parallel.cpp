// Clang's parallel regions: libomp starts and joins the threads, ours run in between.
#include <cstdarg>
#include <cstdlib>
#include <limits>
#include <new>
#include <utility>

#include "base/raw_memory.hpp"
#include "host/openmp/following.hpp"
#include "host/openmp/free_master.hpp"
#include "host/openmp/kmp_entry.hpp"
#include "host/openmp/placed_region.hpp"
#include "host/openmp/placement.hpp"
#include "host/openmp/tools/passing.hpp"

namespace lares::omp::kmp {

namespace {

// --- calling an outlined function

// The captured variables are passed one by one. Up to 8 the call is exact; above, the count is
// rounded up: both calling conventions that we run on let a function ignore arguments it does not
// know of.
constexpr std::size_t exact_counts = 8;
constexpr std::size_t most_arguments = 256;

template <std::size_t>
using Argument = void*;

template <std::size_t... Index>
void call_with(void* body, std::int32_t* gtid, std::int32_t* bound, void** arguments,
               std::index_sequence<Index...>) {
  using Function = void(std::int32_t*, std::int32_t*, Argument<Index>...);
  reinterpret_cast<Function*>(body)(gtid, bound, arguments[Index]...);
}

template <std::size_t Count>
void call(void* body, std::int32_t* gtid, std::int32_t* bound, void** arguments) {
  call_with(body, gtid, bound, arguments, std::make_index_sequence<Count>{});
}

using Caller = void(void*, std::int32_t*, std::int32_t*, void**);
struct Convention {
  std::size_t arguments;  ///< that are passed
  Caller* call;
};
constexpr Convention conventions[] = {{0, call<0>},     {1, call<1>},
                                      {2, call<2>},     {3, call<3>},
                                      {4, call<4>},     {5, call<5>},
                                      {6, call<6>},     {7, call<7>},
                                      {8, call<8>},     {16, call<16>},
                                      {32, call<32>},   {64, call<64>},
                                      {128, call<128>}, {most_arguments, call<most_arguments>}};

const Convention& convention_for(std::size_t count) noexcept {
  if (count <= exact_counts) return conventions[count];
  std::size_t index = exact_counts + 1;
  while (conventions[index].arguments < count) ++index;
  return conventions[index];
}

/// An outlined function and its captured variables. Lives on the master's stack until the join.
class Call {
 public:
  Call(const void* body, std::size_t count) noexcept
      : body_(const_cast<void*>(body)), convention_(convention_for(count)), count_(count) {
    if (convention_.arguments <= room) return;
    arguments_ = static_cast<void**>(need_memory(convention_.arguments * sizeof(void*)));
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call() {
    if (arguments_ != few_) std::free(arguments_);
  }

  void take(std::va_list list) noexcept {
    for (std::size_t i = 0; i < count_; ++i) arguments_[i] = va_arg(list, void*);
    for (std::size_t i = count_; i < convention_.arguments; ++i) arguments_[i] = nullptr;
  }
  void set(std::size_t index, void* argument) noexcept { arguments_[index] = argument; }

  [[nodiscard]] const void* body() const noexcept { return body_; }
  void run(std::int32_t* gtid, std::int32_t* bound) const {
    convention_.call(body_, gtid, bound, arguments_);
  }

 private:
  static constexpr std::size_t room = 32;

  void* body_;
  const Convention& convention_;
  std::size_t count_;
  void** arguments_ = few_;
  void* few_[room];
};

// --- regions

struct Launch {
  Launch(Stock& stock, const void* body, std::size_t count) noexcept
      : region(stock, body), call(body, count) {}
  Region region;
  Call call;
  tools::ParallelRecord watched;
};

// A thread's part of the region, between these two.
runtime::Worker* enter_region(Region& region, tools::ParallelRecord& watched) {
  runtime::Worker* const worker = region.enter();
  if (worker != nullptr && tools::is_watched(*worker)) [[unlikely]] {
    tools::adopt_implicit_task(*worker, watched);
  }
  return worker;
}

void leave_region(Region& region, runtime::Worker* worker) {
  const bool watched = worker != nullptr && tools::is_watched(*worker);
  region.leave(worker);
  if (watched) [[unlikely]]
    tools::release_implicit_task(*worker);
}

/// While a thread is in a region, its memory is that region's.
class Visit {
 public:
  Visit(Stock& stock, std::int32_t gtid) noexcept : stock_(t_memory.stock), gtid_(t_memory.gtid) {
    t_memory.stock = &stock;
    t_memory.gtid = gtid;
  }
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;
  ~Visit() {
    // The runtime's address range stays known: the joining code of libomp calls entry points, too.
    if (stock_ != nullptr) t_memory.stock = stock_;
    t_memory.gtid = gtid_;
  }

 private:
  Stock* stock_;
  std::int32_t gtid_;
};

/// Whether the calling thread may stand in the way of an inner team that it opens.
bool may_be_in_the_way() noexcept {
  return t_place >= 0 && g_some_had_none.load(std::memory_order_relaxed);
}

/// The team of a region, if that is an inner one and its master may be in the way.
InnerTeam inner_team(Stock& stock) noexcept {
  if (!may_be_in_the_way()) return {};
  return {static_cast<std::size_t>(real<int()>(stock, Entry::omp_get_level)()), 0};
}

// What libomp's threads run instead of the program's function.
void run_region(std::int32_t* gtid, std::int32_t* bound, Launch* launch) {
  const Visit visit(launch->region.stock(), *gtid);
  runtime::Worker* const worker = enter_region(launch->region, launch->watched);
  launch->call.run(gtid, bound);
  leave_region(launch->region, worker);
}

[[gnu::noinline]] void note_left_team(const Call& call) noexcept {
  Stock& stock = *stock_of(call.body(), Abi::kmp);
  note_team(*runtime::hint_for(call.body()), static_cast<std::size_t>(stock.num_threads()));
}

// A region that is not ours: its threads, the master too, are outside of any team.
void run_left(std::int32_t* gtid, std::int32_t* bound, Call* call) {
  const LeftToStock left;
  if (bubbles::on()) [[unlikely]]
    note_left_team(*call);
  const tools::HiddenTask hidden;
  call->run(gtid, bound);
}

// Up to so many captured variables stand in registers, whether a function is variadic or not.
constexpr std::int32_t arguments_in_registers = 3;
using FewArguments = void(std::int32_t*, std::int32_t*, void*, void*, void*);

// libomp tells a thread's number in its team by `bound`. Of the arguments those that the region
// does not have are what the registers had.
void run_placed_few(std::int32_t* gtid, std::int32_t* bound, const Seating* seating, void* first,
                    void* second, void* third) {
  const PlacedRegion::Part part(*seating, static_cast<std::size_t>(*bound));
  reinterpret_cast<FewArguments*>(seating->body)(gtid, bound, first, second, third);
}

void run_placed(std::int32_t* gtid, std::int32_t* bound, const Seating* seating, Call* call) {
  const PlacedRegion::Part part(*seating, static_cast<std::size_t>(*bound));
  call->run(gtid, bound);
}

// What may change without news is asked each time.
bool is_placed_again(const void* code) noexcept {
  return code == t_memory.placed && bubbles::on() &&
         t_memory.placed_news == runtime::g_region_news.load(std::memory_order_relaxed) &&
         is_placed_only(*t_memory.placed_stock, *t_memory.placed_hint);
}

void note_placed(const void* code, Stock& stock, runtime::RegionHint& hint) noexcept {
  t_memory.placed = is_start_listened_to() ? nullptr : code;
  t_memory.placed_stock = &stock;
  t_memory.placed_hint = &hint;
  t_memory.placed_news = runtime::g_region_news.load(std::memory_order_relaxed);
}

template <class Argument>
void fork(Stock& stock, Entry entry, Location* loc,
          void (*body)(std::int32_t*, std::int32_t*, Argument*), Argument& argument) {
  using Fork = void(Location*, std::int32_t, void*, ...);
  real<Fork>(stock, entry)(loc, 1, reinterpret_cast<void*>(body), &argument);
}

const void* code_of(Microtask microtask) noexcept {
  return reinterpret_cast<const void*>(microtask);
}

Stock& stock_of_code(Microtask microtask) noexcept {
  return *stock_of(code_of(microtask), Abi::kmp);
}

bool is_inside(const void* caller) noexcept {
  return t_memory.stock != nullptr && t_memory.stock->contains(caller);
}

// libomp's own function if libomp itself is the caller and that is known at once; else nullptr.
void* known_inside(const void* caller, Entry entry) noexcept {
  return is_inside(caller) ? t_memory.stock->find_known(entry) : nullptr;
}

}  // namespace

// --- serialised regions

/// A region of one thread, whose body stands in the caller between begin and end.
struct SerialRegion {
  SerialRegion(Stock& stock, const void* code) noexcept : region(stock, code) {}
  Region region;
  runtime::Worker* worker = nullptr;
  SerialRegion* outer = nullptr;
  tools::ParallelRecord watched;
  std::int32_t outer_gtid = -1;
};

namespace {

void begin_serial(Stock& stock, const void* code, std::int32_t gtid) {
  auto* serial = new (need_memory(sizeof(SerialRegion))) SerialRegion(stock, code);
  tools::open_stock_region(serial->watched);
  serial->worker = enter_region(serial->region, serial->watched);
  serial->outer = t_memory.serial;
  serial->outer_gtid = t_memory.gtid;
  t_memory.stock = &stock;
  t_memory.serial = serial;
  t_memory.gtid = gtid;
}

void end_serial() {
  SerialRegion* serial = t_memory.serial;
  leave_region(serial->region, serial->worker);
  t_memory.serial = serial->outer;
  t_memory.gtid = serial->outer_gtid;
  serial->~SerialRegion();
  std::free(serial);
}

bool is_open_serial() noexcept {
  return t_memory.serial != nullptr && runtime::this_worker() == t_memory.serial->worker;
}

bool is_autopar(const Location* loc) noexcept {
  return loc != nullptr && (loc->flags & Location::autopar) != 0;
}

}  // namespace

}  // namespace lares::omp::kmp

namespace kmp = lares::omp::kmp;
using lares::omp::Entry;
using lares::omp::Stock;

// --- the entry points with any number of arguments

// Forwarding them unchanged needs a jump that leaves registers and stack as they are. So the entry
// points are a few instructions that ask one of the functions below where to jump to.
// NOLINTBEGIN: names seen by the assembler.
extern "C" __attribute__((visibility("hidden"), used)) void lares_kmp_fork_call(
    kmp_location* loc, std::int32_t argc, kmp::Microtask microtask, ...) {
  std::va_list list;
  va_start(list, microtask);
  Stock& stock = kmp::stock_of_code(microtask);
  kmp::t_memory.stock = &stock;  // libomp calls entry points before our part of the region starts
  kmp::Launch launch(stock, kmp::code_of(microtask), static_cast<std::size_t>(argc));
  launch.call.take(list);
  va_end(list);
  const lares::omp::tools::CallFor call_for(__builtin_return_address(0));
  lares::omp::tools::open_stock_region(launch.watched);
  kmp::fork(stock, Entry::__kmpc_fork_call, loc, kmp::run_region, launch);
}

#define LARES_FORK_LEFT(function, entry)                                     \
  extern "C" __attribute__((visibility("hidden"), used)) void function(      \
      kmp_location* loc, std::int32_t argc, kmp::Microtask microtask, ...) { \
    std::va_list list;                                                       \
    va_start(list, microtask);                                               \
    kmp::Call call(kmp::code_of(microtask), static_cast<std::size_t>(argc)); \
    call.take(list);                                                         \
    va_end(list);                                                            \
    const lares::omp::tools::CallFor call_for(__builtin_return_address(0));  \
    Stock& stock = kmp::stock_of_code(microtask);                            \
    const lares::omp::FreeMaster free_master(kmp::inner_team(stock));        \
    kmp::fork(stock, Entry::entry, loc, kmp::run_left, call);                \
  }                                                                          \
  static_assert(true)
LARES_FORK_LEFT(lares_kmp_fork_call_left, __kmpc_fork_call);
LARES_FORK_LEFT(lares_kmp_fork_teams_left, __kmpc_fork_teams);

// With few captured variables: the threads run the program's function as it is. Only the master is
// in a team of ours. Apart, so that the other case saves few registers.
[[gnu::noinline]] static void lares_kmp_fork_few_from_place(kmp_location* loc, std::int32_t argc,
                                                            kmp::Microtask microtask, void* first,
                                                            void* second, void* third) {
  const lares::omp::LeftToStock left;
  const lares::omp::FreeMaster free_master(kmp::inner_team(kmp::t_memory.left.stock()));
  reinterpret_cast<decltype(__kmpc_fork_call)*>(kmp::t_memory.left_fork)(loc, argc, microtask,
                                                                         first, second, third);
}

extern "C" __attribute__((visibility("hidden"), used)) void lares_kmp_fork_few_left(
    kmp_location* loc, std::int32_t argc, kmp::Microtask microtask, void* first, void* second,
    void* third) {
  if (kmp::may_be_in_the_way()) [[unlikely]]
    return lares_kmp_fork_few_from_place(loc, argc, microtask, first, second, third);
  const lares::omp::LeftToStock left;
  reinterpret_cast<decltype(__kmpc_fork_call)*>(kmp::t_memory.left_fork)(loc, argc, microtask,
                                                                         first, second, third);
}

extern "C" __attribute__((visibility("hidden"), used)) void lares_kmp_fork_few_placed(
    kmp_location* loc, std::int32_t argc, kmp::Microtask microtask, void* first, void* second,
    void* third) {
  Stock& stock = *kmp::t_memory.forking;
  lares::omp::PlacedRegion region(stock, *kmp::t_memory.hint, reinterpret_cast<void*>(microtask));
  const lares::omp::LeftToStock left;
  lares::omp::real<decltype(__kmpc_fork_call)>(stock, Entry::__kmpc_fork_call)(
      loc, argc + 1, reinterpret_cast<kmp::Microtask>(kmp::run_placed_few), &region.seating(),
      first, second, third);
}

extern "C" __attribute__((visibility("hidden"), used)) void lares_kmp_fork_placed(
    kmp_location* loc, std::int32_t argc, kmp::Microtask microtask, ...) {
  Stock& stock = *kmp::t_memory.forking;
  std::va_list list;
  va_start(list, microtask);
  kmp::Call call(kmp::code_of(microtask), static_cast<std::size_t>(argc));
  call.take(list);
  va_end(list);
  lares::omp::PlacedRegion region(stock, *kmp::t_memory.hint);
  const lares::omp::LeftToStock left;
  lares::omp::real<decltype(__kmpc_fork_call)>(stock, Entry::__kmpc_fork_call)(
      loc, 2, reinterpret_cast<kmp::Microtask>(kmp::run_placed), &region.seating(), &call);
}

// Where it is not known yet that the region is left to libomp.
[[gnu::noinline]] static void* lares_kmp_find_fork_call(std::int32_t argc, kmp::Microtask microtask,
                                                        const void* caller) {
  Stock& stock = kmp::stock_of_code(microtask);
  const bool ours = lares::omp::schedules(stock);
  if (!ours || (&stock != kmp::t_memory.stock && stock.contains(caller))) {
    return stock.find(Entry::__kmpc_fork_call);
  }
  // Its own calls of entry points are known by that; of two libomps the first one's.
  if (kmp::t_memory.stock == nullptr) kmp::t_memory.stock = &stock;
  lares::omp::before_region();
  lares::omp::before_repeated_region(stock, kmp::code_of(microtask));
  if (static_cast<std::size_t>(argc) > kmp::most_arguments) {
    lares::runtime::Engine::instance().note(
        "a parallel region with more than 256 captured variables was left to the stock runtime");
    return stock.find(Entry::__kmpc_fork_call);
  }
  lares::runtime::RegionHint& hint = *lares::runtime::hint_for(kmp::code_of(microtask));
  if (!lares::runtime::is_trusted_taskless(hint)) {
    return reinterpret_cast<void*>(lares_kmp_fork_call);
  }
  kmp::t_memory.forking = &stock;
  kmp::t_memory.hint = &hint;
  const bool few = argc <= kmp::arguments_in_registers && !lares::omp::tools::is_named();
  if (lares::omp::next_team_is_ours(hint)) {
    if (!lares::omp::is_placed_only(stock, hint))
      return reinterpret_cast<void*>(lares_kmp_fork_call);
    if (few) kmp::note_placed(kmp::code_of(microtask), stock, hint);
    return few ? reinterpret_cast<void*>(lares_kmp_fork_few_placed)
               : reinterpret_cast<void*>(lares_kmp_fork_placed);
  }
  if (few) {
    kmp::t_memory.left.note(kmp::code_of(microtask), stock);
    kmp::t_memory.left_fork = stock.find(Entry::__kmpc_fork_call);
  }
  if (lares::omp::bubbles::on()) return reinterpret_cast<void*>(lares_kmp_fork_call_left);
  if (lares::runtime::this_worker() == nullptr) {
    lares::omp::FreeMaster::free(kmp::inner_team(stock));
    return stock.find(Entry::__kmpc_fork_call);
  }
  return few ? reinterpret_cast<void*>(lares_kmp_fork_few_left)
             : reinterpret_cast<void*>(lares_kmp_fork_call_left);
}

// Not the region that was left last. Apart, so that one saves few registers.
[[gnu::noinline]] static void* lares_kmp_choose_another_fork_call(std::int32_t argc,
                                                                  kmp::Microtask microtask,
                                                                  const void* caller) {
  if (kmp::is_inside(caller)) return kmp::t_memory.stock->find(Entry::__kmpc_fork_call);
  if (kmp::is_placed_again(kmp::code_of(microtask))) {
    kmp::t_memory.forking = kmp::t_memory.placed_stock;
    kmp::t_memory.hint = kmp::t_memory.placed_hint;
    return reinterpret_cast<void*>(lares_kmp_fork_few_placed);
  }
  return lares_kmp_find_fork_call(argc, microtask, caller);
}

[[gnu::noinline]] static void* lares_kmp_fork_call_from_place() {
  lares::omp::FreeMaster::free(kmp::inner_team(kmp::t_memory.left.stock()));
  return kmp::t_memory.left_fork;
}

extern "C" __attribute__((visibility("hidden"), used)) void* lares_kmp_choose_fork_call(
    kmp_location*, std::int32_t argc, kmp::Microtask microtask, const void* caller) {
  if (kmp::t_memory.left.again(kmp::code_of(microtask)) == nullptr) {
    return lares_kmp_choose_another_fork_call(argc, microtask, caller);
  }
  if (lares::runtime::this_worker() != nullptr) {
    return reinterpret_cast<void*>(lares_kmp_fork_few_left);
  }
  if (kmp::may_be_in_the_way()) [[unlikely]]
    return lares_kmp_fork_call_from_place();
  return kmp::t_memory.left_fork;
}

extern "C" __attribute__((visibility("hidden"), used)) void* lares_kmp_choose_fork_teams(
    kmp_location*, std::int32_t argc, kmp::Microtask microtask, const void* caller) {
  if (kmp::is_inside(caller)) return kmp::t_memory.stock->find(Entry::__kmpc_fork_teams);
  if (lares::runtime::this_worker() != nullptr &&
      static_cast<std::size_t>(argc) <= kmp::most_arguments) {
    return reinterpret_cast<void*>(lares_kmp_fork_teams_left);
  }
  return kmp::stock_of_code(microtask).find(Entry::__kmpc_fork_teams);
}
// NOLINTEND

#if defined(__x86_64__)
// Seven pushes leave the stack aligned; rax holds the count of vector registers of a variadic call.
#define LARES_CHOSEN_ENTRY(name, choose) \
  asm(".text\n"                          \
      ".p2align 4\n"                     \
      ".globl " name                     \
      "\n"                               \
      ".type " name ",@function\n" name  \
      ":\n"                              \
      ".cfi_startproc\n"                 \
      "endbr64\n"                        \
      "pushq %rdi\n"                     \
      "pushq %rsi\n"                     \
      "pushq %rdx\n"                     \
      "pushq %rcx\n"                     \
      "pushq %r8\n"                      \
      "pushq %r9\n"                      \
      "pushq %rax\n"                     \
      ".cfi_adjust_cfa_offset 56\n"      \
      "movq 56(%rsp), %rcx\n"            \
      "call " choose                     \
      "\n"                               \
      "movq %rax, %r11\n"                \
      "popq %rax\n"                      \
      "popq %r9\n"                       \
      "popq %r8\n"                       \
      "popq %rcx\n"                      \
      "popq %rdx\n"                      \
      "popq %rsi\n"                      \
      "popq %rdi\n"                      \
      ".cfi_adjust_cfa_offset -56\n"     \
      "jmp *%r11\n"                      \
      ".cfi_endproc\n"                   \
      ".size " name ", . - " name "\n")
#elif defined(__aarch64__)
#define LARES_CHOSEN_ENTRY(name, choose) \
  asm(".text\n"                          \
      ".p2align 4\n"                     \
      ".globl " name                     \
      "\n"                               \
      ".type " name ",%function\n" name  \
      ":\n"                              \
      ".cfi_startproc\n"                 \
      "stp x29, x30, [sp, #-80]!\n"      \
      ".cfi_def_cfa_offset 80\n"         \
      ".cfi_offset 29, -80\n"            \
      ".cfi_offset 30, -72\n"            \
      "stp x0, x1, [sp, #16]\n"          \
      "stp x2, x3, [sp, #32]\n"          \
      "stp x4, x5, [sp, #48]\n"          \
      "stp x6, x7, [sp, #64]\n"          \
      "mov x3, x30\n"                    \
      "bl " choose                       \
      "\n"                               \
      "mov x16, x0\n"                    \
      "ldp x0, x1, [sp, #16]\n"          \
      "ldp x2, x3, [sp, #32]\n"          \
      "ldp x4, x5, [sp, #48]\n"          \
      "ldp x6, x7, [sp, #64]\n"          \
      "ldp x29, x30, [sp], #80\n"        \
      ".cfi_restore 29\n"                \
      ".cfi_restore 30\n"                \
      ".cfi_def_cfa_offset 0\n"          \
      "br x16\n"                         \
      ".cfi_endproc\n"                   \
      ".size " name ", . - " name "\n")
#else
#error "the variadic entry points are written for x86-64 and arm64"
#endif

LARES_CHOSEN_ENTRY("__kmpc_fork_call", "lares_kmp_choose_fork_call");
LARES_CHOSEN_ENTRY("__kmpc_fork_teams", "lares_kmp_choose_fork_teams");

// --- the others

// libomp calls these two itself for a team of one: apart from what the program's calls need.
[[gnu::noinline]] static void lares_open_serial(kmp_location* loc, std::int32_t gtid,
                                                const void* caller) {
  Stock& stock = kmp::stock_of_caller(caller);
  auto* const forward = lares::omp::real<decltype(__kmpc_serialized_parallel)>(
      stock, Entry::__kmpc_serialized_parallel);
  if (!lares::omp::schedules(stock) || stock.contains(caller) || kmp::is_autopar(loc)) {
    return forward(loc, gtid);
  }
  const lares::omp::tools::CallFor call_for(caller);
  forward(loc, gtid);
  kmp::begin_serial(stock, caller, gtid);
}

LARES_EXPORT void __kmpc_serialized_parallel(kmp_location* loc, std::int32_t gtid) {
  const void* const caller = __builtin_return_address(0);
  void* const known = kmp::known_inside(caller, Entry::__kmpc_serialized_parallel);
  if (known == nullptr) return lares_open_serial(loc, gtid, caller);
  return reinterpret_cast<decltype(&__kmpc_serialized_parallel)>(known)(loc, gtid);
}

[[gnu::noinline]] static void lares_close_serial(kmp_location* loc, std::int32_t gtid,
                                                 const void* caller) {
  Stock& stock = kmp::stock_of_caller(caller);
  if (!stock.contains(caller) && !kmp::is_autopar(loc) && kmp::is_open_serial()) kmp::end_serial();
  const lares::omp::tools::CallFor call_for(caller);
  lares::omp::real<decltype(__kmpc_end_serialized_parallel)>(
      stock, Entry::__kmpc_end_serialized_parallel)(loc, gtid);
}

LARES_EXPORT void __kmpc_end_serialized_parallel(kmp_location* loc, std::int32_t gtid) {
  const void* const caller = __builtin_return_address(0);
  void* const known = kmp::known_inside(caller, Entry::__kmpc_end_serialized_parallel);
  if (known == nullptr || lares::omp::tools::is_named()) {
    return lares_close_serial(loc, gtid, caller);
  }
  return reinterpret_cast<decltype(&__kmpc_end_serialized_parallel)>(known)(loc, gtid);
}

LARES_EXPORT void __kmpc_fork_call_if(kmp_location* loc, std::int32_t argc,
                                      kmp::Microtask microtask, std::int32_t cond, void* args) {
  const void* const code = kmp::code_of(microtask);
  Stock& stock = *lares::omp::stock_of(code, lares::omp::Abi::kmp);
  if (!lares::omp::schedules(stock) || stock.contains(__builtin_return_address(0))) {
    return lares::omp::real<decltype(__kmpc_fork_call_if)>(stock, Entry::__kmpc_fork_call_if)(
        loc, argc, microtask, cond, args);
  }
  kmp::Launch launch(stock, code, args != nullptr ? 1 : 0);
  if (args != nullptr) launch.call.set(0, args);
  const lares::omp::tools::CallFor call_for(__builtin_return_address(0));
  lares::omp::tools::open_stock_region(launch.watched);
  if (cond != 0) return kmp::fork(stock, Entry::__kmpc_fork_call, loc, kmp::run_region, launch);
  std::int32_t gtid = lares::omp::real<decltype(__kmpc_global_thread_num)>(
      stock, Entry::__kmpc_global_thread_num)(loc);
  std::int32_t bound = 0;
  lares::omp::real<decltype(__kmpc_serialized_parallel)>(stock, Entry::__kmpc_serialized_parallel)(
      loc, gtid);
  kmp::run_region(&gtid, &bound, &launch);
  lares::omp::real<decltype(__kmpc_end_serialized_parallel)>(
      stock, Entry::__kmpc_end_serialized_parallel)(loc, gtid);
}

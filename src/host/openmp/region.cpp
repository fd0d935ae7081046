#include "host/openmp/region.hpp"

#include <link.h>
#include <algorithm>

#include "host/openmp/control_variables.hpp"
#include "host/openmp/loops.hpp"
#include "host/openmp/tools/passing.hpp"
#include "runtime/spinlock.hpp"
#include "runtime/watch.hpp"

// The linker's: where this library begins, and where its code ends. Hidden, so that they are not
// those of the program.
// NOLINTBEGIN: the names are the linker's.
extern "C" __attribute__((visibility("hidden"))) const char __ehdr_start;
extern "C" __attribute__((visibility("hidden"))) const char etext;
// NOLINTEND

namespace lares::omp {

bool is_own_code(const void* address) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  return at >= reinterpret_cast<std::uintptr_t>(&__ehdr_start) &&
         at < reinterpret_cast<std::uintptr_t>(&etext);
}

ProgramCode g_program;

namespace {

/// Call sites of which a thread knows that they mean the runtime of a team; only that thread
/// touches them. A place in a program's code makes the same call again and again.
class KnownCallers {
 public:
  [[nodiscard]] bool mean(const void* caller, const Stock& stock) const noexcept {
    const Known& known = known_[index(caller)];
    // relaxed: as in stock_of().
    return known.caller == caller && known.stock == &stock &&
           unloads_ == g_unloads.load(std::memory_order_relaxed);
  }
  void add(const void* caller, const Stock& stock) noexcept {
    const std::uint32_t unloads = g_unloads.load(std::memory_order_relaxed);
    if (unloads_ != unloads) *this = KnownCallers();
    unloads_ = unloads;
    known_[index(caller)] = {caller, &stock};
  }

 private:
  struct Known {
    const void* caller = nullptr;
    const Stock* stock = nullptr;
  };
  static constexpr std::size_t count = 64;
  static std::size_t index(const void* caller) noexcept {
    const auto at = reinterpret_cast<std::uintptr_t>(caller);
    return (at ^ (at >> 6U)) % count;
  }
  Known known_[count];
  std::uint32_t unloads_ = 0;
};
__attribute__((tls_model("initial-exec"))) constinit thread_local KnownCallers t_callers;

// Finds the executable's code: the first object that the linker tells of.
void find_program() noexcept {
  if (g_program.bytes.load(std::memory_order_relaxed) != 0) return;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void*) -> int {
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const ElfW(Phdr)& header = info->dlpi_phdr[i];
          if (header.p_type != PT_LOAD || (header.p_flags & PF_X) == 0) continue;
          g_program.begin.store(info->dlpi_addr + header.p_vaddr, std::memory_order_relaxed);
          g_program.bytes.store(header.p_memsz, std::memory_order_relaxed);
          break;
        }
        return 1;
      },
      nullptr);
}

bool is_program_code(const void* address) noexcept {
  const std::uintptr_t offset =
      reinterpret_cast<std::uintptr_t>(address) - g_program.begin.load(std::memory_order_relaxed);
  return offset < g_program.bytes.load(std::memory_order_relaxed);
}

void remember(const void* caller, Abi abi, const Stock& stock) noexcept {
  find_program();
  if (is_program_code(caller)) {
    g_program.reaches[static_cast<std::size_t>(abi)].store(&stock, std::memory_order_relaxed);
  } else {
    t_callers.add(caller, stock);
  }
}

// True if a call from the code at `caller` is for the team of `stock`: that code's object reaches
// the runtime whose threads the team has.
bool means(const void* caller, Abi abi, Stock& stock) noexcept {
  if (t_callers.mean(caller, stock)) return true;
  if (stock.contains(caller)) return false;
  if (!is_own_code(caller)) {
    Stock& meant = *stock_of(caller, abi);
    // The last call of a function returns to the function's caller, which may be of another object.
    // A runtime without these entry points cannot have been meant.
    const bool impossible = abi == Abi::kmp && !meant.is_libomp() && stock.is_libomp();
    if (&meant != &stock) return impossible;
  }
  remember(caller, abi, stock);
  return true;
}

// For the worker's next calls. A team's runtime never changes, nor what the program's code reaches.
void learn_reach(runtime::Worker& worker, Abi abi) noexcept {
  const std::uintptr_t bytes = g_program.bytes.load(std::memory_order_relaxed);
  worker.host_reach[static_cast<std::size_t>(abi)] =
      static_cast<std::uint32_t>(std::min<std::uintptr_t>(bytes, UINT32_MAX));
}

}  // namespace

runtime::Worker* own_worker_if_meant(runtime::Worker& worker, const void* caller,
                                     Abi abi) noexcept {
  Stock& stock = stock_of(worker);
  const std::atomic<const Stock*>& reached = g_program.reaches[static_cast<std::size_t>(abi)];
  // relaxed: plain facts; whoever does not see them yet finds out by itself.
  const bool known = is_program_code(caller) && reached.load(std::memory_order_relaxed) == &stock;
  if (!known && !means(caller, abi, stock)) return nullptr;
  if (known) learn_reach(worker, abi);
  return &worker;
}

bool is_left_to_tool(Stock& stock) noexcept {
  if (!stock.is_libomp()) return false;
  if (tools::stands_between()) {
    tools::let_libomp_look(stock);
    return false;
  }
  static std::atomic<bool> told{false};  // any thread; that it is told at all needs no order
  if (!told.exchange(true, std::memory_order_relaxed)) {
    runtime::Engine::instance().note(
        "an OMPT tool is part of the program: Lares leaves libomp's tasks to libomp");
  }
  return true;
}

Region::Region(Stock& stock, runtime::RegionHint& hint) noexcept
    : stock_(stock),
      hint_(&hint),
      master_(*runtime::this_thread()),
      outer_(runtime::this_worker()),
      binding_(master_.system_id.load(std::memory_order_relaxed), makes_threads_anew(stock)) {}

Region::~Region() {
  if (runtime::Team* team = team_.load(std::memory_order_acquire); team != nullptr) {
    runtime::release_team(master_, team);
    // Its threads are bound by now, which is all that a program without tasks needs of us, unless
    // its loops may be ours.
    if (runtime::has_run_once_taskless(*hint_) && !schedules_loops(stock_) && !may_make_tasks()) {
      runtime::trust(*hint_);
    }
  }
}

runtime::Team* Region::make_team(std::size_t size) noexcept {
  // The master's cache of teams is ours until the team is set: only the thread that took `making_`
  // comes here, and the master itself waits for it like the others.
  runtime::Team* team = runtime::acquire_team(master_, size, &stock_);
  team->hint = hint_;
  team->cancellable = stock_.cancellable;
  team->first_variables.store(nullptr, std::memory_order_relaxed);  // all inherit the master's
  size_ = size;
  note_team(*hint_, size);
  if (outer_ != nullptr) note_inner_team(*outer_->team, size);
  starts_ = take_next_team();
  binding_.choose(size);
  if (once != nullptr) once(*this, size);
  team_.store(team, std::memory_order_release);
  return team;
}

/// The program's code runs when the memory that waited for this team is where it shall be.
void Region::tell_of_start(const runtime::Team& team) noexcept {
  if (!telling_.exchange(true, std::memory_order_relaxed)) {
    tell_team(starts_, team);
    told_.store(true, std::memory_order_release);  // release: what was done to the memory
  } else {
    runtime::spin_until(
        [this] { return told_.load(std::memory_order_acquire); });  // acquire: see above
  }
}

runtime::Worker* Region::enter() noexcept {
  forget_control_variables();
  const auto size = static_cast<std::size_t>(stock_.num_threads());
  if (size > most_threads && once == nullptr && runtime::watch::watcher() == nullptr) {
    runtime::Engine::instance().note(
        "parallel regions of more than 2048 threads are left to the stock runtime");
    runtime::set_this_worker(nullptr);
    return nullptr;
  }
  runtime::Team* team = team_.load(std::memory_order_acquire);
  if (team == nullptr) {
    if (!making_.exchange(true, std::memory_order_acq_rel)) {
      team = make_team(size);
    } else {
      runtime::spin_until(
          [&] { return (team = team_.load(std::memory_order_acquire)) != nullptr; });
    }
  }
  const int number = stock_.thread_num();
  runtime::this_thread();  // made before it is bound, so that the engine is told where
  binding_.enter(static_cast<std::size_t>(number));
  runtime::Worker& worker = runtime::enter(*team, WorkerId{number});
  if (worker.watcher != nullptr && !tools::is_watched_stock(stock_)) [[unlikely]] {
    runtime::watch::leave_out(worker);  // the tool is another runtime's
  }
  if (starts_ != nullptr) [[unlikely]] {
    tell_of_start(*team);
  }
  return &worker;
}

void Region::leave(runtime::Worker* worker) noexcept {
  forget_control_variables();
  if (worker != nullptr) {
    const auto number = worker->id.index();
    if (idles_when_waiting(*worker)) binding_.rest();
    runtime::leave(*worker);
    binding_.leave(number);
  } else if (stock_.thread_num() == 0) {
    runtime::set_this_worker(outer_);  // the other threads had none before
  }
}

}  // namespace lares::omp

// The stock OpenMP runtimes of this process (libgomp, libomp, ...): one record for each, and which
// of them a piece of code belongs to.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace lares::omp {

/// Every entry point of the stock runtimes that a front end forwards to. X(name).
#define LARES_STOCK_FUNCTIONS(X)                    \
  X(omp_get_thread_num)                             \
  X(omp_get_num_threads)                            \
  X(omp_get_level)                                  \
  X(omp_get_active_level)                           \
  X(omp_get_cancellation)                           \
  X(omp_get_max_task_priority)                      \
  X(omp_get_max_threads)                            \
  X(omp_get_dynamic)                                \
  X(omp_get_max_active_levels)                      \
  X(omp_get_schedule)                               \
  X(omp_get_default_device)                         \
  X(omp_set_num_threads)                            \
  X(omp_set_dynamic)                                \
  X(omp_set_nested)                                 \
  X(omp_set_max_active_levels)                      \
  X(omp_set_schedule)                               \
  X(omp_set_default_device)                         \
  X(omp_in_final)                                   \
  X(omp_in_explicit_task)                           \
  X(omp_fulfill_event)                              \
  X(omp_get_num_procs)                              \
  X(omp_get_num_places)                             \
  X(omp_get_place_num_procs)                        \
  X(omp_get_place_proc_ids)                         \
  X(omp_get_place_num)                              \
  X(omp_get_partition_num_places)                   \
  X(omp_get_partition_place_nums)                   \
  X(omp_alloc)                                      \
  X(omp_aligned_alloc)                              \
  X(omp_calloc)                                     \
  X(omp_aligned_calloc)                             \
  X(omp_realloc)                                    \
  X(omp_free)                                       \
  X(omp_init_allocator)                             \
  X(omp_destroy_allocator)                          \
  X(omp_set_default_allocator)                      \
  X(omp_get_default_allocator)                      \
  X(omp_init_lock)                                  \
  X(omp_init_lock_with_hint)                        \
  X(omp_destroy_lock)                               \
  X(omp_set_lock)                                   \
  X(omp_unset_lock)                                 \
  X(omp_test_lock)                                  \
  X(omp_init_lock_)                                 \
  X(omp_destroy_lock_)                              \
  X(omp_set_lock_)                                  \
  X(omp_unset_lock_)                                \
  X(omp_test_lock_)                                 \
  X(omp_init_nest_lock)                             \
  X(omp_init_nest_lock_with_hint)                   \
  X(omp_destroy_nest_lock)                          \
  X(omp_set_nest_lock)                              \
  X(omp_unset_nest_lock)                            \
  X(omp_test_nest_lock)                             \
  X(omp_init_nest_lock_)                            \
  X(omp_destroy_nest_lock_)                         \
  X(omp_set_nest_lock_)                             \
  X(omp_unset_nest_lock_)                           \
  X(omp_test_nest_lock_)                            \
  X(GOMP_parallel)                                  \
  X(GOMP_parallel_reductions)                       \
  X(GOMP_parallel_start)                            \
  X(GOMP_parallel_end)                              \
  X(GOMP_parallel_sections)                         \
  X(GOMP_parallel_loop_static)                      \
  X(GOMP_parallel_loop_dynamic)                     \
  X(GOMP_parallel_loop_guided)                      \
  X(GOMP_parallel_loop_runtime)                     \
  X(GOMP_parallel_loop_nonmonotonic_dynamic)        \
  X(GOMP_parallel_loop_nonmonotonic_guided)         \
  X(GOMP_parallel_loop_nonmonotonic_runtime)        \
  X(GOMP_parallel_loop_maybe_nonmonotonic_runtime)  \
  X(GOMP_parallel_loop_static_start)                \
  X(GOMP_parallel_loop_dynamic_start)               \
  X(GOMP_parallel_loop_guided_start)                \
  X(GOMP_parallel_loop_runtime_start)               \
  X(GOMP_parallel_sections_start)                   \
  X(GOMP_task)                                      \
  X(GOMP_taskloop)                                  \
  X(GOMP_taskloop_ull)                              \
  X(GOMP_taskwait)                                  \
  X(GOMP_taskwait_depend)                           \
  X(GOMP_taskwait_depend_nowait)                    \
  X(GOMP_taskyield)                                 \
  X(GOMP_taskgroup_start)                           \
  X(GOMP_taskgroup_end)                             \
  X(GOMP_taskgroup_reduction_register)              \
  X(GOMP_taskgroup_reduction_unregister)            \
  X(GOMP_task_reduction_remap)                      \
  X(GOMP_workshare_task_reduction_unregister)       \
  X(GOMP_loop_start)                                \
  X(GOMP_loop_ordered_start)                        \
  X(GOMP_loop_doacross_start)                       \
  X(GOMP_loop_ull_start)                            \
  X(GOMP_loop_ull_ordered_start)                    \
  X(GOMP_loop_ull_doacross_start)                   \
  X(GOMP_sections2_start)                           \
  X(GOMP_scope_start)                               \
  X(GOMP_loop_nonmonotonic_dynamic_start)           \
  X(GOMP_loop_nonmonotonic_dynamic_next)            \
  X(GOMP_loop_nonmonotonic_guided_start)            \
  X(GOMP_loop_nonmonotonic_guided_next)             \
  X(GOMP_loop_nonmonotonic_runtime_start)           \
  X(GOMP_loop_nonmonotonic_runtime_next)            \
  X(GOMP_loop_maybe_nonmonotonic_runtime_start)     \
  X(GOMP_loop_maybe_nonmonotonic_runtime_next)      \
  X(GOMP_loop_ull_nonmonotonic_dynamic_start)       \
  X(GOMP_loop_ull_nonmonotonic_dynamic_next)        \
  X(GOMP_loop_ull_nonmonotonic_guided_start)        \
  X(GOMP_loop_ull_nonmonotonic_guided_next)         \
  X(GOMP_loop_ull_nonmonotonic_runtime_start)       \
  X(GOMP_loop_ull_nonmonotonic_runtime_next)        \
  X(GOMP_loop_ull_maybe_nonmonotonic_runtime_start) \
  X(GOMP_loop_ull_maybe_nonmonotonic_runtime_next)  \
  X(GOMP_loop_end)                                  \
  X(GOMP_loop_end_nowait)                           \
  X(GOMP_loop_end_cancel)                           \
  X(GOMP_sections_end)                              \
  X(GOMP_sections_end_nowait)                       \
  X(GOMP_sections_end_cancel)                       \
  X(GOMP_single_start)                              \
  X(GOMP_single_copy_start)                         \
  X(GOMP_single_copy_end)                           \
  X(GOMP_sections_start)                            \
  X(GOMP_critical_start)                            \
  X(GOMP_critical_end)                              \
  X(GOMP_critical_name_start)                       \
  X(GOMP_critical_name_end)                         \
  X(GOMP_atomic_start)                              \
  X(GOMP_atomic_end)                                \
  X(GOMP_ordered_start)                             \
  X(GOMP_ordered_end)                               \
  X(GOMP_loop_static_start)                         \
  X(GOMP_loop_dynamic_start)                        \
  X(GOMP_loop_guided_start)                         \
  X(GOMP_loop_runtime_start)                        \
  X(GOMP_loop_ordered_static_start)                 \
  X(GOMP_loop_ordered_dynamic_start)                \
  X(GOMP_loop_ordered_guided_start)                 \
  X(GOMP_loop_ordered_runtime_start)                \
  X(GOMP_barrier)                                   \
  X(GOMP_barrier_cancel)                            \
  X(GOMP_cancel)                                    \
  X(GOMP_cancellation_point)                        \
  X(GOMP_alloc)                                     \
  X(GOMP_free)                                      \
  X(GOMP_target_ext)                                \
  X(GOMP_target_update_ext)                         \
  X(GOMP_target_enter_exit_data)                    \
  X(__kmpc_fork_call)                               \
  X(__kmpc_fork_call_if)                            \
  X(__kmpc_serialized_parallel)                     \
  X(__kmpc_end_serialized_parallel)                 \
  X(__kmpc_global_thread_num)                       \
  X(__kmpc_omp_task_alloc)                          \
  X(__kmpc_omp_target_task_alloc)                   \
  X(__kmpc_omp_task)                                \
  X(__kmpc_omp_task_parts)                          \
  X(__kmpc_omp_task_with_deps)                      \
  X(__kmpc_omp_task_begin_if0)                      \
  X(__kmpc_omp_task_complete_if0)                   \
  X(__kmpc_omp_task_begin)                          \
  X(__kmpc_omp_task_complete)                       \
  X(__kmpc_omp_wait_deps)                           \
  X(__kmpc_omp_taskwait)                            \
  X(__kmpc_omp_taskwait_deps_51)                    \
  X(__kmpc_omp_taskyield)                           \
  X(__kmpc_omp_reg_task_with_affinity)              \
  X(__kmpc_taskgroup)                               \
  X(__kmpc_end_taskgroup)                           \
  X(__kmpc_taskloop)                                \
  X(__kmpc_taskloop_5)                              \
  X(__kmpc_task_reduction_init)                     \
  X(__kmpc_taskred_init)                            \
  X(__kmpc_task_reduction_modifier_init)            \
  X(__kmpc_taskred_modifier_init)                   \
  X(__kmpc_task_reduction_modifier_fini)            \
  X(__kmpc_task_reduction_get_th_data)              \
  X(__kmpc_task_allow_completion_event)             \
  X(__kmpc_proxy_task_completed)                    \
  X(__kmpc_proxy_task_completed_ooo)                \
  X(__kmpc_omp_get_target_async_handle_ptr)         \
  X(__kmpc_omp_has_task_team)                       \
  X(__kmpc_barrier)                                 \
  X(__kmpc_cancel_barrier)                          \
  X(__kmpc_barrier_master)                          \
  X(__kmpc_barrier_master_nowait)                   \
  X(__kmpc_end_barrier_master)                      \
  X(__kmpc_reduce)                                  \
  X(__kmpc_copyprivate)                             \
  X(__kmpc_copyprivate_light)                       \
  X(__kmpc_cancel)                                  \
  X(__kmpc_cancellationpoint)                       \
  X(__kmpc_dispatch_init_4)                         \
  X(__kmpc_dispatch_next_4)                         \
  X(__kmpc_dispatch_init_4u)                        \
  X(__kmpc_dispatch_next_4u)                        \
  X(__kmpc_dispatch_init_8)                         \
  X(__kmpc_dispatch_next_8)                         \
  X(__kmpc_dispatch_init_8u)                        \
  X(__kmpc_dispatch_next_8u)                        \
  X(__kmpc_dispatch_deinit)                         \
  X(__kmpc_doacross_init)                           \
  X(__kmpc_doacross_fini)                           \
  X(__kmpc_alloc)                                   \
  X(__kmpc_aligned_alloc)                           \
  X(__kmpc_calloc)                                  \
  X(__kmpc_realloc)                                 \
  X(__kmpc_free)                                    \
  X(__kmpc_init_allocator)                          \
  X(__kmpc_destroy_allocator)                       \
  X(__kmpc_set_default_allocator)                   \
  X(__kmpc_get_default_allocator)                   \
  X(__kmpc_fork_teams)                              \
  X(__kmpc_get_taskid)                              \
  X(__kmpc_get_parent_taskid)                       \
  X(__kmpc_task_get_depnode)                        \
  X(__kmpc_task_get_successors)                     \
  X(kmp_get_cancellation_status)

enum class Entry : std::uint16_t {
#define LARES_ENTRY(name) name,
  LARES_STOCK_FUNCTIONS(LARES_ENTRY)
#undef LARES_ENTRY
      count
};

/// A name like libgomp.so.1, libomp.so.5, libiomp5.so, or the renamed copies that wheels bundle.
bool may_be_runtime(const char* path) noexcept;

/// One loaded runtime. Never freed: code that calls it may be anywhere.
class Stock {
 public:
  /// `handle` is from dlopen(RTLD_NOLOAD); the text range is that of the object.
  Stock(void* handle, const char* name, std::uintptr_t begin, std::uintptr_t end) noexcept;

  /// The runtime's own function, or nullptr if it has none. Thread safe; a look-up by name the
  /// first time, then one load.
  [[nodiscard, gnu::always_inline]] void* find(Entry entry) noexcept {
    // relaxed: the address is all that is told.
    void* const known = functions_[static_cast<std::size_t>(entry)].load(std::memory_order_relaxed);
    if (known == nullptr) [[unlikely]]
      return look_up(entry);
    return known;
  }
  /// The same if it has been looked up, else nullptr: for entry points that are a jump then.
  [[nodiscard]] void* find_known(Entry entry) const noexcept {
    return functions_[static_cast<std::size_t>(entry)].load(std::memory_order_relaxed);
  }
  /// True if `address` is code of the runtime itself.
  [[nodiscard]] bool contains(const void* address) const noexcept {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    return at >= begin_ && at < end_;
  }
  [[nodiscard]] const char* name() const noexcept { return name_; }  ///< file name, no folder
  [[nodiscard]] bool is_libomp() noexcept { return find(Entry::__kmpc_fork_call) != nullptr; }

  // Hot ones, resolved at construction.
  int (*thread_num)() = nullptr;
  int (*num_threads)() = nullptr;
  bool cancellable = false;  ///< OMP_CANCELLATION, fixed for the process

 private:
  void* look_up(Entry entry) noexcept;

  void* handle_;
  char name_[64];
  std::uintptr_t begin_;
  std::uintptr_t end_;
  std::atomic<void*> functions_[static_cast<std::size_t>(Entry::count)]{};  ///< null: not known
  std::atomic<bool> absent_[static_cast<std::size_t>(Entry::count)]{};      ///< looked up in vain
};

/// Which of its symbols the code calls: the dynamic linker may bind them to different runtimes.
enum class Abi : std::uint8_t { gomp, kmp, api };

/// By the name's beginning: GOMP_*, __kmpc_*, omp_*.
constexpr Abi abi_of(const char* name) noexcept {
  if (name[0] == 'G') return Abi::gomp;
  return name[0] == '_' ? Abi::kmp : Abi::api;
}

/// The runtime that calls from the code at `address` would have reached without us, as the dynamic
/// linker looks symbols up: first the global scope, then what the code's own object needs. Ends the
/// process with a sentence if no runtime is loaded. Fast for code of the same object as one of
/// the thread's last questions. Thread safe.
Stock* stock_of(const void* address, Abi abi) noexcept;

/// The known runtime whose own code is at `address`, or null. Thread safe, without a lock.
Stock* stock_at(const void* address) noexcept;

/// Grows whenever an object was unloaded: what was remembered of its code is void. Any thread.
extern std::atomic<std::uint32_t> g_unloads;

/// Calls the runtime's own function with a signature of ours.
template <class Function>
Function* real(Stock& stock, Entry entry) noexcept {
  return reinterpret_cast<Function*>(stock.find(entry));
}

/// Whether the runtime makes the threads of the calling thread's next team for that alone. libgomp
/// keeps those of outermost ones only.
inline bool makes_threads_anew(Stock& stock) noexcept {
  if (stock.is_libomp()) return false;
  auto* const level = real<int()>(stock, Entry::omp_get_level);
  return level != nullptr && level() > 0;
}

/// Declares `name_real`, the stock function for the interposed function we are in, with its type,
/// and `stock`, found by the caller's address.
#define LARES_REAL_BY_CALLER(name)                                                      \
  ::lares::omp::Stock* const stock =                                                    \
      ::lares::omp::stock_of(__builtin_return_address(0), ::lares::omp::abi_of(#name)); \
  auto* const name##_real = ::lares::omp::real<decltype(name)>(*stock, ::lares::omp::Entry::name)

/// The mark of an entry point: exported from the library under its plain name.
#define LARES_EXPORT extern "C" __attribute__((visibility("default")))

}  // namespace lares::omp

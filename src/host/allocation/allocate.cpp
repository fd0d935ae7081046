// The C library's allocation functions, in front of whichever allocator the program has: they note
// large pieces and place them.
#include <dlfcn.h>
#include <malloc.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include "host/allocation/large_table.hpp"
#include "host/allocation/placer.hpp"
#include "memory/place/mapping_budget.hpp"

#define LARES_EXPORT extern "C" __attribute__((visibility("default")))

namespace lares::allocation {
namespace {

LargeTable g_large;

/// From so many bytes on a piece is noted. relaxed: a piece that is noted is taken out again by
/// what the table has.
std::atomic<std::size_t> g_least{memory::large_bytes};
bool is_large(std::size_t bytes) noexcept {
  return bytes >= g_least.load(std::memory_order_relaxed);
}

/// What the next library, or the C library, has under these names.
struct Next {
  void* (*malloc)(std::size_t);
  void* (*calloc)(std::size_t, std::size_t);
  void* (*realloc)(void*, std::size_t);
  void (*free)(void*);
  int (*posix_memalign)(void**, std::size_t, std::size_t);
  void* (*aligned_alloc)(std::size_t, std::size_t);
  void* (*memalign)(std::size_t, std::size_t);
  std::size_t (*malloc_usable_size)(void*);
};
Next g_next;                           // written before g_found is true
std::atomic<bool> g_found{false};      // any thread
std::atomic<bool> g_searching{false};  // the thread that took it looks up g_next

/// Memory for what dlsym itself allocates while g_next is looked up. Never given back.
alignas(16) std::array<unsigned char, 65536> g_first;
std::atomic<std::size_t> g_first_used{0};

void* first_memory(std::size_t bytes) noexcept {
  const std::size_t rounded = (bytes + 15) & ~std::size_t{15};
  const std::size_t at = g_first_used.fetch_add(rounded, std::memory_order_relaxed);
  return bytes <= g_first.size() && at <= g_first.size() - rounded ? g_first.data() + at : nullptr;
}

bool is_first_memory(const void* memory) noexcept {
  const auto* const byte = static_cast<const unsigned char*>(memory);
  return byte >= g_first.data() && byte < g_first.data() + g_first.size();
}

template <class Function>
void look_up(Function& function, const char* name) noexcept {
  function = reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

/// nullptr only while the lookup is under way.
const Next* next() noexcept {
  // acquire: with what is in g_next.
  if (g_found.load(std::memory_order_acquire)) return &g_next;
  if (g_searching.exchange(true, std::memory_order_acq_rel)) return nullptr;
  look_up(g_next.malloc, "malloc");
  look_up(g_next.calloc, "calloc");
  look_up(g_next.realloc, "realloc");
  look_up(g_next.free, "free");
  look_up(g_next.posix_memalign, "posix_memalign");
  look_up(g_next.aligned_alloc, "aligned_alloc");
  look_up(g_next.memalign, "memalign");
  look_up(g_next.malloc_usable_size, "malloc_usable_size");
  g_found.store(true, std::memory_order_release);
  return &g_next;
}

/// Notes a piece that lives from now on and places what is fresh of it: all but the first `old`
/// bytes, on which `mappings` were spent before.
void note(void* memory, std::size_t bytes, std::size_t old = 0, std::size_t mappings = 0) noexcept {
  const int program_errno = errno;
  if (is_large(bytes)) {
    if (bytes > old) mappings += place(static_cast<unsigned char*>(memory) + old, bytes - old);
    // What nobody can be told of when it is freed must not keep mappings.
    if (!g_large.add(memory, {bytes, mappings})) unplace(memory, bytes, mappings);
  } else {
    unplace(memory, bytes, mappings);
  }
  errno = program_errno;
}

void* noted(void* memory, std::size_t bytes) noexcept {
  if (memory != nullptr && is_large(bytes)) note(memory, bytes);
  return memory;
}

/// What was noted of a piece that lives no longer, or not like this.
std::optional<LargePiece> take_out(const Next& next, void* memory) noexcept {
  // Also, before there is any, the allocator may not be ready to be asked.
  if (g_large.is_empty()) return std::nullopt;
  // Its own note of a piece lies beside it: most are small, and the table, whose lines would come
  // from anywhere, is not asked.
  if (next.malloc_usable_size != nullptr && !is_large(next.malloc_usable_size(memory))) {
    return std::nullopt;
  }
  return g_large.remove(memory);
}

/// Before the memory is given back.
void forget(const Next& next, void* memory) noexcept {
  const std::optional<LargePiece> piece = take_out(next, memory);
  if (!piece || piece->mappings == 0) return;
  const int program_errno = errno;
  unplace(memory, piece->bytes, piece->mappings);
  errno = program_errno;
}

void* resize(const Next& next, void* memory, std::size_t bytes) noexcept {
  if (bytes == 0) {  // which is free() by another name
    forget(next, memory);
    return next.realloc(memory, bytes);
  }
  const std::optional<LargePiece> piece = take_out(next, memory);
  if (!piece && !is_large(bytes)) return next.realloc(memory, bytes);
  // What the piece holds is the program's, and may lie anywhere in what it was given.
  const std::size_t old =
      memory == nullptr || next.malloc_usable_size == nullptr ? 0 : next.malloc_usable_size(memory);
  const LargePiece before = piece.value_or(LargePiece{});
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  void* const moved = next.realloc(memory, bytes);
  if (moved == nullptr) {
    // The old piece lives on.
    if (piece) note(memory, before.bytes, before.bytes, before.mappings);
    return nullptr;
  }
  // A piece of several mappings is not moved by the kernel but copied to a fresh one.
  const bool stayed = reinterpret_cast<std::uintptr_t>(moved) == address;
  if (!stayed) memory::mapping_budget().give(before.mappings);
  note(moved, bytes, old, stayed ? before.mappings : 0);
  return moved;
}

/// Before main. Where memory is placed: fresh pages for every large piece, which glibc would else
/// reuse from its heap once the program has freed some. Where it is only watched it shall lie as
/// without Lares, which is also what glibc maps by itself.
__attribute__((constructor)) void on_load() {
  next();
  if (set_up_placement()) {
    mallopt(M_MMAP_THRESHOLD, static_cast<int>(memory::large_bytes));
  } else {
    g_least.store(memory::mapped_bytes, std::memory_order_relaxed);
  }
}

}  // namespace
}  // namespace lares::allocation

namespace allocation = lares::allocation;

LARES_EXPORT std::size_t lares_large_allocations(lares::memory::LargeArea* areas,
                                                 std::size_t room) {
  return allocation::g_large.list(areas, room);
}

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): the C library's names are its
// own
LARES_EXPORT void* malloc(std::size_t bytes) {
  const allocation::Next* const next = allocation::next();
  if (next == nullptr) return allocation::first_memory(bytes);
  return allocation::noted(next->malloc(bytes), bytes);
}

LARES_EXPORT void* calloc(std::size_t count, std::size_t size) {
  const allocation::Next* const next = allocation::next();
  std::size_t bytes = 0;
  const bool overflow = __builtin_mul_overflow(count, size, &bytes);
  if (next == nullptr) return overflow ? nullptr : allocation::first_memory(bytes);
  return allocation::noted(next->calloc(count, size), bytes);
}

LARES_EXPORT void* realloc(void* memory, std::size_t bytes) {
  const allocation::Next* const next = allocation::next();
  if (next == nullptr || allocation::is_first_memory(memory)) {
    void* const fresh = malloc(bytes);
    // What was there is at most what lies between it and the end of the first memory.
    if (fresh != nullptr && memory != nullptr) {
      const auto room =
          static_cast<std::size_t>(allocation::g_first.data() + allocation::g_first.size() -
                                   static_cast<unsigned char*>(memory));
      std::memcpy(fresh, memory, bytes < room ? bytes : room);
    }
    return fresh;
  }
  return allocation::resize(*next, memory, bytes);
}

LARES_EXPORT void free(void* memory) {
  if (memory == nullptr || allocation::is_first_memory(memory)) return;
  const allocation::Next* const next = allocation::next();
  if (next == nullptr) return;
  allocation::forget(*next, memory);
  next->free(memory);
}

LARES_EXPORT int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
  const allocation::Next* const next = allocation::next();
  if (next == nullptr) return ENOMEM;
  const int error = next->posix_memalign(memory, alignment, bytes);
  if (error == 0) allocation::noted(*memory, bytes);
  return error;
}

LARES_EXPORT void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  const allocation::Next* const next = allocation::next();
  return next == nullptr ? nullptr
                         : allocation::noted(next->aligned_alloc(alignment, bytes), bytes);
}

LARES_EXPORT void* memalign(std::size_t alignment, std::size_t bytes) {
  const allocation::Next* const next = allocation::next();
  return next == nullptr ? nullptr : allocation::noted(next->memalign(alignment, bytes), bytes);
}
// NOLINTEND

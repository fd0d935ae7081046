// Objects in memory of malloc, for what is preloaded: operator new could throw, and may be the
// program's. Freed by std::free.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>

namespace lares {

/// Without memory for its own records a program cannot be run correctly: it ends.
inline void* need_memory(std::size_t bytes) noexcept {
  void* const memory = std::malloc(bytes);
  if (memory == nullptr) std::abort();
  return memory;
}

template <class T, class... Arguments>
T* make_raw(Arguments&&... arguments) noexcept {
  return new (need_memory(sizeof(T))) T{std::forward<Arguments>(arguments)...};
}

}  // namespace lares

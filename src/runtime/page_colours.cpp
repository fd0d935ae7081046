#include "runtime/page_colours.hpp"

#include <atomic>
#include <cstdint>
#include <cstdlib>

#include "base/raw_memory.hpp"

namespace lares::runtime {

namespace {

constexpr std::size_t page_bytes = 4096;
constexpr std::size_t alignment = 128;
// An odd multiple: all places have their turn.
constexpr std::size_t between_colours = 3 * alignment;

}  // namespace

void* take_coloured(std::size_t bytes) noexcept {
  static std::atomic<std::size_t> taken{0};
  const std::size_t colour =
      taken.fetch_add(1, std::memory_order_relaxed) * between_colours % page_bytes;
  void* const block = need_memory(bytes + page_bytes + alignment);
  // The first place of that colour that leaves room for the block's own address before it.
  const auto least = reinterpret_cast<std::uintptr_t>(block) + sizeof(void*);
  const std::uintptr_t place = least + (colour - least) % page_bytes;
  auto* const memory = reinterpret_cast<void**>(place);
  memory[-1] = block;
  return memory;
}

void give_back_coloured(void* memory) noexcept {
  if (memory != nullptr) std::free(static_cast<void**>(memory)[-1]);
}

}  // namespace lares::runtime

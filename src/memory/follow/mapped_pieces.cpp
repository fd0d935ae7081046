#include "memory/follow/mapped_pieces.hpp"

#include <array>
#include <cstdint>

#include "memory/words.hpp"

namespace lares::memory {
namespace {

constexpr std::uintptr_t smallest_page = 4096;

/// What stands at the begin of each (glibc's malloc_chunk, unchanged since 2.0): bytes before the
/// piece that were mapped for its alignment, and all bytes of it, whose low bits are flags.
constexpr std::uintptr_t head_bytes = 2 * sizeof(std::uintptr_t);
constexpr std::uintptr_t flag_bits = 7;
constexpr std::uintptr_t mapped_flag = 2;

/// Bytes of the piece that begins there and ends by `end`; 0 if none does.
std::uintptr_t mapped_piece(const SystemCalls& calls, std::uintptr_t begin,
                            std::uintptr_t end) noexcept {
  const std::array addresses{begin, begin + sizeof(std::uintptr_t)};
  std::array<std::uintptr_t, 2> head{};
  if (!read_words(calls, addresses, head)) return 0;
  const std::uintptr_t bytes = head[1] & ~flag_bits;
  const bool is_mapped = head[0] == 0 && (head[1] & flag_bits) == mapped_flag;
  return is_mapped && bytes % smallest_page == 0 && bytes <= end - begin ? bytes : 0;
}

}  // namespace

std::size_t find_mapped_pieces(const SystemCalls& calls, const MapsSource& maps, std::size_t least,
                               std::span<LargeArea> areas) noexcept {
  std::size_t found = 0;
  for_each_mapping(maps, [&](const Mapping& mapping) {
    if (!mapping.data || mapping.executable || mapping.shared || !mapping.anonymous) return;
    for (std::uintptr_t at = mapping.begin; at < mapping.end && found < areas.size();) {
      const std::uintptr_t bytes = mapped_piece(calls, at, mapping.end);
      if (bytes == 0) return;
      if (bytes - head_bytes >= least) areas[found++] = {at + head_bytes, at + bytes};
      at += bytes;
    }
  });
  return found;
}

}  // namespace lares::memory

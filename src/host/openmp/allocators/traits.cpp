#include "host/openmp/allocators/traits.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>

namespace lares::omp {
namespace {

/// omp_alloctrait_key_t.
enum Key : int {
  sync_hint = 1,
  alignment,
  access,
  pool_size,
  fallback,
  fb_data,
  pinned,
  partition,
};

/// omp_alloctrait_value_t.
constexpr std::uintptr_t default_value = UINTPTR_MAX;
constexpr std::uintptr_t first_sync = 3;  // contended to private
constexpr std::uintptr_t last_sync = 6;
constexpr std::uintptr_t first_access = 7;  // all to cgroup
constexpr std::uintptr_t last_access = 10;
constexpr std::uintptr_t first_fallback = 11;  // in the order of Fallback
constexpr std::uintptr_t last_fallback = 14;
constexpr std::uintptr_t first_partition = 15;  // in the order of Partition
constexpr std::uintptr_t last_partition = 18;

constexpr bool within(std::uintptr_t value, std::uintptr_t first, std::uintptr_t last) noexcept {
  return value >= first && value <= last;
}

bool read_fallback(std::uintptr_t value, Traits& traits) noexcept {
  if (value == default_value) value = first_fallback;
  if (!within(value, first_fallback, last_fallback)) return false;
  traits.fallback = static_cast<Fallback>(value - first_fallback);
  return true;
}

bool read_partition(std::uintptr_t value, Traits& traits) noexcept {
  if (value == default_value) value = first_partition;
  if (!within(value, first_partition, last_partition)) return false;
  traits.partition = static_cast<Partition>(value - first_partition);
  return true;
}

bool read_trait(const AllocatorTrait& trait, Traits& traits) noexcept {
  const std::uintptr_t value = trait.value;
  const bool is_default = value == default_value;
  switch (trait.key) {
    case sync_hint:
      return is_default || within(value, first_sync, last_sync);
    case access:
      return is_default || within(value, first_access, last_access);
    case alignment:
      traits.alignment = is_default ? 1 : value;
      return std::has_single_bit(traits.alignment);
    case pool_size:
      traits.pool_size = value;  // the default is the largest number: no limit
      return true;
    case fallback:
      return read_fallback(value, traits);
    case fb_data:
      traits.fallback_allocator = is_default ? null_allocator : value;
      return true;
    case pinned:
      traits.pinned = value == 1;
      return is_default || value <= 1;
    case partition:
      return read_partition(value, traits);
    default:
      return false;
  }
}

// --- OMP_ALLOCATOR -------------------------------------------------------------------------------

struct Word {
  std::string_view text;
  std::uintptr_t value;
};

constexpr std::array<Word, 8> allocators{{{"omp_default_mem_alloc", 1},
                                          {"omp_large_cap_mem_alloc", 2},
                                          {"omp_const_mem_alloc", 3},
                                          {"omp_high_bw_mem_alloc", 4},
                                          {"omp_low_lat_mem_alloc", 5},
                                          {"omp_cgroup_mem_alloc", 6},
                                          {"omp_pteam_mem_alloc", 7},
                                          {"omp_thread_mem_alloc", 8}}};
constexpr std::array<Word, 5> spaces{{{"omp_default_mem_space", 0},
                                      {"omp_large_cap_mem_space", 1},
                                      {"omp_const_mem_space", 2},
                                      {"omp_high_bw_mem_space", 3},
                                      {"omp_low_lat_mem_space", 4}}};
constexpr std::array<Word, 8> keys{{{"sync_hint", sync_hint},
                                    {"alignment", alignment},
                                    {"access", access},
                                    {"pool_size", pool_size},
                                    {"fallback", fallback},
                                    {"fb_data", fb_data},
                                    {"pinned", pinned},
                                    {"partition", partition}}};
constexpr std::array<Word, 20> values{{{"default", default_value},
                                       {"false", 0},
                                       {"true", 1},
                                       {"contended", 3},
                                       {"uncontended", 4},
                                       {"serialized", 5},
                                       {"sequential", 5},
                                       {"private", 6},
                                       {"all", 7},
                                       {"thread", 8},
                                       {"pteam", 9},
                                       {"cgroup", 10},
                                       {"default_mem_fb", 11},
                                       {"null_fb", 12},
                                       {"abort_fb", 13},
                                       {"allocator_fb", 14},
                                       {"environment", 15},
                                       {"nearest", 16},
                                       {"blocked", 17},
                                       {"interleaved", 18}}};

constexpr char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same(std::string_view a, std::string_view b) noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

std::string_view trimmed(std::string_view text) noexcept {
  constexpr std::string_view blanks = " \t";
  const std::size_t first = std::min(text.find_first_not_of(blanks), text.size());
  text.remove_prefix(first);
  const std::size_t last = text.find_last_not_of(blanks);
  return last == std::string_view::npos ? text : text.substr(0, last + 1);
}

std::optional<std::uintptr_t> look_up(std::span<const Word> words, std::string_view text) noexcept {
  for (const Word& word : words) {
    if (same(word.text, text)) return word.value;
  }
  return std::nullopt;
}

std::optional<std::uintptr_t> value_of(int key, std::string_view text) noexcept {
  if (key == fb_data) return look_up(allocators, text);
  if (key != alignment && key != pool_size) return look_up(values, text);
  std::uintptr_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool read_assignment(std::string_view text, Traits& traits) noexcept {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return false;
  const auto key = look_up(keys, trimmed(text.substr(0, equals)));
  if (!key) return false;
  const auto value = value_of(static_cast<int>(*key), trimmed(text.substr(equals + 1)));
  return value && read_trait({static_cast<int>(*key), *value}, traits);
}

bool complete(const Traits& traits) noexcept {
  return traits.fallback != Fallback::allocator || traits.fallback_allocator != null_allocator;
}

}  // namespace

std::optional<Traits> read_traits(std::span<const AllocatorTrait> list) noexcept {
  Traits traits;
  for (const AllocatorTrait& trait : list) {
    if (!read_trait(trait, traits)) return std::nullopt;
  }
  if (!complete(traits)) return std::nullopt;
  return traits;
}

std::optional<EnvironmentAllocator> read_environment(std::string_view text) noexcept {
  EnvironmentAllocator result;
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string_view name = trimmed(text.substr(0, colon));
  if (colon == text.size()) {
    if (const auto handle = look_up(allocators, name)) {
      result.predefined = *handle;
      return result;
    }
  }
  const auto space = look_up(spaces, name);
  if (!space) return std::nullopt;
  result.space = *space;
  for (text.remove_prefix(std::min(colon + 1, text.size())); !text.empty();) {
    const std::size_t comma = std::min(text.find(','), text.size());
    if (!read_assignment(text.substr(0, comma), result.traits)) return std::nullopt;
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  if (!complete(result.traits)) return std::nullopt;
  return result;
}

}  // namespace lares::omp

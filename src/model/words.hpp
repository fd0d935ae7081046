// What a region does, in the words of descriptions and machine files.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace lares::model {

/// How memory is accessed: the kernel of `lares measure` that says how fast that is.
enum class Access : std::uint8_t { read, write, update, copy, triad };
inline constexpr std::array<std::string_view, 5> access_words = {"read", "write", "update", "copy",
                                                                 "triad"};

/// Which operations: the kind of `lares measure` that says how fast they are.
enum class Flops : std::uint8_t { fma, add, scalar_fma, scalar_add, chain };
inline constexpr std::array<std::string_view, 5> flops_words = {"fma", "add", "scalar-fma",
                                                                "scalar-add", "chain"};

/// What makes threads wait for each other.
enum class Construct : std::uint8_t {
  parallel,
  parallel_for,
  worksharing_for,
  barrier,
  reduction,
  single
};
inline constexpr std::array<std::string_view, 6> construct_words = {
    "parallel", "parallel-for", "for", "barrier", "reduction", "single"};

/// The value that `word` stands for in one of these lists.
template <class Kind, std::size_t count>
std::optional<Kind> find_word(const std::array<std::string_view, count>& words,
                              std::string_view word) {
  for (std::size_t i = 0; i < count; ++i) {
    if (words[i] == word) return static_cast<Kind>(i);
  }
  return std::nullopt;
}

constexpr std::string_view word_of(Access access) noexcept {
  return access_words[static_cast<std::size_t>(access)];
}
constexpr std::string_view word_of(Flops kind) noexcept {
  return flops_words[static_cast<std::size_t>(kind)];
}
constexpr std::string_view word_of(Construct construct) noexcept {
  return construct_words[static_cast<std::size_t>(construct)];
}

}  // namespace lares::model

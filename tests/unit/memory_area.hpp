// A mapping with contents that can be checked, for tests that move pages under it.
#pragma once

#include <sys/mman.h>

#include <cstdint>
#include <cstring>

#include "base/ids.hpp"

namespace lares::memory {

/// `pages` pages, each with words that depend on the seed and the place. Unmapped at the end.
class TestArea {
 public:
  explicit TestArea(std::size_t pages, std::uint64_t seed = 1)
      : bytes_(pages * 4096),
        memory_(static_cast<char*>(
            mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    madvise(memory_, bytes_, MADV_NOHUGEPAGE);
    fill(seed);
  }
  ~TestArea() {
    if (memory_ != nullptr && whole_) munmap(memory_, bytes_);
  }
  TestArea(const TestArea&) = delete;
  TestArea& operator=(const TestArea&) = delete;
  /// Parts of it will be moved away or unmapped: what others may have there at the end is not ours.
  void will_have_holes() noexcept { whole_ = false; }

  void fill(std::uint64_t seed) {
    for (std::size_t i = 0; i < words(); ++i) data()[i] = value(seed, i);
  }
  static std::uint64_t value(std::uint64_t seed, std::size_t i) {
    return (i + seed) * 0x9E3779B97F4A7C15ULL;
  }
  [[nodiscard]] std::uint64_t* data() const { return reinterpret_cast<std::uint64_t*>(memory_); }
  [[nodiscard]] char* bytes() const { return memory_; }
  [[nodiscard]] std::size_t words() const { return bytes_ / sizeof(std::uint64_t); }
  [[nodiscard]] std::uintptr_t address() const { return reinterpret_cast<std::uintptr_t>(memory_); }
  [[nodiscard]] Bytes length() const { return {bytes_}; }
  /// The first word from `first` on that is not as fill() left it, or `last`.
  [[nodiscard]] std::size_t wrong(std::uint64_t seed, std::size_t first, std::size_t last) const {
    for (std::size_t i = first; i < last; ++i) {
      if (data()[i] != value(seed, i)) return i;
    }
    return last;
  }
  [[nodiscard]] bool intact(std::uint64_t seed = 1) const {
    return wrong(seed, 0, words()) == words();
  }
  /// The program has unmapped or moved it itself.
  void release() { memory_ = nullptr; }

 private:
  bool whole_ = true;
  std::size_t bytes_;
  char* memory_;
};

inline constexpr std::size_t words_per_page = 4096 / sizeof(std::uint64_t);

}  // namespace lares::memory

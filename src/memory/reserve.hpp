// Zeroed memory straight from the kernel: no allocator of the program's is called, and a page costs
// nothing until it is used.
#pragma once

#include <cstddef>

namespace lares::memory {

/// Owns one anonymous mapping. Thread safety: a plain value; what lies inside is the owner's
/// matter.
class Reserve {
 public:
  Reserve() noexcept = default;
  /// Maps `bytes` zero bytes; data() is null if the kernel refuses.
  explicit Reserve(std::size_t bytes) noexcept;
  ~Reserve();
  Reserve(const Reserve&) = delete;
  Reserve& operator=(const Reserve&) = delete;

  [[nodiscard]] void* data() const noexcept { return data_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace lares::memory

// Zeroed memory straight from the kernel: no allocator of the program's is called, and a page costs
// nothing until it is used.
#pragma once

#include <atomic>
#include <cstddef>

namespace lares::memory {

/// Owns one anonymous mapping. Thread safety: populate() from any thread; else a plain value, and
/// what lies inside is the owner's matter.
class Reserve {
 public:
  Reserve() noexcept = default;
  /// Maps `bytes` zero bytes; data() is null if the kernel refuses.
  explicit Reserve(std::size_t bytes) noexcept;
  ~Reserve();
  Reserve(const Reserve&) = delete;
  Reserve& operator=(const Reserve&) = delete;

  [[nodiscard]] void* data() const noexcept { return data_; }

  /// Gives up to 4 MiB of it their pages, once; later calls cost a load. For tables that are read
  /// here and there before they are written: a page that was read first is a shared page of zeros,
  /// and its first write interrupts every core that runs the process. Kernels before 5.14 leave it
  /// at that.
  void populate() noexcept {
    // relaxed: nothing is published; the kernel orders what it does to the pages.
    if (!populated_.load(std::memory_order_relaxed)) populate_once();
  }

 private:
  void populate_once() noexcept;

  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  std::atomic<bool> populated_{false};  ///< any thread
};

}  // namespace lares::memory

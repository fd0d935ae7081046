// The system calls by which memory is placed and moved, replaceable so that tests can play every
// refusal of every kernel.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/ids.hpp"

namespace lares::memory {

/// MADV_POPULATE_WRITE, which the C library's headers have only since Linux 5.14.
inline constexpr int populate_write = 23;

/// Each gives 0 or more on success and -errno on failure, and leaves the program's errno alone.
/// All are safe in a signal handler.
struct SystemCalls {
  long (*map)(std::size_t bytes) noexcept;  ///< fresh private memory: its address
  /// The same, at `wish` if nothing is there.
  long (*map_at)(std::uintptr_t wish, std::size_t bytes) noexcept;
  long (*unmap)(void* address, std::size_t bytes) noexcept;
  long (*remap)(void* from, std::size_t old_bytes, std::size_t new_bytes, int flags,
                void* to) noexcept;
  long (*protect)(void* address, std::size_t bytes, int protection) noexcept;
  long (*advise)(void* address, std::size_t bytes, int advice) noexcept;
  long (*unlock)(void* address, std::size_t bytes) noexcept;  ///< munlock
  /// The policy of a range (mbind), of the calling thread (set_mempolicy), and what that one is.
  long (*bind)(void* address, std::size_t bytes, int mode, const unsigned long* nodes) noexcept;
  long (*prefer)(int mode, const unsigned long* nodes) noexcept;
  long (*preference)(int* mode, unsigned long* nodes) noexcept;
  /// The mode of the policy that the memory at `address` has for itself; MPOL_DEFAULT for none.
  long (*policy_at)(void* address, int* mode) noexcept;
  /// move_pages; without `nodes` it asks where the pages are.
  long (*move)(std::size_t count, void** pages, const int* nodes, int* status) noexcept;
  long (*userfault)(int flags) noexcept;  ///< a descriptor
  long (*control)(int descriptor, unsigned long request, void* argument) noexcept;
  /// A byte a page: bit 0 says that it is there, in memory or swapped out; bit 1, that this is
  /// sure. Else it is not known of what is swapped out, and a file's page is there if any process
  /// has it.
  long (*resident)(void* address, std::size_t bytes, unsigned char* pages) noexcept;
  /// A byte a page: bit 0 says that it is in memory (mincore). Quicker where many are asked for.
  long (*present)(void* address, std::size_t bytes, unsigned char* pages) noexcept;
  long (*here)(unsigned* cpu, unsigned* node) noexcept;  ///< where the calling thread runs
  /// Gives the calling thread a table of descriptors of its own with these in it, under the same
  /// numbers (close_range with CLOSE_RANGE_UNSHARE, Linux 5.9). They are sorted, and at least one.
  long (*keep_only)(const int* files, std::size_t count) noexcept;
  /// The words at addresses of this process where nothing may be (process_vm_readv): the bytes that
  /// were read before the first that cannot be. At most `most_words_read`.
  long (*read_words)(const std::uintptr_t* addresses, std::size_t count,
                     std::uintptr_t* words) noexcept;
};
inline constexpr std::size_t most_words_read = 64;

/// Those of the kernel that this process runs on.
const SystemCalls& real_calls() noexcept;

/// A set of nodes as the kernel takes it.
inline constexpr std::size_t max_nodes = 1024;
class NodeMask {
 public:
  NodeMask() = default;
  explicit NodeMask(OsNode node) noexcept { add(node); }
  /// Nodes from max_nodes on are ignored.
  void add(OsNode node) noexcept {
    if (node.valid() && node.index() < max_nodes) {
      words_[node.index() / word_bits] |= 1UL << node.index() % word_bits;
    }
  }
  [[nodiscard]] const unsigned long* words() const noexcept { return words_.data(); }
  [[nodiscard]] unsigned long* words() noexcept { return words_.data(); }

 private:
  static constexpr std::size_t word_bits = 8 * sizeof(unsigned long);
  std::array<unsigned long, max_nodes / word_bits> words_{};
};

}  // namespace lares::memory

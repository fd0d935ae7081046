// Memory with a home for C++20: an owning block, an allocator and a std::pmr resource. A thin layer
// over lares/memory.h, whose comments hold here, too.
#ifndef LARES_MEMORY_HPP
#define LARES_MEMORY_HPP

#include <lares/memory.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <memory_resource>
#include <new>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace lares {

/// How memory is dealt out to domains; owns its lists. A plain value.
class Placement {
 public:
  /// Whoever touches a page first has it.
  Placement() = default;

  static Placement on(int domain) { return Placement(LARES_ON_DOMAIN, {domain}); }
  /// A page each in turn; no domains: all. With weights, one per domain.
  static Placement interleaved(std::vector<int> domains = {},
                               std::vector<std::uint32_t> weights = {}) {
    return Placement(LARES_INTERLEAVED, std::move(domains), 0, std::move(weights));
  }
  static Placement cyclic(std::size_t block, std::vector<int> domains = {},
                          std::vector<std::uint32_t> weights = {}) {
    return Placement(LARES_CYCLIC, std::move(domains), block, std::move(weights));
  }
  static Placement random(std::size_t block, std::uint64_t seed = 0,
                          std::vector<int> domains = {}) {
    Placement result(LARES_RANDOM, std::move(domains), block);
    result.plain_.seed = seed;
    return result;
  }
  /// One piece each, cut between rows of so many bytes; see lares_blocked_rows().
  static Placement blocked(std::size_t row = 1, std::vector<int> domains = {}) {
    Placement result(LARES_BLOCKED, std::move(domains));
    result.plain_.row = row;
    return result;
  }

  /// For the C functions; valid as long as this object.
  [[nodiscard]] lares_distribution plain() const noexcept {
    lares_distribution result = plain_;
    result.domains = domains_.data();
    result.domain_count = domains_.size();
    result.weights = weights_.empty() ? nullptr : weights_.data();
    return result;
  }
  friend bool operator==(const Placement& a, const Placement& b) noexcept {
    return a.plain_.kind == b.plain_.kind && a.plain_.block == b.plain_.block &&
           a.plain_.row == b.plain_.row && a.plain_.seed == b.plain_.seed &&
           a.domains_ == b.domains_ && a.weights_ == b.weights_;
  }

 private:
  Placement(lares_distribution_kind kind, std::vector<int> domains, std::size_t block = 0,
            std::vector<std::uint32_t> weights = {})
      : domains_(std::move(domains)), weights_(std::move(weights)) {
    plain_.kind = kind;
    plain_.block = block;
  }

  lares_distribution plain_{};
  std::vector<int> domains_;
  std::vector<std::uint32_t> weights_;
};

/// Memory by a placement. Throws std::bad_alloc, or std::invalid_argument with Lares's sentence.
inline void* allocate(std::size_t bytes, const Placement& placement, unsigned flags = 0) {
  const lares_distribution how = placement.plain();
  void* const memory = lares_alloc(bytes, &how, flags);
  if (memory != nullptr) return memory;
  if (errno == EINVAL) throw std::invalid_argument(lares_memory_error());
  throw std::bad_alloc();
}

/// Owns one block of memory. Moves, does not copy.
template <class T>
  requires std::is_trivially_destructible_v<T> && std::is_trivially_default_constructible_v<T>
class Block {
 public:
  Block() = default;
  /// `count` zeroed elements.
  explicit Block(std::size_t count, const Placement& placement = {}, unsigned flags = 0)
      : data_(static_cast<T*>(lares::allocate(checked(count), placement, flags))), count_(count) {}
  ~Block() { lares_free(data_); }
  Block(Block&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  Block& operator=(Block&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    return *this;
  }

  [[nodiscard]] std::span<T> span() const noexcept { return {data_, count_}; }
  [[nodiscard]] T* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  [[nodiscard]] T& operator[](std::size_t i) const noexcept { return data_[i]; }
  [[nodiscard]] T* begin() const noexcept { return data_; }
  [[nodiscard]] T* end() const noexcept { return data_ + count_; }

 private:
  static std::size_t checked(std::size_t count) {
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_alloc();
    return count * sizeof(T);
  }
  T* data_ = nullptr;
  std::size_t count_ = 0;
};

/// One copy of read-only data in each memory for as long as it lives (lares_replicate). Neither
/// moves nor copies. Thread safety: local() from any thread.
template <class T>
  requires std::is_trivially_copyable_v<T>
class Replicas {
 public:
  /// The data must outlive it, and nobody may write to it but for refresh(). Throws
  /// std::invalid_argument with a sentence, for instance if a part of it has copies already.
  explicit Replicas(std::span<const T> data) : data_(data) {
    made_ = lares_replicate(data.data(), data.size_bytes());
    if (made_ < 0) throw std::invalid_argument(lares_memory_error());
  }
  ~Replicas() { lares_unreplicate(data_.data()); }
  Replicas(const Replicas&) = delete;
  Replicas& operator=(const Replicas&) = delete;

  /// What the calling thread reads nearest. Ask once for many accesses.
  [[nodiscard]] std::span<const T> local() const noexcept {
    return {static_cast<const T*>(lares_local(data_.data())), data_.size()};
  }
  /// The data has changed: so do the copies. Who reads meanwhile may see old and new.
  void refresh() noexcept { lares_refresh(data_.data(), data_.size_bytes()); }
  /// Copies beside the data itself; 0 where all domains share one memory.
  [[nodiscard]] int count() const noexcept { return made_; }

 private:
  std::span<const T> data_;
  int made_ = 0;
};

/// For std::pmr containers. Each allocation takes whole pages: put a pool or a monotonic resource
/// in front for small objects.
class MemoryResource final : public std::pmr::memory_resource {
 public:
  explicit MemoryResource(Placement placement = {}, unsigned flags = 0)
      : placement_(std::move(placement)), flags_(flags) {}

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    constexpr std::size_t least_page = 4096;
    if (alignment > least_page) throw std::bad_alloc();
    return lares::allocate(bytes == 0 ? 1 : bytes, placement_, flags_);
  }
  void do_deallocate(void* memory, std::size_t, std::size_t) override { lares_free(memory); }
  [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    // Whatever one of them has allocated, any other can free.
    return dynamic_cast<const MemoryResource*>(&other) != nullptr;
  }

  Placement placement_;
  unsigned flags_;
};

/// For standard containers: std::vector<double, lares::Allocator<double>> v(n,
/// lares::Placement::on(1)). Each allocation takes whole pages.
template <class T>
class Allocator {
 public:
  using value_type = T;
  using propagate_on_container_move_assignment = std::true_type;
  using is_always_equal = std::true_type;  // whatever one has allocated, any other can free

  Allocator() noexcept = default;
  Allocator(Placement placement)
      : placement_(std::make_shared<const Placement>(std::move(placement))) {}
  // Containers copy allocators where nothing may be thrown, so copies share the placement.
  template <class U>
  Allocator(const Allocator<U>& other) noexcept : placement_(other.shared_placement()) {}

  [[nodiscard]] T* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(T))
      throw std::bad_array_new_length();
    return static_cast<T*>(lares::allocate(count == 0 ? 1 : count * sizeof(T), placement()));
  }
  void deallocate(T* memory, std::size_t) noexcept { lares_free(memory); }
  [[nodiscard]] const Placement& placement() const noexcept {
    static const Placement first_touch;
    return placement_ == nullptr ? first_touch : *placement_;
  }
  [[nodiscard]] const std::shared_ptr<const Placement>& shared_placement() const noexcept {
    return placement_;
  }
  friend bool operator==(const Allocator&, const Allocator&) noexcept { return true; }

 private:
  std::shared_ptr<const Placement> placement_;  // null: first touch
};

}  // namespace lares

#endif  // LARES_MEMORY_HPP

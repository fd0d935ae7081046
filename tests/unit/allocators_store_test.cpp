// The store of OpenMP's allocators, with a kernel that writes down where memory was to go.
#include <gtest/gtest.h>
#include <linux/mempolicy.h>
#include <sys/mman.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "host/openmp/allocators/store.hpp"
#include "memory/place/mapping_budget.hpp"

namespace lares::omp {
namespace {

constexpr std::uint64_t page = 4096;

/// What the store asked for. One for all tests of a process, as the calls are plain functions.
struct Seen {
  struct Bound {
    int mode = 0;
    unsigned long nodes = 0;
    std::uint64_t pages = 0;
  };
  std::mutex lock;
  std::vector<Bound> bound;
  std::map<std::uintptr_t, DomainId> homes;
  std::uint64_t forgotten = 0;
  std::uint64_t mapped = 0;
  std::uint64_t unmapped = 0;
  std::uint64_t pinned = 0;
  int bind_error = 0;
  int pin_error = 0;
  int map_error = 0;
  std::size_t given_up = 0;
  std::vector<DomainId> team;
  std::atomic<int> domain{0};
};
Seen* seen = nullptr;

long map(std::size_t bytes) noexcept {
  if (seen->map_error != 0) return -seen->map_error;
  const std::lock_guard lock(seen->lock);
  seen->mapped += bytes;
  return memory::real_calls().map(bytes);
}
long unmap(void* address, std::size_t bytes) noexcept {
  const std::lock_guard lock(seen->lock);
  seen->unmapped += bytes;
  return memory::real_calls().unmap(address, bytes);
}
long bind(void*, std::size_t bytes, int mode, const unsigned long* nodes) noexcept {
  if (seen->bind_error != 0) return -seen->bind_error;
  const std::lock_guard lock(seen->lock);
  seen->bound.push_back({mode, nodes[0], (bytes + page - 1) / page});
  return 0;
}
long pin(void*, std::size_t bytes) noexcept {
  if (seen->pin_error != 0) return -seen->pin_error;
  const std::lock_guard lock(seen->lock);
  seen->pinned += bytes;
  return 0;
}

machine::Machine four_nodes(const char* last_kind) {
  machine::Machine machine;
  for (std::size_t d = 0; d < 4; ++d) {
    machine::Domain domain;
    domain.node = OsNode{d};
    domain.memory = {std::uint64_t{1} << 30U};
    if (d < 3) domain.cores.emplace_back(d);
    machine.domains.push_back(domain);
    machine::MemoryNode memory;
    memory.node = OsNode{d};
    memory.total = domain.memory;
    memory.kind = d < 3 ? "DRAM" : last_kind;
    memory.domain = DomainId{d};
    machine.memory.push_back(memory);
  }
  machine.distances.size = 4;
  for (int i = 0; i < 16; ++i) machine.distances.values.push_back(i % 5 == 0 ? 10 : 20);
  return machine;
}

class StoreTest : public testing::Test {
 protected:
  StoreTest() : calls_(memory::real_calls()), machine_(four_nodes("HBM")) {
    seen = &seen_;
    calls_.map = &map;
    calls_.unmap = &unmap;
    calls_.bind = &bind;
    Surroundings around;
    around.calls = &calls_;
    around.pin = &pin;
    around.here = []() noexcept { return DomainId{seen->domain.load()}; };
    around.team = [](std::vector<DomainId>& team) noexcept { team = seen->team; };
    around.give_home = [](std::uintptr_t address, std::size_t, DomainId home) noexcept {
      const std::lock_guard lock(seen->lock);
      seen->homes[address] = home;
    };
    around.forget_home = [](std::uintptr_t, std::size_t) noexcept {
      const std::lock_guard lock(seen->lock);
      ++seen->forgotten;
    };
    around.give_up = [](std::size_t bytes) noexcept { seen->given_up = bytes; };
    store_ = std::make_unique<Store>(machine_, around);
  }

  Handle make(std::vector<AllocatorTrait> traits, MemorySpace space = default_mem_space) {
    made_.push_back(store_->make(space, traits));
    return made_.back();
  }
  void destroy(Handle handle) {
    std::erase(made_, handle);
    store_->destroy(handle);
  }
  ~StoreTest() override {
    for (const Handle handle : made_) store_->destroy(handle);
  }

  Seen seen_;
  memory::SystemCalls calls_;
  machine::Machine machine_;
  std::unique_ptr<Store> store_;
  std::vector<Handle> made_;  ///< and not destroyed
};

/// A page with nothing before it, as a runtime gives memory of a device.
class LonePage {
 public:
  LonePage()
      : pages_(static_cast<char*>(
            mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    mprotect(pages_, page, PROT_NONE);
  }
  ~LonePage() { munmap(pages_, 2 * page); }
  LonePage(const LonePage&) = delete;
  LonePage& operator=(const LonePage&) = delete;
  [[nodiscard]] void* memory() const { return pages_ + page; }

 private:
  char* pages_;
};

TEST_F(StoreTest, ReadsNothingBeforeMemoryOfOthers) {
  const LonePage lone;
  // As libomp numbers its memory of devices; and an allocator that a runtime has made.
  alignas(64) const std::array<std::uint64_t, 16> of_a_runtime{1, 2, 3};
  for (const Handle handle : {Handle{100}, reinterpret_cast<Handle>(of_a_runtime.data())}) {
    EXPECT_FALSE(store_->free(lone.memory(), handle));
    EXPECT_FALSE(Store::owns(lone.memory(), handle));
  }
}

TEST_F(StoreTest, MemoryOfADestroyedAllocatorCanStillBeFreed) {
  const Handle handle = make({});
  void* const memory = store_->allocate(handle, {100, 1, false});
  destroy(handle);
  EXPECT_FALSE(Store::knows(handle));
  EXPECT_TRUE(store_->free(memory, handle));
}

TEST_F(StoreTest, PartsComeBackToTheBudgetOfMappings) {
  const Handle handle = make({{8, 17}});
  seen_.team = {DomainId{0}, DomainId{1}, DomainId{2}};
  const std::size_t before = memory::mapping_budget().left();
  void* const memory = store_->allocate(handle, {64 * page, 1, false});
  EXPECT_EQ(memory::mapping_budget().left(), before - 3);
  EXPECT_TRUE(store_->free(memory, handle));
  EXPECT_EQ(memory::mapping_budget().left(), before);
}

TEST_F(StoreTest, PlainMemoryIsTheHeaps) {
  for (Handle handle = 1; handle <= last_predefined; ++handle) {
    if (handle == high_bw_mem_alloc) continue;  // this machine has such memory
    auto* const memory = static_cast<char*>(store_->allocate(handle, {100, 1, true}));
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 16, 0U);
    EXPECT_EQ(memory[99], 0);
    std::memset(memory, 1, 100);
    EXPECT_TRUE(store_->free(memory));
  }
  EXPECT_EQ(seen_.mapped, 0U);
}

TEST_F(StoreTest, NothingAndWrongAlignmentsAreNull) {
  EXPECT_EQ(store_->allocate(default_mem_alloc, {0, 1, false}), nullptr);
  EXPECT_EQ(store_->allocate(default_mem_alloc, {8, 3, false}), nullptr);
  EXPECT_EQ(store_->allocate(default_mem_alloc, {8, 0, false}), nullptr);
  EXPECT_EQ(store_->allocate(default_mem_alloc, {SIZE_MAX, 1, false}), nullptr);
  EXPECT_EQ(store_->allocate(default_mem_alloc, {SIZE_MAX - 40, 64, false}), nullptr);
}

TEST_F(StoreTest, AlignmentIsTheGreatestOfAll) {
  const Handle handle = make({{2, 256}});
  void* const memory = store_->allocate(handle, {10, 64, false});
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 256, 0U);
  store_->free(memory);
  for (const std::uintptr_t partition : {15U, 16U, 17U, 18U}) {
    for (const std::size_t bytes : {1U, 5000U, 100000U}) {
      const Handle placed = make({{8, partition}});
      void* const there = store_->allocate(placed, {bytes, 65536, false});
      ASSERT_NE(there, nullptr);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(there) % 65536, 0U);
      std::memset(there, 7, bytes);
      EXPECT_TRUE(store_->free(there));
      destroy(placed);
    }
  }
  destroy(handle);
}

TEST_F(StoreTest, NearestIsTheCallersNode) {
  const Handle handle = make({{8, 16}});
  seen_.domain = 2;
  void* const large = store_->allocate(handle, {1U << 20U, 1, false});
  void* const small = store_->allocate(handle, {40, 1, false});
  ASSERT_EQ(seen_.bound.size(), 2U);
  for (const auto& bound : seen_.bound) {
    EXPECT_EQ(bound.mode, MPOL_PREFERRED);
    EXPECT_EQ(bound.nodes, 4U);
  }
  for (const auto& [address, home] : seen_.homes) EXPECT_EQ(home, DomainId{2});
  EXPECT_EQ(seen_.homes.size(), 2U);
  EXPECT_TRUE(store_->free(large));
  EXPECT_EQ(seen_.forgotten, 1U);
  EXPECT_TRUE(store_->free(small));
  // Small blocks are used again.
  EXPECT_EQ(store_->allocate(handle, {40, 1, false}), small);
}

TEST_F(StoreTest, InterleavedIsAllNodesWithCoresOrTheTeams) {
  const Handle handle = make({{8, 18}});
  void* const memory = store_->allocate(handle, {1U << 20U, 1, false});
  ASSERT_EQ(seen_.bound.size(), 1U);
  EXPECT_EQ(seen_.bound[0].mode, MPOL_INTERLEAVE);
  EXPECT_EQ(seen_.bound[0].nodes, 7U);
  store_->free(memory);
  seen_.team = {DomainId{0}, DomainId{2}, DomainId{2}};
  store_->free(store_->allocate(handle, {1U << 20U, 1, false}));
  EXPECT_EQ(seen_.bound[1].nodes, 5U);
}

TEST_F(StoreTest, SmallInterleavedPiecesTakeTurns) {
  const Handle handle = make({{8, 18}});
  std::vector<void*> pieces;
  for (int i = 0; i < 6; ++i) pieces.push_back(store_->allocate(handle, {64, 1, false}));
  // One chunk for each of three nodes.
  ASSERT_EQ(seen_.bound.size(), 3U);
  EXPECT_EQ(seen_.bound[0].nodes | seen_.bound[1].nodes | seen_.bound[2].nodes, 7U);
  for (void* piece : pieces) store_->free(piece);
}

TEST_F(StoreTest, BlockedIsEqualPieces) {
  const Handle handle = make({{8, 17}});
  void* const memory = store_->allocate(handle, {30 * page - 64, 1, false});
  ASSERT_EQ(seen_.bound.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(seen_.bound[i].nodes, 1UL << i);
    EXPECT_EQ(seen_.bound[i].pages, 10U);
  }
  EXPECT_EQ(seen_.homes.size(), 3U);
  store_->free(memory);
  EXPECT_EQ(seen_.mapped, seen_.unmapped);
}

TEST_F(StoreTest, ARefusedPlaceIsOnlyAPlaceLost) {
  seen_.bind_error = EPERM;
  for (const std::uintptr_t partition : {16U, 17U, 18U}) {
    const Handle handle = make({{8, partition}});
    for (const std::size_t bytes : {100U, 100000U}) {
      void* const memory = store_->allocate(handle, {bytes, 1, true});
      ASSERT_NE(memory, nullptr);
      EXPECT_TRUE(store_->free(memory));
    }
  }
  EXPECT_TRUE(seen_.homes.empty());
}

TEST_F(StoreTest, HighBandwidthMemoryIsItsNode) {
  void* const memory = store_->allocate(high_bw_mem_alloc, {500000, 1, false});
  ASSERT_EQ(seen_.bound.size(), 1U);
  EXPECT_EQ(seen_.bound[0].nodes, 8U);
  store_->free(memory);
  const Handle handle = make({{8, 18}}, high_bw_mem_space);
  store_->free(store_->allocate(handle, {500000, 1, false}));
  EXPECT_EQ(seen_.bound[1].nodes, 8U);
  EXPECT_EQ(make({}, 5), null_allocator);
}

TEST_F(StoreTest, PinnedIsPinnedOrFallsBack) {
  const Handle handle = make({{7, 1}, {5, 12}});
  void* const memory = store_->allocate(handle, {100, 1, false});
  ASSERT_NE(memory, nullptr);
  EXPECT_EQ(seen_.pinned, page);
  store_->free(memory);
  seen_.pin_error = ENOMEM;
  EXPECT_EQ(store_->allocate(handle, {100, 1, false}), nullptr);
  EXPECT_EQ(seen_.mapped, seen_.unmapped);
  const Handle kinder = make({{7, 1}});
  void* const plain = store_->allocate(kinder, {100, 1, false});
  ASSERT_NE(plain, nullptr);
  EXPECT_EQ(header_of(plain).allocator, default_mem_alloc);
  store_->free(plain);
}

TEST_F(StoreTest, FallbacksAreAChain) {
  const Handle last = make({{4, 300}, {5, 12}});
  const Handle second = make({{4, 200}, {5, 14}, {6, last}});
  const Handle first = make({{4, 100}, {5, 14}, {6, second}});
  void* const a = store_->allocate(first, {80, 1, false});
  void* const b = store_->allocate(first, {80, 1, false});
  void* const c = store_->allocate(first, {250, 1, false});
  EXPECT_EQ(header_of(a).allocator, first);
  EXPECT_EQ(header_of(b).allocator, second);
  EXPECT_EQ(header_of(c).allocator, last);
  EXPECT_EQ(store_->allocate(first, {250, 1, false}), nullptr);
  store_->free(c);
  void* const d = store_->allocate(first, {250, 1, false});
  EXPECT_EQ(header_of(d).allocator, last);
  const Handle abort = make({{4, 100}, {5, 13}});
  EXPECT_EQ(store_->allocate(abort, {101, 1, false}), nullptr);
  EXPECT_EQ(seen_.given_up, 101U);
  for (void* memory : {a, b, d}) store_->free(memory);
}

TEST_F(StoreTest, ADestroyedAllocatorsMemoryCanBeFreed) {
  const Handle handle = make({{4, 1000}});
  void* const memory = store_->allocate(handle, {1000, 1, false});
  destroy(handle);
  EXPECT_TRUE(store_->free(memory));
  const Handle unlimited = make({{8, 16}});
  void* const other = store_->allocate(unlimited, {1000, 1, false});
  destroy(unlimited);
  EXPECT_TRUE(store_->free(other));
}

TEST_F(StoreTest, MemoryOfOthersIsNotTaken) {
  alignas(64) char stock[128] = {};
  EXPECT_FALSE(store_->free(stock + 64));
  EXPECT_FALSE(Store::knows(null_allocator));
  EXPECT_FALSE(Store::knows(100));
  EXPECT_FALSE(Store::knows(reinterpret_cast<Handle>(stock)));
}

TEST_F(StoreTest, ResizingKeepsContentsPoolsAndAllocators) {
  const std::vector<Handle> handles = {default_mem_alloc, make({{8, 16}}), make({{8, 18}}),
                                       make({{2, 128}}), make({{4, 200000}, {5, 12}})};
  for (const Handle from : handles) {
    for (const Handle to : handles) {
      auto* memory = static_cast<unsigned char*>(store_->allocate(from, {1000, 1, false}));
      for (unsigned i = 0; i < 1000; ++i) memory[i] = static_cast<unsigned char>(i * 7);
      std::size_t kept = 1000;
      for (const std::size_t bytes : {5000U, 150000U, 300U}) {
        memory = static_cast<unsigned char*>(store_->resize(memory, bytes, to));
        ASSERT_NE(memory, nullptr);
        EXPECT_EQ(header_of(memory).allocator, to);
        kept = std::min(kept, bytes);
        for (unsigned i = 0; i < kept; ++i) {
          ASSERT_EQ(memory[i], static_cast<unsigned char>(i * 7));
        }
        kept = std::min<std::size_t>(1000, bytes);
      }
      auto* const same = static_cast<unsigned char*>(store_->resize(memory, 400, null_allocator));
      EXPECT_EQ(header_of(same).allocator, to);
      EXPECT_TRUE(store_->free(same));
    }
  }
  // Nothing was lost of the pool; what does not fit leaves the old piece as it is.
  void* const whole = store_->allocate(handles[4], {200000, 1, false});
  ASSERT_NE(whole, nullptr);
  EXPECT_EQ(store_->resize(whole, 200001, null_allocator), nullptr);
  EXPECT_TRUE(store_->free(whole));
}

TEST_F(StoreTest, AKernelWithoutMemoryMeansTheFallback) {
  seen_.map_error = ENOMEM;
  const Handle kind = make({{8, 16}});
  const Handle hard = make({{8, 16}, {5, 12}});
  for (const std::size_t bytes : {100U, 100000U}) {
    void* const memory = store_->allocate(kind, {bytes, 1, false});
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(header_of(memory).allocator, default_mem_alloc);
    store_->free(memory);
    EXPECT_EQ(store_->allocate(hard, {bytes, 1, false}), nullptr);
  }
}

TEST_F(StoreTest, ManyThreadsShareAllocatorsAndFreeEachOthersMemory) {
  const std::vector<Handle> handles = {default_mem_alloc,
                                       make({{8, 16}}),
                                       make({{8, 18}}),
                                       make({{8, 17}}),
                                       make({{4, 50000}, {5, 12}}),
                                       make({{2, 512}, {8, 16}, {4, 100000}})};
  constexpr std::size_t threads = 4;
  constexpr std::size_t slots = 64;
  std::vector<std::atomic<unsigned char*>> shared(slots);
  std::vector<std::thread> workers;
  std::atomic<bool> broken{false};
  const auto drop = [&](unsigned char* memory) {
    if (memory == nullptr) return;
    const std::size_t bytes = header_of(memory).bytes;
    if (memory[0] != memory[bytes - 1]) broken = true;
    if (!store_->free(memory)) broken = true;
  };
  for (std::size_t t = 0; t < threads; ++t) {
    workers.emplace_back([&, t] {
      std::minstd_rand random(static_cast<unsigned>(t + 1));
      for (int i = 0; i < 4000; ++i) {
        seen->domain = static_cast<int>(random() % 3);
        const Handle handle = handles[random() % handles.size()];
        const std::size_t bytes = 1 + (random() % 16 == 0 ? random() % 70000 : random() % 2000);
        auto* memory = static_cast<unsigned char*>(store_->allocate(handle, {bytes, 1, false}));
        if (memory != nullptr) memory[0] = memory[bytes - 1] = static_cast<unsigned char>(random());
        drop(shared[random() % slots].exchange(memory));
      }
    });
  }
  for (auto& worker : workers) worker.join();
  for (auto& slot : shared) drop(slot.load());
  EXPECT_FALSE(broken);
  void* const whole = store_->allocate(handles[4], {50000, 1, false});
  EXPECT_NE(whole, nullptr) << "the pool is whole again";
  store_->free(whole);
}

}  // namespace
}  // namespace lares::omp

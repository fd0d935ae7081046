// Traits, OMP_ALLOCATOR, pools, headers and spaces: the parts of OpenMP's allocators that only
// compute.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "host/openmp/allocators/header.hpp"
#include "host/openmp/allocators/quota.hpp"
#include "host/openmp/allocators/spaces.hpp"
#include "host/openmp/allocators/traits.hpp"

namespace lares::omp {
namespace {

constexpr std::uintptr_t default_value = UINTPTR_MAX;

std::optional<Traits> read(std::vector<AllocatorTrait> list) { return read_traits(list); }

TEST(Traits, WithoutAnyTheyAreOpenMPsDefaults) {
  const auto traits = read({});
  ASSERT_TRUE(traits);
  EXPECT_EQ(traits->alignment, 1U);
  EXPECT_EQ(traits->pool_size, SIZE_MAX);
  EXPECT_EQ(traits->fallback, Fallback::default_memory);
  EXPECT_FALSE(traits->pinned);
  EXPECT_EQ(traits->partition, Partition::environment);
}

TEST(Traits, EachIsReadAsTheHeadersNumberIt) {
  const auto traits =
      read({{1, 5}, {2, 256}, {3, 8}, {4, 1000}, {5, 14}, {6, 77}, {7, 1}, {8, 17}});
  ASSERT_TRUE(traits);
  EXPECT_EQ(traits->alignment, 256U);
  EXPECT_EQ(traits->pool_size, 1000U);
  EXPECT_EQ(traits->fallback, Fallback::allocator);
  EXPECT_EQ(traits->fallback_allocator, 77U);
  EXPECT_TRUE(traits->pinned);
  EXPECT_EQ(traits->partition, Partition::blocked);
  EXPECT_EQ(read({{8, 15}})->partition, Partition::environment);
  EXPECT_EQ(read({{8, 16}})->partition, Partition::nearest);
  EXPECT_EQ(read({{8, 18}})->partition, Partition::interleaved);
  EXPECT_EQ(read({{5, 11}})->fallback, Fallback::default_memory);
  EXPECT_EQ(read({{5, 12}})->fallback, Fallback::null);
  EXPECT_EQ(read({{5, 13}})->fallback, Fallback::abort);
}

TEST(Traits, DefaultIsAValueOfEach) {
  std::vector<AllocatorTrait> list;
  for (int key = 1; key <= 8; ++key) list.push_back({key, default_value});
  const auto traits = read_traits(list);
  ASSERT_TRUE(traits);
  EXPECT_EQ(traits->alignment, 1U);
  EXPECT_EQ(traits->pool_size, SIZE_MAX);
  EXPECT_FALSE(traits->pinned);
}

TEST(Traits, WrongOnesAreRefused) {
  for (const AllocatorTrait wrong : std::vector<AllocatorTrait>{{0, 0},
                                                                {9, 0},
                                                                {1, 2},
                                                                {1, 7},
                                                                {2, 0},
                                                                {2, 24},
                                                                {3, 6},
                                                                {3, 11},
                                                                {5, 10},
                                                                {5, 15},
                                                                {5, 14},  // without fb_data
                                                                {7, 2},
                                                                {8, 14},
                                                                {8, 19}}) {
    EXPECT_FALSE(read({wrong})) << wrong.key << '=' << wrong.value;
  }
}

TEST(Environment, NamesAPredefinedAllocatorOrASpaceWithTraits) {
  EXPECT_EQ(read_environment(" OMP_High_BW_mem_alloc ")->predefined, high_bw_mem_alloc);
  const auto space = read_environment("omp_large_cap_mem_space");
  ASSERT_TRUE(space);
  EXPECT_EQ(space->predefined, null_allocator);
  EXPECT_EQ(space->space, large_cap_mem_space);
  const auto traits = read_environment(
      "omp_default_mem_space: partition=Interleaved, alignment=64,fallback=allocator_fb,"
      "fb_data=omp_low_lat_mem_alloc,pinned=false,pool_size=4096");
  ASSERT_TRUE(traits);
  EXPECT_EQ(traits->traits.partition, Partition::interleaved);
  EXPECT_EQ(traits->traits.alignment, 64U);
  EXPECT_EQ(traits->traits.fallback_allocator, 5U);
  EXPECT_EQ(traits->traits.pool_size, 4096U);
}

TEST(Environment, NonsenseIsNothing) {
  for (const char* text :
       {"", " ", "omp_default", "omp_default_mem_alloc:pinned=true", "omp_default_mem_space:pinned",
        "omp_default_mem_space:pinned=maybe", "omp_default_mem_space:alignment=3",
        "omp_default_mem_space:pool_size=4k", "omp_default_mem_space:,",
        "omp_default_mem_space:fallback=allocator_fb", "omp_default_mem_space:=,=:"}) {
    EXPECT_FALSE(read_environment(text)) << text;
  }
}

TEST(Quota, GivesOutWhatIsThereAndNoByteMore) {
  Quota quota(100);
  EXPECT_TRUE(quota.take(60));
  EXPECT_FALSE(quota.take(41));
  EXPECT_FALSE(quota.take(UINT64_MAX));
  EXPECT_TRUE(quota.take(40));
  EXPECT_EQ(quota.used(), 100U);
  EXPECT_FALSE(quota.give(60));
  EXPECT_TRUE(quota.take(60));
}

TEST(Quota, TheLastUseOfADestroyedOneIsToldOnce) {
  Quota unused(10);
  EXPECT_TRUE(unused.destroy());
  Quota used(10);
  ASSERT_TRUE(used.take(4));
  ASSERT_TRUE(used.take(3));
  EXPECT_FALSE(used.destroy());
  EXPECT_FALSE(used.give(4));
  EXPECT_TRUE(used.give(3));
}

TEST(Quota, IsExactWhoeverAsks) {
  constexpr std::uint64_t limit = 1000;
  Quota quota(limit);
  std::atomic<std::uint64_t> held{0};
  std::atomic<bool> exceeded{false};
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (std::uint64_t i = 0; i < 20000; ++i) {
        const std::uint64_t bytes = 1 + (i * 37 + t * 101) % 400;
        if (!quota.take(bytes)) continue;
        if (held.fetch_add(bytes) + bytes > limit) exceeded = true;
        held -= bytes;
        quota.give(bytes);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_FALSE(exceeded);
  EXPECT_EQ(quota.used(), 0U);
}

TEST(Header, TellsItsOwnMemoryFromOthers) {
  alignas(64) std::array<std::byte, 512> room{};
  for (const std::size_t alignment : {16U, 32U, 64U, 128U}) {
    void* const memory = user_part(room.data(), alignment);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % alignment, 0U);
    EXPECT_FALSE(is_ours(memory));
    put_header(memory, room.data(), 5, 3, static_cast<std::uintptr_t>(Origin::slab) | limited_bit);
    EXPECT_TRUE(is_ours(memory));
    EXPECT_EQ(origin_of(memory), Origin::slab);
    EXPECT_TRUE(is_limited(memory));
    // The same bytes elsewhere are not a header.
    void* const other = static_cast<std::byte*>(memory) + 128;
    header_of(other) = header_of(memory);
    EXPECT_FALSE(is_ours(other));
    room.fill(std::byte{0});
  }
}

// --- spaces --------------------------------------------------------------------------------------

/// Two domains with cores and DRAM (nodes 0 and 1); nodes 2 and 3 are theirs too, of this kind.
machine::Machine two_with_more(const std::string& kind) {
  machine::Machine machine;
  for (std::size_t d = 0; d < 4; ++d) {
    machine::Domain domain;
    domain.node = OsNode{d};
    domain.memory = {std::uint64_t{1} << 30U};
    if (d < 2) domain.cores.emplace_back(d);
    machine.domains.push_back(domain);
    machine::MemoryNode memory;
    memory.node = OsNode{d};
    memory.total = domain.memory;
    memory.kind = d < 2 ? "DRAM" : kind;
    memory.has_cores = d < 2;
    memory.domain = DomainId{d};
    machine.memory.push_back(memory);
  }
  machine.distances.size = 4;
  machine.distances.values = {10, 21, 30, 17,  //
                              21, 10, 17, 30,  //
                              30, 17, 10, 40,  //
                              17, 30, 40, 10};
  return machine;
}

TEST(Spaces, TheDefaultOneIsTheMemoryOfDomainsWithCores) {
  const Spaces spaces(two_with_more("HBM"));
  const Space& space = spaces.of(default_mem_space);
  EXPECT_EQ(space.size(), 2U);
  EXPECT_FALSE(space.special());
  EXPECT_EQ(space.nearest_to(DomainId{1}), DomainId{1});
  EXPECT_EQ(&spaces.of(2), &space);
  EXPECT_EQ(&spaces.of(99), &space);
}

TEST(Spaces, OthersAreTheNodesOfTheirKinds) {
  const Spaces spaces(two_with_more("HBM"));
  const Space& fast = spaces.of(high_bw_mem_space);
  ASSERT_TRUE(fast.special());
  ASSERT_EQ(fast.size(), 2U);
  EXPECT_EQ(fast.total(), Bytes{std::uint64_t{2} << 30U});
  // Domain 0 is nearer to node 3, which is target 1.
  EXPECT_EQ(fast.nearest_to(DomainId{0}), DomainId{1});
  EXPECT_EQ(fast.nodes().node_of(DomainId{1}), OsNode{3});
  EXPECT_EQ(fast.home_of(DomainId{1}), DomainId{3});
  EXPECT_FALSE(spaces.of(large_cap_mem_space).special());
  for (const char* kind : {"CXL", "NVM"}) {
    EXPECT_TRUE(Spaces(two_with_more(kind)).of(large_cap_mem_space).special()) << kind;
  }
}

TEST(Spaces, ATeamUsesTheNearestOnesOnceEach) {
  const Spaces spaces(two_with_more("HBM"));
  const std::vector<DomainId> team{DomainId{1}, DomainId{1}, DomainId{1}};
  EXPECT_EQ(spaces.of(default_mem_space).of_team(team), std::vector{DomainId{1}});
  EXPECT_EQ(spaces.of(high_bw_mem_space).of_team(team), std::vector{DomainId{0}});
  EXPECT_EQ(spaces.of(default_mem_space).of_team({}), (std::vector{DomainId{0}, DomainId{1}}));
}

TEST(Spaces, AMachineWithoutNodesHasNone) {
  machine::Machine machine;
  machine.domains.resize(2);
  machine.domains[0].cores.emplace_back(0);
  machine.domains[1].cores.emplace_back(1);
  machine.distances.size = 2;
  machine.distances.values = {10, 20, 20, 10};
  const Spaces spaces(machine);
  EXPECT_EQ(spaces.of(default_mem_space).size(), 0U);
  EXPECT_FALSE(spaces.of(high_bw_mem_space).special());
}

}  // namespace
}  // namespace lares::omp

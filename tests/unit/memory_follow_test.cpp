// Samples of data and who touches them; and where malloc has its pieces.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/mman.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "memory/follow/heap_areas.hpp"
#include "memory/follow/mapped_pieces.hpp"
#include "memory/follow/samples.hpp"
#include "memory/next_touch/ways.hpp"
#include "memory_area.hpp"
#include "memory_calls_fake.hpp"

namespace lares::memory {
namespace {

constexpr std::uint64_t page = 4096;

bool holds(const LargeArea& area, const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  return at >= area.begin && at < area.end;
}

// False for a sanitizer's allocator. Called by the first thread.
bool is_malloc_of_brk() {
  void* const piece = std::malloc(1000);
  const bool is_below = reinterpret_cast<std::uintptr_t>(piece) < heap_end();
  std::free(piece);
  return is_below;
}

TEST(HeapAreas, TheHeapBeginsWhereItIsSaidTo) {
  const std::uintptr_t own = heap_end();
  std::vector<void*> pieces(1000);
  for (void*& piece : pieces) piece = std::malloc(8192);
  std::array<LargeArea, 64> areas;
  const std::size_t found = find_heap_areas(real_maps(), own, 65536, {}, areas);
  std::size_t inside = 0;
  for (void* const piece : pieces) {
    for (std::size_t i = 0; i < found; ++i) inside += holds(areas[i], piece) ? 1 : 0;
  }
  const std::uintptr_t end = heap_end();
  for (void* const piece : pieces) std::free(piece);
  if (end == own) GTEST_SKIP() << "an allocator that does not use brk";
  EXPECT_GT(inside, 900U);
  const int local = 0;
  for (std::size_t i = 0; i < found; ++i) {
    EXPECT_FALSE(holds(areas[i], &local));
    EXPECT_EQ(areas[i].begin % page, 0U);
    EXPECT_EQ(areas[i].end % page, 0U);
    EXPECT_GE(areas[i].begin, areas[i].begin < end ? own : 0);
  }
}

bool has_sanitizers_malloc() {
  const auto is_there = [](const char* name) { return dlsym(RTLD_DEFAULT, name) != nullptr; };
  return is_there("__asan_init") || is_there("__tsan_init") || is_there("__msan_init");
}

// Three pieces: of malloc, with an alignment, and one that is too small.
class MappedPieces : public testing::Test {
 protected:
  static constexpr std::size_t mib = std::size_t{1} << 20U;
  // Else it grows with each piece that a test frees.
  static void SetUpTestSuite() { mallopt(M_MMAP_THRESHOLD, 128 * 1024); }
  ~MappedPieces() override {
    for (void* const piece : pieces_) std::free(piece);
  }
  std::vector<LargeArea> found() {
    std::array<LargeArea, 256> areas;
    const std::size_t count = find_mapped_pieces(real_calls(), real_maps(), large_bytes, areas);
    return {areas.begin(), areas.begin() + static_cast<std::ptrdiff_t>(count)};
  }
  /// Whether one of them is the piece at `address`, of `bytes`.
  static bool has(const std::vector<LargeArea>& areas, const void* address, std::size_t bytes) {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    return std::ranges::any_of(areas, [=](const LargeArea& area) {
      return area.begin <= at && at - area.begin < 2 * page && at + bytes <= area.end &&
             area.end - at - bytes < 2 * page;
    });
  }
  std::array<void*, 3> pieces_{std::malloc(5 * mib), std::aligned_alloc(64, 7 * mib),
                               std::malloc(mib / 2)};
};

TEST_F(MappedPieces, AreFoundOneByOne) {
  const std::vector<LargeArea> areas = found();
  if (has_sanitizers_malloc()) GTEST_SKIP() << "an allocator that is not glibc's";
  EXPECT_TRUE(has(areas, pieces_[0], 5 * mib));
  EXPECT_TRUE(has(areas, pieces_[1], 7 * mib));
  EXPECT_FALSE(has(areas, pieces_[2], mib / 2));
}

TEST_F(MappedPieces, OneThatIsFreedIsGone) {
  const std::size_t before = found().size();
  if (has_sanitizers_malloc()) GTEST_SKIP() << "an allocator that is not glibc's";
  std::free(std::exchange(pieces_[1], nullptr));
  EXPECT_EQ(found().size(), before - 1);
}

TEST_F(MappedPieces, WhatTheProgramHasMappedItselfIsNone) {
  const std::vector<LargeArea> before = found();
  const long own = real_calls().map(4 * mib);
  ASSERT_GT(own, 0);
  std::memset(reinterpret_cast<void*>(own), 0xff, 4 * mib);
  const auto at = static_cast<std::uintptr_t>(own);
  for (const LargeArea& area : found()) EXPECT_FALSE(area.begin < at + 4 * mib && at < area.end);
  real_calls().unmap(reinterpret_cast<void*>(own), 4 * mib);
  EXPECT_EQ(found().size(), before.size());
}

TEST_F(MappedPieces, WhereNothingCanBeReadNoneIsFound) {
  SystemCalls calls = real_calls();
  calls.read_words = [](const std::uintptr_t*, std::size_t, std::uintptr_t*) noexcept {
    return long{-EPERM};
  };
  std::array<LargeArea, 16> areas;
  EXPECT_EQ(find_mapped_pieces(calls, real_maps(), large_bytes, areas), 0U);
}

TEST(HeapAreas, WhatIsKnownAlreadyIsLeftOut) {
  const std::uintptr_t own = heap_end();
  std::vector<void*> pieces(1000);
  for (void*& piece : pieces) piece = std::malloc(8192);
  std::array<LargeArea, 64> whole;
  const std::size_t all = find_heap_areas(real_maps(), own, 65536, {}, whole);
  const bool has_grown = heap_end() != own;
  const LargeArea heap = whole[0];
  // One before it, one over its begin, two that touch, one whose neighbour is too near, one behind.
  const std::uintptr_t at = heap.begin;
  const std::array<LargeArea, 6> known{{{at - 4096, at - 100},
                                        {at - 100, at + 16},
                                        {at + 1000000, at + 1200000},
                                        {at + 1200000, at + 1300016},
                                        {at + 1360000, at + 1400000},
                                        {heap.end, heap.end + 4096}}};
  std::array<LargeArea, 64> areas;
  const std::size_t found = find_heap_areas(real_maps(), own, 65536, known, areas);
  for (void* const piece : pieces) std::free(piece);
  if (!has_grown) GTEST_SKIP() << "an allocator that does not use brk";
  ASSERT_EQ(found, all + 1);
  EXPECT_EQ(areas[0].begin, at + 16);
  EXPECT_EQ(areas[0].end, at + 1000000);
  EXPECT_EQ(areas[1].begin, at + 1400000);
  EXPECT_EQ(areas[1].end, heap.end);
}

TEST(HeapAreas, OtherThreadsHaveArenas) {
  if (!is_malloc_of_brk()) GTEST_SKIP() << "an allocator that does not use brk";
  std::array<LargeArea, 64> areas;
  bool found = false;
  std::thread([&] {
    std::vector<void*> pieces(1000);
    for (void*& piece : pieces) piece = std::malloc(1000);
    const auto at = reinterpret_cast<std::uintptr_t>(pieces[500]);
    const bool own_arena = at > heap_end();
    const std::size_t count = find_heap_areas(real_maps(), heap_end(), 65536, {}, areas);
    for (std::size_t i = 0; i < count; ++i) found = found || holds(areas[i], pieces[500]);
    found = found || !own_arena;  // one arena for all
    const int local = 0;
    for (std::size_t i = 0; i < count; ++i) EXPECT_FALSE(holds(areas[i], &local));
    for (void* const piece : pieces) std::free(piece);
  }).join();
  EXPECT_TRUE(found);
}

TEST(HeapAreas, MemoryThatOnlyLiesLikeAnArenaIsNone) {
  constexpr std::uintptr_t room = std::uintptr_t{64} << 20U;
  void* const mapped = mmap(nullptr, 2 * room, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(mapped, MAP_FAILED);
  const auto aligned = (reinterpret_cast<std::uintptr_t>(mapped) + room - 1) & ~(room - 1);
  std::memset(reinterpret_cast<void*>(aligned), 0x5a, page);
  std::array<LargeArea, 64> areas;
  const std::size_t count = find_heap_areas(real_maps(), heap_end(), 65536, {}, areas);
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_FALSE(areas[i].begin >= aligned && areas[i].begin < aligned + room);
  }
  munmap(mapped, 2 * room);
}

machine::Machine two_domains() {
  machine::Machine machine;
  for (int i = 0; i < 2; ++i) {
    machine::Domain domain;
    domain.cores = {CoreId{i}};
    domain.node = OsNode{i};
    machine.domains.push_back(domain);
  }
  return machine;
}

/// All pages that exist are on node 1, and every third does not.
long two_of_three(std::size_t count, void** pages, const int*, int* status) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    status[i] = reinterpret_cast<std::uintptr_t>(pages[i]) / page % 3 == 0 ? -2 : 1;
  }
  return 0;
}

TEST(Samples, LieEvenlyOverAllAreasInsideThem) {
  SystemCalls calls = real_calls();
  calls.move = two_of_three;
  const machine::Machine machine = two_domains();
  const Nodes nodes(machine);
  const std::array<LargeArea, 3> areas{LargeArea{page * 1000 + 16, page * 2000},
                                       LargeArea{page * 5000, page * 5003},
                                       LargeArea{page * 9000, page * 10000}};
  Samples samples;
  samples.choose(calls, nodes, areas, Bytes{page});
  EXPECT_EQ(samples.runs(), 1999U / Samples::pages_per_run);
  std::array<std::size_t, 3> in{};
  samples.for_each([&](std::size_t area, const SampledPage& at, const SampledPage*) {
    ++in[area];
    EXPECT_EQ(at.home, DomainId{1});
    EXPECT_FALSE(at.toucher[0].valid());
  });
  EXPECT_NEAR(static_cast<double>(in[0]), static_cast<double>(in[2]), 20);
  EXPECT_EQ(samples.touched(0), 0);
}

TEST(Samples, OfLittleDataThereAreNone) {
  const machine::Machine machine = two_domains();
  const Nodes nodes(machine);
  Samples samples;
  const std::array<LargeArea, 1> little{LargeArea{page, page * 50}};
  samples.choose(real_calls(), nodes, little, Bytes{page});
  EXPECT_EQ(samples.runs(), 0U);
  samples.choose(real_calls(), nodes, {}, Bytes{page});
  EXPECT_EQ(samples.runs(), 0U);
}

/// The pages that were asked for.
std::vector<std::uintptr_t> g_asked;
long remember(std::size_t count, void** pages, const int*, int* status) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    g_asked.push_back(reinterpret_cast<std::uintptr_t>(pages[i]));
    status[i] = 0;
  }
  return 0;
}

// A look that came to nothing has moved its own pages: they say nothing of the others any more.
TEST(Samples, FourChoicesInARowAreOfDifferentPages) {
  SystemCalls calls = real_calls();
  calls.move = remember;
  const machine::Machine machine = two_domains();
  const Nodes nodes(machine);
  const std::array<LargeArea, 1> areas{LargeArea{page * 16, page * (16 + 640)}};
  g_asked.clear();
  Samples samples;
  for (int choice = 0; choice < 4; ++choice) {
    samples.choose(calls, nodes, areas, Bytes{page});
    ASSERT_EQ(samples.runs(), 10U);
  }
  const std::size_t all = g_asked.size();
  EXPECT_EQ(all, 4 * 10 * Samples::run_pages);
  std::sort(g_asked.begin(), g_asked.end());
  g_asked.erase(std::unique(g_asked.begin(), g_asked.end()), g_asked.end());
  EXPECT_EQ(g_asked.size(), all);
}

/// Whatever is asked for lies on node 0.
long on_node_0(std::size_t count, void**, const int*, int* status) noexcept {
  for (std::size_t i = 0; i < count; ++i) status[i] = 0;
  return 0;
}

/// Whoever touches goes on as soon as the page is there, and a moment later it is noted.
void collect_all(Samples& samples, NextTouch& next_touch, std::size_t turn) {
  for (int i = 0; i < 10000 && samples.touched(turn) < 1; ++i) {
    samples.collect(next_touch, turn);
    std::this_thread::yield();
  }
}

TEST(Samples, TellWhoTouchedThemAndKeepTheirBytes) {
  if (ways_here(real_calls()).by_thread != 0) GTEST_SKIP() << "userfaultfd is refused";
  SystemCalls calls = real_calls();
  calls.move = on_node_0;
  const machine::Machine machine = two_domains();
  const Nodes nodes(machine);
  NextTouch next_touch(real_calls(), nodes, Bytes{page});
  TestArea area(512);
  const std::array<LargeArea, 1> areas{LargeArea{area.address(), area.address() + 512 * page}};
  Samples samples;
  samples.choose(calls, nodes, areas, Bytes{page});
  ASSERT_EQ(samples.runs(), 512 / Samples::pages_per_run);
  ASSERT_EQ(samples.mark(next_touch), 0);
  samples.collect(next_touch, 0);
  EXPECT_EQ(samples.touched(0), 0);
  EXPECT_TRUE(area.intact());  // by touching all of it
  collect_all(samples, next_touch, 0);
  EXPECT_EQ(samples.touched(0), 1);
  EXPECT_EQ(samples.touched(1), 0);
  ASSERT_EQ(samples.mark(next_touch), 0);
  samples.settle(next_touch);
  samples.collect(next_touch, 1);
  EXPECT_EQ(samples.touched(1), 0);
  EXPECT_TRUE(area.intact());
}

/// As on a machine of two nodes, the pages all on the second one: what was asked to move, and
/// which nodes were preferred.
std::vector<std::pair<std::uintptr_t, int>> g_moved;
std::atomic<std::uint64_t> g_preferred{0};
long on_node_1(std::size_t count, void** pages, const int* nodes, int* status) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    if (nodes != nullptr)
      g_moved.emplace_back(reinterpret_cast<std::uintptr_t>(pages[i]), nodes[i]);
    status[i] = 1;
  }
  return 0;
}
long note_preference(int /*mode*/, const unsigned long* nodes) noexcept {
  if (nodes != nullptr) g_preferred |= *nodes;
  return 0;
}

class SamplesLie : public ::testing::TestWithParam<bool> {};

TEST_P(SamplesLie, WhereTheyLayWhetherTouchedOrNot) {
  if (ways_here(real_calls()).by_thread != 0) GTEST_SKIP() << "userfaultfd is refused";
  const bool copied = GetParam() || !ways_here(real_calls()).moves;
  SystemCalls calls = GetParam() ? old_calls() : real_calls();
  calls.move = on_node_1;
  calls.prefer = note_preference;
  const machine::Machine machine = two_domains();
  const Nodes nodes(machine);
  NextTouch next_touch(calls, nodes, Bytes{page});
  TestArea area(128);
  const std::array<LargeArea, 1> areas{LargeArea{area.address(), area.address() + 128 * page}};
  Samples samples;
  samples.choose(calls, nodes, areas, Bytes{page});
  ASSERT_EQ(samples.runs(), 2U);
  g_moved.clear();
  g_preferred = 0;
  ASSERT_EQ(samples.mark(next_touch), 0);
  // By a user whose processor belongs to no core of the machine, and so to the first domain.
  EXPECT_TRUE(area.intact());
  collect_all(samples, next_touch, 0);
  EXPECT_EQ(samples.touched(0), 1);
  EXPECT_TRUE(g_moved.empty()) << "to where they were touched";
  EXPECT_EQ(g_preferred & 1U, 0U) << "the node of who touched them";
  EXPECT_EQ(g_preferred != 0, copied) << "a copy has to be made where the page lay";
  EXPECT_EQ(next_touch.counts().sampled, 2 * Samples::run_pages);
  EXPECT_EQ(next_touch.counts().pages, 0U);
  ASSERT_EQ(samples.mark(next_touch), 0);
  samples.settle(next_touch);
  EXPECT_EQ(g_moved.size(), copied ? 2 * Samples::run_pages : 0U) << "copies of whoever settles";
  for (const auto& [at, node] : g_moved) {
    EXPECT_EQ(node, 1);
    EXPECT_TRUE(at >= area.address() && at < area.address() + 128 * page);
  }
  EXPECT_TRUE(area.intact());
}

INSTANTIATE_TEST_SUITE_P(Kernels, SamplesLie, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "Before6_8" : "OfToday"; });

}  // namespace
}  // namespace lares::memory

#include "host/allocation/placer.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "base/read_file.hpp"
#include "machine/machine.hpp"
#include "memory/place/place.hpp"
#include "memory/placement_choice.hpp"
#include "memory/repair/static_areas.hpp"

namespace lares::allocation {
namespace {

using memory::Distribution;
using memory::PlacementKind;

/// Made once by the constructor of the library, then only read.
struct Placer {
  memory::Nodes nodes;
  std::vector<DomainId> domains;  ///< those that have cores
  memory::PlacementChoice choice;
  Bytes page;
};
alignas(Placer) std::array<unsigned char, sizeof(Placer)> g_room;
const Placer* g_placer = nullptr;  ///< lives for ever: the program allocates until its very end

/// Making a plan may allocate.
__attribute__((tls_model("initial-exec"))) thread_local bool t_placing = false;

Distribution distribution_of(const Placer& placer) noexcept {
  Distribution how;
  how.domains = placer.domains;
  how.block = placer.choice.block;
  switch (placer.choice.kind) {
    case PlacementKind::interleave:
      how.kind = Distribution::Kind::interleave;
      break;
    case PlacementKind::cyclic:
      how.kind = Distribution::Kind::cyclic;
      break;
    case PlacementKind::blocked:
      how.kind = Distribution::Kind::blocked;
      break;
    case PlacementKind::first_touch:
    case PlacementKind::bring:
    case PlacementKind::repair:
    case PlacementKind::follow:
      how.kind = Distribution::Kind::first_touch;
      break;
  }
  return how;
}

bool places(PlacementKind kind) noexcept {
  return kind == PlacementKind::interleave || kind == PlacementKind::cyclic ||
         kind == PlacementKind::blocked;
}

void make_placer(const machine::Machine& machine, const memory::PlacementChoice& choice) {
  auto* placer = new (g_room.data()) Placer{
      memory::Nodes(machine), {}, choice, Bytes{static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE))}};
  for (std::size_t i = 0; i < machine.domains.size(); ++i) {
    const machine::Domain& domain = machine.domains[i];
    if (!domain.cores.empty() && domain.node.valid()) placer->domains.emplace_back(i);
  }
  if (placer->nodes.several() && !placer->domains.empty()) g_placer = placer;
}

struct WholePages {
  std::uintptr_t begin = 0;
  Bytes length;
};

WholePages whole_pages(const Placer& placer, const void* memory, std::size_t bytes) noexcept {
  const std::uint64_t page = placer.page.count;
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t begin = (address + page - 1) & ~(page - 1);
  const std::uintptr_t end = (address + bytes) & ~(page - 1);
  return {begin, {end > begin ? end - begin : 0}};
}

void place_static_areas() {
  std::array<memory::LargeArea, 64> areas;
  const std::size_t count = memory::find_static_areas(areas);
  for (std::size_t i = 0; i < count; ++i) {
    place(reinterpret_cast<void*>(areas[i].begin), areas[i].bytes());
  }
}

}  // namespace

std::size_t place(void* memory, std::size_t bytes) noexcept {
  const Placer* const placer = g_placer;
  if (placer == nullptr || t_placing) return 0;
  const WholePages pages = whole_pages(*placer, memory, bytes);
  if (pages.length.count == 0) return 0;
  t_placing = true;
  const auto plan =
      memory::Plan::make(distribution_of(*placer), pages.length, placer->nodes, placer->page);
  std::size_t mappings = 0;
  if (plan) {
    mappings = memory::place_untouched(memory::real_calls(), placer->nodes, plan.value(),
                                       pages.begin, placer->page)
                   .mappings;
  }
  t_placing = false;
  return mappings;
}

void unplace(void* memory, std::size_t bytes, std::size_t mappings) noexcept {
  if (mappings == 0) return;
  const WholePages pages = whole_pages(*g_placer, memory, bytes);
  memory::unplace(memory::real_calls(), pages.begin, pages.length, mappings);
}

bool set_up_placement() noexcept {
  const char* const session = std::getenv("LARES_SESSION");
  const char* const words = std::getenv("LARES_PLACEMENT");
  if (session == nullptr || words == nullptr) return false;
  const auto choice = memory::parse_placement(words);
  if (!choice || !places(choice.value().kind)) {
    return choice && choice.value().kind == PlacementKind::repair;
  }
  const auto machine = machine::parse_compact(read_file(std::string(session) + "/machine"));
  if (!machine) return false;
  make_placer(machine.value(), choice.value());
  place_static_areas();
  return true;
}

}  // namespace lares::allocation

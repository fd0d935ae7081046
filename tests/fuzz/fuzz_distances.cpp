// Any bytes given to the parser of the lab's distances: a table that fits a guest, or a sentence.
// Run: fuzz_distances -max_total_time=60
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "lab/distances.hpp"
#include "lab/guest.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace lares::lab;
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  auto table = parse_distances(text, "fuzz");
  if (!table) {
    if (table.error().sentence.empty()) std::abort();
    return 0;
  }
  std::vector<std::string> notes;
  fit_distances(table.value(), notes);
  Guest guest;
  guest.nodes.assign(table.value().size, {1, {gibibyte}, 0, "DRAM"});
  guest.distances = table.value().values;
  if (validate(guest, {max_guest_nodes * gibibyte.count})) std::abort();
  return 0;
}

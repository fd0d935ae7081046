// Any bytes given to the readers of the lab's counts and of the counter's address map: a value that
// can be shown and written again, or a sentence. Run: fuzz_lab_counts -max_total_time=60
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "lab/counts/compare.hpp"
#include "lab/counts/counts.hpp"
#include "lab/plugin/address_map.hpp"

namespace {

void read_counts_of(std::string_view text) {
  using namespace lares::lab;
  const auto counts = read_counts(text, "fuzz");
  if (!counts) {
    if (counts.error().sentence.empty()) std::abort();
    return;
  }
  counts_text(counts.value(), true);
  comparison_text({"a", counts.value()}, {"b", counts.value()}, true);
  if (!read_counts(counts_json(counts.value()), "fuzz")) std::abort();
}

void read_map_of(std::string_view text) {
  using namespace lares::lab::counting;
  std::string sentence;
  const auto map = AddressMap::parse(text, 4, sentence);
  if (!map) {
    if (sentence.empty()) std::abort();
    return;
  }
  const Homes homes = map->homes();
  for (const std::uint64_t address : {std::uint64_t{0}, std::uint64_t{1} << 32U, UINT64_MAX}) {
    const Line line = map->line_of(address);
    if (line != no_line && homes.of(line) >= 4) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  read_counts_of(text);
  read_map_of(text);
  return 0;
}

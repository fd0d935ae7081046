// Any bytes given to the parser of the compact form: a valid machine that survives a round trip, or
// a sentence. Run: fuzz_compact -max_total_time=60
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "machine/machine.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace lares::machine;
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const auto parsed = parse_compact(text);
  if (!parsed) {
    if (parsed.error().sentence.empty()) std::abort();
    return 0;
  }
  if (validate(parsed.value())) std::abort();
  if (!parse_compact(to_compact(parsed.value())).ok()) std::abort();
  return 0;
}

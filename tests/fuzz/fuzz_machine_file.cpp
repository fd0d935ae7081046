// Any bytes given to the parser of machine files: a valid machine that survives a round trip, or a
// sentence. Run: fuzz_machine_file -max_total_time=60
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "machine/machine_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace lares::machine;
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const auto parsed = parse_machine_file(text, "fuzz");
  if (!parsed) {
    if (parsed.error().sentence.empty()) std::abort();
    return 0;
  }
  if (validate(parsed.value())) std::abort();
  const auto measured = parse_measurements(text, "fuzz");
  if (!measured) std::abort();  // both parts are refused together
  if (check_measurements(measured.value(), parsed.value().domains.size())) std::abort();
  const std::string again = to_machine_file(parsed.value(), measured.value());
  if (!parse_machine_file(again, "fuzz").ok()) std::abort();
  const auto second = parse_measurements(again, "fuzz");
  if (!second || second.value().pairs.size() != measured.value().pairs.size()) std::abort();
  return 0;
}

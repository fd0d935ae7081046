// Any bytes given to the parser of machine files: a valid machine that survives a round trip, or a
// sentence. Run: fuzz_machine_file -max_total_time=60 -dict=tests/fuzz/machine_file.dict FOUND
// tests/fuzz/machine_file machines, where FOUND is a folder for new inputs.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "machine/machine_file.hpp"

namespace {

/// What a round trip could lose of the measurements, beside numbers.
std::string outline(const lares::machine::Measurements& measurements) {
  std::string text = measurements.when + ";" + std::to_string(measurements.slit.size());
  for (const auto& pair : measurements.pairs) text += ";" + pair.kernel;
  for (const auto& all : measurements.aggregate) text += ";" + all.pattern + all.kernel;
  for (const auto& move : measurements.migration) text += ";" + move.method + "/" + move.way;
  for (const auto& sync : measurements.synchronisation) text += ";" + sync.construct + sync.by;
  for (const auto& compute : measurements.compute) text += ";" + compute.kind;
  return text;
}

}  // namespace

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
  if (!second || outline(second.value()) != outline(measured.value())) std::abort();
  return 0;
}

// Any bytes given as a trace folder's trace.json: a sentence, or what is written and read again as
// the same. Run: fuzz_run_about -max_total_time=60 CORPUS tests/fuzz/run_about
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "analysis/run_about.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace lares;
  const auto about = analysis::parse_run_about({reinterpret_cast<const char*>(bytes), size});
  if (!about) {
    if (about.error().sentence.empty()) std::abort();
    return 0;
  }
  const std::string text = analysis::to_json(about.value());
  const auto again = analysis::parse_run_about(text);
  if (!again || analysis::to_json(again.value()) != text) std::abort();
  return 0;
}

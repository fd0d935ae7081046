// Any bytes given as what a process counted for `lares run --explain`: a sentence, or shares
// between 0 and 1 and a table. Run: fuzz_constructs -max_total_time=60 CORPUS
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include "analysis/constructs.hpp"

namespace {

using lares::runtime::ExplainFile;

// A file as long as it must be: the input again and again, behind a head that is right.
std::vector<std::uint8_t> as_file(const std::uint8_t* bytes, std::size_t size) {
  std::vector<std::uint8_t> file(sizeof(ExplainFile));
  for (std::size_t i = 0; size > 0 && i < file.size(); ++i) file[i] = bytes[i % size];
  const std::uint64_t magic = ExplainFile::expected_magic;
  const std::uint32_t row_bytes = sizeof(lares::runtime::ConstructRow);
  std::memcpy(file.data() + offsetof(ExplainFile, magic), &magic, sizeof magic);
  std::memcpy(file.data() + offsetof(ExplainFile, row_bytes), &row_bytes, sizeof row_bytes);
  return file;
}

void expect_share(double share) {
  if (!(share >= 0 && share <= 1)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace lares;
  std::uint64_t left_out = 0;
  const auto refused = analysis::parse_constructs(std::as_bytes(std::span(bytes, size)), &left_out);
  if (!refused && refused.error().sentence.empty()) std::abort();
  const std::vector<std::uint8_t> file = as_file(bytes, size);
  const auto parsed = analysis::parse_constructs(std::as_bytes(std::span(file)), &left_out);
  if (!parsed) std::abort();
  for (const analysis::Construct& each : parsed.value()) {
    expect_share(each.share_of_most());
    expect_share(each.home_share_at_first().value_or(0));
    expect_share(each.home_share_later().value_or(0));
  }
  analysis::Explanation explanation{parsed.value(), left_out};
  if (analysis::explanation_text(explanation).size() < parsed.value().size()) std::abort();
  return 0;
}

// Any bytes given to the parser of descriptions: a sentence, or a description that the model
// predicts something of, with times that add up. Run: fuzz_model_description -max_total_time=60
// FOUND tests/fuzz/model_description examples/model, where FOUND is a folder for new inputs.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "model/predict.hpp"

namespace {

using namespace lares;

machine::Machine two_domains() {
  machine::Machine machine;
  machine.name = "two domains";
  machine.cores = {{{OsCpu{0}}, DomainId{0}}, {{OsCpu{1}}, DomainId{1}}};
  machine.domains = {{{CoreId{0}}, OsNode{0}, {}, "0"}, {{CoreId{1}}, OsNode{1}, {}, "1"}};
  machine.distances = {{10, 20, 20, 10}, 2, "file"};
  return machine;
}

machine::Measurements measured() {
  machine::Measurements m;
  for (std::int32_t from = 0; from < 2; ++from) {
    for (std::int32_t to = 0; to < 2; ++to) {
      m.pairs.push_back({DomainId{from}, DomainId{to}, "read", {16384}, 1, {9e4, 9e4, 9e4}});
      m.pairs.push_back({DomainId{from}, DomainId{to}, "read", {1U << 28U}, 1, {1e4, 1e4, 1e4}});
    }
  }
  m.aggregate.push_back({"local", "read", 2, {1.5e4, 1.5e4, 1.5e4}, {}});
  for (const char* kind : {"fma", "add", "scalar-fma", "scalar-add", "chain"}) {
    m.compute.push_back({kind, 1, {2, 2, 2}});
  }
  m.synchronisation = {{"barrier", "libomp", 1, {10, 10, 10}},
                       {"parallel", "libomp", 1, {9, 9, 9}}};
  return m;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const machine::Machine machine = two_domains();
  static const model::Figures figures = model::Figures::of(machine, measured()).value();
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const auto description = model::parse_description(text, "fuzz");
  if (!description) {
    if (description.error().sentence.empty()) std::abort();
    return 0;
  }
  const auto prediction = model::predict(description.value(), machine, figures, 2, {"libomp", {}});
  if (!prediction) return 0;  // an array in a domain that this machine has not
  for (const model::RegionTime& region : prediction.value().regions) {
    if (!std::isfinite(region.total.count)) std::abort();
    if (region.once < region.memory || region.once < region.computing) std::abort();
  }
  return 0;
}

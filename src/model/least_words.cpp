#include "model/least_words.hpp"

namespace lares::model {

std::string bottleneck_text(const MemoryTime& slowest) {
  const auto number = [](DomainId domain) { return std::to_string(domain.value()); };
  switch (slowest.bottleneck) {
    case Bottleneck::nothing:
      return "nothing";
    case Bottleneck::pair:
      return "domain " + number(slowest.from) +
             (slowest.from == slowest.to ? " with its own memory"
                                         : " with the memory of " + number(slowest.to));
    case Bottleneck::home:
      return "the memory of domain " + number(slowest.to) + ", which several use";
    case Bottleneck::machine:
      break;
  }
  return "memory that all cores share";
}

std::string bottleneck_word(Bottleneck bottleneck) {
  switch (bottleneck) {
    case Bottleneck::pair:
      return "pair";
    case Bottleneck::home:
      return "home";
    case Bottleneck::machine:
      return "machine";
    case Bottleneck::nothing:
      break;
  }
  return "nothing";
}

std::string verdict_text(const LeastTime& least) {
  switch (least.verdict) {
    case Verdict::memory_bound:
      return "memory-bound: " + bottleneck_text(least.memory);
    case Verdict::partly:
      return "partly memory-bound: " + bottleneck_text(least.memory);
    case Verdict::not_memory_bound:
      return "not memory-bound";
    case Verdict::no_bytes:
      break;
  }
  return "names no bytes";
}

std::string verdict_word(Verdict verdict) {
  switch (verdict) {
    case Verdict::memory_bound:
      return "memory-bound";
    case Verdict::partly:
      return "partly";
    case Verdict::not_memory_bound:
      return "not-memory-bound";
    case Verdict::no_bytes:
      break;
  }
  return "no-bytes";
}

}  // namespace lares::model

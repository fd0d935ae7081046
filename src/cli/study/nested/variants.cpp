#include "cli/study/nested/variants.hpp"

#include <iterator>

namespace lares::cli::nested {
namespace {

constexpr Variant alone{"alone", Bound::no, nullptr, "none", "the program alone, not bound"};
constexpr Variant again{"again", Bound::no, nullptr, "none",
                        "the same once more: its ratio to alone is noise"};
constexpr Variant bound{"bound", Bound::spread_close, nullptr, "none",
                        "alone, with OMP_PROC_BIND=spread,close and a place for each core"};
constexpr Variant off{"none", Bound::no, "off", "none", "lares run --bubbles off"};

/// Without a word of the program the schedulers see the teams only.
constexpr Variant untold[] = {
    {"cache", Bound::no, "cache", "none", "lares run --bubbles cache; the program tells nothing"},
    {"memory", Bound::no, "memory", "none",
     "lares run --bubbles memory; the program tells nothing"}};

constexpr Variant told[] = {
    {"cache", Bound::no, "cache", "threads", "lares run --bubbles cache; threads tell their load"},
    {"memory", Bound::no, "memory", "threads",
     "lares run --bubbles memory; threads tell their data"}};

constexpr Variant next_touch{"next-touch", Bound::no, "memory", "next-touch",
                             "memory; what is remote follows the next touch"};
constexpr Variant threads{"threads", Bound::no, "memory", "threads",
                          "memory; the threads go to what was remote"};

}  // namespace

const std::vector<Study>& studies() {
  static const std::vector<Study> all{
      {Kind::stream, "stream", "stream", "STREAM", "STREAM by one flat team",
       "lares bench stream --domain l2"},
      {Kind::nested, "nested-stream", "nested", "Nested-STREAM",
       "STREAM by one inner team per domain, each on vectors of its own",
       "lares bench nested-stream --domain l2 --methods alone,bound"},
      {Kind::twisted, "twisted-stream", "twisted", "Twisted-STREAM",
       "Triads by one inner team per domain, first on its own vectors and then on the next team's",
       "lares bench twisted-stream --data remote --passes 1,10,100 --format csv"},
      {Kind::imbalanced, "imbalanced-stream", "imbalanced", "Imbalanced-STREAM",
       "STREAM by one inner team per domain, two threads a core, with unequal loads",
       "lares bench imbalanced-stream --teams 4 --loads 15,15,30,1"},
  };
  return all;
}

std::vector<Variant> variants_of(Kind kind, const std::string& data) {
  std::vector<Variant> all{alone, bound, off};
  if (kind == Kind::nested || kind == Kind::imbalanced) {
    all.insert(all.end(), std::begin(told), std::end(told));
    return all;
  }
  all.insert(all.end(), std::begin(untold), std::end(untold));
  if (kind == Kind::stream) return all;
  all.push_back(next_touch);
  all.push_back(threads);
  if (data == "mixed") {
    all.push_back({"mixed", Bound::no, "memory", "mixed",
                   "memory; the threads go to two vectors, the third one follows"});
  } else {
    all.push_back({"migrate", Bound::no, "memory", "migrate",
                   "memory; each thread fetches its part of what is remote"});
  }
  return all;
}

std::vector<Variant> variants_without_data() { return {alone, again, bound, off, untold[0]}; }

std::vector<std::string> run_words(const Variant& variant) {
  if (variant.bubbles == nullptr) return {};
  return {"--bubbles", variant.bubbles};
}

}  // namespace lares::cli::nested

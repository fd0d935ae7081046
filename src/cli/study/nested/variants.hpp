// What `lares bench stream | nested-stream | twisted-stream | imbalanced-stream` compare.
#pragma once

#include <string>
#include <vector>

#include "cli/study/bench_child.hpp"

namespace lares::cli::nested {

enum class Kind { stream, nested, twisted, imbalanced };

/// One of the four commands.
struct Study {
  Kind kind;
  const char* command;  ///< after `lares bench`
  const char* program;  ///< the program's name for it
  const char* title;
  const char* about;
  const char* example;
};

const std::vector<Study>& studies();

/// Who places the threads, and what the program tells.
struct Variant {
  const char* name;
  Bound bound;
  const char* bubbles;  ///< for `lares run --bubbles`; null: the program runs alone
  const char* tell;     ///< none, threads, next-touch, migrate, mixed
  const char* about;
};

/// In the order of the table; of twisted, those of `data`: remote or mixed.
std::vector<Variant> variants_of(Kind kind, const std::string& data);

/// Of programs that have no data, and tell nothing: alone, again, bound, none, cache. Twice alone,
/// so that what differs between the two says what noise is.
std::vector<Variant> variants_without_data();

/// The words for `lares run`; none if the program runs alone.
std::vector<std::string> run_words(const Variant& variant);

}  // namespace lares::cli::nested

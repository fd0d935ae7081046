// What bench/lab_policies.py counted in the lab, read from the page that it writes.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace lares::cli {

/// Shares of remote lines, by "PROGRAM-COMPILER, POLICY". Immutable after it was made.
class CountedLines {
 public:
  /// `page` is the text of docs/lab.md; without its table nothing is known.
  explicit CountedLines(std::string_view page);
  /// The text of the file at `path`, or an empty one.
  static std::string read(const std::string& path);

  [[nodiscard]] bool empty() const noexcept { return shares_.empty(); }
  /// "gcc 23 % of the lines, stock libgomp 75 %; clang ...": `program` under `policy` beside the
  /// stock runtimes. Empty where it was not counted.
  [[nodiscard]] std::string sentence(const std::string& program, const std::string& policy) const;

 private:
  std::map<std::string, std::string> shares_;
};

}  // namespace lares::cli

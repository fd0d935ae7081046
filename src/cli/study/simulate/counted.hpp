// What bench/lab_policies.py counted in the lab, read from the file that it writes.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace lares::cli {

/// Shares of remote lines, by "PROGRAM-COMPILER, POLICY". Immutable after it was made.
class CountedLines {
 public:
  /// `text` is that of docs/lab-policies.json; of any other text nothing is known.
  explicit CountedLines(std::string_view text);

  [[nodiscard]] bool empty() const noexcept { return shares_.empty(); }
  /// What was counted in: "4 nodes with ...".
  [[nodiscard]] const std::string& guest() const noexcept { return guest_; }
  /// "23 [21..25] %"; empty where it was not counted.
  [[nodiscard]] std::string share(const std::string& program, const std::string& policy) const;

 private:
  std::map<std::string, std::string> shares_;
  std::string guest_;
};

}  // namespace lares::cli

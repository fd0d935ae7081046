// A copy of the process environment that can be changed and handed to the program.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lares::cli {

/// Keeps the order and everything that it does not understand. A plain value.
class Environment {
 public:
  /// A copy of this process's environment.
  static Environment current();
  explicit Environment(std::vector<std::string> entries) : entries_(std::move(entries)) {}

  /// The value of a variable; nothing if it is not set. An empty value counts as not set, as it
  /// does for the OpenMP runtimes.
  [[nodiscard]] std::optional<std::string> get(std::string_view name) const;
  void set(std::string_view name, std::string_view value);
  void unset(std::string_view name);
  /// The names that start with `prefix`, in order.
  [[nodiscard]] std::vector<std::string> names_with(std::string_view prefix) const;
  /// NAME=VALUE strings.
  [[nodiscard]] const std::vector<std::string>& entries() const noexcept { return entries_; }

 private:
  std::vector<std::string> entries_;
};

}  // namespace lares::cli

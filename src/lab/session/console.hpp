// What the guest's kernel said on its serial console: kept back, and consulted when something
// broke.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace lares::lab {

/// The last part of the console's text. Not thread-safe.
class ConsoleLog {
 public:
  static constexpr std::size_t capacity = std::size_t{1} << 17U;

  void add(std::string_view bytes);
  /// The last line that has `part` in it, without the kernel's time stamp and without bytes that
  /// could upset a terminal.
  [[nodiscard]] std::optional<std::string> last_line_with(std::string_view part) const;
  /// The last line that is not empty, in the same form.
  [[nodiscard]] std::optional<std::string> last_line() const;
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  std::string text_;
};

/// Why a guest ended or hung, as far as its console tells.
struct Diagnosis {
  bool out_of_memory = false;
  std::string said;  ///< the line that tells most; empty if none does
};

Diagnosis diagnose(const ConsoleLog& console);

}  // namespace lares::lab

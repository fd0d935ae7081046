// A line on a terminal that says how far a long command is.
#pragma once

#include <cstddef>
#include <string>

namespace lares::cli {

/// Shows itself on standard error if that is a terminal, and is gone when it is destroyed.
class ProgressLine {
 public:
  ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();

  void show(const std::string& what, std::size_t done, std::size_t all);

 private:
  bool terminal_;
};

}  // namespace lares::cli

// A file, or standard output, that remembers the first error of writing.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace lares::trace {

class Sink {
 public:
  /// Makes or replaces the file; "-" is standard output.
  explicit Sink(const std::string& path);
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  ~Sink();

  void put(std::string_view bytes) noexcept;
  /// Flushes and closes. 0, or the errno of what failed first, be it the opening.
  int close() noexcept;

 private:
  void note_failure() noexcept;

  std::FILE* file_ = nullptr;
  bool owned_ = false;
  int failure_ = 0;
};

}  // namespace lares::trace

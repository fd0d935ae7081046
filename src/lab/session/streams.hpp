// This process' standard streams, without waiting for them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lares::lab {

/// Standard output or error. Its open file is shared with other processes, so it stays blocking;
/// small pieces are written when poll() says that they fit. Not thread-safe.
class OutputStream {
 public:
  /// `file` stays the caller's.
  explicit OutputStream(int file);

  /// Takes bytes and writes what it can. After a failure they are dropped.
  void put(std::string_view bytes);
  /// Writes on, after poll() said that there is room.
  void pump();
  /// True if nothing waits.
  [[nodiscard]] bool idle() const noexcept { return pending_.empty(); }
  [[nodiscard]] int file() const noexcept { return file_; }
  /// The errno of the write that failed; 0 if none did.
  [[nodiscard]] int failure() const noexcept { return failure_; }

 private:
  /// Writes one piece. False if nothing more can be written now.
  bool write_piece(std::string_view& bytes);

  int file_;
  bool always_fits_;  ///< a regular file
  std::string pending_;
  int failure_ = 0;
};

/// True if both are one and the same, as after 2>&1.
bool same_file(int a, int b) noexcept;

}  // namespace lares::lab

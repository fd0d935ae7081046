// The host's side of the wire: makes frames, takes apart what the guest sends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/protocol/protocol.h"

namespace lares::lab {

/// A soft and a hard limit, as getrlimit gives them.
struct Limit {
  std::uint64_t soft = ~std::uint64_t{0};
  std::uint64_t hard = ~std::uint64_t{0};
};

/// A terminal's size in characters.
struct WindowSize {
  std::uint16_t rows = 24;
  std::uint16_t columns = 80;
};

/// What the guest runs. No string holds a zero byte. A plain value.
struct Job {
  std::string program;                    ///< the file, absolute or from `folder` on
  std::vector<std::string> arguments;     ///< the first is the program's name
  std::vector<std::string> environment;   ///< NAME=VALUE
  std::string folder;                     ///< the working directory, absolute
  std::vector<std::string> folders;       ///< made before the program starts, with their parents
  std::vector<std::string> output_files;  ///< sent back after the program's end, absolute
  bool terminal = false;                  ///< give it a pseudo-terminal
  bool stderr_apart = true;               ///< else standard error goes where standard output goes
  WindowSize window;
  std::uint32_t umask = 022;
  std::uint64_t seconds = 0;  ///< the time of day, since 1970
  std::uint32_t nanoseconds = 0;
  Limit stack;
  Limit open_files;
};

/// One frame with its header. Precondition: the payload is within the channel's limit.
std::string encode_frame(std::uint8_t channel, std::string_view payload = {});
/// The whole LAB_JOB frame; nothing if it would be larger than the wire allows.
std::optional<std::string> encode_job(const Job& job);
/// The frames of the host that carry numbers.
std::string encode_signal(int signal, bool to_group);
std::string encode_window(WindowSize size);
std::string encode_close(std::uint8_t channel);

/// A frame as it came. The payload points into the reader and is valid until its next call.
struct Frame {
  std::uint8_t channel = 0;
  std::string_view payload;
};

/// Puts frames together from the pieces in which they come. Not thread-safe.
class FrameReader {
 public:
  void add(std::string_view bytes);
  /// The next whole frame, if there is one.
  std::optional<Frame> next();
  /// True once a header has come that no guest sends. The reader then gives no more frames.
  [[nodiscard]] bool broken() const noexcept { return broken_; }

 private:
  std::string bytes_;
  std::size_t start_ = 0;  ///< of the first frame that was not given out
  bool broken_ = false;
};

/// Reads numbers from the front of a payload. After one that was too short, ok() is false and all
/// numbers are 0.
class PayloadReader {
 public:
  explicit PayloadReader(std::string_view payload) : rest_(payload) {}
  std::uint8_t u8() { return static_cast<std::uint8_t>(number(1)); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(number(4)); }
  [[nodiscard]] bool ok() const noexcept { return ok_; }

 private:
  std::uint64_t number(std::size_t bytes);

  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace lares::lab

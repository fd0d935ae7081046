// Small files, for what is preloaded: no streams.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace lares {

/// All of it; "" if it cannot be read.
inline std::string read_file(const std::string& path) {
  std::string text;
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return text;
  char piece[4096];
  for (;;) {
    const ssize_t got = read(file, piece, sizeof(piece));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(piece, static_cast<std::size_t>(got));
  }
  close(file);
  return text;
}

}  // namespace lares

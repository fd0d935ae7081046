// Files and pipes of the C library that close themselves, for what is not preloaded.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>

namespace lares {

struct CloseFile {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};
using FileStream = std::unique_ptr<std::FILE, CloseFile>;

struct ClosePipe {
  void operator()(std::FILE* pipe) const noexcept { pclose(pipe); }
};
using PipeStream = std::unique_ptr<std::FILE, ClosePipe>;

/// Makes or replaces a file. False, and errno says why, if not all of it could be written.
inline bool write_text(const std::string& path, const std::string& text) {
  FileStream file(std::fopen(path.c_str(), "wbe"));
  if (file == nullptr) return false;
  const bool written = std::fwrite(text.data(), 1, text.size(), file.get()) == text.size();
  return std::fclose(file.release()) == 0 && written;
}

/// All of a file. False, and errno says why, if it cannot be read; EFBIG if there is more than
/// `most`.
inline bool read_text(const std::string& path, std::size_t most, std::string& text) {
  const FileStream file(std::fopen(path.c_str(), "rbe"));
  if (file == nullptr) return false;
  char piece[1U << 14U];
  while (const std::size_t got = std::fread(piece, 1, sizeof(piece), file.get())) {
    text.append(piece, got);
    if (text.size() <= most) continue;
    errno = EFBIG;
    return false;
  }
  return std::ferror(file.get()) == 0;
}
/// The same of a file that may be missing: "" then.
inline std::string read_text(const std::string& path) {
  std::string text;
  return read_text(path, text.max_size(), text) ? text : std::string();
}

}  // namespace lares

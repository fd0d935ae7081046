// Files and pipes of the C library that close themselves, for what is not preloaded.
#pragma once

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

}  // namespace lares

#include "trace/exports/sink.hpp"

#include <cerrno>

namespace lares::trace {

Sink::Sink(const std::string& path) {
  owned_ = path != "-";
  file_ = owned_ ? std::fopen(path.c_str(), "wbe") : stdout;
  if (file_ == nullptr) note_failure();
}

Sink::~Sink() { close(); }

void Sink::note_failure() noexcept {
  if (failure_ == 0) failure_ = errno != 0 ? errno : EIO;
}

void Sink::put(std::string_view bytes) noexcept {
  if (file_ == nullptr || failure_ != 0 || bytes.empty()) return;
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) note_failure();
}

int Sink::close() noexcept {
  if (file_ == nullptr) return failure_;
  if (std::fflush(file_) != 0) note_failure();
  if (owned_ && std::fclose(file_) != 0) note_failure();
  file_ = nullptr;
  return failure_;
}

}  // namespace lares::trace

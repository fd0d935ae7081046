#include "lab/protocol/frames.hpp"

namespace lares::lab {
namespace {

void put(std::string& out, std::uint64_t number, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) out += static_cast<char>(number >> (8 * i) & 0xFFU);
}

void put(std::string& out, const std::string& text) { out.append(text.c_str(), text.size() + 1); }

void put(std::string& out, const std::vector<std::string>& list) {
  put(out, list.size(), 4);
  for (const std::string& text : list) put(out, text);
}

void put(std::string& out, const Limit& limit) {
  put(out, limit.soft, 8);
  put(out, limit.hard, 8);
}

std::uint64_t get(std::string_view bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    number = number << 8U | static_cast<unsigned char>(bytes[i]);
  }
  return number;
}

bool comes_from_guests(std::uint8_t channel) { return channel >= LAB_STATE && channel <= LAB_PONG; }

}  // namespace

std::string encode_frame(std::uint8_t channel, std::string_view payload) {
  std::string frame;
  frame.reserve(LAB_HEADER_BYTES + payload.size());
  put(frame, channel, 1);
  put(frame, payload.size(), 4);
  return frame.append(payload);
}

std::optional<std::string> encode_job(const Job& job) {
  std::string payload;
  const std::uint32_t flags = (job.terminal ? std::uint32_t{LAB_TERMINAL} : 0U) |
                              (job.stderr_apart ? std::uint32_t{LAB_STDERR_APART} : 0U);
  put(payload, flags, 4);
  put(payload, job.window.rows, 2);
  put(payload, job.window.columns, 2);
  put(payload, job.umask, 4);
  put(payload, job.seconds, 8);
  put(payload, job.nanoseconds, 4);
  put(payload, job.stack);
  put(payload, job.open_files);
  put(payload, job.folder);
  put(payload, job.program);
  for (const auto* list : {&job.arguments, &job.environment, &job.folders, &job.output_files}) {
    put(payload, *list);
  }
  if (payload.size() > LAB_JOB_LIMIT) return std::nullopt;
  return encode_frame(LAB_JOB, payload);
}

std::string encode_signal(int signal, bool to_group) {
  std::string payload;
  put(payload, static_cast<std::uint64_t>(signal), 1);
  put(payload, to_group ? 1 : 0, 1);
  return encode_frame(LAB_SIGNAL, payload);
}

std::string encode_window(WindowSize size) {
  std::string payload;
  put(payload, size.rows, 2);
  put(payload, size.columns, 2);
  return encode_frame(LAB_WINDOW, payload);
}

std::string encode_close(std::uint8_t channel) {
  return encode_frame(LAB_CLOSE, {reinterpret_cast<const char*>(&channel), 1});
}

void FrameReader::add(std::string_view bytes) {
  // What was given out is dropped here, not in next(): the last frame is still being looked at.
  bytes_.erase(0, start_);
  start_ = 0;
  bytes_.append(bytes);
}

std::optional<Frame> FrameReader::next() {
  const std::string_view rest = std::string_view(bytes_).substr(start_);
  if (broken_ || rest.size() < LAB_HEADER_BYTES) return std::nullopt;
  const auto channel = static_cast<std::uint8_t>(rest[0]);
  const std::uint64_t length = get(rest.substr(1, 4));
  if (!comes_from_guests(channel) || length > LAB_PAYLOAD_LIMIT) {
    broken_ = true;
    return std::nullopt;
  }
  if (rest.size() < LAB_HEADER_BYTES + length) return std::nullopt;
  start_ += LAB_HEADER_BYTES + length;
  return Frame{channel, rest.substr(LAB_HEADER_BYTES, length)};
}

std::uint64_t PayloadReader::number(std::size_t bytes) {
  ok_ = ok_ && rest_.size() >= bytes;
  if (!ok_) return 0;
  const std::uint64_t value = get(rest_.substr(0, bytes));
  rest_.remove_prefix(bytes);
  return value;
}

}  // namespace lares::lab

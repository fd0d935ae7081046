#include "trace/page/packing.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <new>

namespace lares::trace::page {
namespace {

// Low bytes of times are noise, and what is not noise is mostly zero: more effort finds nothing.
constexpr int effort = 1;
constexpr int gzip_window = 15 + 16;

class Deflater {
 public:
  Deflater() {
    if (deflateInit2(&stream_, effort, Z_DEFLATED, gzip_window, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  ~Deflater() { deflateEnd(&stream_); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  std::string run(std::string_view bytes) {
    std::string packed;
    std::string piece(std::size_t{1} << 18U, '\0');
    int state = Z_OK;
    while (state != Z_STREAM_END) {
      if (stream_.avail_in == 0) feed(bytes);
      stream_.next_out = reinterpret_cast<Bytef*>(piece.data());
      stream_.avail_out = static_cast<uInt>(piece.size());
      state = deflate(&stream_, bytes.empty() ? Z_FINISH : Z_NO_FLUSH);
      packed.append(piece, 0, piece.size() - stream_.avail_out);
    }
    return packed;
  }

 private:
  // zlib counts in 32 bits, and only reads what its pointer to non-const points to.
  void feed(std::string_view& bytes) {
    const std::size_t some = std::min<std::size_t>(bytes.size(), std::size_t{1} << 30U);
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(some);
    bytes.remove_prefix(some);
  }

  z_stream stream_{};
};

}  // namespace

std::string gzip(std::string_view bytes) { return Deflater().run(bytes); }

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t some = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t three = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const auto byte = i < some ? static_cast<unsigned char>(bytes[at + i]) : 0U;
      three = three << 8U | byte;
    }
    for (std::size_t i = 0; i < 4; ++i) {
      text.push_back(i <= some ? digits[three >> (18 - 6 * i) & 63U] : '=');
    }
  }
  return text;
}

}  // namespace lares::trace::page

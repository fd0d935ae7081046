#include "lab/image/lz4.hpp"

#include <algorithm>
#include <cstdint>

namespace lares::lab {
namespace {

constexpr std::string_view legacy_magic = "\x02\x21\x4c\x18";
constexpr std::size_t shortest_match = 4;

/// Takes bytes from the front; everything is refused once there were too few.
class Source {
 public:
  explicit Source(std::string_view bytes) : rest_(bytes) {}

  [[nodiscard]] std::size_t left() const noexcept { return rest_.size(); }
  [[nodiscard]] bool ok() const noexcept { return ok_; }

  std::string_view take(std::size_t count) noexcept {
    ok_ = ok_ && count <= rest_.size();
    if (!ok_) return {};
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  std::uint32_t number(std::size_t bytes) noexcept {
    std::uint32_t value = 0;
    std::uint32_t shift = 0;
    for (const char c : take(bytes)) {
      value |= std::uint32_t{static_cast<unsigned char>(c)} << shift;
      shift += 8;
    }
    return value;
  }
  /// A length whose first part is four bits: 15 means that bytes follow, up to one below 255.
  std::size_t length(std::uint32_t start) noexcept {
    std::size_t total = start;
    std::uint32_t more = start == 15 ? 255 : 0;
    while (more == 255 && ok_) total += more = number(1);
    return total;
  }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

/// Appends the bytes that lie `offset` before the end, which may overlap with what they make.
bool repeat(std::string& out, std::size_t offset, std::size_t count) {
  if (offset == 0 || offset > out.size()) return false;
  while (count > 0) {
    const std::size_t part = std::min(offset, count);
    const std::size_t start = out.size() - offset;
    out.resize(out.size() + part);
    std::copy_n(out.begin() + static_cast<std::ptrdiff_t>(start), part,
                out.end() - static_cast<std::ptrdiff_t>(part));
    count -= part;
  }
  return true;
}

bool unpack_block(std::string_view block, std::string& out, std::size_t limit) {
  Source source(block);
  while (source.left() > 0) {
    const std::uint32_t token = source.number(1);
    const std::size_t literals = source.length(token >> 4U);
    out.append(source.take(literals));
    if (!source.ok() || out.size() > limit) return false;
    if (source.left() == 0) return true;  // the last sequence has literals only
    const std::size_t offset = source.number(2);
    const std::size_t count = source.length(token & 15U) + shortest_match;
    if (!source.ok() || count > limit - out.size() || !repeat(out, offset, count)) return false;
  }
  return true;
}

}  // namespace

std::optional<std::string> unpack_lz4(std::string_view bytes, std::size_t limit) {
  if (!bytes.starts_with(legacy_magic)) return std::nullopt;
  Source source(bytes.substr(legacy_magic.size()));
  std::string out;
  while (source.left() > 4) {
    const std::size_t size = source.number(4);
    if (!unpack_block(source.take(size), out, limit) || !source.ok()) return std::nullopt;
  }
  return out;
}

}  // namespace lares::lab

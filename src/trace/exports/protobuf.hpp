// Messages of Protocol Buffers, written field by field.
//
// By https://protobuf.dev/programming-guides/encoding/: a field is a tag (its number and its wire
// type) and a value; numbers are varints of 7 bits a byte, the lowest first; strings and messages
// come with their length.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lares::trace {

/// A message, as the bytes of its fields in the order in which they were added.
class ProtoMessage {
 public:
  /// int32, int64 (not negative), uint32, uint64, bool, enum.
  void add_number(std::uint32_t field, std::uint64_t value);
  void add_fixed64(std::uint32_t field, std::uint64_t value);
  /// Precondition: `text` is UTF-8 where the field is a string.
  void add_text(std::uint32_t field, std::string_view text);
  void add_message(std::uint32_t field, const ProtoMessage& message);

  [[nodiscard]] const std::string& bytes() const noexcept { return bytes_; }
  void clear() noexcept { bytes_.clear(); }

 private:
  enum class Wire : std::uint32_t { varint = 0, fixed64 = 1, bytes = 2 };
  void add_varint(std::uint64_t value);
  void add_tag(std::uint32_t field, Wire wire);

  std::string bytes_;
};

}  // namespace lares::trace

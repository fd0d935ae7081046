#include "trace/exports/protobuf.hpp"

namespace lares::trace {

void ProtoMessage::add_varint(std::uint64_t value) {
  while (value >= 0x80) {
    bytes_ += static_cast<char>((value & 0x7FU) | 0x80U);
    value >>= 7U;
  }
  bytes_ += static_cast<char>(value);
}

void ProtoMessage::add_tag(std::uint32_t field, Wire wire) {
  add_varint(std::uint64_t{field} << 3U | static_cast<std::uint64_t>(wire));
}

void ProtoMessage::add_number(std::uint32_t field, std::uint64_t value) {
  add_tag(field, Wire::varint);
  add_varint(value);
}

void ProtoMessage::add_fixed64(std::uint32_t field, std::uint64_t value) {
  add_tag(field, Wire::fixed64);
  for (unsigned shift = 0; shift < 64; shift += 8) {
    bytes_ += static_cast<char>(value >> shift & 0xFFU);
  }
}

void ProtoMessage::add_text(std::uint32_t field, std::string_view text) {
  add_tag(field, Wire::bytes);
  add_varint(text.size());
  bytes_ += text;
}

void ProtoMessage::add_message(std::uint32_t field, const ProtoMessage& message) {
  add_text(field, message.bytes_);
}

}  // namespace lares::trace

// Any bytes from a guest, in pieces: frames within their limits or a broken reader, and a diagnosis
// that no terminal minds. Run: fuzz_lab_frames -max_total_time=60
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "lab/protocol/frames.hpp"
#include "lab/session/console.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace lares::lab;
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const std::size_t step = size == 0 ? 1 : 1 + bytes[0] % 64U;
  FrameReader reader;
  ConsoleLog console;
  for (std::size_t at = 0; at < size; at += step) {
    reader.add(text.substr(at, step));
    console.add(text.substr(at, step));
    while (const auto frame = reader.next()) {
      if (reader.broken() || frame->payload.size() > LAB_PAYLOAD_LIMIT) std::abort();
      PayloadReader payload(frame->payload);
      payload.u8();
      payload.u32();
    }
  }
  for (const char c : diagnose(console).said) {
    if (static_cast<unsigned char>(c) < ' ') std::abort();
  }
  return 0;
}

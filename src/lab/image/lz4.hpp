// LZ4 in the form in which Linux packs itself: the "legacy" frame of the lz4 command.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace lares::lab {

/// What is packed in `bytes`, which starts with the frame's magic number; what follows the last
/// whole block is ignored, as Linux appends a size there. Nothing if the bytes are damaged or there
/// would be more than `limit` bytes. Any bytes are allowed. Formats: lz4's documents
/// lz4_Frame_format.md (section "Legacy frame") and lz4_Block_format.md.
std::optional<std::string> unpack_lz4(std::string_view bytes, std::size_t limit);

}  // namespace lares::lab

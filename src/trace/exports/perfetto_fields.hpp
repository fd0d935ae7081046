// The numbers of Perfetto's fields that an export writes, of protos/perfetto/trace/ of its
// repository (https://perfetto.dev/docs/reference/trace-packet-proto), by message.
#pragma once

#include <cstdint>

namespace lares::trace::perfetto {

using Field = std::uint32_t;

namespace trace_file {
inline constexpr Field packet = 1;
}
namespace packet {
inline constexpr Field timestamp = 8;
inline constexpr Field sequence_id = 10;
inline constexpr Field track_event = 11;
inline constexpr Field interned_data = 12;
inline constexpr Field sequence_flags = 13;
inline constexpr Field track_descriptor = 60;
inline constexpr Field first_on_sequence = 87;
// Values of sequence_flags.
inline constexpr std::uint64_t state_cleared = 1;
inline constexpr std::uint64_t needs_state = 2;
}  // namespace packet
namespace event {
inline constexpr Field category = 3;  // by its number among the interned
inline constexpr Field annotation = 4;
inline constexpr Field type = 9;
inline constexpr Field name = 10;  // by its number among the interned
inline constexpr Field track = 11;
inline constexpr Field plain_name = 23;
inline constexpr Field counter_value = 30;
inline constexpr Field flow = 47;
inline constexpr Field end_of_flow = 48;
// Values of type.
inline constexpr std::uint64_t slice_begin = 1;
inline constexpr std::uint64_t slice_end = 2;
inline constexpr std::uint64_t instant = 3;
inline constexpr std::uint64_t counter = 4;
}  // namespace event
namespace track {
inline constexpr Field uuid = 1;
inline constexpr Field name = 2;
inline constexpr Field process = 3;
inline constexpr Field parent = 5;
inline constexpr Field counter = 8;
inline constexpr Field child_order = 11;
inline constexpr Field rank = 12;
inline constexpr Field merging = 15;
inline constexpr std::uint64_t by_rank = 3;       // a value of child_order
inline constexpr std::uint64_t never_merged = 2;  // a value of merging
}  // namespace track
namespace process {
inline constexpr Field pid = 1;
inline constexpr Field command = 2;
inline constexpr Field name = 6;
}  // namespace process
namespace counter {
inline constexpr Field unit_name = 6;
}
namespace annotation {
inline constexpr Field name = 1;  // by its number among the interned
inline constexpr Field truth = 2;
inline constexpr Field number = 3;  // without a sign
inline constexpr Field text = 6;
inline constexpr Field plain_name = 10;
inline constexpr Field interned_text = 17;
}  // namespace annotation
namespace interned {
inline constexpr Field categories = 1;
inline constexpr Field event_names = 2;
inline constexpr Field annotation_names = 3;
inline constexpr Field texts = 29;
// In each of their entries.
inline constexpr Field number = 1;
inline constexpr Field text = 2;
}  // namespace interned

}  // namespace lares::trace::perfetto

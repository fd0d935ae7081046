#include "memory/touches/perf_ring.hpp"

#include <bit>
#include <cstring>

namespace lares::memory {

namespace {

// Where the parts of a record stand, from its begin: their order is the kernel's.
constexpr std::uint64_t at_process = 8;
constexpr std::uint64_t at_thread = 12;
constexpr std::uint64_t at_time = 16;
constexpr std::uint64_t at_address = 24;
constexpr std::uint64_t at_cpu = 32;
constexpr std::uint64_t at_page_size = 40;
constexpr std::size_t sample_bytes = 40;
constexpr std::size_t sample_bytes_with_page = 48;

// PERF_RECORD_LOST: an id, then how many. PERF_RECORD_LOST_SAMPLES, which headers may lack: how
// many.
constexpr std::uint64_t at_lost_count = 16;
constexpr std::size_t lost_bytes = 24;
constexpr std::uint32_t record_lost_samples = 13;
constexpr std::uint64_t at_lost_samples_count = 8;
constexpr std::size_t lost_samples_bytes = 16;

// The kernel's half of the addresses.
constexpr bool is_kernel_address(std::uint64_t address) noexcept { return address >> 63U != 0; }

}  // namespace

PerfRing::PerfRing(std::span<const std::byte> ring, std::uint64_t tail, std::uint64_t head) noexcept
    : ring_(ring), at_(tail), head_(head) {
  is_damaged_ = !std::has_single_bit(ring.size()) || head - tail > ring.size();
}

// Records begin at multiples of 8 and may go on at the ring's begin; no part of 8 bytes does.
// Copied byte by byte all the same: positions are not trusted to be such multiples.
template <class T>
T PerfRing::load(std::uint64_t position) const noexcept {
  std::byte bytes[sizeof(T)];
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    bytes[i] = ring_[static_cast<std::size_t>(position + i) & (ring_.size() - 1)];
  }
  return std::bit_cast<T>(bytes);
}

std::optional<PageTouch> PerfRing::next() noexcept {
  while (!is_damaged_ && at_ != head_) {
    const std::uint64_t begin = at_;
    const std::uint64_t room = head_ - begin;
    if (room < sizeof(perf_event_header)) break;
    const auto header = load<perf_event_header>(begin);
    if (header.size < sizeof(header) || header.size > room) break;
    at_ += header.size;
    if (header.type == PERF_RECORD_SAMPLE) {
      if (const auto touch = sample(begin, header.size)) return touch;
    } else {
      pass(begin, header.type, header.size);
    }
  }
  is_damaged_ = is_damaged_ || at_ != head_;
  return std::nullopt;
}

std::optional<PageTouch> PerfRing::sample(std::uint64_t at, std::size_t size) noexcept {
  if (size < sample_bytes || is_kernel_address(load<std::uint64_t>(at + at_address))) {
    ++passed_over_;
    return std::nullopt;
  }
  PageTouch touch;
  touch.at = {static_cast<std::int64_t>(load<std::uint64_t>(at + at_time))};
  touch.address = static_cast<std::uintptr_t>(load<std::uint64_t>(at + at_address));
  touch.process = load<std::uint32_t>(at + at_process);
  touch.thread = load<std::uint32_t>(at + at_thread);
  touch.cpu = OsCpu(load<std::int32_t>(at + at_cpu));
  if (size >= sample_bytes_with_page) touch.page = {load<std::uint64_t>(at + at_page_size)};
  return touch;
}

void PerfRing::pass(std::uint64_t at, std::uint32_t type, std::size_t size) noexcept {
  if (type == PERF_RECORD_LOST && size >= lost_bytes) {
    lost_ += load<std::uint64_t>(at + at_lost_count);
  } else if (type == record_lost_samples && size >= lost_samples_bytes) {
    lost_ += load<std::uint64_t>(at + at_lost_samples_count);
  } else {
    ++passed_over_;
  }
}

}  // namespace lares::memory

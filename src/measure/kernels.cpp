#include "measure/kernels.hpp"

#include <algorithm>
#include <array>

namespace lares::measure {
namespace {

constexpr std::size_t lanes = 16;  // independent sums: the adder's latency must not be measured

double read(const Segment& s) noexcept {
  std::array<double, lanes> sums{};
  const double* a = s.a;
  const std::size_t whole = s.count - s.count % lanes;
  for (std::size_t i = 0; i < whole; i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += a[i + lane];
  }
  double sum = 0;
  for (std::size_t i = whole; i < s.count; ++i) sum += a[i];
  for (const double part : sums) sum += part;
  return sum;
}

double write(const Segment& s) noexcept {
  double* a = s.a;
  for (std::size_t i = 0; i < s.count; ++i) a[i] = 1.0;
  asm volatile("" : : "r"(a) : "memory");  // the stores happen
  return a[0];
}

double update(const Segment& s) noexcept {
  double* a = s.a;
  for (std::size_t i = 0; i < s.count; ++i) a[i] = 1.0 - a[i];
  asm volatile("" : : "r"(a) : "memory");
  return a[0];
}

double copy(const Segment& s) noexcept {
  double* __restrict a = s.a;
  const double* __restrict b = s.b;
  for (std::size_t i = 0; i < s.count; ++i) a[i] = b[i];
  asm volatile("" : : "r"(a) : "memory");
  return a[0];
}

double triad(const Segment& s) noexcept {
  double* __restrict a = s.a;
  const double* __restrict b = s.b;
  const double* __restrict c = s.c;
  for (std::size_t i = 0; i < s.count; ++i) a[i] = b[i] + 3.0 * c[i];
  asm volatile("" : : "r"(a) : "memory");
  return a[0];
}

double run_one(Kernel kernel, const Segment& segment) noexcept {
  switch (kernel) {
    case Kernel::read:
      return read(segment);
    case Kernel::write:
      return write(segment);
    case Kernel::update:
      return update(segment);
    case Kernel::copy:
      return copy(segment);
    default:
      return triad(segment);
  }
}

}  // namespace

std::string_view kernel_name(Kernel kernel) noexcept {
  static constexpr std::array<std::string_view, 5> names = {"read", "write", "update", "copy",
                                                            "triad"};
  return names[static_cast<std::size_t>(kernel)];
}

std::size_t arrays_of(Kernel kernel) noexcept {
  switch (kernel) {
    case Kernel::copy:
      return 2;
    case Kernel::triad:
      return 3;
    default:
      return 1;
  }
}

std::size_t accesses_of(Kernel kernel) noexcept {
  return kernel == Kernel::update ? 2 : arrays_of(kernel);
}

Segment segment_in(Kernel kernel, std::byte* memory, Bytes size) noexcept {
  constexpr std::size_t line = 64 / sizeof(double);
  const std::size_t count = size.count / arrays_of(kernel) / sizeof(double) / line * line;
  auto* numbers = reinterpret_cast<double*>(memory);
  // Arrays that the kernel has not are never looked at.
  return {numbers, numbers + count, numbers + 2 * count, count};
}

double run_kernel(Kernel kernel, std::span<const Segment> segments) noexcept {
  double sum = 0;
  for (const Segment& segment : segments) {
    if (segment.count > 0) sum += run_one(kernel, segment);
  }
  return sum;
}

void touch(std::byte* memory, Bytes size) noexcept {
  std::fill_n(reinterpret_cast<double*>(memory), size.count / sizeof(double), 1.0);
}

}  // namespace lares::measure

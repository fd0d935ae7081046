// Strong integer types: logical ids, operating-system ids, bytes and nanoseconds cannot be mixed
// up.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace lares {

/// An index of one kind of thing. `Tag` makes each kind a type of its own.
/// A default-constructed id is invalid (-1). Thread safety: a plain value.
template <class Tag>
class Id {
 public:
  using Rep = std::int32_t;

  constexpr Id() noexcept = default;
  constexpr explicit Id(Rep value) noexcept : value_(value) {}
  constexpr explicit Id(std::size_t value) noexcept : value_(static_cast<Rep>(value)) {}

  /// The number itself; -1 if invalid.
  [[nodiscard]] constexpr Rep value() const noexcept { return value_; }
  /// The number as an index into a container. Precondition: valid().
  [[nodiscard]] constexpr std::size_t index() const noexcept {
    return static_cast<std::size_t>(value_);
  }
  [[nodiscard]] constexpr bool valid() const noexcept { return value_ >= 0; }

  friend constexpr auto operator<=>(Id, Id) noexcept = default;

 private:
  Rep value_ = -1;
};

using DomainId = Id<struct DomainTag>;  ///< a locality domain, logical
using CoreId = Id<struct CoreTag>;      ///< a core that this process may use, logical
using PlaceId = Id<struct PlaceTag>;    ///< a queue of a team's place tree, logical
using WorkerId = Id<struct WorkerTag>;  ///< a thread of one team, its number in that team
using OsCpu = Id<struct OsCpuTag>;      ///< a hardware thread as the operating system numbers it
using OsNode = Id<struct OsNodeTag>;    ///< a NUMA node as the operating system numbers it

/// An amount of memory.
struct Bytes {
  std::uint64_t count = 0;
  friend constexpr auto operator<=>(Bytes, Bytes) noexcept = default;
  friend constexpr Bytes operator+(Bytes a, Bytes b) noexcept { return {a.count + b.count}; }
  constexpr Bytes& operator+=(Bytes other) noexcept {
    count += other.count;
    return *this;
  }
};

/// A span of time, or a point on a monotonic clock.
struct Nanoseconds {
  std::int64_t count = 0;
  friend constexpr auto operator<=>(Nanoseconds, Nanoseconds) noexcept = default;
  friend constexpr Nanoseconds operator-(Nanoseconds a, Nanoseconds b) noexcept {
    return {a.count - b.count};
  }
  friend constexpr Nanoseconds operator+(Nanoseconds a, Nanoseconds b) noexcept {
    return {a.count + b.count};
  }
};

}  // namespace lares

template <class Tag>
struct std::hash<lares::Id<Tag>> {
  std::size_t operator()(lares::Id<Tag> id) const noexcept {
    return std::hash<std::int32_t>{}(id.value());
  }
};

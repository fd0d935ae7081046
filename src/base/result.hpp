// A value, or the one sentence that tells the user why there is none.
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace lares {

/// A user's mistake or a refusal: one sentence that names what was wrong, where, and what to do.
struct Error {
  std::string sentence;
};

/// Either a `T` or an `Error`. No exceptions, so the preloaded library can use it.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}
  Result(Error error) : state_(std::move(error)) {}

  [[nodiscard]] bool ok() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return ok(); }

  /// Precondition: ok().
  [[nodiscard]] T& value() noexcept {
    assert(ok());
    return *std::get_if<0>(&state_);
  }
  [[nodiscard]] const T& value() const noexcept {
    assert(ok());
    return *std::get_if<0>(&state_);
  }
  /// Precondition: !ok().
  [[nodiscard]] const Error& error() const noexcept {
    assert(!ok());
    return *std::get_if<1>(&state_);
  }

 private:
  std::variant<T, Error> state_;
};

}  // namespace lares

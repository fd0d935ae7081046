// Whether what a worker runs comes to memory that nobody has touched before, which then stays where
// it runs: only then does it matter for later who runs what now.
#pragma once

#include <cstdint>

namespace lares::decide {

/// One worker's; no other thread touches it. Pages: how many its thread has touched first since it
/// began, as the kernel counts them; 0 if the kernel does not tell, and then all memory may be new.
/// Times in ticks.
///
/// A page now and then, as where a stack grows or a library begins, decides nothing: only as much
/// as a task that streams through huge pages (2 MiB in `longest_per_page`, a gigabyte a second)
/// touches at least.
class FirstTouches {
 public:
  explicit FirstTouches(std::uint64_t per_microsecond) noexcept
      : per_page_(longest_per_page * per_microsecond) {}

  /// After a task of that work (any number but 0, another one for other work), and again some
  /// dozens of tasks later at most.
  void tell(std::uint32_t work, std::uint64_t pages, std::uint64_t now) noexcept {
    did_lately_ = work != work_ || is_much(pages, now);
    work_ = work;
    pages_ = pages;
    since_ = now;
    is_answered_ = false;
  }
  /// False if neither the tasks of that work between the last two samples nor those since came to
  /// new memory. Asks `pages()` and `now()` only if it matters, and once between two samples: who
  /// has no work asks again and again.
  template <class Pages, class Now>
  [[nodiscard]] bool any(std::uint32_t work, Pages pages, Now now) noexcept {
    if (work != work_ || did_lately_) return true;
    if (!is_answered_) {
      const std::uint64_t count = pages();
      answer_ = count == 0 || is_much(count, now());
      is_answered_ = true;
    }
    return answer_;
  }

 private:
  static constexpr std::uint64_t longest_per_page = 2000;  // microseconds

  [[nodiscard]] bool is_much(std::uint64_t pages, std::uint64_t now) const noexcept {
    return (pages - pages_) * per_page_ > now - since_;
  }

  std::uint64_t per_page_;
  std::uint32_t work_ = 0;
  std::uint64_t pages_ = 0;
  std::uint64_t since_ = 0;
  bool did_lately_ = false;   ///< between the last two samples, or nobody knows
  bool is_answered_ = false;  ///< since the last sample, with `answer_`
  bool answer_ = false;
};

}  // namespace lares::decide

// What base/disorder.hpp is in builds with LARES_DISORDER. Include that header.
//
// The environment variable LARES_DISORDER=SEED[:KIND,...] says when and what; without it nothing
// happens. The same seed draws the same limits and rates in each run, and each thread the same
// sequence of decisions; which of them meet is the scheduler's, so a run is repeated by many runs.
#pragma once

#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string_view>

#include "base/disorder.hpp"
#include "base/random.hpp"

namespace lares::disorder {

/// What may be asked for by name. Bits.
namespace kind {
inline constexpr unsigned delay = 1U;  ///< threads yield or sleep between two steps
inline constexpr unsigned late = 2U;   ///< publications come late
inline constexpr unsigned fail = 4U;   ///< steals and tried locks fail
inline constexpr unsigned wake = 8U;   ///< sleepers wake for nothing
inline constexpr unsigned tiny = 16U;  ///< limits are tiny
inline constexpr unsigned all = 31U;
/// Not among them: sleeps last for ever, nearly, so that a wake-up that was lost becomes a hang.
inline constexpr unsigned sleepy = 32U;
}  // namespace kind

/// A seed and the kinds it is for.
struct Request {
  bool valid = false;
  std::uint64_t seed = 0;
  unsigned kinds = kind::all;
};

inline constexpr const char* accepted =
    "a number, or a number, a colon and some of delay,late,fail,wake,tiny,sleepy";

/// Reads "7" or "7:delay,tiny".
constexpr Request parse(std::string_view text) noexcept {
  Request request;
  std::size_t at = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
    request.seed = request.seed * 10 + static_cast<std::uint64_t>(text[at] - '0');
  }
  if (at == 0) return {};
  request.valid = true;
  if (at == text.size()) return request;
  if (text[at] != ':') return {};
  constexpr std::string_view names[] = {"delay", "late", "fail", "wake", "tiny", "sleepy"};
  request.kinds = 0;
  for (std::string_view rest = text.substr(at + 1);;) {
    const std::size_t comma = rest.find(',');
    unsigned found = 0;
    for (unsigned i = 0; i < std::size(names); ++i) {
      if (rest.substr(0, comma) == names[i]) found = 1U << i;
    }
    if (found == 0) return {};
    request.kinds |= found;
    if (comma == std::string_view::npos) return request;
    rest = rest.substr(comma + 1);
  }
}

/// Somebody who decides instead of the seed: a model that runs all workers on one thread.
class Director {
 public:
  virtual ~Director() = default;
  /// The worker is at a point where others may come before it.
  virtual void at(Point where) noexcept = 0;
  /// It spins, or yields: nothing changes before another worker has run.
  virtual void gives_way() noexcept = 0;
  /// Instead of a futex: it sleeps while `word` holds `expected`, until woken.
  virtual void sleep(std::atomic<std::uint32_t>& word, std::uint32_t expected) noexcept = 0;
  virtual std::uint32_t wake(std::atomic<std::uint32_t>& word, std::uint32_t count) noexcept = 0;
  virtual std::uint32_t limit(Limit which, std::uint32_t usual) noexcept = 0;
  /// What clocks say: it depends on nothing but what has happened so far.
  virtual std::uint64_t ticks() noexcept = 0;
  /// True if the engine shall do without this: a fault that must be found.
  [[nodiscard]] virtual bool omits(Fault what) const noexcept = 0;
};

/// Set by a test before anything of the engine runs; then all of it runs on one thread.
inline Director* director = nullptr;

/// What the seed has drawn for this process. Constant.
class Plan {
 public:
  static const Plan& instance() noexcept {
    static const Plan plan;
    return plan;
  }
  [[nodiscard]] bool does(unsigned kinds) const noexcept { return (kinds_ & kinds) != 0; }
  [[nodiscard]] std::uint64_t seed() const noexcept { return seed_; }
  /// One decision in so many is for disorder.
  [[nodiscard]] std::uint32_t rarity() const noexcept { return rarity_; }
  [[nodiscard]] std::uint32_t longest_sleep_us() const noexcept { return longest_sleep_us_; }

 private:
  Plan() noexcept {
    const char* const text = std::getenv("LARES_DISORDER");
    if (text == nullptr || *text == '\0') return;
    const Request request = parse(text);
    if (!request.valid) {
      std::fprintf(stderr, "lares: LARES_DISORDER: \"%s\" is not %s\n", text, accepted);
      _exit(2);
    }
    seed_ = request.seed;
    kinds_ = request.kinds;
    Random random(seed_);
    // From a storm to a rare gust: some faults need many delays, others just one.
    rarity_ = 4U << random.below(10);
    longest_sleep_us_ = 1U << random.below(9);
  }

  std::uint64_t seed_ = 0;
  unsigned kinds_ = 0;
  std::uint32_t rarity_ = 1;
  std::uint32_t longest_sleep_us_ = 1;
};

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr bool may_change_stacks = false;  // sanitizers lose track
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
inline constexpr bool may_change_stacks = false;
#else
inline constexpr bool may_change_stacks = true;
#endif
#else
inline constexpr bool may_change_stacks = true;
#endif

/// The calling thread's own sequence.
inline Random& stream() noexcept {
  static std::atomic<std::uint64_t> threads{0};
  thread_local Random random(Plan::instance().seed() * 0x9E3779B97F4A7C15ULL +
                             threads.fetch_add(1, std::memory_order_relaxed));
  return random;
}

inline bool strikes(unsigned of_kind) noexcept {
  const Plan& plan = Plan::instance();
  return plan.does(of_kind) && stream().below(plan.rarity()) == 0;
}

/// How often the calling thread has been late. It grows rarer with each thousand: where other
/// programs want the cores, one yield costs a time slice of milliseconds.
inline std::uint32_t& times_late() noexcept {
  thread_local std::uint32_t times = 0;
  return times;
}

inline void stray() noexcept {
  Random& random = stream();
  const std::uint32_t thousands = times_late() / 1024;
  if (random.below(1U << (thousands < 16 ? thousands : 16)) != 0) return;
  ++times_late();
  const std::uint32_t draw = random.below(16);
  if (draw < 10) {
    sched_yield();
    return;
  }
  if (draw < 14) {
    for (std::uint32_t spins = random.below(2000); spins != 0; --spins) {
      asm volatile("" ::: "memory");
    }
    return;
  }
  const timespec moment{
      0, static_cast<long>(1 + random.below(Plan::instance().longest_sleep_us())) * 1000};
  nanosleep(&moment, nullptr);
}

inline void pause(Point where) noexcept {
  if (director != nullptr) return director->at(where);
  if (strikes(kind::delay)) stray();
}

inline void late(Point where) noexcept {
  if (director != nullptr) return director->at(where);
  if (strikes(kind::late)) stray();
}

inline bool fails(Point where) noexcept {
  if (director != nullptr) {
    director->at(where);
    return false;
  }
  return strikes(kind::fail);
}

inline bool wakes(Point /*where*/) noexcept { return director == nullptr && strikes(kind::wake); }

/// For spin loops: true if a director has let others run instead.
inline bool gives_way() noexcept {
  if (director == nullptr) return false;
  director->gives_way();
  return true;
}

inline bool omits(Fault what) noexcept { return director != nullptr && director->omits(what); }
/// True if the environment asks for disorder: then a test cannot count on the usual limits.
inline bool is_active() noexcept { return Plan::instance().does(kind::all | kind::sleepy); }
inline bool is_directed() noexcept { return director != nullptr; }

/// A tiny number in place of `usual`, for about half of the limits of each seed.
template <class Number>
Number limit(Limit which, Number usual) noexcept {
  if (director != nullptr) {
    constexpr auto most = static_cast<std::uint64_t>(UINT32_MAX);
    if (static_cast<std::uint64_t>(usual) > most) return usual;
    return static_cast<Number>(director->limit(which, static_cast<std::uint32_t>(usual)));
  }
  const Plan& plan = Plan::instance();
  if (which == Limit::sleep_ns || which == Limit::longest_sleep_ns) {
    if (plan.does(kind::sleepy)) return static_cast<Number>(4'000'000'000U);
  }
  if (!plan.does(kind::tiny)) return usual;
  Random random(plan.seed() * 64 + static_cast<std::uint64_t>(which) + 1);
  if (random.below(2) == 0) return usual;
  if (which == Limit::stack_left) return may_change_stacks ? usual << random.below(5) : usual;
  std::uint32_t small = std::uint32_t{1} << random.below(5);
  // A queue is searched from end to end in so many looks: with less, tests take for ever.
  if (which == Limit::queue_look) small *= 8;
  const auto tiny = static_cast<Number>(small);
  return tiny < usual ? tiny : usual;
}

}  // namespace lares::disorder

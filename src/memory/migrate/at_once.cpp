#include "memory/migrate/at_once.hpp"

#include <pthread.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/clock.hpp"
#include "memory/helper_thread.hpp"

namespace lares::memory {

namespace {

constexpr std::size_t all_pages = std::numeric_limits<std::size_t>::max();

/// A load, and how much of it is done. One thread at a time.
class Carriage {
 public:
  Carriage(const SystemCalls& calls, const Load& load, const MoveOptions& options)
      : calls_(calls), options_(options), load_(load) {}

  [[nodiscard]] bool is_done() const noexcept { return range_ == load_.ranges.size(); }
  [[nodiscard]] const MoveReport& report() const noexcept { return report_; }

  /// Chooses up to so many of the pages that are left. By the caller: what a new thread allocates
  /// makes the program's heap larger.
  void choose(std::size_t pages) { next_ = take(pages); }
  /// Moves what was chosen.
  void move() noexcept { report_ += migrate(calls_, next_, load_.node, options_); }
  /// True if a thread does that; join() waits for it.
  bool launch() noexcept {
    return start_helper_thread(thread_, &Carriage::run, this, load_.near) == 0;
  }
  void join() noexcept { pthread_join(thread_, nullptr); }

 private:
  static void* run(void* self) noexcept {
    static_cast<Carriage*>(self)->move();
    return nullptr;
  }

  std::vector<Extent> take(std::size_t pages) {
    std::vector<Extent> taken;
    const std::uint64_t page = options_.page.count;
    while (pages > 0 && !is_done()) {
      const Extent& range = load_.ranges[range_];
      const std::uintptr_t begin = std::max(range.begin, at_) & ~(page - 1);
      const std::uint64_t left = range.end > begin ? (range.end - begin + page - 1) / page : 0;
      const std::uint64_t count = std::min<std::uint64_t>(left, pages);
      if (count != 0) taken.push_back({begin, begin + count * page});
      pages -= count;
      at_ = begin + count * page;
      if (count < left) break;
      ++range_;
      at_ = 0;
    }
    return taken;
  }

  const SystemCalls& calls_;
  const MoveOptions& options_;
  const Load& load_;
  std::size_t range_ = 0;  ///< all before it are done
  std::uintptr_t at_ = 0;  ///< so is what is below that in it
  std::vector<Extent> next_;
  MoveReport report_;
  pthread_t thread_{};
};

class Carriages {
 public:
  Carriages(const SystemCalls& calls, std::span<const Load> loads, const MoveOptions& options)
      : options_(options) {
    carriages_.reserve(loads.size());  // threads have pointers to them
    for (const Load& load : loads) {
      if (load.node.valid()) carriages_.emplace_back(calls, load, options);
    }
  }

  /// Pages in a second, while each moves up to so many: infinite if there were none to move.
  double alone(std::size_t pages) {
    return pace([&] {
      for (Carriage& carriage : carriages_) {
        if (!may_go_on()) continue;
        carriage.choose(pages);
        carriage.move();
      }
    });
  }
  double together(std::size_t pages) {
    return pace([&] {
      std::vector<Carriage*> threads;
      std::vector<Carriage*> left;
      for (Carriage& carriage : carriages_) {
        if (carriage.is_done() || !may_go_on()) continue;
        carriage.choose(pages);
        (carriage.launch() ? threads : left).push_back(&carriage);
      }
      for (Carriage* const carriage : left) carriage->move();
      for (Carriage* const carriage : threads) carriage->join();
    });
  }
  /// Those that have anything left to move.
  [[nodiscard]] std::ptrdiff_t count() const noexcept {
    return std::ranges::count_if(carriages_,
                                 [](const Carriage& carriage) { return !carriage.is_done(); });
  }
  [[nodiscard]] MoveReport report() const noexcept {
    MoveReport sum;
    for (const Carriage& carriage : carriages_) sum += carriage.report();
    return sum;
  }

 private:
  [[nodiscard]] bool may_go_on() const noexcept {
    return options_.progress == nullptr || options_.progress(options_.argument, {});
  }
  template <class Work>
  double pace(Work work) {
    const std::uint64_t before = report().moved;
    const Nanoseconds start = now();
    work();
    const auto took = static_cast<double>(std::max<std::int64_t>((now() - start).count, 1));
    const std::uint64_t moved = report().moved - before;
    constexpr double second = 1e9;
    return moved == 0 ? std::numeric_limits<double>::infinity()
                      : static_cast<double>(moved) * second / took;
  }

  const MoveOptions& options_;
  std::vector<Carriage> carriages_;
};

}  // namespace

MoveReport migrate_at_once(const SystemCalls& calls, std::span<const Load> loads,
                           const MoveOptions& options) {
  Carriages carriages(calls, loads, options);
  const double alone = carriages.alone(pages_to_try);
  if (carriages.count() < 2) {
    carriages.alone(all_pages);
    return carriages.report();
  }
  const double together = carriages.together(pages_to_try);
  if (together >= alone) {
    carriages.together(all_pages);
  } else {
    carriages.alone(all_pages);
  }
  return carriages.report();
}

}  // namespace lares::memory

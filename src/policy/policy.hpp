// The three decisions of Virouleau 2016 (section 3) as pure objects: distribution, push, steal.
//
// A policy is asked and answers; the executor (runtime/ with real threads, simulate/ with simulated
// ones) carries the answer out and may fail. A policy reads no clock, starts no thread, calls no
// system, and never depends on the order of addresses. Each worker has objects of its own, so a
// policy may keep state (a counter) without synchronisation.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "base/ids.hpp"
#include "base/random.hpp"
#include "policy/access.hpp"
#include "policy/places.hpp"

namespace lares::policy {

/// Racy lengths of a team's queues, given by the executor.
class QueueLengths {
 public:
  virtual ~QueueLengths() = default;
  /// An estimate: it may be old by the time the policy reads it.
  [[nodiscard]] virtual std::uint32_t length(PlaceId place) const noexcept = 0;
};

/// What a policy sees when it is asked.
struct View {
  const Places& places;
  const QueueLengths& lengths;
  WorkerId self;   ///< the worker that asks
  Random& random;  ///< of that worker, seeded
};

/// A task whose dependences are fulfilled.
struct ReadyTask {
  std::span<const DataHome> data;  ///< in the order of the program's clauses
};

/// The places that an idle worker visits, in order. Fixed capacity: never allocates.
class Victims {
 public:
  explicit Victims(std::span<PlaceId> storage) noexcept : storage_(storage) {}
  void clear() noexcept { size_ = 0; }
  /// Ignored if full; duplicates are allowed (an empty visit is cheap).
  void add(PlaceId place) noexcept {
    if (size_ < storage_.size()) storage_[size_++] = place;
  }
  [[nodiscard]] std::span<const PlaceId> list() const noexcept { return storage_.first(size_); }

 private:
  std::span<PlaceId> storage_;
  std::size_t size_ = 0;
};

/// Which domain gets data that has no home yet. Asked when a task becomes ready that writes such
/// data. A push that goes by data then finds it there; with any other the task itself enters the
/// chosen domain's place, so that its first touch puts the data there (Virouleau 2016, 3.2).
class Distribution {
 public:
  virtual ~Distribution() = default;
  /// The chosen domain, or an invalid id to leave it to the first touch.
  virtual DomainId on_place(const View& view, const Block& block) noexcept = 0;
  /// False if it leaves everything to the first touch: the executor then does not ask.
  [[nodiscard]] virtual bool decides() const noexcept { return true; }
};

/// Which place a ready task enters.
class Push {
 public:
  virtual ~Push() = default;
  virtual PlaceId on_ready(const View& view, const ReadyTask& task) noexcept = 0;
  /// False if the answer never depends on the task's data: the executor then does not look for it.
  [[nodiscard]] virtual bool uses_data() const noexcept = 0;
  /// True if a task without data always enters the asking worker's own place: the executor then
  /// does not ask.
  [[nodiscard]] virtual bool keeps_dataless_tasks() const noexcept = 0;
  /// Of a task with data that enters the place of `domain`: which of its workers shall rather run
  /// it, or an invalid id if none in particular.
  [[nodiscard]] virtual WorkerId rather_for(const View& /*view*/, const ReadyTask& /*task*/,
                                            DomainId /*domain*/) const noexcept {
    return {};
  }
  /// False if that is never any: the executor then does not ask.
  [[nodiscard]] virtual bool deals() const noexcept { return false; }
};

/// Which places an idle worker visits, in which order.
class Steal {
 public:
  virtual ~Steal() = default;
  /// Fills `victims` for one round; asked again each round while the worker stays idle. The
  /// worker's own place has already been found empty by its owner, but may be listed.
  virtual void on_idle(const View& view, Victims& victims) noexcept = 0;
  /// For as long as so many of its tasks take a worker leaves other domains' places alone while its
  /// own domain has nothing for it. The executor, which has the clock, sees to it.
  [[nodiscard]] virtual std::uint32_t patience() const noexcept { return 0; }
  /// Of those that have some: their own domain's next tasks are most often ready within the time of
  /// one or two (docs/policies.md).
  static constexpr std::uint32_t usual_patience = 2;
  /// Few of a domain's workers, at least so many, are away at once for tasks that are at home in
  /// other domains, until these have shown that more may be (decide/away.hpp); 0: any number. The
  /// executor sees to it.
  [[nodiscard]] virtual std::uint32_t away_at_once() const noexcept { return 0; }
  /// An upper bound on the number of places that one round lists.
  [[nodiscard]] virtual std::size_t max_victims(const Places& places) const noexcept {
    return places.size() + 4;
  }
};

}  // namespace lares::policy

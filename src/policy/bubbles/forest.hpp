// What a bubble scheduler places: bubbles of threads and of bubbles, with their load, the data that
// is attached to them, and the run queue that each waits in (Broquedis et al. 2010, 3.2).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.hpp"
#include "policy/bubbles/busy_cores.hpp"
#include "policy/bubbles/run_queues.hpp"

namespace lares::policy {

using EntityId =
    Id<struct EntityTag>;  ///< a thread or a bubble; a number is used again after remove()

/// A thread, or a bubble that holds several.
struct Entity {
  bool alive = false;
  bool is_bubble = false;
  EntityId parent;                ///< the bubble around it; invalid for the outermost
  std::vector<EntityId> members;  ///< of a bubble, in order of their thread numbers
  double load = 1;  ///< of a thread: work left, in a unit that the program chooses; 0: it has ended
  double most_load = 0;  ///< of a thread: the most that it was said to have; 0: nothing was said
  double intensity = 1;  ///< of a thread: how much it asks of memory; 0: nothing
  std::vector<std::uint64_t> attached;  ///< of a thread: bytes of its data by domain, or empty
  RunQueueId queue;                     ///< where it may run; invalid: where its bubble may
  CoreId last;         ///< of a thread: the core that it was put on last; invalid: not known
  bool rests = false;  ///< of a thread: its team is between two regions, and keeps its queues
};

/// A decision of a scheduler about a thread, for the executor to carry out.
struct ThreadMove {
  EntityId thread;
  RunQueueId to;
  bool with_data = false;  ///< its attached data shall follow, on next touch
};

/// The entities of one process. Not thread safe: the executor has a lock around it. Invariants:
/// whatever is alive is reached from an outermost bubble exactly once; an entity's queue, if it has
/// one, lies within that of the bubble around it unless a steal took it out.
class Forest {
 public:
  /// `queues` must outlive it.
  explicit Forest(const RunQueues& queues) : queues_(queues), busy_(queues) {}

  [[nodiscard]] const RunQueues& queues() const noexcept { return queues_; }
  [[nodiscard]] const Entity& operator[](EntityId id) const noexcept {
    return entities_[id.index()];
  }
  /// Outermost bubbles, oldest first.
  [[nodiscard]] std::span<const EntityId> outermost() const noexcept { return outermost_; }

  // --- what the executor says

  /// A bubble; `parent` invalid: an outermost one.
  EntityId add_bubble(EntityId parent = {});
  EntityId add_thread(EntityId bubble);
  /// A thread opens a region: a new bubble takes its place, and it becomes the first member. The
  /// bubble has no queue yet; the thread keeps its own.
  EntityId enclose(EntityId thread);
  /// The reverse, when the region is over: the other members are gone by then.
  void open(EntityId bubble);
  /// Removes an entity and all its members.
  void remove(EntityId entity);
  /// The program says it, or the thread has ended (0).
  void set_load(EntityId thread, double load);
  /// Nobody has said it: it is guessed by what was before.
  void expect_load(EntityId thread, double load);
  /// Its team is over, and comes back: until then it has nothing to do, and is in nobody's way.
  void rest(EntityId thread);
  void resume(EntityId thread, double load);
  void set_intensity(EntityId thread, double intensity);
  void attach(EntityId thread, DomainId domain, std::uint64_t bytes);
  void detach(EntityId thread);  ///< all of its data
  void set_last(EntityId thread, CoreId core);

  // --- what a scheduler says

  /// Puts an entity into a queue. A thread that had another queue before is a move, which the
  /// executor takes out with take_moves(); so is one whose data shall come along, which counts as
  /// being there from now on.
  void put(EntityId entity, RunQueueId queue, bool with_data = false);

  // --- what both ask

  /// Where it may run: its own queue, else that of the nearest bubble around it that has one, else
  /// the whole machine.
  [[nodiscard]] RunQueueId where(EntityId entity) const noexcept;
  [[nodiscard]] double load_of(EntityId entity) const;  ///< of a bubble: of all its threads
  [[nodiscard]] std::vector<std::uint64_t> attached_to(EntityId entity) const;  ///< by domain
  [[nodiscard]] std::uint64_t bytes_of(EntityId entity) const;
  /// The threads in a bubble, at any depth, in order.
  [[nodiscard]] std::vector<EntityId> threads_of(EntityId entity) const;
  /// All threads, oldest outermost bubble first.
  [[nodiscard]] std::vector<EntityId> threads() const;
  /// The cores on which threads with work left may run, by their own queues.
  [[nodiscard]] const BusyCores& busy_cores() const noexcept { return busy_; }
  /// Threads that may run on a core and nowhere else, and those of wider queues around it.
  [[nodiscard]] std::vector<EntityId> threads_on(CoreId core) const;
  std::vector<ThreadMove> take_moves() noexcept;

 private:
  EntityId add(bool is_bubble, EntityId parent);
  void release(EntityId entity);
  void count(const Entity& entity) noexcept;
  void uncount(const Entity& entity) noexcept;
  void bring_data(Entity& thread);
  void collect(EntityId entity, std::vector<EntityId>& threads) const;
  /// The members of a bubble, or the outermost ones.
  [[nodiscard]] std::vector<EntityId>& siblings(EntityId parent) noexcept;

  const RunQueues& queues_;
  BusyCores busy_;
  std::vector<Entity> entities_;
  std::vector<EntityId> free_;
  std::vector<EntityId> outermost_;
  std::vector<ThreadMove> moves_;
};

}  // namespace lares::policy

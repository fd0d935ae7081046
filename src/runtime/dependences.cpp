#include "runtime/dependences.hpp"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/disorder.hpp"
#include "base/raw_memory.hpp"
#include "runtime/completion.hpp"
#include "runtime/exclusion.hpp"
#include "runtime/placing.hpp"
#include "runtime/record.hpp"
#include "runtime/team.hpp"
#include "runtime/watch.hpp"

namespace lares::runtime {

namespace {

using Member = DependEntry::Member;

// While a task is being linked, `unfulfilled` stays above zero whatever its predecessors do.
constexpr std::int32_t linking_guard = 1 << 30;

bool completed(const Task& task) noexcept {
  // acquire: seeing the list closed means seeing what the task wrote.
  return task.successors.load(std::memory_order_acquire) == closed_edges();
}

// --- members of sets, kept by the thread that frees them ----------------------------------------

Member* make_member(ThreadState& self, Task& task, Member* next) noexcept {
  void* memory = self.free_members;
  if (memory != nullptr) {
    self.free_members = *static_cast<void**>(memory);
  } else {
    memory = need_memory(sizeof(Member));
  }
  return new (memory) Member{&task, next};
}

void free_member(ThreadState& self, Member* member) noexcept {
  void* memory = member;
  *static_cast<void**>(memory) = self.free_members;
  self.free_members = memory;
}

// --- references from the table ------------------------------------------------------------------

void use_in_table(Task& task) noexcept {
  // The task is not visible to others yet, so plain arithmetic on `holders` is safe.
  if (task.table_uses++ == 0) {
    task.holders.store(task.holders.load(std::memory_order_relaxed) + Task::tabled,
                       std::memory_order_relaxed);
  }
}

void unuse(ThreadState& self, Task& task) noexcept {
  assert(task.table_uses > 0);
  if (--task.table_uses == 0) drop_holder(self, task, Task::tabled);
}

void clear_set(ThreadState& self, Member*& set) noexcept {
  while (set != nullptr) {
    Member* next = set->next;
    unuse(self, *set->task);
    free_member(self, set);
    set = next;
  }
}

void clear_entry(ThreadState& self, DependEntry& entry) noexcept {
  if (entry.last_out != nullptr) unuse(self, *entry.last_out);
  entry.last_out = nullptr;
  clear_set(self, entry.last_set);
  clear_set(self, entry.previous_set);
  entry.set_size = 0;
  if (entry.lock != nullptr) drop_exclusive(entry.lock);
  entry.lock = nullptr;
}

// Drops completed members: nobody needs to wait for them.
void prune_set(ThreadState& self, Member*& set) noexcept {
  for (Member** link = &set; *link != nullptr;) {
    Member* member = *link;
    if (completed(*member->task)) {
      *link = member->next;
      unuse(self, *member->task);
      free_member(self, member);
    } else {
      link = &member->next;
    }
  }
}

std::uint32_t length(const Member* set) noexcept {
  std::uint32_t count = 0;
  for (; set != nullptr; set = set->next) ++count;
  return count;
}

// True if nothing in the entry can delay a later task.
bool prune_entry(ThreadState& self, DependEntry& entry) noexcept {
  if (entry.last_out != nullptr && completed(*entry.last_out)) {
    unuse(self, *entry.last_out);
    entry.last_out = nullptr;
  }
  prune_set(self, entry.last_set);
  prune_set(self, entry.previous_set);
  entry.set_size = length(entry.last_set);
  return entry.last_out == nullptr && entry.last_set == nullptr && entry.previous_set == nullptr;
}

// --- the hash table -----------------------------------------------------------------------------

// A power of two with room for one entry at most half of it.
std::size_t first_capacity() noexcept {
  return std::max<std::size_t>(disorder::limit(disorder::Limit::table, std::size_t{32}), 4);
}

// From how many members on a set is searched for completed ones.
std::uint32_t least_prune() noexcept {
  return disorder::limit(disorder::Limit::prune, std::uint32_t{64});
}

std::size_t hash(std::uintptr_t address, std::size_t capacity) noexcept {
  return static_cast<std::size_t>((address * 0x9E3779B97F4A7C15ULL) >> 20U) & (capacity - 1);
}

// Written at once, and apart so that no compiler makes a calloc of it: entries are read here and
// there before they are written, and a fresh page that was read first is slow to write
// (memory/reserve.hpp).
[[gnu::noinline]] void clear_entries(DependEntry* entries, std::size_t count) noexcept {
  std::memset(static_cast<void*>(entries), 0, count * sizeof(DependEntry));
}

DependEntry* make_entries(std::size_t capacity) noexcept {
  auto* entries = static_cast<DependEntry*>(need_memory(capacity * sizeof(DependEntry)));
  clear_entries(entries, capacity);
  return entries;  // DependEntry is valid as all zeros: `in` is 0, everything else null
}
static_assert(static_cast<int>(DependKind::in) == 0);

DependEntry& place_for(DependTable& table, std::uintptr_t address) noexcept {
  std::size_t at = hash(address, table.capacity);
  while (table.entries[at].used && table.entries[at].address != address) {
    at = (at + 1) & (table.capacity - 1);
  }
  return table.entries[at];
}

void rebuild(ThreadState& self, DependTable& table) noexcept {
  std::size_t live = 0;
  for (std::size_t i = 0; i < table.capacity; ++i) {
    DependEntry& entry = table.entries[i];
    if (!entry.used) continue;
    if (prune_entry(self, entry)) {
      clear_entry(self, entry);
      entry.used = false;
    } else {
      ++live;
    }
  }
  std::size_t capacity = first_capacity();
  while (capacity < live * 4) capacity *= 2;
  DependTable fresh{make_entries(capacity), capacity, live, table.base_out};
  for (std::size_t i = 0; i < table.capacity; ++i) {
    if (table.entries[i].used) place_for(fresh, table.entries[i].address) = table.entries[i];
  }
  std::free(table.entries);
  table = fresh;
}

DependTable& table_of(Task& parent) noexcept {
  if (parent.table == nullptr) {
    const std::size_t capacity = first_capacity();
    parent.table = make_raw<DependTable>(make_entries(capacity), capacity);
  }
  return *parent.table;
}

DependEntry& entry_for(ThreadState& self, DependTable& table, std::uintptr_t address) noexcept {
  if ((table.count + 1) * 2 > table.capacity) rebuild(self, table);
  DependEntry& entry = place_for(table, address);
  if (!entry.used) {
    entry.used = true;
    entry.address = address;
    entry.set_kind = DependKind::in;
    entry.prune_at = least_prune();
    ++table.count;
    if (table.base_out != nullptr) {
      entry.last_out = table.base_out;
      ++table.base_out->table_uses;  // it is in the table already, so `tabled` is set
    }
  }
  return entry;
}

// --- edges --------------------------------------------------------------------------------------

/// Collects the edges of one task while it is linked.
struct Linker {
  ThreadState& self;
  Task& task;
  std::int32_t linked = 0;
  std::uint32_t edges_used = 0;

  Edge* take_edge() noexcept {
    if (edges_used < task.edge_room) {
      Edge* edge = &task.edges[edges_used++];
      edge->on_heap = false;
      return edge;
    }
    auto* edge = make_raw<Edge>();
    edge->on_heap = true;
    return edge;
  }

  void give_back(Edge* edge) noexcept {
    if (edge->on_heap) {
      std::free(edge);
    } else {
      --edges_used;
    }
  }

  void wait_for(Task* predecessor) noexcept {
    if (predecessor == nullptr || predecessor == &task) return;
    Edge* head = predecessor->successors.load(std::memory_order_acquire);
    if (head == closed_edges()) return;
    disorder::pause(disorder::Point::linking);
    Edge* edge = take_edge();
    edge->successor = &task;
    do {
      edge->next = head;
      // release: the predecessor's thread reads the edge; acquire on failure: it may have closed.
      if (predecessor->successors.compare_exchange_weak(head, edge, std::memory_order_release,
                                                        std::memory_order_acquire)) {
        ++linked;
        watch::depends(*predecessor, task);  // the table keeps the predecessor's descriptor
        return;
      }
    } while (head != closed_edges());
    give_back(edge);
  }

  void wait_for_set(const Member* set) noexcept {
    for (; set != nullptr; set = set->next) wait_for(set->task);
  }

  // Every member of a set waits for the one before it: completed members are met once.
  void wait_for_previous(DependEntry& entry) noexcept {
    prune_set(self, entry.previous_set);
    wait_for_set(entry.previous_set);
  }

  void wait_for_entry(const DependEntry& entry) noexcept {
    if (entry.last_set != nullptr) {
      wait_for_set(entry.last_set);
    } else {
      wait_for(entry.last_out);
    }
  }
};

bool same_set(const DependEntry& entry, DependKind kind) noexcept {
  return entry.last_set != nullptr && entry.set_kind == kind;
}

void wait_for_kind(Linker& linker, DependEntry& entry, DependKind kind) noexcept {
  if (kind == DependKind::out) {
    linker.wait_for_entry(entry);
  } else if (same_set(entry, kind)) {
    if (entry.previous_set != nullptr) {
      linker.wait_for_previous(entry);
    } else {
      linker.wait_for(entry.last_out);
    }
  } else {
    linker.wait_for_entry(entry);
  }
}

void enter_out(ThreadState& self, DependEntry& entry, Task& task) noexcept {
  use_in_table(task);
  clear_entry(self, entry);
  entry.last_out = &task;
}

void enter_set(ThreadState& self, DependEntry& entry, Task& task, DependKind kind) noexcept {
  if (!same_set(entry, kind)) {
    clear_set(self, entry.previous_set);
    entry.previous_set = entry.last_set;
    entry.last_set = nullptr;
    entry.set_size = 0;
    entry.set_kind = kind;
    if (entry.lock != nullptr) drop_exclusive(entry.lock);
    entry.lock = nullptr;
  }
  if (kind == DependKind::mutexinoutset) {
    const bool fresh = entry.lock == nullptr;
    entry.lock = join_exclusive(task, entry.lock);
    if (fresh) keep_exclusive(entry.lock);
    task.flags |= task_flag::exclusive;
  }
  if (entry.last_set != nullptr && entry.last_set->task == &task) return;  // named twice
  if (entry.set_size >= entry.prune_at) {
    prune_set(self, entry.last_set);
    entry.set_size = length(entry.last_set);
    entry.prune_at = entry.set_size * 2 < least_prune() ? least_prune() : entry.set_size * 2;
  }
  use_in_table(task);
  entry.last_set = make_member(self, task, entry.last_set);
  ++entry.set_size;
}

void enter_all_memory(ThreadState& self, DependTable& table, Task& task) noexcept {
  // Everything later waits for this task, and it waits for everything earlier: the rest can go.
  use_in_table(task);
  for (std::size_t i = 0; i < table.capacity; ++i) {
    if (!table.entries[i].used) continue;
    clear_entry(self, table.entries[i]);
    table.entries[i].used = false;
  }
  table.count = 0;
  if (table.base_out != nullptr) unuse(self, *table.base_out);
  table.base_out = &task;
}

void wait_for_everything(Linker& linker, const DependTable& table) noexcept {
  linker.wait_for(table.base_out);
  for (std::size_t i = 0; i < table.capacity; ++i) {
    if (!table.entries[i].used) continue;
    linker.wait_for_entry(table.entries[i]);
  }
}

// An exclusive set named with a lock twice would wait for itself.
bool already_in_set(const DependEntry& entry, const Task& task) noexcept {
  return entry.last_set != nullptr && entry.last_set->task == &task;
}

bool finish_linking(Linker& linker) noexcept {
  if (linker.linked == 0) {
    linker.task.unfulfilled.store(0, std::memory_order_relaxed);
    return true;
  }
  disorder::pause(disorder::Point::linked);
  const std::int32_t surplus = linking_guard - linker.linked;
  // acq_rel: whoever brings it to zero has seen all predecessors' writes and our own.
  return linker.task.unfulfilled.fetch_sub(surplus, std::memory_order_acq_rel) == surplus;
}

}  // namespace

bool link_dependences(Worker& worker, Task& task,
                      std::span<const Dependence> dependences) noexcept {
  ThreadState& self = *worker.thread;
  DependTable& table = table_of(*worker.current);
  Linker linker{self, task};
  task.unfulfilled.store(linking_guard, std::memory_order_relaxed);
  bool all = false;
  for (const Dependence& dependence : dependences) all |= dependence.kind == DependKind::all_memory;
  if (all) {
    wait_for_everything(linker, table);
    enter_all_memory(self, table, task);
    return finish_linking(linker);
  }
  for (const Dependence& dependence : dependences) {
    DependEntry& entry = entry_for(self, table, dependence.address);
    if (dependence.kind != DependKind::out && same_set(entry, dependence.kind) &&
        already_in_set(entry, task)) {
      continue;
    }
    wait_for_kind(linker, entry, dependence.kind);
    if (dependence.kind == DependKind::out) {
      enter_out(self, entry, task);
    } else {
      enter_set(self, entry, task, dependence.kind);
    }
  }
  return finish_linking(linker);
}

bool link_waiter(Worker& worker, Task& waiter, std::span<const Dependence> dependences) noexcept {
  Linker linker{*worker.thread, waiter};
  waiter.unfulfilled.store(linking_guard, std::memory_order_relaxed);
  if (worker.current->table == nullptr) return finish_linking(linker);
  DependTable& table = *worker.current->table;
  for (const Dependence& dependence : dependences) {
    if (dependence.kind == DependKind::all_memory) {
      wait_for_everything(linker, table);
      continue;
    }
    DependEntry& entry = place_for(table, dependence.address);
    if (!entry.used) {
      linker.wait_for(table.base_out);
    } else if (dependence.kind == DependKind::mutexinoutset) {
      // What follows the wait may be a member of the set, and a waiter holds no lock. Its creator
      // makes no further members meanwhile, so being behind all of them is enough.
      linker.wait_for_entry(entry);
    } else {
      wait_for_kind(linker, entry, dependence.kind);
    }
  }
  return finish_linking(linker);
}

void drop_table(ThreadState& self, Task& parent) noexcept {
  DependTable* table = parent.table;
  if (table == nullptr) return;
  for (std::size_t i = 0; i < table->capacity; ++i) {
    if (table->entries[i].used) clear_entry(self, table->entries[i]);
  }
  if (table->base_out != nullptr) unuse(self, *table->base_out);
  std::free(table->entries);
  std::free(table);
  parent.table = nullptr;
}

void release_successors(Worker* worker, Task& task) noexcept {
  // acq_rel: later tasks that find the list closed see our writes; we see the edges.
  Edge* edge = task.successors.exchange(closed_edges(), std::memory_order_acq_rel);
  while (edge != nullptr) {
    Edge* next = edge->next;
    Task* successor = edge->successor;
    if (edge->on_heap) std::free(edge);
    if (successor->unfulfilled.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      record::released(worker, *successor);
      became_ready(worker, *successor);
    }
    edge = next;
  }
}

}  // namespace lares::runtime

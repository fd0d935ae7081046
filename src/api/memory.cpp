// The C functions of lares/memory.h over the floor memory/.
#include "lares/memory.h"

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "api/bubbles.h"
#include "api/machine_here.hpp"
#include "lares/lares.h"
#include "memory/manager/costs.hpp"
#include "memory/manager/manager.hpp"
#include "memory/manager/usage.hpp"
#include "memory/moves/move_log.hpp"
#include "memory/replicas.hpp"
#include "runtime/record_format.hpp"

#define LARES_PUBLIC extern "C" __attribute__((visibility("default")))

namespace {

using lares::Bytes;
using lares::DomainId;
using lares::Error;
using lares::Result;
namespace memory = lares::memory;

thread_local char sentence[256];

int mistake(const Error& error) {
  std::snprintf(sentence, sizeof(sentence), "%s", error.sentence.c_str());
  errno = EINVAL;
  return -1;
}

/// The scheduler's table, if this process runs under `lares run`.
memory::HomeTable table_of_the_run() {
  using Give = int (*)(const memory::GivenRange*, std::size_t);
  using Forget = int (*)(std::uintptr_t, std::size_t);
  static const auto give = reinterpret_cast<Give>(dlsym(RTLD_DEFAULT, "lares_runtime_give_homes"));
  static const auto forget =
      reinterpret_cast<Forget>(dlsym(RTLD_DEFAULT, "lares_runtime_forget_home"));
  if (give == nullptr || forget == nullptr) return {};
  return {nullptr,
          [](void* /*none*/, std::span<const memory::GivenRange> ranges) {
            return give(ranges.data(), ranges.size()) != 0;
          },
          [](void* /*none*/, std::uintptr_t address, Bytes length) {
            return forget(address, length.count) != 0;
          }};
}

/// Under `lares run`, the host of the program's OpenMP regions calls lares_team_starts, once.
/// Elsewhere whoever starts teams calls it by itself.
void tell_when_a_team_starts() {
  using AtNextTeam = int (*)(int (*starts)(const int*, std::size_t));
  static const auto at_next_team =
      reinterpret_cast<AtNextTeam>(dlsym(RTLD_DEFAULT, "lares_runtime_at_next_team"));
  if (at_next_team != nullptr) at_next_team(&lares_team_starts);
}

/// Under `lares run --trace`, what moves is noted there.
void note_moves_of_the_run() {
  const char* const session = std::getenv("LARES_SESSION");
  if (session == nullptr) return;
  const std::string trace = std::string(session) + "/" + lares::runtime::trace_folder_name;
  memory::open_move_log((trace + "/" + memory::moves_file).c_str());
}

/// Lives for ever: threads may outlive static destruction.
struct Library {
  Library() { note_moves_of_the_run(); }

  lares::machine::Machine machine = lares::api::machine_here();
  memory::Manager manager{machine, table_of_the_run()};
  memory::Replicas replicas{manager};
};

Library& library() {
  static auto* const instance = new Library;
  return *instance;
}

/// 0, or an errno if the C library has no room for what a fork needs. Nothing may wait for its
/// touch then: the child would not have it.
int follow_forks() {
  // Who makes copies asks the manager meanwhile.
  static const int error = pthread_atfork(
      [] {
        library().replicas.before_fork();
        library().manager.before_fork();
      },
      [] {
        library().manager.after_fork_in_parent();
        library().replicas.after_fork();
      },
      [] {
        library().manager.after_fork_in_child();
        library().replicas.after_fork();
      });
  return error;
}

memory::Manager& manager() {
  follow_forks();  // it has locks, too
  return library().manager;
}

std::uintptr_t address_of(const void* memory) { return reinterpret_cast<std::uintptr_t>(memory); }

std::vector<DomainId> ids(const int* domains, std::size_t count) {
  std::vector<DomainId> result;
  for (std::size_t i = 0; domains != nullptr && i < count; ++i) result.emplace_back(domains[i]);
  return result;
}

/// A distribution with the list that it refers to.
struct Wanted {
  std::vector<DomainId> domains;
  memory::Distribution distribution;
};

Result<Wanted> wanted(const lares_distribution* how) {
  Wanted result;
  if (how == nullptr) return result;
  if (how->kind < LARES_FIRST_TOUCH || how->kind > LARES_LISTED) {
    return Error{"distribution kind " + std::to_string(static_cast<int>(how->kind)) +
                 " does not exist, accepted are LARES_FIRST_TOUCH to LARES_LISTED"};
  }
  if (how->domains == nullptr && how->domain_count > 0) {
    return Error{"the distribution has domain_count but no domains"};
  }
  result.domains = ids(how->domains, how->domain_count);
  memory::Distribution& plain = result.distribution;
  plain.kind = static_cast<memory::Distribution::Kind>(how->kind);
  const bool names_one = how->kind == LARES_ON_DOMAIN;
  if (names_one && result.domains.size() != 1) return Error{"LARES_ON_DOMAIN needs one domain"};
  if (how->kind == LARES_LISTED && result.domains.empty()) {
    return Error{"LARES_LISTED needs a list of domains"};
  }
  if (how->weights != nullptr) {
    const std::size_t count =
        how->domain_count > 0 ? how->domain_count : manager().nodes().domains();
    plain.weights = {how->weights, count};
  }
  plain.block = {how->block};
  plain.row = {how->row == 0 ? 1 : how->row};
  plain.seed = how->seed;
  return result;
}

/// The list moves with its vector, so the reference is set last.
memory::Distribution distribution_of(const Wanted& from) {
  memory::Distribution result = from.distribution;
  result.domains = from.domains;
  return result;
}

lares_move_report plain(const memory::MoveReport& report) {
  return {report.pages,   report.in_place, report.moved, report.absent, report.busy,
          report.no_room, report.denied,   report.other, report.refused};
}

struct ProgressCall {
  int (*progress)(void*, const lares_move_report*);
  void* argument;
};

bool tell_progress(void* call, const memory::MoveReport& so_far) noexcept {
  const auto* const target = static_cast<const ProgressCall*>(call);
  const lares_move_report report = plain(so_far);
  return target->progress(target->argument, &report) != 0;
}

int move(void* range, std::size_t bytes, const memory::Distribution& to, ProgressCall* progress,
         lares_move_report* report) {
  const auto moved = manager().migrate(address_of(range), {bytes}, to,
                                       progress == nullptr ? nullptr : &tell_progress, progress);
  if (!moved) return mistake(moved.error());
  if (report != nullptr) *report = plain(moved.value());
  return 0;
}

int move_to(void* range, std::size_t bytes, DomainId domain, lares_move_report* report) {
  memory::Distribution to;
  to.kind = memory::Distribution::Kind::domain;
  to.domains = {&domain, 1};
  return move(range, bytes, to, nullptr, report);
}

int done(const Result<bool>& result) { return result ? 0 : mistake(result.error()); }

lares_next_touch_way plain(memory::Way way) {
  switch (way) {
    case memory::Way::userfault_thread:
      return LARES_WAY_USERFAULT_THREAD;
    case memory::Way::userfault_signal:
      return LARES_WAY_USERFAULT_SIGNAL;
    default:
      return LARES_WAY_PROTECT;
  }
}

int on_next_touch(void* range, std::size_t bytes, std::size_t chunk, lares_next_touch_way way,
                  memory::Purpose purpose, lares_mark_report* report) {
  if (way < LARES_WAY_AUTOMATIC || way > LARES_WAY_PROTECT) {
    return mistake(Error{"way " + std::to_string(static_cast<int>(way)) +
                         " does not exist, accepted are LARES_WAY_AUTOMATIC to LARES_WAY_PROTECT"});
  }
  if (report != nullptr && report->size < sizeof(report->size)) {
    return mistake(Error{"size of the report is " + std::to_string(report->size) +
                         ", set it to sizeof(lares_mark_report)"});
  }
  if (const int error = follow_forks(); error != 0) {
    mistake(Error{"the C library cannot tell of forks (error " + std::to_string(error) +
                  "), and the child of one would lose what is marked"});
    errno = error;
    return -1;
  }
  memory::NextTouchOptions options;
  options.chunk = {chunk};
  options.purpose = purpose;
  options.way = static_cast<memory::WantedWay>(way);
  const auto marked = manager().on_next_touch(address_of(range), {bytes}, options);
  if (!marked) return mistake(marked.error());
  if (report == nullptr) return 0;
  const memory::Marked& done = marked.value();
  const int waits = done.way == memory::Way::userfault_thread ? 1 : 0;
  const lares_mark_report full{report->size, plain(done.way), waits, done.bytes.count,
                               done.left.count};
  std::memcpy(report, &full, std::min(report->size, sizeof(full)));
  return 0;
}

double access_cost(int from, int home, std::size_t bytes, memory::Use use) {
  const memory::Nodes& nodes = manager().nodes();
  if (!nodes.has(DomainId{from}) || !nodes.has(DomainId{home})) return -1;
  return memory::access_cost(library().machine, DomainId{from}, DomainId{home}, {bytes}, use)
      .nanoseconds;
}

void* given(const Result<void*>& result) {
  if (!result) {
    mistake(result.error());
    return nullptr;
  }
  if (result.value() == nullptr) errno = ENOMEM;
  return result.value();
}

}  // namespace

LARES_PUBLIC const char* lares_memory_error(void) { return sentence; }

LARES_PUBLIC int lares_domain_count(void) { return static_cast<int>(manager().nodes().domains()); }

LARES_PUBLIC int lares_distance(int from, int to) {
  const lares::machine::Distances& distances = library().machine.distances;
  const auto exists = [&](int domain) {
    return domain >= 0 && static_cast<std::size_t>(domain) < distances.size;
  };
  if (!exists(from) || !exists(to)) return 0;
  return static_cast<int>(distances.at(DomainId{from}, DomainId{to}));
}

LARES_PUBLIC size_t lares_domain_processors(int domain, int* processors, size_t count) {
  const lares::machine::Machine& machine = library().machine;
  if (domain < 0 || static_cast<std::size_t>(domain) >= machine.domains.size()) return 0;
  std::size_t found = 0;
  for (const lares::CoreId core : machine.domains[static_cast<std::size_t>(domain)].cores) {
    for (const lares::OsCpu cpu : machine.cores[core.index()].cpus) {
      if (found < count) processors[found] = cpu.value();
      ++found;
    }
  }
  return found;
}

LARES_PUBLIC int lares_domain_here(void) { return manager().here().value(); }

LARES_PUBLIC int lares_domain_node(int domain) {
  return manager().nodes().node_of(DomainId{domain}).value();
}

LARES_PUBLIC int lares_domain_memory(int domain, uint64_t* total, uint64_t* available) {
  if (!manager().nodes().has(DomainId{domain})) {
    return mistake(Error{"domain " + std::to_string(domain) +
                         " does not exist, accepted are 0 to " +
                         std::to_string(lares_domain_count() - 1)});
  }
  const memory::Usage usage = memory::usage_of(manager().nodes().node_of(DomainId{domain}));
  if (total != nullptr) *total = usage.total.count;
  if (available != nullptr) *available = usage.free.count;
  return 0;
}

LARES_PUBLIC lares_distribution lares_blocked_rows(const size_t* extents, unsigned dimensions,
                                                   size_t element) {
  lares_distribution how{};
  how.kind = LARES_BLOCKED;
  how.row = element;
  for (unsigned i = 1; i < dimensions; ++i) {
    // Longer than any range: all of it is one row.
    if (__builtin_mul_overflow(how.row, extents[i], &how.row)) how.row = SIZE_MAX;
  }
  return how;
}

LARES_PUBLIC void* lares_alloc(size_t bytes, const lares_distribution* how, unsigned flags) {
  return lares_realloc(nullptr, bytes, how, flags);
}

/// Of memory that is about to end. Nothing is a mistake here.
static void end_copies(const void* range) {
  const Bytes size = manager().size_of(range);
  if (size.count != 0) library().replicas.forget(address_of(range), size);
}

LARES_PUBLIC void* lares_realloc(void* old, size_t bytes, const lares_distribution* how,
                                 unsigned flags) {
  constexpr unsigned known = LARES_HUGE_PAGES | LARES_STRICT;
  if ((flags & ~known) != 0) {
    return given(Error{"flag " + std::to_string(flags & ~known) +
                       " is not for allocations, accepted are LARES_HUGE_PAGES and LARES_STRICT"});
  }
  const Result<Wanted> checked = wanted(how);
  if (!checked) return given(checked.error());
  end_copies(old);
  return given(manager().resize(
      old, {bytes}, distribution_of(checked.value()),
      {.huge = (flags & LARES_HUGE_PAGES) != 0, .strict = (flags & LARES_STRICT) != 0}));
}

LARES_PUBLIC int lares_free(void* range) {
  if (range == nullptr) return 0;
  end_copies(range);
  return done(manager().free(range));
}

LARES_PUBLIC size_t lares_size(const void* range) { return manager().size_of(range).count; }

LARES_PUBLIC int lares_register(void* range, size_t bytes) {
  return done(manager().add(address_of(range), {bytes}));
}

LARES_PUBLIC int lares_unregister(void* range) { return done(manager().remove(address_of(range))); }

LARES_PUBLIC int lares_attach_thread(void* range, size_t bytes) {
  const memory::Owner owner{memory::Owner::Kind::thread, gettid()};
  return done(manager().attach(address_of(range), {bytes}, owner, manager().here()));
}

LARES_PUBLIC int lares_attach_task(void* range, size_t bytes, int domain) {
  const memory::Owner owner{memory::Owner::Kind::task, domain};
  return done(manager().attach(address_of(range), {bytes}, owner, DomainId{domain}));
}

LARES_PUBLIC int lares_attach_team(void* range, size_t bytes, int64_t team, const int* domains,
                                   size_t members) {
  return done(manager().attach_to_team(address_of(range), {bytes}, team, ids(domains, members)));
}

LARES_PUBLIC int lares_set_next_team_affinity(void* range, size_t bytes, size_t chunk,
                                              unsigned flags) {
  const auto noted =
      manager().attach_to_next_team(address_of(range), {bytes}, {chunk}, (flags & LARES_MOVE) != 0);
  if (noted) tell_when_a_team_starts();
  if (noted && (flags & LARES_MOVE) == 0) lares_tell_next_team_data(range, bytes, chunk);
  return done(noted);
}

LARES_PUBLIC int lares_team_starts(const int* domains, size_t members) {
  manager().team_starts(ids(domains, members));
  return 0;
}

LARES_PUBLIC uint64_t lares_owned(enum lares_owner_kind kind, int64_t id) {
  return manager().owned({static_cast<memory::Owner::Kind>(kind), id}).count;
}

LARES_PUBLIC int lares_homes(const void* range, size_t bytes, uint64_t* pages, size_t count,
                             uint64_t* absent, uint64_t* unknown) {
  if (bytes == 0) return mistake(Error{"the range is empty"});
  const memory::RangeHomes homes = manager().homes_of(address_of(range), {bytes});
  std::copy_n(homes.pages.begin(), std::min(count, homes.pages.size()), pages);
  if (absent != nullptr) *absent = homes.absent;
  if (unknown != nullptr) *unknown = homes.unknown;
  return 0;
}

LARES_PUBLIC size_t lares_page_homes(const void* range, size_t bytes, int* domains, size_t count) {
  std::vector<DomainId> homes(count);
  const std::size_t pages = manager().page_homes(address_of(range), {bytes}, homes);
  for (std::size_t i = 0; i < std::min(count, pages); ++i) domains[i] = homes[i].value();
  return pages;
}

LARES_PUBLIC int lares_migrate(void* range, size_t bytes, int domain, lares_move_report* report) {
  return move_to(range, bytes, DomainId{domain}, report);
}

LARES_PUBLIC int lares_fetch(void* range, size_t bytes, lares_move_report* report) {
  return move_to(range, bytes, manager().here(), report);
}

LARES_PUBLIC int lares_distribute(void* range, size_t bytes, const lares_distribution* how,
                                  lares_move_report* report) {
  return lares_distribute_with_progress(range, bytes, how, nullptr, nullptr, report);
}

LARES_PUBLIC int lares_distribute_with_progress(void* range, size_t bytes,
                                                const lares_distribution* how,
                                                int (*progress)(void*, const lares_move_report*),
                                                void* argument, lares_move_report* report) {
  const Result<Wanted> checked = wanted(how);
  if (!checked) return mistake(checked.error());
  ProgressCall call{progress, argument};
  return move(range, bytes, distribution_of(checked.value()), progress == nullptr ? nullptr : &call,
              report);
}

LARES_PUBLIC int lares_migrate_on_next_touch(void* range, size_t bytes, size_t chunk,
                                             enum lares_next_touch_way way) {
  return on_next_touch(range, bytes, chunk, way, memory::Purpose::migrate, nullptr);
}

LARES_PUBLIC int lares_attach_on_next_touch(void* range, size_t bytes, size_t chunk,
                                            enum lares_next_touch_way way) {
  return on_next_touch(range, bytes, chunk, way, memory::Purpose::attach, nullptr);
}

LARES_PUBLIC int lares_migrate_on_next_touch_with_report(void* range, size_t bytes, size_t chunk,
                                                         enum lares_next_touch_way way,
                                                         lares_mark_report* report) {
  return on_next_touch(range, bytes, chunk, way, memory::Purpose::migrate, report);
}

LARES_PUBLIC int lares_attach_on_next_touch_with_report(void* range, size_t bytes, size_t chunk,
                                                        enum lares_next_touch_way way,
                                                        lares_mark_report* report) {
  return on_next_touch(range, bytes, chunk, way, memory::Purpose::attach, report);
}

LARES_PUBLIC int lares_settle(void* range, size_t bytes) {
  const int error = manager().next_touch().settle(address_of(range), {bytes});
  if (error == 0) return 0;
  mistake(Error{"the kernel refuses to bring a part of the range back (error " +
                std::to_string(error) + "), which waits for its touch as before"});
  errno = error;
  return -1;
}

LARES_PUBLIC int lares_touch(const void* range, size_t bytes) {
  manager().next_touch().touch(address_of(range), {bytes});
  return 0;
}

LARES_PUBLIC int lares_replicate(const void* range, size_t bytes) {
  manager();
  const Result<std::size_t> made = library().replicas.add(address_of(range), {bytes});
  return made ? static_cast<int>(made.value()) : mistake(made.error());
}

LARES_PUBLIC const void* lares_local(const void* address) {
  // Not by way of an integer: the compiler would not know whose memory it is.
  const auto* const bytes = static_cast<const char*>(address);
  return bytes + (library().replicas.local(address_of(address)) - address_of(address));
}

LARES_PUBLIC int lares_refresh(const void* range, size_t bytes) {
  return done(library().replicas.refresh(address_of(range), {bytes}));
}

LARES_PUBLIC int lares_unreplicate(const void* range) {
  return done(library().replicas.remove(address_of(range)));
}

LARES_PUBLIC double lares_cost_read(int from, int home, size_t bytes) {
  return access_cost(from, home, bytes, memory::Use::read);
}

LARES_PUBLIC double lares_cost_write(int from, int home, size_t bytes) {
  return access_cost(from, home, bytes, memory::Use::write);
}

LARES_PUBLIC double lares_cost_migrate(int home, int to, size_t bytes) {
  const memory::Nodes& nodes = manager().nodes();
  if (!nodes.has(DomainId{home}) || !nodes.has(DomainId{to})) return -1;
  const auto page = static_cast<double>(sysconf(_SC_PAGESIZE));
  return manager().migration_ns_per_page(DomainId{home}, DomainId{to}) *
         (static_cast<double>(bytes) / page);
}

LARES_PUBLIC double lares_break_even(double overhead, double before, double after) {
  return memory::break_even(overhead, before, after);
}

LARES_PUBLIC int lares_migration_advice(int home, int to, size_t bytes, char* text, size_t room) {
  const double overhead = lares_cost_migrate(home, to, bytes);
  if (overhead < 0) return mistake(Error{"one of the domains does not exist"});
  const std::string advice =
      memory::migration_advice({bytes}, DomainId{home}, DomainId{to}, overhead,
                               lares_cost_read(to, home, bytes), lares_cost_read(to, to, bytes));
  if (room > 0) std::snprintf(text, room, "%s", advice.c_str());
  return 0;
}

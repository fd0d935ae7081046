// The page itself. Addresses of code are written as <0x...>; the reader knows their names.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <mutex>

#include "runtime/stall.hpp"
#include "runtime/stall_inside.hpp"
#include "runtime/thread_state.hpp"

namespace lares::runtime::stall {

namespace {

constexpr std::size_t most_teams = 16;
constexpr std::size_t most_workers = 64;

/// Text for a file. No memory is asked for, because the program may be stuck in its allocator.
class Page {
 public:
  explicit Page(int file) noexcept : file_(file) {}
  Page(const Page&) = delete;
  Page& operator=(const Page&) = delete;
  ~Page() { flush(); }

  __attribute__((format(printf, 2, 3))) void add(const char* format, ...) noexcept {
    if (used_ + longest > sizeof(text_)) flush();
    va_list arguments;
    va_start(arguments, format);
    const int length = std::vsnprintf(text_ + used_, longest, format, arguments);
    va_end(arguments);
    if (length > 0) used_ += std::min<std::size_t>(static_cast<std::size_t>(length), longest - 1);
  }

 private:
  static constexpr std::size_t longest = 512;

  void flush() noexcept {
    std::size_t written = 0;
    while (written < used_) {
      const ssize_t more = write(file_, text_ + written, used_ - written);
      if (more < 0 && errno == EINTR) continue;
      if (more <= 0) break;
      written += static_cast<std::size_t>(more);
    }
    used_ = 0;
  }

  int file_;
  std::size_t used_ = 0;
  char text_[2048];
};

// What the kernel says of a thread: R runs, S sleeps, D waits for a device, T is stopped.
char kernel_state(int thread) noexcept {
  char text[128];
  std::snprintf(text, sizeof(text), "/proc/self/task/%d/stat", thread);
  const int file = open(text, O_RDONLY | O_CLOEXEC);
  if (file < 0) return '?';
  const ssize_t got = read(file, text, sizeof(text) - 1);
  close(file);
  if (got <= 0) return '?';
  text[got] = '\0';
  const char* at = std::strrchr(text, ')');
  return at == nullptr || at[1] != ' ' ? '?' : at[2];
}

const char* describe_kernel_state(char state) noexcept {
  switch (state) {
    case 'R':
      return "computing";
    case 'S':
      return "asleep in a system call";
    case 'D':
      return "waiting for a device";
    case 'T':
    case 't':
      return "stopped";
    default:
      return "in a state that is not known";
  }
}

const char* describe(Wait wait) noexcept {
  switch (wait) {
    case Wait::outside:
      return "is not in the region";
    case Wait::none:
      return "runs";
    case Wait::barrier:
      return "waits at a barrier, for all threads and all tasks";
    case Wait::region_end:
      return "waits at the end of the region, for all threads and all tasks";
    case Wait::children:
      return "waits in a taskwait";
    case Wait::group:
      return "waits at the end of a taskgroup";
    case Wait::dependences:
      return "waits in a taskwait for dependences";
    case Wait::release:
      return "waits for the dependences or the mutexinoutset of a task that it must run at once";
    case Wait::event:
      return "waits for the event of a detached task that it has run at once";
  }
  return "?";
}

void add_task(Page& page, const Task& task) noexcept {
  const FrontEnd& front_end = stall::front_end();
  const std::uintptr_t code = front_end.code_of == nullptr ? 0 : front_end.code_of(task);
  page.add("task <0x%lx> (depth %u, created by worker %d)", static_cast<unsigned long>(code),
           glance(task.depth), glance(task.creator).value());
}

bool is_implicit(const Task& task) noexcept {
  return (glance(task.flags) & task_flag::implicit) != 0;
}

// How much is missing, where the wait is of the current task.
void add_missing(Page& page, Wait wait, const Task& current) noexcept {
  if (wait == Wait::children) {
    const auto elsewhere = static_cast<std::int32_t>(glance(current.holders));
    page.add(" for %d children", std::max(0, glance(current.local_children) + elsewhere));
  } else if (wait == Wait::group) {
    if (const Taskgroup* group = glance(current.open_group); group != nullptr) {
      page.add(" for %ld tasks",
               static_cast<long>(group->incomplete.load(std::memory_order_relaxed)));
    }
  }
}

void add_thread(Page& page, const Worker& worker, int thread) noexcept {
  page.add("    worker %d, thread %d", worker.id.value(), thread);
  if (worker.core.valid()) page.add(", core %d", worker.core.value());
  page.add(", domain %d: ", worker.domain.value());
}

/// What a worker does; true if it computes, or may.
bool add_worker(Page& page, const Worker& worker) noexcept {
  const ThreadState* state = glance(worker.thread);
  const int thread = state == nullptr ? 0 : state->system_id.load(std::memory_order_relaxed);
  const Wait wait = wait_of(worker);
  const bool asleep = (waiting_word(worker) & wait_asleep) != 0;
  add_thread(page, worker, thread);
  page.add("%s", describe(wait));
  const Task* current = glance(worker.current);
  if (wait == Wait::outside || current == nullptr) {
    page.add("\n");
    return false;
  }
  add_missing(page, wait, *current);
  page.add("%s", wait == Wait::none ? " " : ", in ");
  if (is_implicit(*current)) {
    page.add("the region's own code");
  } else {
    add_task(page, *current);
  }
  bool computes = false;
  if (wait == Wait::none) {
    const char kernel = kernel_state(thread);
    page.add(", %s", describe_kernel_state(kernel));
    computes = kernel == 'R' || kernel == '?';  // who cannot tell accuses nobody
  } else {
    page.add(", %s", asleep ? "asleep" : "awake");
    const Task* constraint = glance(worker.constraint);
    if (constraint != nullptr && !is_implicit(*constraint)) {
      page.add("; may only run descendants of ");
      add_task(page, *constraint);
    }
  }
  page.add("\n");
  return computes;
}

void add_queues(Page& page, const Team& team) noexcept {
  page.add("    queued:");
  const char* separator = " ";
  const auto add = [&](std::uint32_t length, const char* where, int number) {
    if (length == 0) return;
    page.add("%s%u %s", separator, length, where);
    if (number >= 0) page.add(" %d", number);
    separator = ", ";
  };
  for (std::size_t i = 0; i < team.places->size(); ++i) {
    const policy::Place& place = (*team.places)[PlaceId{i}];
    const std::uint32_t length = team.length(PlaceId{i});
    if (i == 0) {
      add(length, "at the root", -1);
    } else if (place.worker.valid()) {
      add(length, "at worker", place.worker.value());
    } else if (place.domain.valid()) {
      add(length, "in domain", place.domain.value());
    } else {
      add(length, "at place", static_cast<int>(i));
    }
  }
  add(team.prioritised.length(), "with a priority", -1);
  page.add("%s\n", separator[0] == ' ' ? " nothing" : "");
}

void add_team_name(Page& page, const Team& team) noexcept {
  const FrontEnd& front_end = stall::front_end();
  page.add("  team of %zu thread%s", team.size(), team.size() == 1 ? "" : "s");
  if (front_end.runtime_of != nullptr) page.add(", %s", front_end.runtime_of(glance(team.host)));
  if (const RegionHint* hint = glance(team.hint); hint != nullptr) {
    page.add(", region <0x%lx>",
             static_cast<unsigned long>(hint->code.load(std::memory_order_relaxed)));
  }
}

unsigned long number(std::uint64_t value) noexcept { return static_cast<unsigned long>(value); }

void add_tally(Page& page, const Team& team, const Tally& tally) noexcept {
  page.add(
      "    tasks: %lu left for later, %lu of them ended; open are %lu that run or wait on a "
      "stack, %lu queued, %lu held back by dependences, %lu by mutexinoutset, %lu that have "
      "ended but for their event",
      number(tally.created), number(tally.ended), number(tally.begun), number(tally.queued),
      number(tally.held_back()), number(tally.excluded), number(tally.pending));
  if (tally.at_once != 0) page.add(", and %lu run at once by their creator", number(tally.at_once));
  page.add("\n");
  add_queues(page, team);
  page.add("    asleep: %u of %zu threads, %zu can run at the same time\n", team.sleepers->total(),
           team.size(), glance(team.cores));
}

/// The workers that compute.
std::size_t add_team(Page& page, const Team& team) noexcept {
  const Tally tally = tally_of(team);
  add_team_name(page, team);
  page.add("\n");
  add_tally(page, team, tally);
  std::size_t computing = 0;
  const std::size_t shown = std::min(team.size(), most_workers);
  for (std::size_t i = 0; i < shown; ++i) {
    if (add_worker(page, *team.workers[i])) ++computing;
  }
  if (shown < team.size()) page.add("    … and %zu workers more\n", team.size() - shown);
  return computing;
}

void add_meeting(Page& page, const Team& team) noexcept {
  add_team_name(page, team);
  page.add(": %u of them have come, the others have not yet\n",
           team.met.load(std::memory_order_relaxed));
}

bool is_in_use(const Team& team) noexcept {
  if (!has_met(team)) return team.met.load(std::memory_order_relaxed) != 0;
  for (const auto& worker : team.members()) {
    if (wait_of(*worker) != Wait::outside) return true;
  }
  return false;
}

void add_heading(Page& page, Nanoseconds stalled, std::uint64_t open) noexcept {
  page.add("process %d (%s)", static_cast<int>(getpid()), program_invocation_short_name);
  if (stalled.count == 0) {
    page.add(", as asked: %lu task%s open\n", number(open), open == 1 ? " is" : "s are");
    return;
  }
  const auto tenths = static_cast<long>(stalled.count / 100'000'000);
  page.add(": no task has started or ended for %ld.%ld s, and %lu %s open\n", tenths / 10,
           tenths % 10, number(open), open == 1 ? "is" : "are");
}

void add_verdict(Page& page, std::size_t computing) noexcept {
  if (computing == 0) {
    page.add("  no thread computes: what they wait for does not come by itself\n");
  } else {
    page.add("  %zu thread%s: this may be a task that takes long, and no fault\n", computing,
             computing == 1 ? " computes" : "s compute");
  }
}

}  // namespace

void write_page(int file, Nanoseconds stalled) noexcept {
  const Progress progress = look();
  Page page(file);
  add_heading(page, stalled, progress.open);
  std::size_t teams = 0;
  std::size_t computing = 0;
  const std::lock_guard lock(places_lock());
  for (Team* team = known_teams(); team != nullptr; team = team->next_known) {
    if (!is_in_use(*team) || ++teams > most_teams) continue;
    if (has_met(*team)) {
      computing += add_team(page, *team);
    } else {
      add_meeting(page, *team);
    }
  }
  if (teams > most_teams) page.add("  … and %zu teams more\n", teams - most_teams);
  if (teams == 0) page.add("  no team is in a parallel region\n");
  if (stalled.count != 0) add_verdict(page, computing);
}

}  // namespace lares::runtime::stall

// Teams that a bubble scheduler places, with real threads: who is told what while others come and
// go.
#include <gtest/gtest.h>

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <map>
#include <random>
#include <thread>
#include <vector>

#include "host/openmp/bubbles.hpp"
#include "host/openmp/bubbles_seen.hpp"
#include "support/runtime_host.hpp"

namespace lares::omp::bubbles {
namespace {

constexpr std::size_t domains = 4;
constexpr std::size_t cores_per_domain = 2;

std::atomic<std::size_t> g_followed{0};

/// Memory whose page n is at home in domain n modulo their number.
int homes(const void* memory, std::size_t /*bytes*/, std::uint64_t* pages, std::size_t count,
          std::uint64_t* absent, std::uint64_t* unknown) {
  for (std::size_t d = 0; d < count; ++d) pages[d] = 0;
  pages[reinterpret_cast<std::uintptr_t>(memory) / 4096 % count] = 1;
  *absent = *unknown = 0;
  return 0;
}
int follow(void* /*memory*/, std::size_t /*bytes*/, std::size_t /*chunk*/, int /*way*/) {
  ++g_followed;
  return 0;
}
constexpr DataCalls calls{homes, follow};

/// A page of data in a domain.
Data data_in(std::size_t domain, std::size_t which = 0) {
  return {(1000 + domain + domains * which) * 4096, 4096};
}

std::size_t domain_here() {
  const auto cores = cores_of(t_member->wanted.load());
  return static_cast<std::size_t>(cores.front().value()) / cores_per_domain;
}

/// The engine's machine, and a scheduler's. One at a time.
class Placed {
 public:
  explicit Placed(const char* scheduler)
      : machine_(std::vector<std::size_t>(domains, cores_per_domain)) {
    set_up(runtime::Engine::instance().machine(), scheduler);
    for (auto& word : allowed_.words) word = ~0UL;
    allowed_.bytes = sizeof(allowed_.words);
  }
  ~Placed() { g_on = false; }
  Placed(const Placed&) = delete;
  Placed& operator=(const Placed&) = delete;

  /// Threads that wait for others keep their cores, however long the system lets them wait.
  void waits_are_no_idleness() { waits_are_idleness_ = false; }
  /// A region of `size` threads, the calling one among them.
  void region(std::size_t size, const std::function<void(std::size_t)>& body, Memory& memory) {
    Team team;
    if (!team.take_up_at_once(memory) || team.size() != size) team.choose(size, allowed_, memory);
    const auto member = [&](std::size_t number) {
      team.join(number);
      const bool is_new = number != 0 || !team.is_inner();
      if (is_new) {
        t_member->thread.store(static_cast<int>(syscall(SYS_gettid)));
        t_member->still.store(false);
      }
      body(number);
      if (waits_are_idleness_ && g_crowded.load()) team.rest();
      if (is_new) leave_for_good();
      team.leave(number);
    };
    std::vector<std::thread> threads;
    for (std::size_t i = 1; i < size; ++i) threads.emplace_back(member, i);
    member(0);
    for (std::thread& thread : threads) thread.join();
  }
  void region(std::size_t size, const std::function<void(std::size_t)>& body) {
    Memory memory;
    region(size, body, memory);
  }

 private:
  runtime::host::Machine machine_;
  ProcessorMask allowed_;
  bool waits_are_idleness_ = true;
};

std::uint64_t steals() {
  return runtime::host::counted([](const auto& slot) { return slot.bubble_steals.get(); });
}

/// Until all of `count` threads have come here.
class Meeting {
 public:
  explicit Meeting(std::size_t count) : count_(count) {}
  void wait() {
    ++came_;
    while (came_.load() < count_) std::this_thread::yield();
  }

 private:
  const std::size_t count_;
  std::atomic<std::size_t> came_{0};
};

TEST(NestedTeams, AnInnerTeamIsWhereItsMasterIs) {
  for (const char* name : {"cache", "memory"}) {
    Placed placed(name);
    std::atomic<std::size_t> away{0};
    Meeting all(domains);
    placed.region(domains, [&](std::size_t team) {
      EXPECT_EQ(domain_here(), team) << name;
      all.wait();
      const std::size_t master = domain_here();
      Meeting inner(4);
      placed.region(4, [&](std::size_t) {
        inner.wait();
        if (domain_here() != master) ++away;
      });
    });
    EXPECT_EQ(away.load(), 0U) << name;
    EXPECT_EQ(t_member, nullptr);
  }
}

TEST(NestedTeams, ThreadsGoToTheirData) {
  Placed placed("memory");
  Meeting said(domains);
  placed.region(domains, [&](std::size_t number) {
    const std::size_t home = (number + 1) % domains;
    add_data(data_in(home), calls, Shake::now);
    said.wait();
    EXPECT_EQ(domain_here(), home);
    Meeting inner(2);
    placed.region(2, [&](std::size_t) {
      inner.wait();
      EXPECT_EQ(domain_here(), home);
    });
  });
}

TEST(NestedTeams, ThreadsWhoseDataLiesCrosswiseGoTogether) {
  for (int repetition = 0; repetition < 20; ++repetition) {
    Placed placed("memory");
    g_followed = 0;
    Meeting said(domains);
    placed.region(domains, [&](std::size_t number) {
      add_data(data_in(number), calls, Shake::never);
      said.wait();
      for (std::size_t turn = 1; turn <= 3; ++turn) {
        const std::size_t home = (number + turn) % domains;
        clear_data();
        add_data(data_in(home), calls, Shake::together);
        EXPECT_EQ(domain_here(), home);
        // In a team of its own, whose threads go together, too.
        placed.region(2, [&](std::size_t) {
          clear_data();
          add_data(data_in(home, 1), calls, Shake::together);
        });
      }
    });
    EXPECT_EQ(g_followed.load(), 0U) << "nobody's data had to move";
  }
}

TEST(NestedTeams, ThreadsGoTogetherThoughTheirTeamsRest) {
  for (int repetition = 0; repetition < 20; ++repetition) {
    Placed placed("memory");
    g_followed = 0;
    std::vector<Memory> inner(domains);
    placed.region(domains, [&](std::size_t number) {
      const auto team = [&](std::size_t home) {
        placed.region(2, [&](std::size_t) { EXPECT_EQ(domain_here(), home); }, inner[number]);
      };
      team(number);
      EXPECT_NE(inner[number].resting, nullptr);
      for (std::size_t turn = 1; turn <= 3; ++turn) {
        const std::size_t home = (number + turn) % domains;
        clear_data();
        add_data(data_in(home), calls, Shake::together);
        EXPECT_EQ(domain_here(), home);
        team(home);
      }
    });
    EXPECT_EQ(g_followed.load(), 0U) << "nobody's data had to move";
  }
}

TEST(NestedTeams, WhatWasSaidBeforeTheTeamIsItsFirstThreads) {
  Placed placed("memory");
  add_data(data_in(3), calls, Shake::never);
  placed.region(2, [](std::size_t number) {
    if (number == 0) {
      EXPECT_EQ(domain_here(), 3U);
    }
  });
  clear_data();
  Memory memory;
  placed.region(
      2,
      [](std::size_t number) {
        if (number == 0) {
          EXPECT_EQ(domain_here(), 0U);
        }
      },
      memory);
}

TEST(NestedTeams, EachMemberHasItsChunkOfTheNextTeamsData) {
  Placed placed("memory");
  // Chunks of a page: one after the other they are in domain 0, 1, 2, 3.
  add_next_team_data({1000 * 4096, domains * 4096}, 4096, calls);
  Meeting all(domains);
  placed.region(domains, [&](std::size_t number) {
    all.wait();
    EXPECT_EQ(domain_here(), number);
  });
  add_next_team_data({1003 * 4096, 4096}, 4096, calls);
  placed.region(1 + 1, [](std::size_t number) {
    if (number == 0) {
      EXPECT_EQ(domain_here(), 3U);
    }
  });
}

TEST(NestedTeams, AnIdleDomainTakesHalfOfATeamWithItsData) {
  for (const char* name : {"memory", "cache"}) {
    Placed placed(name);
    g_followed = 0;
    const bool may = std::string_view(name) == "memory";
    const std::uint64_t before = steals();
    std::atomic<std::size_t> left{0};
    Meeting said(domains + 3);
    placed.region(domains, [&](std::size_t number) {
      if (number != 0) return said.wait();
      placed.region(4, [&](std::size_t member) {
        set_load(10);
        add_data(data_in(0, member), calls, Shake::never);
        said.wait();
        // The others end now, and look around after a moment.
        for (int i = 0; may && i < 2000 && steals() == before; ++i) usleep(1000);
        usleep(20'000);
        if (domain_here() != 0) ++left;
      });
    });
    EXPECT_EQ(left.load(), may ? 2U : 0U) << name;
    EXPECT_EQ(g_followed.load(), may ? 2U : 0U) << name;
  }
}

TEST(NestedTeams, WhatAThiefNamesLaterFollows) {
  Placed placed("memory");
  g_followed = 0;
  const std::uint64_t before = steals();
  Meeting said(domains + 3);
  std::atomic<std::size_t> left{0};
  placed.region(domains, [&](std::size_t number) {
    if (number != 0) return said.wait();
    placed.region(4, [&](std::size_t member) {
      set_load(10);
      said.wait();
      for (int i = 0; i < 2000 && steals() == before; ++i) usleep(1000);
      usleep(20'000);
      add_data(data_in(0, member), calls, Shake::never);
      if (domain_here() != 0) ++left;
    });
  });
  EXPECT_EQ(left.load(), 2U);
  EXPECT_EQ(g_followed.load(), 2U);
}

// Four threads have their data in one domain, which has two cores.
TEST(NestedTeams, WhoFindsNoCoreAtItsDataHasItFollowFromTheStart) {
  Placed placed("memory");
  g_followed = 0;
  add_next_team_data({1000 * 4096, 4096}, 1024, calls);
  std::atomic<std::size_t> away{0};
  placed.region(4, [&](std::size_t) {
    if (domain_here() != 0) ++away;
  });
  EXPECT_EQ(away.load(), 2U);
  EXPECT_EQ(g_followed.load(), 2U);
}

TEST(NestedTeams, NobodyTakesWhatNothingIsKnownOf) {
  Placed placed("memory");
  const std::uint64_t before = steals();
  Meeting looked(4);
  placed.region(domains, [&](std::size_t number) {
    if (number != 0) return;
    placed.region(4, [&](std::size_t) {
      usleep(20'000);
      EXPECT_EQ(domain_here(), 0U);
      EXPECT_EQ(steals(), before);
      looked.wait();  // who ends first leaves a core to its teammates
    });
  });
}

TEST(NestedTeams, TheProgramsOwnChoiceIsLeftAlone) {
  Placed placed("memory");
  placed.region(2, [&](std::size_t number) {
    if (number != 0) return;
    let_be();
    EXPECT_EQ(t_member->thread.load(), 0);
  });
}

/// Who is thread 1 of the team, and where.
struct Second {
  const Member* member;
  std::size_t domain;
  bool operator==(const Second&) const = default;
};
Second second_of(Placed& placed, std::size_t size, Memory& memory) {
  Second second{};
  placed.region(
      size,
      [&](std::size_t number) {
        if (number == 1) second = {t_member, domain_here()};
      },
      memory);
  return second;
}

TEST(NestedTeams, ATeamRestsAndComesAgain) {
  for (const char* name : {"cache", "memory", "spread"}) {
    Placed placed(name);
    Memory memory;
    const Second first = second_of(placed, 3, memory);
    EXPECT_EQ(second_of(placed, 3, memory), first) << name;
    EXPECT_EQ(second_of(placed, 3, memory), first) << name;
    EXPECT_NE(memory.resting, nullptr) << name;
    second_of(placed, 4, memory);
    ASSERT_NE(memory.resting, nullptr) << name;
    EXPECT_EQ(memory.resting->members.size(), 4U) << name;
  }
}

TEST(NestedTeams, ATeamRestsByItsMastersWordUntilSomebodyLooks) {
  Placed placed("cache");
  Memory memory;
  Memory other;
  second_of(placed, 2, memory);
  second_of(placed, 2, memory);
  const Squad* const squad = memory.resting.get();
  EXPECT_EQ(squad->state.load(), Squad::State::resting);
  second_of(placed, 2, memory);
  EXPECT_EQ(memory.resting.get(), squad);
  second_of(placed, 3, other);
  EXPECT_EQ(squad->state.load(), Squad::State::settled);
}

TEST(NestedTeams, ATeamThatWasTakenUpInVainIsThereForOthers) {
  Placed placed("cache");
  Memory memory;
  second_of(placed, 2, memory);
  const Second second = second_of(placed, 2, memory);
  const Squad* const squad = memory.resting.get();
  {
    Team alone;
    ASSERT_TRUE(alone.take_up_at_once(memory));
    EXPECT_EQ(memory.resting, nullptr);
    alone.give_up();
    EXPECT_FALSE(alone.is_chosen());
    EXPECT_EQ(memory.resting.get(), squad);
    EXPECT_EQ(second_of(placed, 2, memory), second);  // in the region of one thread
    second_of(placed, 3, memory);
  }
  ASSERT_NE(memory.resting, nullptr);
  EXPECT_EQ(memory.resting->members.size(), 3U);
}

// Teams of the same masters come and go without the lock while one thread has others placed: no
// core may be lost to a team that rests, and no team that runs be taken for one that rests.
TEST(NestedTeams, MastersRestWhileOthersLook) {
  Placed placed("cache");
  constexpr int rounds = 400;
  std::vector<Memory> inner(domains);
  std::atomic<int> ran{0};
  std::atomic<int> masters_left{domains - 1};
  placed.region(domains, [&](std::size_t number) {
    if (number != 0) {
      for (int i = 0; i < rounds; ++i) {
        placed.region(2, [&](std::size_t) { ++ran; }, inner[number]);
      }
      --masters_left;
      return;
    }
    for (std::size_t size = 2; masters_left.load() > 0; size = size % 5 + 1) {
      placed.region(size, [](std::size_t) {}, inner[0]);
    }
  });
  EXPECT_EQ(ran.load(), 2 * rounds * static_cast<int>(domains - 1));
  Memory all;
  placed.region(domains, [&](std::size_t number) { EXPECT_EQ(domain_here(), number); }, all);
  EXPECT_FALSE(g_crowded.load()) << "no team has kept a core";
}

TEST(NestedTeams, WhatIsToldOfATeamPlacesItAnew) {
  Placed placed("memory");
  Memory memory;
  second_of(placed, 2, memory);
  // A page in domain 2 for thread 0, one in domain 3 for thread 1.
  add_next_team_data({1002 * 4096, 2 * 4096}, 4096, calls);
  EXPECT_EQ(second_of(placed, 2, memory).domain, 3U);
  EXPECT_EQ(memory.resting, nullptr) << "its data is its own";
  second_of(placed, 2, memory);
  EXPECT_NE(memory.resting, nullptr);
}

TEST(NestedTeams, AGangDoesNotRest) {
  Placed placed("gang");
  Memory memory;
  second_of(placed, 2, memory);
  EXPECT_EQ(memory.resting, nullptr);
}

TEST(NestedTeams, ATeamThatRestsTakesNoCoresFromOthers) {
  Placed placed("cache");
  Memory all;
  second_of(placed, domains * cores_per_domain, all);
  Memory other;
  placed.region(domains, [&](std::size_t number) { EXPECT_EQ(domain_here(), number); }, other);
  EXPECT_FALSE(g_crowded.load());
}

// The master of the inner team keeps it beyond the end of the outer one.
TEST(NestedTeams, ATeamEndsWithTheOneAroundIt) {
  Placed placed("cache");
  Memory outer;
  std::vector<Memory> inner(4);
  const auto nested = [&](std::size_t size) {
    placed.region(size, [&](std::size_t number) { second_of(placed, 2, inner[number]); }, outer);
  };
  nested(2);
  EXPECT_TRUE(inner[1].resting->bubble.valid());
  nested(4);
  nested(3);
  EXPECT_TRUE(inner[2].resting->bubble.valid());
  EXPECT_FALSE(inner[3].resting->bubble.valid()) << "its master is gone";
  nested(4);
  EXPECT_TRUE(inner[3].resting->bubble.valid());
}

// One thread is the master of teams at several levels.
TEST(NestedTeams, TeamsRestWithinTeamsThatRest) {
  Placed placed("cache");
  placed.waits_are_no_idleness();
  std::vector<Memory> memories(4);
  const std::function<void(std::size_t, std::size_t)> nest = [&](std::size_t level,
                                                                 std::size_t size) {
    if (level == memories.size()) return;
    placed.region(
        size,
        [&](std::size_t number) {
          if (number == 0) nest(level + 1, 2);
        },
        memories[level]);
  };
  nest(0, 2);
  nest(0, 2);  // the outer ones were placed before there were inner ones
  std::vector<const Squad*> squads;
  for (const Memory& memory : memories) squads.push_back(memory.resting.get());
  nest(0, 2);
  for (std::size_t level = 0; level < memories.size(); ++level) {
    EXPECT_EQ(memories[level].resting.get(), squads[level]) << "it came again";
  }
  nest(0, 3);  // all of them are new
  nest(2, 2);  // what were inner teams have no master
  EXPECT_EQ(memories[2].resting->master, nullptr);
  EXPECT_TRUE(memories[1].resting->bubble.valid());
  nest(0, 2);
}

// --- what was seen of threads

std::uint64_t moved_to_seen() {
  return runtime::host::counted([](const auto& slot) { return slot.bubble_seen.get(); });
}

Runner runner_of(const std::vector<Runner>& all, const Member* thread) {
  const auto found = std::ranges::find(all, thread, &Runner::thread);
  return found == all.end() ? Runner{} : *found;
}

/// Of each runner: all of what it uses is in the domain that `home(runner)` says.
template <class Home>
std::vector<SeenData> all_seen(Home home) {
  std::vector<SeenData> seen;
  for (const Runner& each : runners()) {
    if (!each.domain.valid()) continue;  // it has left its team
    SeenData data{each, std::vector<std::uint64_t>(domains, 0)};
    data.bytes[home(each)] = 1 << 20;
    seen.push_back(data);
  }
  return seen;
}
std::size_t next_of(const Runner& runner) { return (runner.domain.index() + 1) % domains; }

TEST(NestedTeams, TeamsGoToWhatTheyWereSeenToUse) {
  for (int repetition = 0; repetition < 10; ++repetition) {
    Placed placed("memory");
    g_followed = 0;
    Memory outer;
    std::vector<Memory> inner(domains);
    std::atomic<std::size_t> away{0};
    const auto team = [&](std::size_t number, std::size_t home) {
      Meeting all(2);
      placed.region(
          2,
          [&](std::size_t) {
            all.wait();
            if (domain_here() != home) ++away;
          },
          inner[number]);
    };
    const auto visit = [&](std::size_t shift, bool moves) {
      Meeting before(domains);
      Meeting met(domains);
      Meeting moved(domains);
      placed.region(
          domains,
          [&](std::size_t number) {
            before.wait();
            team(number, (number + shift) % domains);
            met.wait();  // all teams rest now
            if (moves && number == 1) {
              EXPECT_EQ(go_to_seen(all_seen(next_of)), 2 * domains);
            }
            moved.wait();
            team(number, (number + shift + (moves ? 1 : 0)) % domains);
          },
          outer);
    };
    visit(0, true);
    EXPECT_EQ(away.load(), 0U);
    visit(1, false);  // they come back to where they went
    EXPECT_EQ(away.load(), 0U);
    visit(1, true);
    visit(2, false);
    EXPECT_EQ(away.load(), 0U);
    EXPECT_EQ(g_followed.load(), 0U);
  }
}

TEST(NestedTeams, TeamsThatRunGoAtOnceToWhatTheyWereSeenToUse) {
  Placed placed("memory");
  const std::uint64_t before = moved_to_seen();
  Meeting all(2 * domains);
  Meeting gone(2 * domains);
  std::atomic<std::size_t> away{0};
  placed.region(domains, [&](std::size_t number) {
    placed.region(2, [&](std::size_t member) {
      all.wait();
      if (number == 2 && member == 1) {
        EXPECT_EQ(go_to_seen(all_seen(next_of)), 2 * domains);
        EXPECT_EQ(go_to_seen(all_seen(next_of)), 2 * domains) << "what was seen first is forgotten";
      }
      gone.wait();
      if (domain_here() != (number + 2) % domains) ++away;
    });
  });
  EXPECT_EQ(away.load(), 0U);
  EXPECT_EQ(moved_to_seen() - before, 4 * domains);
}

TEST(NestedTeams, ATeamBeginsWhereItWent) {
  Placed placed("memory");
  Memory memory;
  const auto visit = [&](std::size_t shift, bool moves) {
    Meeting all(domains);
    Meeting gone(domains);
    placed.region(
        domains,
        [&](std::size_t number) {
          EXPECT_EQ(domain_here(), (number + shift) % domains);
          all.wait();
          if (moves && number == 0) go_to_seen(all_seen(next_of));
          gone.wait();
        },
        memory);
  };
  visit(0, true);
  visit(1, false);
  visit(1, true);
  visit(2, true);
  visit(3, false);
}

// Others leave their teams, which rest or end, at this very moment.
TEST(NestedTeams, ThreadsMayLeaveWhileOthersAreMoved) {
  for (int repetition = 0; repetition < 30; ++repetition) {
    Placed placed("memory");
    Memory outer;
    std::vector<Memory> inner(domains);
    Meeting met(domains);
    for (int round = 0; round < 2; ++round) {
      placed.region(
          domains,
          [&](std::size_t number) {
            placed.region(2 * cores_per_domain, [](std::size_t) {}, inner[number]);
            met.wait();
            if (number < 2) go_to_seen(all_seen(next_of));
            if (number == 3) placed.region(2, [](std::size_t) {}, inner[number]);
          },
          outer);
    }
    EXPECT_EQ(t_member, nullptr);
  }
}

// Their masters stand for all of them while they rest: one would get a core for itself.
TEST(NestedTeams, TeamsThatRestShareCoresAsIfTheyRan) {
  Placed placed("memory");
  bool seen = false;
  const auto look = [&](const std::vector<Memory>& inner) {
    std::vector<const Squad*> squads;
    for (const Memory& memory : inner) squads.push_back(memory.resting.get());
    // A core that is idle for a while ends the teams that rest.
    seen = std::ranges::all_of(squads, [](const Squad* squad) { return squad->bubble.valid(); });
    if (!seen) return;
    go_to_seen(all_seen([](const Runner& each) { return (each.domain.index() + 1) % domains; }));
    for (const Squad* squad : squads) {
      std::map<int, int> threads;
      for (const Member* member : squad->members) ++threads[member->wanted.load()];
      EXPECT_EQ(threads.size(), cores_per_domain);
      for (const auto& [place, count] : threads) EXPECT_EQ(count, 2) << place;
    }
  };
  for (int attempt = 0; attempt < 100 && !seen; ++attempt) {
    std::vector<Memory> inner(domains);
    Meeting met(domains);
    Meeting looked(domains);
    placed.region(domains, [&](std::size_t number) {
      do {  // of whom an idle core has taken a thread does not rest
        placed.region(2 * cores_per_domain, [](std::size_t) {}, inner[number]);
      } while (inner[number].resting == nullptr);
      met.wait();
      if (number == 0) look(inner);
      looked.wait();
    });
  }
  EXPECT_TRUE(seen);
}

// One of the inner threads uses what is elsewhere.
TEST(NestedTeams, AThreadGoesWithoutItsTeam) {
  Placed placed("memory");
  Meeting all(2);
  Meeting gone(2);
  std::atomic<const Member*> second{nullptr};
  placed.region(2, [&](std::size_t number) {
    if (number == 1) return;
    placed.region(2, [&](std::size_t member) {
      const std::size_t before = domain_here();
      if (member == 1) second = t_member;
      all.wait();
      if (member == 0) {
        EXPECT_EQ(go_to_seen(all_seen([&](const Runner& each) {
                    return each.thread == second ? 3 : each.domain.index();
                  })),
                  1U);
      }
      gone.wait();
      EXPECT_EQ(domain_here(), member == 0 ? before : 3U);
    });
  });
}

TEST(NestedTeams, TheProgramsWordBeatsWhatIsSeen) {
  Placed placed("memory");
  Meeting said(domains);
  Meeting looked(domains);
  placed.region(domains, [&](std::size_t number) {
    if (number == 0) add_data(data_in(0), calls, Shake::never);
    said.wait();
    const Runner own = runner_of(runners(), t_member);
    EXPECT_TRUE(own.stays) << "one of its team has said something";
    looked.wait();
    if (number == 0) {
      EXPECT_EQ(go_to_seen(std::vector{SeenData{own, {0, 0, 4096, 0}}}), 0U);
      clear_data();
      EXPECT_FALSE(runner_of(runners(), t_member).stays);
      EXPECT_EQ(go_to_seen(std::vector{SeenData{own, {0, 0, 4096, 0}}}), 1U);
      EXPECT_EQ(domain_here(), 2U);
    }
  });
}

TEST(NestedTeams, WhoHasEndedIsPassedOver) {
  Placed placed("memory");
  std::vector<SeenData> seen;
  Meeting all(3);
  Meeting looked(3);
  placed.region(3, [&](std::size_t number) {
    all.wait();
    if (number == 1) seen = all_seen(next_of);
    looked.wait();
  });
  EXPECT_EQ(seen.size(), 3U);
  EXPECT_EQ(go_to_seen(seen), 0U);
}

TEST(NestedTeams, OnlyASchedulerThatGoesByDataAsksWhoRuns) {
  for (const char* name : {"cache", "spread", "gang"}) {
    Placed placed(name);
    placed.region(2, [](std::size_t) { EXPECT_TRUE(runners().empty()); });
  }
}

TEST(NestedTeams, OfThreadsOnOneCoreNobodyIsKnown) {
  Placed placed("memory");
  Meeting all(domains * cores_per_domain + 1);
  Meeting looked(domains * cores_per_domain + 1);
  placed.region(domains * cores_per_domain + 1, [&](std::size_t) {
    all.wait();
    std::size_t unknown = 0;
    for (const Runner& each : runners()) unknown += each.core.valid() ? 0 : 1;
    EXPECT_EQ(unknown, 2U);
    looked.wait();
  });
}

TEST(NestedTeams, WhoMayNotBeMovedIsNotLookedAt) {
  Placed placed("memory");
  placed.region(2, [&](std::size_t number) {
    if (number != 0) return;
    let_be();
    const Runner own = runner_of(runners(), t_member);
    EXPECT_FALSE(own.core.valid());
    EXPECT_FALSE(own.domain.valid());
  });
}

// Everything at once, in any order; the sanitizers watch, and nobody may be lost or wait for ever.
void storm(Placed& placed, std::size_t depth, std::uint32_t seed,
           std::atomic<std::size_t>& bodies) {
  std::mt19937 random(seed);
  Memory memory;
  for (std::size_t round = 0; round < 4; ++round) {
    const std::size_t size = 2 + (seed % 3 == 0 ? round / 2 : random() % 3);
    placed.region(
        size,
        [&, round](std::size_t number) {
          ++bodies;
          std::mt19937 own(seed * 31 + static_cast<std::uint32_t>(round * 7) +
                           static_cast<std::uint32_t>(number));
          // Of a third of the teams nothing is said, so that they rest.
          for (int step = 0; step < 4 && seed % 3 != 0; ++step) {
            switch (own() % 8) {
              case 0:
                add_data(data_in(own() % domains, own() % 3), calls, static_cast<Shake>(own() % 3));
                break;
              case 1:
                clear_data();
                break;
              case 2:
                set_load(static_cast<double>(own() % 20));
                break;
              case 3:
                set_intensity(static_cast<double>(own() % 3));
                break;
              case 4: {
                const HoldStill still;
                std::this_thread::yield();
                break;
              }
              case 5:
                go_to_seen(all_seen([&](const Runner&) { return own() % domains; }));
                break;
              case 6:
                add_next_team_data(data_in(own() % domains), 4096, calls);
                break;
              default:
                usleep(static_cast<unsigned>(own() % 2000));
            }
          }
          EXPECT_FALSE(cores_of(t_member->wanted.load()).empty());
          if (depth > 1) storm(placed, depth - 1, static_cast<std::uint32_t>(own()), bodies);
        },
        memory);
  }
}

TEST(NestedTeams, Storm) {
  for (const char* name : {"cache", "memory", "spread", "gang"}) {
    Placed placed(name);
    std::atomic<std::size_t> bodies{0};
    for (const std::uint32_t seed : {42U, 43U}) storm(placed, 2, seed, bodies);
    EXPECT_GT(bodies.load(), 4U * 2 * (1 + 4 * 2)) << name;
    clear_data();
    placed.region(2, [](std::size_t) {});  // has what was said of the next team
    // What is left is as at the beginning.
    std::atomic<std::size_t> wrong{0};
    add_next_team_data({1000 * 4096, domains * 4096}, 4096, calls);
    placed.region(domains, [&](std::size_t number) {
      if (std::string_view(name) == "memory" && domain_here() != number) ++wrong;
    });
    EXPECT_EQ(wrong.load(), 0U) << name;
  }
}

}  // namespace
}  // namespace lares::omp::bubbles

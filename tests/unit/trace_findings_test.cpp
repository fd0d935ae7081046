// What is said of traces made by hand: figures that can be checked by head, and each diagnosis on a
// run that has the fault and on its twin without it.
#include "trace/findings/findings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <regex>
#include <string>

#include "policy/registry.hpp"
#include "trace/findings/over_time.hpp"
#include "trace/homes.hpp"
#include "trace_sample.hpp"

namespace lares::trace {
namespace {

constexpr Time us = 1000;
constexpr Time ms = 1000 * us;

/// One region of `threads` threads over `domains` domains, from 0 to `end`.
class Made {
 public:
  Made(std::uint32_t threads, std::uint32_t domains, Time end) {
    trace_.domains = domains;
    trace_.duration = end;
    trace_.constructs = {{"a.c:1 a", "a", 1, false}, {"a.c:2 b", "a", 2, false}};
    trace_.about.cpus = threads;
    trace_.about.binding = "spread";
    trace_.about.policy = "auto";
    trace_.about.level = "numa";
    trace_.about.cores_of_domain.assign(domains, threads / domains);
    for (std::uint32_t t = 0; t < threads; ++t) {
      trace_.threads.push_back({.process = 1,
                                .number = t,
                                .domain = static_cast<std::uint16_t>(t * domains / threads),
                                .core = static_cast<std::uint16_t>(t),
                                .bound = true,
                                .is_cut = false});
    }
    trace_.regions.push_back({.begin = 0, .end = end, .team = threads, .master = 0, .outer = none});
    end_ = end;
  }

  /// A task that ran at home; created by thread 0's own code when the region began.
  Grain& add(Index thread, Time begin, Time end) {
    Grain grain;
    grain.thread = thread;
    grain.begin = begin;
    grain.end = end;
    grain.self = end - begin;
    grain.construct = 0;
    grain.created_on = 0;
    grain.region = 0;
    grain.domain = trace_.threads[thread].domain;
    grain.home = grain.domain;
    grain.locality = Locality::local;
    grain.located = runtime::Located::data;
    grain.flags = grain_flag::has_data;
    trace_.grains.push_back(grain);
    return trace_.grains.back();
  }
  void wait(Index thread, Time begin, WaitKind kind, Time idle) {
    trace_.waits.push_back({.begin = begin,
                            .end = begin + idle,
                            .idle = idle,
                            .thread = thread,
                            .region = 0,
                            .kind = kind});
  }
  [[nodiscard]] Trace& trace() { return trace_; }

  /// The thread's own code ends then, rather than with its last grain.
  void busy(Index thread, Time until) { busy_[thread] = until; }

  /// Grains by thread and time, and each thread's wait at the end.
  Trace finish() {
    std::sort(trace_.grains.begin(), trace_.grains.end(), [](const Grain& a, const Grain& b) {
      return std::tuple(a.thread, a.begin, b.end) < std::tuple(b.thread, b.begin, a.end);
    });
    for (Index t = 0; t < trace_.threads.size(); ++t) {
      Time last = busy_[t];
      trace_.grains_of.push_back(0);
      for (std::size_t i = 0; i < trace_.grains.size(); ++i) {
        if (trace_.grains[i].thread < t) ++trace_.grains_of.back();
        if (trace_.grains[i].thread == t) last = std::max(last, trace_.grains[i].end);
      }
      wait(t, last, WaitKind::region_end, end_ - last);
    }
    trace_.grains_of.push_back(trace_.grains.size());
    std::sort(trace_.waits.begin(), trace_.waits.end(), [](const Wait& a, const Wait& b) {
      return std::tuple(a.thread, a.begin, b.end) < std::tuple(b.thread, b.begin, a.end);
    });
    return trace_;
  }

 private:
  Trace trace_;
  Time end_ = 0;
  std::map<Index, Time> busy_;
};

bool says(const Findings& findings, const std::string& id) {
  return std::any_of(findings.diagnoses.begin(), findings.diagnoses.end(),
                     [&id](const Diagnosis& each) { return each.id == id; });
}

TEST(TraceFindings, SumsByConstructDomainAndThread) {
  Made made(2, 2, 10 * ms);
  made.add(0, 0, 4 * ms).create_cost = 100 * us;
  made.add(1, 0, 2 * ms).construct = 1;
  Grain& far = made.add(1, 2 * ms, 8 * ms);
  far.home = 0;
  far.locality = Locality::remote;
  const Findings found = find(made.finish());
  EXPECT_EQ(found.work, 12 * ms);
  EXPECT_EQ(found.creation, 100 * us);
  EXPECT_EQ(found.idle, 6 * ms + 2 * ms);
  EXPECT_EQ(found.in_regions, 10 * ms);
  ASSERT_EQ(found.constructs.size(), 2U);
  EXPECT_EQ(found.constructs[0].construct, 0U);
  EXPECT_EQ(found.constructs[0].sums.grains, 2U);
  EXPECT_EQ(found.constructs[0].longest, 6 * ms);
  EXPECT_EQ(found.constructs[0].sums.time_by[static_cast<std::size_t>(Locality::remote)], 6 * ms);
  EXPECT_EQ(found.domains[1].sums.time, 8 * ms);
  EXPECT_EQ(found.grains, (std::vector<std::uint64_t>{1, 1, 0, 1}));  // [home][ran in]
  EXPECT_EQ(found.threads[0].other, 10 * ms - 4 * ms - 6 * ms - 0 * ms);
  std::uint64_t lengths = 0;
  for (const LengthBin& bin : found.lengths) {
    for (const std::uint64_t each : bin.grains_by) lengths += each;
  }
  EXPECT_EQ(lengths, 3U);
}

TEST(TraceFindings, TellsHowMuchLongerFarGrainsTake) {
  Made made(2, 2, 100 * ms);
  for (Time i = 0; i < 20; ++i) {
    made.add(0, i * ms, i * ms + 100 * us);
    Grain& far = made.add(1, i * ms, i * ms + 250 * us);
    far.home = 0;
    far.locality = Locality::remote;
  }
  const Findings found = find(made.finish());
  EXPECT_DOUBLE_EQ(found.constructs[0].inflation, 2.5);
}

TEST(TraceFindings, FollowsTheLongestChainThroughReleasesAndCreators) {
  Made made(2, 1, 10 * ms);
  made.add(0, 1 * ms, 3 * ms);                  // 0: created at once
  made.add(0, 3 * ms, 4 * ms).released_by = 0;  // 1
  made.add(1, 4 * ms, 9 * ms).released_by = 1;  // 2: 2 + 1 + 5
  made.add(1, 1 * ms, 4 * ms);                  // 3: sorted before it
  Trace trace = made.finish();
  // Sorting moved thread 1's: its long one is the last.
  ASSERT_EQ(trace.grains[3].self, 5 * ms);
  const Findings found = find(trace);
  EXPECT_EQ(found.critical, 8 * ms);
  EXPECT_EQ(found.critical_path, (std::vector<Index>{0, 1, 3}));
}

TEST(TraceFindings, TheLongestChainOfATaskThatWaitsGoesThroughItsChildren) {
  Made made(2, 1, 20 * ms);
  Grain& outer = made.add(0, 0, 12 * ms);
  outer.self = 2 * ms;
  Grain& child = made.add(1, 1 * ms, 11 * ms);
  child.creator = 0;
  child.created = 1 * ms;
  made.wait(0, 2 * ms, WaitKind::taskwait, 10 * ms);
  const Findings found = find(made.finish());
  EXPECT_EQ(found.critical, 1 * ms + 10 * ms);
  EXPECT_EQ(found.critical_path, (std::vector<Index>{0, 1}));
}

// No schedule is faster than its longest chain, and none shorter than its work on all threads.
TEST(TraceFindings, TheLongestChainIsNoLongerThanTheRun) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const Trace trace = sample_trace({.threads = 1 + static_cast<std::uint32_t>(seed % 6),
                                      .domains = 1,
                                      .grains_per_thread = 200,
                                      .grain = 10'000,
                                      .seed = seed});
    const Findings found = find(trace);
    EXPECT_LE(found.critical, trace.regions[0].end - trace.regions[0].begin) << seed;
    EXPECT_LE(found.critical, found.work + found.creation + trace.duration) << seed;
    for (std::size_t i = 1; i < found.critical_path.size(); ++i) {
      EXPECT_LE(trace.grains[found.critical_path[i - 1]].begin,
                trace.grains[found.critical_path[i]].begin);
    }
  }
}

TEST(TraceFindings, SlicesSumWhatIntervalsCover) {
  std::mt19937_64 random(5);
  Slices slices(1000, 7);
  std::vector<double> exact(7);
  for (int i = 0; i < 200; ++i) {
    const Time begin = random() % 1000;
    const Time end = begin + random() % (1001 - begin);
    slices.add(begin, end);
    for (Time t = begin; t < end; ++t) exact[slices.at(t)] += 1;
  }
  const auto means = slices.means();
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_NEAR(means[i] * static_cast<double>(slices.length()), exact[i], 1e-6) << i;
  }
}

TEST(TraceFindings, TellBytesByHomeAndDomainAndThoseWrittenApart) {
  Made made(2, 2, 10 * ms);
  made.trace().accesses = {{.address = 64, .bytes = 8, .home = 0, .writes = true},
                           {.address = 128, .bytes = 16, .home = 1},
                           {.address = 192, .bytes = 32, .home = no_domain, .writes = true}};
  Grain& grain = made.add(1, 0, 1 * ms);
  grain.accesses = 3;
  const Findings found = find(made.finish());
  EXPECT_EQ(found.bytes, (std::vector<std::uint64_t>{0, 8, 0, 16}));
  EXPECT_EQ(found.written, (std::vector<std::uint64_t>{0, 8, 0, 0}));
}

TEST(TraceFindings, OfNothingSaysSo) {
  Trace nothing;
  nothing.grains_of = {0};
  const Findings found = find(nothing);
  EXPECT_EQ(found.all.grains, 0U);
  EXPECT_TRUE(found.diagnoses.empty());
  EXPECT_FALSE(found.verdict[0].empty());
}

TEST(TraceHomes, OfCachesAreWhereDataWasWrittenLast) {
  for (const bool caches : {true, false}) {
    Made made(2, 2, 10 * ms);
    made.trace().about.level = caches ? "l2" : "numa";
    made.trace().accesses = {{.address = 64, .bytes = 8, .home = no_domain, .writes = true}};
    for (const auto& [thread, begin] : {std::pair{0U, 0U}, {1U, 1U}, {1U, 2U}}) {
      Grain& grain = made.add(thread, begin * ms, begin * ms + 1);
      grain.home = no_domain;
      grain.flags = 0;
      grain.first_access = begin;
      grain.accesses = 1;
    }
    made.trace().accesses.resize(3, made.trace().accesses[0]);
    Trace trace = made.finish();
    complete_homes(trace);
    EXPECT_EQ(trace.grains[0].home, no_domain);
    EXPECT_EQ(trace.grains[1].home, 0);
    EXPECT_EQ(trace.grains[1].locality, Locality::remote);
    EXPECT_EQ(trace.grains[2].home, caches ? 1 : 0);
    EXPECT_EQ(trace.accesses[2].home, caches ? 1 : 0);
  }
}

// --- diagnoses: `make` gives the run with the fault or without it
// ---------------------------------

struct Twins {
  const char* id;
  std::function<Trace(bool faulty)> make;
};

Trace even_run(Time grain, Time cost) {
  Made made(2, 2, 100 * ms);
  for (Index t = 0; t < 2; ++t) {
    for (Time at = 0; at + grain <= 98 * ms; at += grain + cost) {
      made.add(t, at, at + grain).create_cost = cost;
    }
  }
  return made.finish();
}

const Twins twins[] = {
    {"too-fine", [](bool faulty) { return even_run(faulty ? us : 50 * us, us); }},
    {"too-coarse",
     [](bool faulty) {
       Made made(2, 2, 100 * ms);
       if (faulty) {
         made.add(0, 0, 98 * ms);
         made.add(1, 0, 20 * ms);
       } else {
         for (Time i = 0; i < 50; ++i) {
           made.add(0, i * ms, (i + 1) * ms);
           made.add(1, i * ms, (i + 1) * ms);
         }
       }
       return made.finish();
     }},
    {"one-creator",
     [](bool faulty) {
       // Thread 0 creates a task each 100 us, thread 1 runs it in 30.
       Made made(2, 1, 100 * ms);
       for (Time i = 0; i < 900; ++i) {
         const Time at = i * 100 * us + 50 * us;
         Grain& grain = made.add(1, at, at + (faulty ? 30 : 99) * us);
         grain.created = grain.ready = at - us;
         if (i > 0) made.wait(1, at - 70 * us, WaitKind::barrier, faulty ? 70 * us : 0);
       }
       made.busy(0, 99 * ms);
       return made.finish();
     }},
    {"kept-back",
     [](bool faulty) {
       // All is ready at once, and thread 0 runs it alone.
       Made made(2, 2, 100 * ms);
       for (Time i = 0; i < 99; ++i) {
         made.add(0, i * ms, (i + 1) * ms);
         if (!faulty) made.add(1, i * ms, (i + 1) * ms);
       }
       return made.finish();
     }},
    {"serial",
     [](bool faulty) {
       Made made(2, 1, 100 * ms);
       made.add(0, 0, 99 * ms);
       made.add(1, 0, 99 * ms);
       if (faulty) made.trace().duration = 200 * ms;
       return made.finish();
     }},
    {"imbalance",
     [](bool faulty) {
       Made made(2, 1, 100 * ms);
       for (Time i = 0; i < 99; ++i) {
         made.add(0, i * ms, (i + 1) * ms);
         if (!faulty || i < 40) made.add(1, i * ms, (i + 1) * ms);
       }
       return made.finish();
     }},
    {"taskwaits",
     [](bool faulty) {
       Made made(2, 1, 100 * ms);
       made.add(0, 0, 50 * ms);
       made.add(1, 0, 99 * ms);
       if (faulty) made.wait(0, 50 * ms, WaitKind::taskwait, 40 * ms);
       return made.finish();
     }},
    {"far-from-data",
     [](bool faulty) {
       Made made(2, 2, 100 * ms);
       for (Time i = 0; i < 90; ++i) {
         for (Index t = 0; t < 2; ++t) {
           Grain& grain = made.add(t, i * ms, i * ms + 900 * us);
           if (i % (faulty ? 2 : 20) != 0) continue;
           grain.home = static_cast<std::uint16_t>(1 - grain.domain);
           grain.locality = Locality::remote;
         }
       }
       return made.finish();
     }},
    {"data-in-one-domain",
     [](bool faulty) {
       Made made(2, 2, 100 * ms);
       for (Time i = 0; i < 90; ++i) {
         for (Index t = 0; t < 2; ++t) {
           Grain& grain = made.add(t, i * ms, i * ms + 900 * us);
           if (!faulty || t == 0) continue;
           grain.home = 0;
           grain.locality = Locality::remote;
         }
       }
       return made.finish();
     }},
    {"false-homes",
     [](bool faulty) {
       Made made(2, 2, 100 * ms);
       for (Time i = 0; i < 90; ++i) {
         made.add(0, i * ms, i * ms + 600 * us);
         Grain& far = made.add(1, i * ms, i * ms + (faulty ? 300 : 700) * us);
         far.home = 0;
         far.locality = Locality::remote;
       }
       return made.finish();
     }},
    {"saturated",
     [](bool faulty) {
       Made made(2, 1, 100 * ms);
       for (Time i = 0; i < 90; ++i) {
         // The first half alone, the second by two.
         const bool crowded = i >= 45;
         const Time length = crowded && faulty ? 990 * us : 500 * us;
         if (crowded && !faulty) {
           made.add(0, i * ms, i * ms + length);
           made.add(0, i * ms + length, i * ms + 2 * length);
           made.add(1, i * ms, i * ms + length);
           made.add(1, i * ms + length, i * ms + 2 * length);
         } else {
           made.add(0, i * ms, i * ms + length);
           if (crowded) made.add(1, i * ms, i * ms + length);
         }
       }
       return made.finish();
     }},
    {"unbound",
     [](bool faulty) {
       Trace trace = even_run(ms, us);
       if (faulty) trace.about.binding = "none";
       return trace;
     }},
    {"oversubscribed",
     [](bool faulty) {
       Trace trace = even_run(ms, us);
       trace.about.cpus = faulty ? 1 : 2;
       return trace;
     }},
    {"numa-balancing",
     [](bool faulty) {
       Trace trace = even_run(ms, us);
       trace.about.numa_balancing = faulty;
       return trace;
     }},
    {"disturbed",
     [](bool faulty) {
       Trace trace = even_run(ms, us);
       trace.about.processor_wait = faulty ? 0.11 : 0.09;
       return trace;
     }},
    {"several-runtimes",
     [](bool faulty) {
       Trace trace = even_run(ms, us);
       trace.about.runtimes = faulty ? 2 : 1;
       return trace;
     }},
};

/// A command that is advised is one that works.
void expect_policies_exist(const Diagnosis& diagnosis) {
  const std::regex named("--policy ([a-z=,-]*[a-z])");
  const std::sregex_iterator end;
  for (std::sregex_iterator at(diagnosis.remedy.begin(), diagnosis.remedy.end(), named); at != end;
       ++at) {
    const auto choice = policy::parse_choice((*at)[1].str(), 4);
    EXPECT_TRUE(choice.ok()) << diagnosis.id << ": " << diagnosis.remedy;
  }
}

TEST(TraceDiagnoses, AreSaidOfARunWithTheFaultAndNotOfItsTwin) {
  for (const Twins& each : twins) {
    const Findings faulty = find(each.make(true));
    EXPECT_TRUE(says(faulty, each.id)) << each.id;
    EXPECT_FALSE(says(find(each.make(false)), each.id)) << each.id;
    for (const Diagnosis& diagnosis : faulty.diagnoses) {
      EXPECT_FALSE(diagnosis.evidence.empty()) << diagnosis.id;
      EXPECT_FALSE(diagnosis.threshold.empty()) << diagnosis.id;
      EXPECT_FALSE(diagnosis.remedy.empty()) << diagnosis.id;
      expect_policies_exist(diagnosis);
      EXPECT_FALSE(diagnosis.gain_how.empty() && diagnosis.gain > 0) << diagnosis.id;
      EXPECT_GE(diagnosis.gain, 0) << diagnosis.id;
      EXPECT_LE(diagnosis.gain, 1) << diagnosis.id;
    }
  }
}

/// Twenty regions of 10 ms in which two threads have ten grains each and then wait for 1.5 ms; in
/// `coarse` of them each has one grain, the second one of 2 ms.
Trace with_coarse_regions(Index coarse) {
  Made made(2, 2, 200 * ms);
  made.trace().regions.clear();
  for (Index r = 0; r < 20; ++r) {
    const Time begin = r * 10 * ms;
    made.trace().regions.push_back(
        {.begin = begin, .end = begin + 10 * ms, .team = 2, .master = 0, .outer = none});
    const Time grains = r < coarse ? 1 : 10;
    for (Index t = 0; t < 2; ++t) {
      const Time all = r < coarse && t == 1 ? 2 * ms : 8500 * us;
      for (Time i = 0; i < grains; ++i) {
        made.add(t, begin + i * all / grains, begin + (i + 1) * all / grains).region = r;
      }
      made.wait(t, begin + all, WaitKind::region_end, 10 * ms - all);
    }
  }
  Trace trace = made.finish();
  for (Wait& wait : trace.waits) wait.region = static_cast<Index>(wait.begin / (10 * ms));
  return trace;
}

TEST(TraceDiagnoses, OneCoarseRegionOfManyIsNoFault) {
  EXPECT_FALSE(says(find(with_coarse_regions(0)), "too-coarse"));
  EXPECT_FALSE(says(find(with_coarse_regions(3)), "too-coarse"));
  EXPECT_TRUE(says(find(with_coarse_regions(6)), "too-coarse"));  // 12 % of the threads' time
}

/// A task makes two, and so on through `depths` of them, each of 1 us that takes 1 us to create.
Trace binary_tree(std::uint16_t depths) {
  Made made(2, 2, Time{2} * us << depths);
  Time at = 0;
  for (std::uint16_t depth = 0; depth < depths; ++depth) {
    for (std::uint32_t i = 0; i < 1U << depth; ++i, at += 2 * us) {
      Grain& grain = made.add(i % 2, at, at + us);
      grain.depth = depth;
      grain.create_cost = us;
    }
  }
  return made.finish();
}

std::string remedy_of(const Findings& findings, const std::string& id) {
  for (const Diagnosis& each : findings.diagnoses) {
    if (each.id == id) return each.remedy;
  }
  return {};
}

// Twenty times what creating it takes: a task of depth 5 with all below it has 31 us of 10 depths,
// one of depth 6 has 15.
TEST(TraceDiagnoses, TooFineTasksNameTheDepthWhereACutOffPays) {
  const std::string remedy = remedy_of(find(binary_tree(10)), "too-fine");
  EXPECT_NE(remedy.find("final(depth >= 5)"), std::string::npos) << remedy;
  EXPECT_NE(remedy.find("31.0 us of work"), std::string::npos) << remedy;
  const std::string deeper = remedy_of(find(binary_tree(11)), "too-fine");
  EXPECT_NE(deeper.find("final(depth >= 6)"), std::string::npos) << deeper;
}

TEST(TraceDiagnoses, TooFineTasksOfOneDepthNameNone) {
  const std::string remedy = remedy_of(find(even_run(us, us)), "too-fine");
  EXPECT_FALSE(remedy.empty());
  EXPECT_EQ(remedy.find("depth"), std::string::npos) << remedy;
}

}  // namespace
}  // namespace lares::trace

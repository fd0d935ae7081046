// Traces made up for tests: right by the invariants of trace/trace.hpp, of any size.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>

#include "trace/trace.hpp"

namespace lares::trace {

struct SampleShape {
  std::uint32_t threads = 4;
  std::uint32_t domains = 2;
  std::uint32_t grains_per_thread = 100;
  Time grain = 10'000;
  std::uint64_t seed = 1;
};

/// Thread 0 makes all grains in one region; each thread runs its share, one in eight stolen and
/// remote, one in ten inside of another. Every third waits for the one before.
inline Trace sample_trace(const SampleShape& shape = {}) {
  std::mt19937_64 random(shape.seed);
  Trace trace;
  trace.domains = shape.domains;
  trace.about.command = {"./sample", "--size", "1000"};
  trace.about.policy = "push=most-bytes,steal=nearest";
  trace.about.machine = "made-up";
  trace.about.openmp = "libgomp.so.1";
  trace.about.cores_of_domain.assign(shape.domains, shape.threads / std::max(1U, shape.domains));
  trace.about.distances.assign(shape.domains, std::vector<std::uint32_t>(shape.domains, 20));
  for (std::uint32_t d = 0; d < shape.domains; ++d) trace.about.distances[d][d] = 10;
  trace.about.cpus = shape.threads;
  trace.about.finished = true;
  trace.constructs = {{"solver.cpp:42 sweep", "/usr/bin/sample", 0x1200, false},
                      {"solver.cpp:77 exchange<int>", "/usr/bin/sample", 0x1400, false},
                      {"main.cpp:9 loop", "/usr/bin/sample", 0x1500, true}};
  Time last = 0;
  trace.grains_of.push_back(0);
  for (std::uint32_t t = 0; t < shape.threads; ++t) {
    const auto domain = static_cast<std::uint16_t>(t * shape.domains / shape.threads);
    trace.threads.push_back({.process = 4711,
                             .number = t,
                             .domain = domain,
                             .core = static_cast<std::uint16_t>(t),
                             .bound = true,
                             .is_cut = false});
    Time at = 1000 + t * 100;
    for (std::uint32_t i = 0; i < shape.grains_per_thread; ++i) {
      Grain grain;
      const auto self = static_cast<Index>(trace.grains.size());
      const bool remote = random() % 8 == 0;
      const bool inside = i % 10 == 9 && trace.grains.back().length() > 20;
      grain.thread = t;
      grain.domain = domain;
      grain.region = 0;
      grain.home = remote ? static_cast<std::uint16_t>((domain + 1U) % shape.domains) : domain;
      grain.locality = grain.home == domain
                           ? (random() % 2 == 0 ? Locality::local : Locality::same_domain)
                           : Locality::remote;
      if (remote) grain.stolen_from = grain.home;
      grain.located = runtime::Located::data;
      grain.flags = grain_flag::has_data;
      grain.bytes = 4096 + random() % 65536;
      grain.construct = static_cast<Index>(random() % 3);
      if (grain.construct == 2) {
        grain.flags |= grain_flag::is_chunk;
        grain.first = i * 16ULL;
        grain.iterations = 16;
      }
      if (inside) {
        Grain& outer = trace.grains.back();
        grain.begin = outer.begin + outer.length() / 4;
        grain.end = outer.begin + outer.length() / 2;
        grain.creator = self - 1;
        grain.depth = static_cast<std::uint16_t>(outer.depth + 1);
        outer.self -= grain.length();
      } else {
        grain.begin = at;
        grain.end = at + shape.grain / 2 + random() % std::max<Time>(1, shape.grain);
        at = grain.end + random() % std::max<Time>(1, shape.grain / 10);
      }
      grain.self = grain.length();
      grain.created = inside ? grain.begin - 10 : std::min<Time>(grain.begin, 500 + i * 10ULL);
      grain.ready = grain.created;
      grain.create_cost = 150 + random() % 200;
      if (i % 3 == 2 && !inside && trace.grains.back().end <= grain.begin) {
        grain.released_by = self - 1;
        grain.ready = trace.grains.back().end;
      }
      trace.grains.push_back(grain);
    }
    trace.grains_of.push_back(trace.grains.size());
    trace.waits.push_back({.begin = at,
                           .end = at + 500,
                           .idle = 500,
                           .thread = t,
                           .region = 0,
                           .kind = WaitKind::region_end});
    last = std::max(last, at + 500);
  }
  trace.duration = last + 100;
  trace.regions.push_back(
      {.begin = 900, .end = last, .team = shape.threads, .master = 0, .outer = none});
  return trace;
}

}  // namespace lares::trace

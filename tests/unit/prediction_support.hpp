// A made-up machine of 4 domains with 2 cores each, whose figures are easy to reckon with.
#pragma once

#include <gtest/gtest.h>

#include "machine_support.hpp"
#include "model/figures.hpp"
#include "model/predict.hpp"

namespace lares::model::test {

inline constexpr std::uint64_t kibi = 1024;
inline constexpr Bytes cached{16 * kibi};
inline constexpr Bytes in_memory{std::uint64_t{64} << 20U};

inline machine::Spread exactly(double value) { return {value, value, value}; }

inline machine::Machine four_domains() {
  machine::Machine machine = machine::test::load("synthetic:pack:4 [numa] core:2 pu:1");
  for (std::size_t from = 0; from < 4; ++from) {
    for (std::size_t to = 0; to < 4; ++to) {
      const bool across = from / 2 != to / 2;
      machine.distances.values[from * 4 + to] = from == to ? 10 : across ? 30 : 20;
    }
  }
  return machine;
}

/// Reading, MB/s by both cores of a domain: 100000 from the cache wherever the home is, and from
/// memory 10000 at home, 5000 from the neighbour, 2000 across. One core: 6000 at home. Writing is
/// half as fast in memory.
inline double read_rate(std::size_t from, std::size_t to) {
  if (from == to) return 10'000;
  return from / 2 == to / 2 ? 5'000 : 2'000;
}

inline machine::Measurements four_domains_measured() {
  machine::Measurements m;
  for (std::size_t from = 0; from < 4; ++from) {
    for (std::size_t to = 0; to < 4; ++to) {
      const auto add = [&](const char* kernel, Bytes footprint, std::uint32_t threads,
                           double rate) {
        m.pairs.push_back(
            {DomainId{from}, DomainId{to}, kernel, footprint, threads, exactly(rate)});
      };
      add("read", cached, 2, 100'000);
      add("read", in_memory, 2, read_rate(from, to));
      add("write", in_memory, 2, read_rate(from, to) / 2);
      if (from == to) add("read", in_memory, 1, 6'000);
    }
  }
  m.aggregate.push_back({"local", "read", 8, exactly(32'000), in_memory});
  m.aggregate.push_back({"all-to-all", "read", 8, exactly(8'000), in_memory});
  m.aggregate.push_back({"interleaved", "read", 8, exactly(16'000), in_memory});
  m.compute.push_back({"fma", 1, exactly(20)});
  m.compute.push_back({"fma", 8, exactly(120)});
  m.compute.push_back({"chain", 1, exactly(2)});
  for (const char* runtime : {"lares", "libomp"}) {
    for (const std::uint32_t threads : {1U, 2U, 4U, 8U}) {
      m.synchronisation.push_back({"barrier", runtime, threads, exactly(100.0 * threads)});
      m.synchronisation.push_back({"parallel", runtime, threads, exactly(1000.0 * threads)});
    }
  }
  return m;
}

inline Figures figures_of(const machine::Machine& machine, const machine::Measurements& measured) {
  auto figures = Figures::of(machine, measured);
  EXPECT_TRUE(figures.ok()) << figures.error().sentence;
  return std::move(figures.value());
}

inline Team team_of(std::vector<std::uint32_t> threads) {
  Team team{std::move(threads), 0};
  for (const std::uint32_t count : team.of_domain) team.size += count;
  return team;
}

/// `bytes` from each row's domain to each column's.
inline Stream stream(std::vector<double> bytes, Bytes footprint = in_memory,
                     Access access = Access::read) {
  return {access, footprint, std::move(bytes), false};
}

/// Of all zeros but one.
inline std::vector<double> only(std::size_t from, std::size_t to, double bytes) {
  std::vector<double> matrix(16, 0);
  matrix[from * 4 + to] = bytes;
  return matrix;
}

}  // namespace lares::model::test

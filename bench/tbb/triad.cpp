// STREAM's triad by oneTBB's loops and by those of lares/tbb.hpp: triad SCHEDULE ELEMENTS SWEEPS
// [HEAVY]. Prints "us_per_sweep N at_home N" or exits with 1. The loop that fills the arrays is of
// the same kind as the sweeps, so each piece's home is the domain that filled it. HEAVY: the first
// half of the pieces is worked on so many times, which no static division foresees.
#include <lares/lab.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <lares/tbb.hpp>
#include <memory>
#include <string_view>
#include <vector>

namespace {

using Range = oneapi::tbb::blocked_range<std::size_t>;
using Clock = std::chrono::steady_clock;
constexpr std::size_t piece_elements = 4096;  // ranges are of pieces

struct Triad {
  std::size_t count;
  int heavy;
  std::unique_ptr<double[]> a, b, c;
  std::vector<int> home;  // by piece: the domain that filled it
  std::atomic<long> at_home{0};

  Triad(std::size_t elements, int times)
      : count(elements),
        heavy(times),
        a(new double[elements]),
        b(new double[elements]),
        c(new double[elements]),
        home((elements + piece_elements - 1) / piece_elements) {}

  void fill(const Range& pieces) {
    for (std::size_t piece = pieces.begin(); piece != pieces.end(); ++piece) {
      std::fill_n(&a[begin_of(piece)], begin_of(piece + 1) - begin_of(piece), 0.0);
      std::fill_n(&b[begin_of(piece)], begin_of(piece + 1) - begin_of(piece), 1.0);
      std::fill_n(&c[begin_of(piece)], begin_of(piece + 1) - begin_of(piece), 2.0);
      home[piece] = lares_domain_here();
    }
  }
  void sweep(const Range& pieces) {
    const int here = lares_domain_here();
    for (std::size_t piece = pieces.begin(); piece != pieces.end(); ++piece) {
      for (int k = times_of(piece); k > 0; --k) {
        for (std::size_t i = begin_of(piece); i != begin_of(piece + 1); ++i) {
          a[i] += b[i] + 0.5 * c[i];
        }
      }
      at_home += home[piece] == here ? 1 : 0;
    }
  }
  [[nodiscard]] std::size_t begin_of(std::size_t piece) const {
    return std::min(piece * piece_elements, count);
  }
  [[nodiscard]] int times_of(std::size_t piece) const {
    return piece < home.size() / 2 ? heavy : 1;
  }
  [[nodiscard]] bool is_right(int sweeps) const {
    for (std::size_t i = 0; i < count; ++i) {
      if (a[i] != 2.0 * times_of(i / piece_elements) * sweeps) return false;
    }
    return true;
  }
};

template <class Loop>
int run(Triad& triad, int sweeps, Loop loop) {
  const Range all(0, triad.home.size());
  loop(all, [&](const Range& range) { triad.fill(range); });
  std::vector<double> times;
  lares_lab_region_begin("sweeps");
  for (int k = 0; k < sweeps; ++k) {
    const auto start = Clock::now();
    loop(all, [&](const Range& range) { triad.sweep(range); });
    times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
  }
  lares_lab_region_end("sweeps");
  if (!triad.is_right(sweeps)) {
    std::fputs("triad: wrong result\n", stderr);
    return 1;
  }
  std::nth_element(times.begin(), times.begin() + sweeps / 2, times.end());
  const double pieces = static_cast<double>(triad.home.size()) * sweeps;
  std::printf("us_per_sweep=%.1f at_home=%.4f\n", times[static_cast<std::size_t>(sweeps / 2)],
              static_cast<double>(triad.at_home.load()) / pieces);
  return 0;
}

int run_lares(Triad& triad, int sweeps, lares::Binding binding) {
  static lares::DomainArenas arenas(binding);
  const lares::StaticHomes homes(triad.home.size(), arenas);
  return run(triad, sweeps, [&](const Range& range, const auto& body) {
    lares::parallel_for(arenas, range, homes, body);
  });
}

int run_group(Triad& triad, int sweeps) {
  const lares::StaticHomes homes(triad.home.size());
  lares::TaskGroup group;
  return run(triad, sweeps, [&](const Range& range, const auto& body) {
    for (std::size_t i = range.begin(); i != range.end(); ++i) {
      const Range piece(i, i + 1);
      group.run(homes(piece), [&body, piece] { body(piece); });
    }
    group.wait();
  });
}

template <class Partitioner>
int run_tbb(Triad& triad, int sweeps, Partitioner&& partitioner) {
  return run(triad, sweeps, [&](const Range& range, const auto& body) {
    oneapi::tbb::parallel_for(range, body, partitioner);
  });
}

}  // namespace

int main(int argc, char** argv) {
  const long elements = argc > 2 ? std::atol(argv[2]) : 0;
  const int sweeps = argc > 3 ? std::atoi(argv[3]) : 0;
  const int heavy = argc > 4 ? std::atoi(argv[4]) : 1;
  if (elements < 1 || sweeps < 1 || heavy < 1) {
    std::fputs("triad: SCHEDULE, ELEMENTS and SWEEPS are needed: triad lares 1000000 100\n",
               stderr);
    return 2;
  }
  Triad triad(static_cast<std::size_t>(elements), heavy);
  const std::string_view schedule = argv[1];
  if (schedule == "static") return run_tbb(triad, sweeps, oneapi::tbb::static_partitioner());
  if (schedule == "affinity") return run_tbb(triad, sweeps, oneapi::tbb::affinity_partitioner());
  if (schedule == "simple") return run_tbb(triad, sweeps, oneapi::tbb::simple_partitioner());
  if (schedule == "auto") return run_tbb(triad, sweeps, oneapi::tbb::auto_partitioner());
  if (schedule == "lares") return run_lares(triad, sweeps, lares::Binding::domain);
  if (schedule == "lares-unbound") return run_lares(triad, sweeps, lares::Binding::none);
  if (schedule == "lares-group") return run_group(triad, sweeps);
  std::fprintf(stderr,
               "triad: unknown schedule '%s', accepted are static affinity simple auto lares "
               "lares-unbound lares-group\n",
               argv[1]);
  return 2;
}

// Workloads whose tasks are independent: STREAM, load balancing, Jacobi, conjugate gradients.
#include <algorithm>
#include <array>

#include "simulate/workloads/workloads.hpp"

namespace lares::simulate {
namespace {

using policy::AccessMode;

constexpr std::array<std::string_view, 5> layout_names = {"static", "static,1", "serial",
                                                          "interleave", "none"};
constexpr std::array<std::string_view, 5> layout_words = {"static", "static1", "serial",
                                                          "interleave", "none"};

constexpr std::array<std::string_view, 2> creators_words = {"all", "one"};

Layout read_layout(Settings& settings) {
  return static_cast<Layout>(settings.word("init", layout_words));
}

Told read_told(Settings& settings) {
  constexpr std::array<std::string_view, 4> words = {"data", "pointers", "names", "nothing"};
  return static_cast<Told>(settings.word("tells", words));
}

}  // namespace

Workload make_stream(Settings& settings, const Team& team) {
  constexpr std::array<std::string_view, 4> kernels = {"triad", "copy", "scale", "add"};
  const std::size_t kernel = settings.word("kernel", kernels);
  const Layout layout = read_layout(settings);
  const double bytes = settings.number("gb", 2, 1e-3, 1e6) * 1e9;
  const std::size_t times = settings.count("times", 10, 1, 100000);
  const std::size_t pieces = settings.count("pieces", 8, 1, 1000);
  const bool one_creator = settings.word("creators", creators_words) == 1;
  Workload workload;
  workload.told = read_told(settings);
  workload.name = "stream " + std::string(kernels[kernel]);
  const std::size_t count = team.size() * pieces;
  // Triad and add read two vectors and write one; copy and scale read one.
  const double reads = kernel == 0 || kernel == 3 ? 2 : 1;
  const double part = bytes / (reads + 1) / static_cast<double>(count);
  for (std::size_t round = 0; round < times; ++round) {
    for (std::size_t i = 0; i < count; ++i) {
      workload.add_task(0, loop_owner(Layout::blocked, i, count, team.size()));
      if (round == 0) {
        add_data(workload, team, layout, i, count, part * reads, AccessMode::read);
        add_data(workload, team, layout, i, count, part, AccessMode::write);
      } else {
        workload.use_again(static_cast<TaskIndex>(i));
      }
    }
    Phase& phase = workload.add_phase();
    if (!one_creator) phase.creation = Phase::Creation::owners;
  }
  workload.amount = bytes * static_cast<double>(times);
  workload.unit = "GB/s";
  return workload;
}

// Schmidl 2016, 4.1: vector additions whose length grows from package to package; a thread
// initialises as many packages as every other. `kernel` is what a core works through at most, in
// 10^6 bytes a second; the usual value makes the 4.5 seconds of the static loop in Figure 4.3.
Workload make_balance(Settings& settings, const Team& team) {
  constexpr std::array<std::string_view, 2> orders = {"back", "front"};
  const std::size_t packages = settings.count("packages", 3840, 1, 50'000'000);
  const double bytes = settings.number("gb", 40, 1e-6, 1e6) * 1e9;
  const bool front = settings.word("order", orders) == 1;
  const double kernel = settings.number("kernel", 547, 1, 1e9) * 1e6;
  Workload workload;
  workload.name = "balance";
  workload.told = Told::nothing;
  workload.tasks.reserve(packages);
  workload.accesses.reserve(packages);
  workload.blocks.reserve(packages);
  const double n = static_cast<double>(packages);
  for (std::size_t i = 0; i < packages; ++i) {
    const double size = bytes * (static_cast<double>(i) + 0.5) / (n * n / 2);
    workload.add_task(size / kernel, loop_owner(Layout::blocked, i, packages, team.size()));
    // One access for the three vectors: they have one home.
    add_data(workload, team, Layout::blocked, i, packages, size, AccessMode::read);
  }
  Phase& phase = workload.add_phase();
  phase.creation = Phase::Creation::owners;
  if (!front) {
    // The last package first: owners then work from the front, and thieves take from the end.
    for (TaskIndex task = phase.end; task-- > phase.first;) phase.order.push_back(task);
  }
  workload.amount = bytes;
  workload.unit = "GB/s";
  return workload;
}

// Wittmann & Hager 2010, 1.4: one load and one store of eight bytes for each site come from memory.
// What a block needs of its neighbours is left out: it comes from their caches or is little.
Workload make_jacobi(Settings& settings, const Team& team) {
  constexpr std::array<std::string_view, 2> orders = {"ijk", "kji"};
  const Layout layout = read_layout(settings);
  const bool kji = settings.word("order", orders) == 1;
  const auto limit = static_cast<std::uint32_t>(settings.count("limit", 256, 0, 1000000));
  const std::size_t sweeps = settings.count("sweeps", 1, 1, 1000);
  const std::size_t ni = settings.count("ni", 2400, 1, 100000);
  const std::size_t nj = settings.count("nj", 600, 1, 100000);
  const std::size_t nk = settings.count("nk", 600, 1, 100000);
  const std::size_t bi = settings.count("bi", 10, 1, 100000);
  const std::size_t bj = settings.count("bj", 10, 1, 100000);
  const std::size_t rows = (ni + bi - 1) / bi;
  const std::size_t columns = (nj + bj - 1) / bj;
  const std::size_t count = rows * columns;
  Workload workload;
  workload.told = read_told(settings);
  workload.name = std::string("jacobi ") +
                  std::string(layout_names[static_cast<std::size_t>(layout)]) + " " +
                  std::string(orders[kji ? 1 : 0]);
  const double sites = static_cast<double>(ni) * static_cast<double>(nj) * static_cast<double>(nk);
  for (std::size_t sweep = 0; sweep < sweeps; ++sweep) {
    for (std::size_t i = 0; i < count; ++i) {
      workload.add_task(0, loop_owner(layout, i, count, team.size()));
      if (sweep == 0) {
        add_data(workload, team, layout, i, count, 16 * sites / static_cast<double>(count),
                 AccessMode::read_write);
      } else {
        workload.use_again(static_cast<TaskIndex>(i));
      }
    }
    Phase& phase = workload.add_phase();
    phase.queue_limit = limit;
    for (std::size_t j = 0; kji && j < columns; ++j) {
      for (std::size_t i = 0; i < rows; ++i) {
        phase.order.push_back(phase.first + static_cast<TaskIndex>(i * columns + j));
      }
    }
  }
  workload.amount = sites * static_cast<double>(sweeps);
  workload.unit = "MLUP/s";
  workload.unit_scale = 1e6;
  return workload;
}

// Schmidl 2016, 6.2: a sparse matrix-vector product, and two scalar products and three vector
// updates as one phase of their own. The product reads all of its rows, and a vector from all.
Workload make_cg(Settings& settings, const Team& team) {
  const auto n = settings.number("n", 2017169, 1, 1e12);
  const auto nonzeros = settings.number("nnz", 283073458, 1, 1e13);
  const std::size_t iterations = settings.count("iterations", 10, 1, 100000);
  const Layout layout = read_layout(settings);
  Workload workload;
  workload.name = "cg";
  const std::size_t workers = team.size();
  const double parts = static_cast<double>(workers);
  const double matrix = 12 * nonzeros / parts;
  constexpr double vector_passes = 12;
  for (std::size_t iteration = 0; iteration < iterations; ++iteration) {
    for (const bool product : {true, false}) {
      for (std::size_t w = 0; w < workers; ++w) {
        workload.add_task(0, w);
        if (iteration > 0) {
          workload.use_again(static_cast<TaskIndex>(product ? w : workers + w));
        } else if (product) {
          add_data(workload, team, layout, w, workers, matrix, AccessMode::read);
          const Layout spread = layout == Layout::serial ? layout : Layout::interleaved;
          add_data(workload, team, spread, w, workers, 8 * n / parts, AccessMode::read);
        } else {
          add_data(workload, team, layout, w, workers, vector_passes * 8 * n / parts,
                   AccessMode::read);
        }
      }
      workload.add_phase().creation = Phase::Creation::owners;
    }
  }
  workload.amount = 2 * nonzeros * static_cast<double>(iterations);
  workload.unit = "GF/s";
  return workload;
}

}  // namespace lares::simulate

// Tiled Cholesky and QR: real task graphs whose dependences follow from the tiles they use.
#include <array>
#include <cmath>

#include "simulate/workloads/workloads.hpp"

namespace lares::simulate {
namespace {

using policy::AccessMode;

// How close to the core's best rate the kernels come; a matrix product is 1 (assumptions).
// A graph over more rows of tiles would not fit into memory.
constexpr std::size_t most_tiles = 400;
constexpr double of_panels = 0.5;
constexpr double of_solves = 0.8;

/// The constructs of the program; the first one writes the tiles at the start.
enum class Kernel : std::uint8_t { start, panel, solve, reduce, update };

/// A matrix of tiles, and the tasks on it.
class Tiles {
 public:
  Tiles(Settings& settings, const Team& team, std::string name, std::size_t usual_n)
      : team_(team), n_(settings.count("n", usual_n, 64, 1'000'000)) {
    constexpr std::array<std::string_view, 3> inits = {"parallel", "serial", "interleave"};
    const std::size_t block = settings.count("block", 512, 16, 100'000);
    init_ = settings.word("init", inits);
    constexpr std::array<std::string_view, 2> tells = {"data", "names"};
    workload_.told = settings.word("tells", tells) == 0 ? Told::data : Told::names;
    size_ = std::max<std::size_t>(1, (n_ + block - 1) / block);
    if (size_ > most_tiles) {
      settings.complain("n is more than " + std::to_string(most_tiles) + " blocks");
      size_ = 1;
    }
    block_ = static_cast<double>(block);
    workload_.name = std::move(name);
    workload_.reuses = true;
    workload_.packs = true;  // as the kernels of BLAS do with their operands
    workload_.unit = "GF/s";
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] double n() const { return static_cast<double>(n_); }

  /// One block for each tile that `used` accepts, in rows. With parallel initialisation a phase
  /// that is not measured writes them first, by tasks under the same policy.
  template <class Used>
  void lay_out(Used used) {
    number_.assign(size_ * size_, 0);
    const auto bytes = static_cast<std::uint64_t>(block_ * block_ * 8);
    for (std::size_t i = 0; i < size_ * size_; ++i) {
      if (!used(i / size_, i % size_)) continue;
      number_[i] = static_cast<BlockIndex>(workload_.blocks.size());
      workload_.blocks.push_back({Bytes{bytes}, DomainId{}, {}});
    }
    const auto domains = team_.domains();
    for (std::size_t b = 0; b < workload_.blocks.size(); ++b) {
      Block& block = workload_.blocks[b];
      block.in_area = {b, workload_.blocks.size()};
      if (init_ == 1) block.home = team_.domain_of(0);
      if (init_ == 2) block.home = domains[b % domains.size()];
      if (init_ != 0) continue;
      workload_.add_task(0);
      workload_.accesses.push_back(
          {static_cast<BlockIndex>(b), AccessMode::write, static_cast<double>(bytes)});
    }
    if (init_ == 0) {
      Phase& phase = workload_.add_phase();
      phase.dependences = true;
      phase.measured = false;
    }
  }

  struct Tile {
    std::size_t row;
    std::size_t column;
    AccessMode mode;
  };
  /// A task of `kernel`, with `cubes` x block^3 operations at `efficiency` of the core's best rate.
  void task(Kernel kernel, double cubes, double efficiency, std::initializer_list<Tile> tiles) {
    const double operations = cubes * block_ * block_ * block_;
    workload_.add_task(operations / (team_.parameters.core_gflops * 1e9 * efficiency)).construct =
        static_cast<std::uint32_t>(kernel);
    workload_.amount += operations;
    for (const Tile& tile : tiles) {
      workload_.accesses.push_back(
          {number_[tile.row * size_ + tile.column], tile.mode, block_ * block_ * 8});
    }
  }

  Workload finish() {
    workload_.add_phase().dependences = true;
    return std::move(workload_);
  }

 private:
  const Team& team_;
  Workload workload_;
  std::size_t n_;
  std::size_t size_ = 0;
  double block_ = 0;
  std::size_t init_ = 0;
  std::vector<BlockIndex> number_;
};

constexpr AccessMode in = AccessMode::read;
constexpr AccessMode inout = AccessMode::read_write;

}  // namespace

Workload make_cholesky(Settings& settings, const Team& team) {
  Tiles tiles(settings, team, "cholesky", 16384);
  tiles.lay_out([](std::size_t row, std::size_t column) { return row >= column; });
  for (std::size_t k = 0; k < tiles.size(); ++k) {
    tiles.task(Kernel::panel, 1.0 / 3, of_panels, {{k, k, inout}});
    for (std::size_t m = k + 1; m < tiles.size(); ++m) {
      tiles.task(Kernel::solve, 1, of_solves, {{k, k, in}, {m, k, inout}});
    }
    for (std::size_t m = k + 1; m < tiles.size(); ++m) {
      tiles.task(Kernel::reduce, 1, 1, {{m, k, in}, {m, m, inout}});
      for (std::size_t j = k + 1; j < m; ++j) {
        tiles.task(Kernel::update, 2, 1, {{m, k, in}, {j, k, in}, {m, j, inout}});
      }
    }
  }
  return tiles.finish();
}

Workload make_qr(Settings& settings, const Team& team) {
  Tiles tiles(settings, team, "qr", 8192);
  tiles.lay_out([](std::size_t, std::size_t) { return true; });
  for (std::size_t k = 0; k < tiles.size(); ++k) {
    tiles.task(Kernel::panel, 4.0 / 3, of_panels, {{k, k, inout}});
    for (std::size_t j = k + 1; j < tiles.size(); ++j) {
      tiles.task(Kernel::solve, 2, of_solves, {{k, k, in}, {k, j, inout}});
    }
    for (std::size_t m = k + 1; m < tiles.size(); ++m) {
      tiles.task(Kernel::reduce, 2, of_panels, {{k, k, inout}, {m, k, inout}});
      for (std::size_t j = k + 1; j < tiles.size(); ++j) {
        tiles.task(Kernel::update, 4, 1, {{m, k, in}, {k, j, inout}, {m, j, inout}});
      }
    }
  }
  return tiles.finish();
}

}  // namespace lares::simulate

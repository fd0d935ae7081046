// What looks at a few pages of the program's data say of the threads of placed teams (`--bubbles`).
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "host/openmp/bubbles_seen.hpp"
#include "machine/machine.hpp"
#include "memory/follow/samples.hpp"

namespace lares::omp {

/// Who ran on which core while samples waited for their touch, and what follows from that. One
/// user at a time; not with a lock of the bubbles.
class SeenThreads {
 public:
  /// The samples wait from now on. `turn`: 0 or 1.
  void note_runners(std::size_t turn) { runners_[turn] = bubbles::runners(); }

  /// How many threads moved: those that in two turns used mostly what lies elsewhere, if there are
  /// cores for them. `sampled`: how many bytes each sampled page stands for.
  std::size_t move(const machine::Machine& machine, const memory::Samples& samples, Bytes sampled);

 private:
  std::array<std::vector<bubbles::Runner>, 2> runners_;
};

}  // namespace lares::omp

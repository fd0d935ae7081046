// T = max(Tm, Tc) + Ts (Schmidl 2016, section 6.2), for each region of a description.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/description.hpp"
#include "model/figures.hpp"
#include "model/memory_time.hpp"

namespace lares::model {

/// What the user decides.
struct Choice {
  std::string runtime;            ///< whose constructs: libgomp, libomp, lares
  std::optional<Peak> core_peak;  ///< of one core, in place of what is measured
};

enum class Bound : std::uint8_t { memory, computation, synchronisation };

/// A region at one number of threads. Times are of one execution, but for `total`.
struct RegionTime {
  std::string name;
  double repeat = 1;
  std::uint32_t threads = 1;
  Seconds memory;     ///< Tm
  Seconds computing;  ///< Tc
  Seconds waiting;    ///< Ts
  Seconds once;       ///< max(Tm, Tc) + Ts
  Seconds total;      ///< of all executions
  Bound bound = Bound::memory;
  MemoryTime slowest;  ///< what Tm waits for
  double flops = 0;
  double bytes = 0;
  std::optional<Seconds> measured;  ///< of all executions

  /// Operations a byte; nothing if there are none of either.
  [[nodiscard]] std::optional<double> intensity() const;
  /// GFLOPS that bytes and operations allow, without waiting; nothing without operations.
  [[nodiscard]] std::optional<double> roof() const;
  /// GFLOPS with waiting.
  [[nodiscard]] std::optional<double> rate() const;
};

struct Prediction {
  std::uint32_t threads = 1;
  Team team;
  std::vector<RegionTime> regions;
  Seconds total;
  Seconds apart;  ///< with Tm + Tc in place of the longer of them: if nothing overlapped
  std::optional<Seconds> measured;
};

/// How far the prediction is from what was measured: +0.1 is 10 % too long.
double error_of(Seconds predicted, Seconds measured) noexcept;

/// An error says which figure is missing, and what to do.
Result<Prediction> predict(const Description& description, const machine::Machine& machine,
                           const Figures& figures, std::uint32_t threads, const Choice& choice);

}  // namespace lares::model

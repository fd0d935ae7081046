// What `lares measure` found out about a machine, as the model asks for it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/result.hpp"
#include "machine/machine.hpp"
#include "machine/measurements.hpp"
#include "model/curve.hpp"
#include "model/team.hpp"
#include "model/units.hpp"
#include "model/words.hpp"

namespace lares::model {

/// Footprints are those of each thread. Pure: a value that is made once and then only asked.
class Figures {
 public:
  /// Error: nothing that says how fast memory is, or a pair of domains without such a figure. Where
  /// nothing is measured, the machine's `performance` is taken: reading, by all cores of a domain.
  static Result<Figures> of(const machine::Machine& machine,
                            const machine::Measurements& measurements);

  [[nodiscard]] std::size_t domains() const noexcept { return domains_; }
  [[nodiscard]] std::size_t domains_with_cores() const noexcept { return with_cores_; }

  /// `threads` (at least 1) of the cores of domain `from` together, on memory of `to`.
  [[nodiscard]] Bandwidth pair(DomainId from, DomainId to, std::uint32_t threads, Bytes footprint,
                               Access access) const;
  /// The memory of `home`, whoever uses it: the most that any one domain gets of it.
  [[nodiscard]] Bandwidth home(DomainId home, Access access) const;
  /// Which part of what a domain's threads move in their own memory no cache holds.
  [[nodiscard]] double memory_share(DomainId domain, Bytes footprint, Access access) const;
  /// What a byte takes if all cores of the machine do the same, to the own memory.
  [[nodiscard]] Seconds machine_local(Bytes footprint, Access access) const;
  /// The same to the memory of others: never less. `interleaved`: the page's, not the array's, home
  /// is another.
  [[nodiscard]] Seconds machine_remote(Bytes footprint, Access access, bool interleaved) const;

  /// All threads of a team together; nothing if that was not measured. Between one core and all it
  /// goes as straight a line as there is between one core's own rates.
  [[nodiscard]] std::optional<Peak> peak(Flops kind, std::uint32_t threads) const;
  /// One execution; nothing if nobody measured it with that runtime. Between two numbers of threads
  /// by the logarithm of the number.
  [[nodiscard]] std::optional<Seconds> sync(Construct construct, const std::string& runtime,
                                            std::uint32_t threads) const;
  /// The runtime that is taken if nobody chooses one: libgomp, libomp or lares; "" if there is
  /// none.
  [[nodiscard]] std::string default_runtime() const;

  /// The footprint that no cache holds.
  [[nodiscard]] Bytes memory_footprint() const noexcept { return largest_; }
  /// What is not measured and therefore guessed, as sentences.
  [[nodiscard]] const std::vector<std::string>& notes() const noexcept { return notes_; }

 private:
  using PairKey = std::tuple<DomainId, DomainId, Access, std::uint32_t>;

  Figures() = default;
  void add_pairs(const machine::Measurements& measurements);
  void add_performance(const machine::Machine& machine);
  void add_aggregates(const machine::Measurements& measurements);
  void add_compute(const machine::Measurements& measurements);
  void add_sync(const machine::Measurements& measurements);
  void find_substitutes();
  [[nodiscard]] std::optional<Error> find_gap() const;

  [[nodiscard]] const Curve* curve(DomainId from, DomainId to, Access access,
                                   std::uint32_t threads) const;
  [[nodiscard]] std::optional<Bandwidth> measured(DomainId from, DomainId to, Access access,
                                                  std::uint32_t threads, Bytes footprint) const;
  [[nodiscard]] std::uint32_t most_threads(DomainId from, DomainId to) const;
  [[nodiscard]] Access known(Access access) const noexcept {
    return substitute_[static_cast<std::size_t>(access)];
  }
  /// Of all cores by footprint; null if nobody measured it.
  [[nodiscard]] const Curve* aggregate(const std::string& pattern, Access access) const;

  std::size_t domains_ = 0;
  std::size_t with_cores_ = 0;
  Bytes largest_;
  std::array<Access, access_words.size()> substitute_{};
  std::map<PairKey, Curve> pairs_;
  std::map<std::pair<DomainId, DomainId>, std::map<std::uint32_t, bool>> counts_;  // of threads
  std::map<std::pair<std::string, Access>, Curve> aggregates_;
  std::map<Flops, std::map<std::uint32_t, Peak>> peaks_;
  std::map<std::pair<std::string, std::string>, std::map<std::uint32_t, Seconds>> sync_;
  std::vector<std::string> notes_;
};

}  // namespace lares::model

// The workloads that come with Lares: the papers' programs, as tasks.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "machine/machine.hpp"
#include "simulate/parameters.hpp"
#include "simulate/workload.hpp"

namespace lares::simulate {

/// What a workload is made for: its data is laid out by the team that initialises it.
struct Team {
  const machine::Machine& machine;
  const Parameters& parameters;
  std::vector<CoreId> cores;  ///< by worker

  [[nodiscard]] std::size_t size() const noexcept { return cores.size(); }
  [[nodiscard]] DomainId domain_of(std::size_t worker) const noexcept {
    return machine.cores[cores[worker].index()].domain;
  }
  /// The domains with workers, ascending.
  [[nodiscard]] std::vector<DomainId> domains() const;
};

/// The settings after the workload's name, "n=16384,block=512", while they are read.
class Settings {
 public:
  /// Precondition: `text` outlives this.
  static Result<Settings> parse(std::string_view workload, std::string_view text);

  /// The number after `key`, or `otherwise`; between low and high, or it is a problem.
  double number(std::string_view key, double otherwise, double low, double high);
  std::size_t count(std::string_view key, std::size_t otherwise, std::size_t low,
                    std::size_t high) {
    return static_cast<std::size_t>(number(key, static_cast<double>(otherwise),
                                           static_cast<double>(low), static_cast<double>(high)));
  }
  /// One of `words` (the first if the key is not given), as its number.
  std::size_t word(std::string_view key, std::span<const std::string_view> words);
  /// Notes a problem, a sentence without the workload's name; the first one counts.
  void complain(std::string sentence);
  /// The first problem: an unused key, a wrong value. To be asked after all settings were read.
  [[nodiscard]] const std::string& problem();

 private:
  struct Setting {
    std::string_view key;
    std::string_view value;
    bool used = false;
  };
  Setting* find(std::string_view key);

  std::string workload_;
  std::vector<Setting> settings_;
  std::string known_;
  std::string problem_;
};

/// One row of the table.
struct WorkloadEntry {
  std::string_view name;
  std::string_view summary;
  std::string_view settings;  ///< "n=16384,block=512": the keys with their defaults
  Workload (*make)(Settings& settings, const Team& team);
};

std::span<const WorkloadEntry> workloads() noexcept;

/// Makes the workload that `text` names: "NAME" or "NAME:KEY=VALUE,KEY=VALUE", or reads the task
/// graph in "file:PATH". An error names the
/// wrong word and the accepted ones.
Result<Workload> make_workload(std::string_view text, const Team& team);

Workload make_stream(Settings& settings, const Team& team);
Workload make_balance(Settings& settings, const Team& team);
Workload make_jacobi(Settings& settings, const Team& team);
Workload make_cholesky(Settings& settings, const Team& team);
Workload make_qr(Settings& settings, const Team& team);
Workload make_cg(Settings& settings, const Team& team);

/// Where the initialisation of a loop puts what iteration `index` of `count` works on.
enum class Layout : std::uint8_t { blocked, cyclic, serial, interleaved, nowhere };

/// The worker that schedule(static), or schedule(static,1) for cyclic, gives an iteration to.
std::size_t loop_owner(Layout layout, std::size_t index, std::size_t count, std::size_t workers);

/// Adds the data of one iteration to the workload's last task: one block where the layout gives it
/// one home, or one for each domain where its pages go round. Moves `bytes` in all.
void add_data(Workload& workload, const Team& team, Layout layout, std::size_t index,
              std::size_t count, double bytes, policy::AccessMode mode);

}  // namespace lares::simulate

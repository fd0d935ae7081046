#include "model/figures.hpp"

#include <algorithm>
#include <cmath>

namespace lares::model {
namespace {

constexpr Bytes assumed_footprint{std::uint64_t{256} << 20U};
constexpr const char* remedy = "run lares measure --output FILE there, and give --machine FILE";

/// The kernel whose bandwidth is taken for one that nobody measured.
constexpr Access next_best(Access access) noexcept {
  return access == Access::update ? Access::copy : Access::read;
}

/// A value between two measured numbers of threads, by how far `threads` lies between their
/// `scale`s; beyond them, the nearest.
template <class Value, class Read, class Scale>
double between(const std::map<std::uint32_t, Value>& values, std::uint32_t threads,
               const Read& read, const Scale& scale) {
  const auto above = values.lower_bound(threads);
  if (above == values.end()) return read(*std::prev(values.end()));
  if (above == values.begin() || above->first == threads) return read(*above);
  const auto& low = *std::prev(above);
  const double part =
      (scale(threads) - scale(low.first)) / (scale(above->first) - scale(low.first));
  return (1 - part) * read(low) + part * read(*above);
}

/// A measured construct, and how often it takes part.
std::string measured_construct(Construct construct) {
  switch (construct) {
    case Construct::parallel:
    case Construct::parallel_for:
      return "parallel";
    default:
      return "barrier";
  }
}

}  // namespace

Result<Figures> Figures::of(const machine::Machine& machine,
                            const machine::Measurements& measurements) {
  Figures figures;
  figures.domains_ = machine.domains.size();
  figures.with_cores_ = machine.domains_with_cores();
  figures.add_pairs(measurements);
  if (figures.pairs_.empty()) figures.add_performance(machine);
  if (figures.pairs_.empty()) {
    return Error{"nobody has measured the machine \"" + machine.name + "\": " + remedy};
  }
  figures.find_substitutes();
  if (auto gap = figures.find_gap()) return *gap;
  figures.add_aggregates(measurements);
  figures.add_compute(measurements);
  figures.add_sync(measurements);
  return figures;
}

// ---- taking over
// -----------------------------------------------------------------------------------

void Figures::add_pairs(const machine::Measurements& measurements) {
  for (const machine::MeasuredPair& pair : measurements.pairs) {
    const auto access = find_word<Access>(access_words, pair.kernel);
    if (!access) continue;  // latency
    pairs_[{pair.from, pair.to, *access, pair.threads}].add(pair.footprint, {pair.figure.median});
    counts_[{pair.from, pair.to}][pair.threads] = true;
    largest_ = std::max(largest_, pair.footprint);
  }
}

void Figures::add_performance(const machine::Machine& machine) {
  const auto& matrix = machine.performance.bandwidth_mb_s;
  for (std::size_t cell = 0; cell < matrix.size(); ++cell) {
    const DomainId from{cell / domains_};
    const DomainId to{cell % domains_};
    if (matrix[cell] == 0 || from.index() >= with_cores_) continue;
    const auto threads = static_cast<std::uint32_t>(machine.domains[from.index()].cores.size());
    pairs_[{from, to, Access::read, threads}].add(assumed_footprint,
                                                  {static_cast<double>(matrix[cell])});
    counts_[{from, to}][threads] = true;
  }
  largest_ = assumed_footprint;
  notes_.emplace_back(
      "the machine's figures are of reading by all cores of a domain, with memory that no cache "
      "holds; smaller arrays may be faster");
}

void Figures::add_aggregates(const machine::Measurements& measurements) {
  for (const machine::MeasuredAggregate& all : measurements.aggregate) {
    const auto access = find_word<Access>(access_words, all.kernel);
    if (!access) continue;
    const Bytes footprint = all.footprint.count == 0 ? largest_ : all.footprint;
    aggregates_[{all.pattern, *access}].add(footprint, {all.mb_s.median});
  }
}

void Figures::add_compute(const machine::Measurements& measurements) {
  for (const machine::MeasuredCompute& compute : measurements.compute) {
    const auto kind = find_word<Flops>(flops_words, compute.kind);
    if (kind) peaks_[*kind][compute.threads] = {compute.gflops.median};
  }
}

void Figures::add_sync(const machine::Measurements& measurements) {
  for (const machine::MeasuredSync& sync : measurements.synchronisation) {
    sync_[{sync.construct, sync.by}][sync.threads] = {sync.ns.median * 1e-9};
  }
}

void Figures::find_substitutes() {
  const auto is_measured = [&](Access access) {
    return std::any_of(pairs_.begin(), pairs_.end(),
                       [&](const auto& pair) { return std::get<Access>(pair.first) == access; });
  };
  for (std::size_t i = 0; i < access_words.size(); ++i) {
    const auto wanted = static_cast<Access>(i);
    Access taken = wanted;
    while (!is_measured(taken) && taken != Access::read) taken = next_best(taken);
    substitute_[i] = taken;
    if (taken == wanted) continue;
    notes_.push_back("nobody has measured the kernel " + std::string(word_of(wanted)) +
                     " there, so the figures of " + std::string(word_of(taken)) + " are taken");
  }
}

std::optional<Error> Figures::find_gap() const {
  for (std::size_t from = 0; from < with_cores_; ++from) {
    for (std::size_t to = 0; to < domains_; ++to) {
      const std::uint32_t threads = most_threads(DomainId{from}, DomainId{to});
      if (threads > 0 && curve(DomainId{from}, DomainId{to}, Access::read, threads) != nullptr) {
        continue;
      }
      return Error{"nobody has measured how fast domain " + std::to_string(from) +
                   " reads the memory of domain " + std::to_string(to) + ": " + remedy};
    }
  }
  return std::nullopt;
}

// ---- memory
// ----------------------------------------------------------------------------------------

const Curve* Figures::curve(DomainId from, DomainId to, Access access,
                            std::uint32_t threads) const {
  const auto found = pairs_.find({from, to, access, threads});
  return found == pairs_.end() ? nullptr : &found->second;
}

std::uint32_t Figures::most_threads(DomainId from, DomainId to) const {
  const auto found = counts_.find({from, to});
  return found == counts_.end() ? 0 : found->second.rbegin()->first;
}

/// Below its smallest footprint a kernel's curve goes on as that of reading does; without a curve
/// of its own it is to reading as it is in the own memory.
std::optional<Bandwidth> Figures::measured(DomainId from, DomainId to, Access access,
                                           std::uint32_t threads, Bytes footprint) const {
  const Curve* own = curve(from, to, access, threads);
  const Curve* read = curve(from, to, Access::read, threads);
  if (own != nullptr) {
    const bool covered = footprint >= own->smallest() || read == nullptr;
    if (covered) return own->at(footprint);
    const double shape = read->at(footprint).mb_s / read->at(own->smallest()).mb_s;
    return Bandwidth{own->at(own->smallest()).mb_s * shape};
  }
  if (read == nullptr) return std::nullopt;
  const bool as_many = curve(from, from, access, threads) != nullptr;
  const std::uint32_t at_home = as_many ? threads : most_threads(from, from);
  const Bandwidth reading = read->at(footprint);
  if (curve(from, from, access, at_home) == nullptr) return reading;
  const auto local = measured(from, from, access, at_home, footprint);
  const auto local_read = measured(from, from, Access::read, at_home, footprint);
  if (!local || !local_read) return reading;
  return Bandwidth{reading.mb_s * local->mb_s / local_read->mb_s};
}

Bandwidth Figures::pair(DomainId from, DomainId to, std::uint32_t threads, Bytes footprint,
                        Access access) const {
  const Access kernel = known(access);
  const auto& counts = counts_.at({from, to});
  const std::uint32_t most = counts.rbegin()->first;
  const Bandwidth all = measured(from, to, kernel, most, footprint).value_or(Bandwidth{1});
  if (threads >= most) return all;
  // The figure of the most threads that are not more than these, as often as there are these; else
  // their part of the figure of all.
  const auto above = counts.upper_bound(threads);
  if (above == counts.begin()) return {all.mb_s * threads / most};
  const std::uint32_t fewer = std::prev(above)->first;
  const auto some = measured(from, to, kernel, fewer, footprint);
  if (!some) return {all.mb_s * threads / most};
  return {std::min(all.mb_s, some->mb_s * threads / fewer)};
}

Bandwidth Figures::home(DomainId home, Access access) const {
  Bandwidth best;
  for (std::size_t d = 0; d < with_cores_; ++d) {
    const DomainId from{d};
    best = std::max(best, pair(from, home, most_threads(from, home), largest_, access));
  }
  return best;
}

double Figures::memory_share(DomainId domain, Bytes footprint, Access access) const {
  const std::uint32_t most = most_threads(domain, domain);
  const Curve* own = curve(domain, domain, known(access), most);
  const Curve* read = curve(domain, domain, Access::read, most);
  if (own == nullptr || (own->size() < 2 && read != nullptr)) own = read;
  return own == nullptr ? 1 : own->memory_share(footprint);
}

const Curve* Figures::aggregate(const std::string& pattern, Access access) const {
  for (const Access kernel : {access, next_best(access), Access::read}) {
    const auto found = aggregates_.find({pattern, kernel});
    if (found != aggregates_.end()) return &found->second;
  }
  return nullptr;
}

Seconds Figures::machine_local(Bytes footprint, Access access) const {
  const Curve* local = aggregate("local", access);
  if (local == nullptr) return {};
  if (local->size() > 1) return time_to_move(1, local->at(footprint));
  // Only memory is shared, as far as is known.
  return time_to_move(1, local->at(footprint)) * memory_share(DomainId{0}, footprint, access);
}

Seconds Figures::machine_remote(Bytes footprint, Access access, bool interleaved) const {
  const Seconds local = machine_local(footprint, access);
  const Curve* mixed = aggregate(interleaved ? "interleaved" : "all-to-all", access);
  const Curve* own = aggregate("local", access);
  if (mixed == nullptr || own == nullptr || with_cores_ < 2) return local;
  // In the mixture one byte of as many as there are domains was local.
  const double near = 1 / static_cast<double>(with_cores_);
  const Seconds whole = time_to_move(1, mixed->at(largest_));
  const Seconds near_part = time_to_move(near, own->at(own->largest()));
  const Seconds far{std::max(whole.count - near_part.count, 0.0) / (1 - near)};
  return std::max(local, far * memory_share(DomainId{0}, footprint, access));
}

// ---- computing and waiting
// --------------------------------------------------------------------------

std::optional<Peak> Figures::peak(Flops kind, std::uint32_t threads) const {
  const auto found = peaks_.find(kind);
  if (found == peaks_.end()) return std::nullopt;
  const double of_each = between(
      found->second, threads, [](const auto& item) { return item.second.gflops / item.first; },
      [](std::uint32_t count) { return static_cast<double>(count); });
  return Peak{of_each * threads};
}

std::optional<Seconds> Figures::sync(Construct construct, const std::string& runtime,
                                     std::uint32_t threads) const {
  const auto found = sync_.find({measured_construct(construct), runtime});
  if (found == sync_.end()) return std::nullopt;
  return Seconds{between(
      found->second, threads, [](const auto& item) { return item.second.count; },
      [](std::uint32_t count) { return std::log2(static_cast<double>(count)); })};
}

std::string Figures::default_runtime() const {
  for (const char* runtime : {"libgomp", "libomp", "lares"}) {
    if (sync_.contains({"parallel", runtime}) && sync_.contains({"barrier", runtime})) {
      return runtime;
    }
  }
  return "";
}

}  // namespace lares::model

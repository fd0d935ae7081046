#include "simulate/workloads/workloads.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <memory>

#include "base/file_stream.hpp"
#include "simulate/graph_file.hpp"

namespace lares::simulate {
namespace {

constexpr std::array<WorkloadEntry, 6> table{{
    {.name = "stream",
     .summary = "a kernel of STREAM over vectors that were initialised in parallel",
     .settings = "kernel=triad,init=static,gb=2,times=10,pieces=8,creators=all,tells=data",
     .make = make_stream},
    {.name = "balance",
     .summary = "work packages that grow linearly (Schmidl 2016, chapter 4)",
     .settings = "packages=3840,gb=40,order=back,kernel=547",
     .make = make_balance},
    {.name = "jacobi",
     .summary = "sweeps of a 3D stencil by blocks (Wittmann & Hager 2010)",
     .settings = "init=static,order=ijk,limit=256,sweeps=1,ni=2400,nj=600,nk=600,bi=10,bj=10,"
                 "tells=data",
     .make = make_jacobi},
    {.name = "cholesky",
     .summary = "tiled Cholesky factorisation (Virouleau 2016)",
     .settings = "n=16384,block=512,init=parallel,tells=data",
     .make = make_cholesky},
    {.name = "qr",
     .summary = "tiled QR factorisation (Virouleau 2016)",
     .settings = "n=8192,block=512,init=parallel,tells=data",
     .make = make_qr},
    {.name = "cg",
     .summary = "conjugate gradients, matrix and vectors by rows (Schmidl 2016, chapter 6)",
     .settings = "n=2017169,nnz=283073458,iterations=10,init=static",
     .make = make_cg},
}};

std::string shown(std::string_view word) {
  std::string text = "\"";
  for (const char c : word.substr(0, 60)) text += c >= ' ' && c < '\x7f' && c != '"' ? c : '?';
  return text + "\"";
}

constexpr std::string_view file_prefix = "file:";
constexpr std::size_t most_file_bytes = std::size_t{4} << 30U;

Result<Workload> read_graph(const std::string& path, const Team& team) {
  std::string text;
  if (!read_text(path, most_file_bytes, text)) {
    return Error{errno == EFBIG ? "task graph is larger than 4 GiB"
                                : "cannot read task graph " + shown(path)};
  }
  return parse_graph(text, team.machine.domains.size());
}

std::string plain(double number) {
  const std::string text = std::to_string(number);
  const std::size_t last = text.find_last_not_of('0');
  return text.substr(0, text[last] == '.' ? last : last + 1);
}

}  // namespace

std::vector<DomainId> Team::domains() const {
  std::vector<DomainId> list;
  for (std::size_t w = 0; w < size(); ++w) list.push_back(domain_of(w));
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

Result<Settings> Settings::parse(std::string_view workload, std::string_view text) {
  Settings settings;
  settings.workload_ = std::string(workload);
  while (!text.empty()) {
    const std::string_view pair = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), pair.size() + 1));
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos) {
      return Error{"workload " + settings.workload_ + ": " + shown(pair) +
                   " is not a setting; accepted: KEY=VALUE with commas between"};
    }
    settings.settings_.push_back({pair.substr(0, equals), pair.substr(equals + 1)});
  }
  return settings;
}

Settings::Setting* Settings::find(std::string_view key) {
  if (!known_.empty()) known_ += ", ";
  known_ += key;
  Setting* found = nullptr;
  for (Setting& setting : settings_) {
    if (setting.key != key) continue;
    setting.used = true;
    found = &setting;
  }
  return found;
}

void Settings::complain(std::string sentence) {
  if (problem_.empty()) problem_ = "workload " + workload_ + ": " + std::move(sentence);
}

double Settings::number(std::string_view key, double otherwise, double low, double high) {
  const Setting* setting = find(key);
  if (setting == nullptr) return otherwise;
  double value = 0;
  const char* end = setting->value.data() + setting->value.size();
  const auto [at, status] = std::from_chars(setting->value.data(), end, value);
  if (status == std::errc{} && at == end && value >= low && value <= high) return value;
  complain(std::string(key) + " " + shown(setting->value) + " is not a number from " + plain(low) +
           " to " + plain(high));
  return otherwise;
}

std::size_t Settings::word(std::string_view key, std::span<const std::string_view> words) {
  const Setting* setting = find(key);
  if (setting == nullptr) return 0;
  std::string list;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == setting->value) return i;
    list += (i == 0 ? "" : ", ") + std::string(words[i]);
  }
  complain(std::string(key) + " " + shown(setting->value) + " is unknown; accepted: " + list);
  return 0;
}

const std::string& Settings::problem() {
  for (const Setting& setting : settings_) {
    if (!setting.used) {
      complain("setting " + shown(setting.key) + " is unknown; accepted: " + known_);
    }
  }
  return problem_;
}

std::span<const WorkloadEntry> workloads() noexcept { return table; }

Result<Workload> make_workload(std::string_view text, const Team& team) {
  if (text.starts_with(file_prefix)) {
    return read_graph(std::string(text.substr(file_prefix.size())), team);
  }
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  for (const WorkloadEntry& entry : table) {
    if (entry.name != name) continue;
    auto settings = Settings::parse(
        name, colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1));
    if (!settings) return settings.error();
    Workload workload = entry.make(settings.value(), team);
    if (!settings.value().problem().empty()) return Error{settings.value().problem()};
    return workload;
  }
  std::string names;
  for (const WorkloadEntry& entry : table) {
    names += (names.empty() ? "" : ", ") + std::string(entry.name);
  }
  return Error{"workload " + shown(name) + " is unknown; accepted: " + names + ", file:PATH"};
}

std::size_t loop_owner(Layout layout, std::size_t index, std::size_t count, std::size_t workers) {
  return layout == Layout::cyclic ? index % workers : index * workers / count;
}

void add_data(Workload& workload, const Team& team, Layout layout, std::size_t index,
              std::size_t count, double bytes, policy::AccessMode mode) {
  const bool both = mode == policy::AccessMode::read_write;
  const auto add = [&](DomainId home, double part) {
    workload.accesses.push_back(
        {static_cast<BlockIndex>(workload.blocks.size()), mode, both ? part / 2 : part});
    workload.blocks.push_back({Bytes{static_cast<std::uint64_t>(part)}, home, {index, count}});
  };
  if (layout == Layout::interleaved) {
    const auto domains = team.domains();
    for (const DomainId domain : domains) add(domain, bytes / static_cast<double>(domains.size()));
    return;
  }
  DomainId home;
  if (layout == Layout::serial) home = team.domain_of(0);
  if (layout == Layout::blocked || layout == Layout::cyclic) {
    home = team.domain_of(loop_owner(layout, index, count, team.size()));
  }
  add(home, bytes);
}

}  // namespace lares::simulate

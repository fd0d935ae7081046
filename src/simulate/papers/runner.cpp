#include "simulate/papers/runner.hpp"

#include <array>
#include <cmath>
#include <cstdio>

namespace lares::simulate::papers {

std::string number(double value, const char* unit) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), value < 100 ? "%.3g%s" : "%.4g%s", value, unit);
  return text.data();
}

Result<Loaded> load(const FindMachine& find, const std::string& name) {
  auto machine = find(name);
  if (!machine) return machine.error();
  auto model = read_model(machine.value(), machine.value().simulation);
  if (!model) return model.error();
  return Loaded{std::move(machine.value()), std::move(model.value())};
}

double remote_share(const Measured& row) {
  const double all = row.typical.local_bytes + row.typical.remote_bytes;
  return all > 0 ? row.typical.remote_bytes / all : 0;
}

Measured Runner::run(const std::string& workload, const std::string& policy, std::size_t cores,
                     bool vary) {
  auto schedule = parse_schedule(policy, loaded_.machine.domains_with_cores());
  if (!schedule) return failed(schedule.error());
  if (cores == 0) cores = loaded_.machine.cores.size();
  auto found = run_experiment({loaded_.machine,
                               loaded_.model,
                               workload,
                               {{policy, schedule.value()}},
                               {cores},
                               seeds_,
                               vary});
  if (!found) return failed(found.error());
  return found.value().rows.front();
}

Measured Runner::failed(const Error& why) {
  if (!error) error = why;
  return {};
}

double mean_error(const std::vector<Cell>& cells) {
  double sum = 0;
  std::size_t count = 0;
  for (const Cell& cell : cells) {
    if (cell.basis != Basis::predicted) continue;
    sum += std::abs(cell.error());
    ++count;
  }
  return count == 0 ? 0 : sum / static_cast<double>(count);
}

}  // namespace lares::simulate::papers

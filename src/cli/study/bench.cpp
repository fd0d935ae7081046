// `lares bench`: benchmarks of this machine, as tables and pictures.
#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/file_stream.hpp"
#include "bench/benchmarks.hpp"
#include "cli/commands.hpp"
#include "cli/machine_options.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/study/jacobi/command.hpp"
#include "cli/study/load_balance/command.hpp"
#include "cli/study/nested/command.hpp"
#include "cli/study/nested_overheads/command.hpp"
#include "cli/study/nested_solves/command.hpp"
#include "cli/study/tour_order.hpp"

namespace lares::cli {
namespace {

using Json = nlohmann::ordered_json;
using bench::Chart;
using bench::Series;

constexpr std::size_t mebibyte = std::size_t{1} << 20U;

struct BenchOptions {
  MachineOptions machine;
  std::vector<std::string> preload;
  std::string svg;
  std::size_t threads = 0;
  std::size_t repeat = 5;
  std::size_t size_mebibytes = 0;
  bool quick = false;
  Format format = Format::text;
};

Bytes default_footprint(const bench::Benchmark& benchmark, bool quick) {
  const bool whole_array = std::string_view(benchmark.name) == "first-touch";
  if (quick) return {(whole_array ? 128 : 4) * mebibyte};
  return {(whole_array ? 2'048 : 16) * mebibyte};
}

Chart run_here(const bench::Benchmark& benchmark, const BenchOptions& options) {
  const machine::Machine machine = expect(load_machine(options.machine));
  ProgressLine line;
  bench::Setting setting{machine,
                         along_the_tour(machine),
                         {},
                         options.threads,
                         default_footprint(benchmark, options.quick),
                         options.quick,
                         [&](const std::string& what, std::size_t done, std::size_t all) {
                           line.show(what, done, all);
                         }};
  if (options.size_mebibytes != 0) setting.footprint = {options.size_mebibytes * mebibyte};
  setting.pace.repeats = options.repeat;
  if (options.quick) setting.pace.least_time = {1'000'000};
  return expect(benchmark.run(setting));
}

Json to_json(const Chart& chart) {
  Json series = Json::array();
  for (const Series& line : chart.series) {
    Json points = Json::array();
    for (const bench::Point& p : line.points) {
      points.push_back(
          {{"x", p.x}, {"median", p.y.median}, {"least", p.y.least}, {"most", p.y.most}});
    }
    series.push_back({{"name", line.name}, {"points", std::move(points)}});
  }
  return {{"title", chart.title},
          {"x", chart.x_label},
          {"y", chart.y_label},
          {"series", std::move(series)}};
}

std::string to_csv(const Chart& chart) {
  std::string text = "series,x,median,least,most\n";
  for (const Series& line : chart.series) {
    for (const bench::Point& p : line.points) {
      text += fmt::format("{},{},{},{},{}\n", csv_field(line.name), p.x, p.y.median, p.y.least,
                          p.y.most);
    }
  }
  return text;
}

std::string cell(const Series& series, std::size_t row) {
  if (row >= series.points.size()) return "";
  const machine::Spread& y = series.points[row].y;
  return fmt::format("{:.4g} [{:.4g}..{:.4g}]", y.median, y.least, y.most);
}

/// All series of a chart have the same places on the x axis.
std::string to_text(const Chart& chart, const Palette& palette) {
  Table table(std::vector<Table::Align>(chart.series.size() + 1, Table::Align::right));
  std::vector<std::string> header{chart.x_label};
  std::size_t rows = 0;
  for (const Series& series : chart.series) {
    header.push_back(series.name);
    rows = std::max(rows, series.points.size());
  }
  table.add(std::move(header));
  for (std::size_t row = 0; row < rows; ++row) {
    std::vector<std::string> cells;
    for (const Series& series : chart.series) {
      if (cells.empty()) {
        cells.push_back(row < series.points.size() ? fmt::format("{:g}", series.points[row].x)
                                                   : "");
      }
      cells.push_back(cell(series, row));
    }
    table.add(std::move(cells));
  }
  return fmt::format("{}, {}: median [least..most]\n{}", palette.bold(chart.title), chart.y_label,
                     table.text("  "));
}

void print(const Chart& chart, const BenchOptions& options) {
  if (!options.svg.empty()) write_output("--svg", options.svg, bench::to_svg(chart));
  if (options.format == Format::json) {
    fmt::print("{}\n", to_json(chart).dump(2));
  } else if (options.format == Format::csv) {
    fmt::print("{}", to_csv(chart));
  } else {
    fmt::print("{}", to_text(chart, Palette(wants_colour(stdout))));
  }
}

// ---- other allocators --------------------------------------------------------------------------

std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

/// The same benchmark in a process of its own, where `library` stands before the C library.
std::string output_with(const std::string& library, const BenchOptions& options) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  std::string command = fmt::format("LD_PRELOAD={} {} bench malloc --format json --repeat {}",
                                    quoted(library), quoted(self), options.repeat);
  if (options.threads != 0) command += fmt::format(" --threads {}", options.threads);
  if (options.quick) command += " --quick";
  if (options.machine.level) {
    command += " --domain " + std::string(machine::level_name(*options.machine.level));
  }
  PipeStream pipe(popen(command.c_str(), "re"));
  if (!pipe)
    throw UserMistake{{"--preload: cannot start a process: " + std::string(std::strerror(errno))}};
  std::string text;
  std::array<char, 4096> buffer{};
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe.get())) {
    text.append(buffer.data(), count);
  }
  const int status = pclose(pipe.release());
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return text;
  throw UserMistake{{fmt::format("--preload: the benchmark failed with \"{}\" loaded", library)}};
}

Series series_with(const std::string& library, const BenchOptions& options) {
  Series series{std::filesystem::path(library).filename().string(), {}};
  const Json chart = Json::parse(output_with(library, options));
  for (const Json& point : chart.at("series").at(0).at("points")) {
    series.points.push_back({point.at("x").get<double>(),
                             {point.at("median").get<double>(), point.at("least").get<double>(),
                              point.at("most").get<double>()}});
  }
  return series;
}

/// The dynamic linker only warns about a library that is not there.
void check_library(const std::string& library) {
  std::error_code failure;
  if (std::filesystem::is_regular_file(library, failure)) return;
  throw UserMistake{{fmt::format("--preload: there is no library \"{}\"", library)}};
}

// ---- the command ------------------------------------------------------------------------------

void run_benchmark(const bench::Benchmark& benchmark, const BenchOptions& options) {
  for (const std::string& library : options.preload) check_library(library);
  Chart chart = run_here(benchmark, options);
  for (const std::string& library : options.preload) {
    chart.series.push_back(series_with(library, options));
  }
  print(chart, options);
}

void add_options(CLI::App& command, BenchOptions& options, bool is_malloc, bool has_size) {
  add_domain_option(command, options.machine);
  command
      .add_option("--threads", options.threads, "At most so many threads; default: one per core")
      ->type_name("N")
      ->check(CLI::Range(std::size_t{1}, std::size_t{65'536}));
  command.add_option("--repeat", options.repeat, "Repetitions of each point; default: 5")
      ->type_name("N")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1'000}));
  if (has_size) {
    command
        .add_option("--size", options.size_mebibytes,
                    "MiB of each thread (default: 16), or of the array that is touched first "
                    "(default: 2048)")
        ->type_name("MIB")
        ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 24U));
  }
  if (is_malloc) {
    command
        .add_option("--preload", options.preload,
                    "An allocator to compare with, loaded in a process of its own; may be repeated")
        ->type_name("LIBRARY");
  }
  command.add_flag("--quick", options.quick, "Fewer points, smaller arrays");
  command.add_option("--svg", options.svg, "Also draw the picture")->type_name("FILE");
  add_format_option(command, options.format, {Format::text, Format::json, Format::csv});
}

}  // namespace

void add_bench(CLI::App& app) {
  CLI::App* command = app.add_subcommand("bench", bench_summary);
  command->require_subcommand(1);
  command->footer(
      "Examples:\n  lares bench serial --svg serial.svg\n"
      "  lares bench malloc --preload /usr/lib/x86_64-linux-gnu/libjemalloc.so.2");
  for (const bench::Benchmark& benchmark : bench::benchmarks()) {
    const auto options = std::make_shared<BenchOptions>();
    const std::string name = benchmark.name;
    CLI::App* one = command->add_subcommand(
        name, fmt::format("{} (Schmidl 2016, {})", benchmark.summary, benchmark.section));
    add_options(*one, *options, name == "malloc", name != "malloc" && name != "serial");
    one->footer(fmt::format("Example: lares bench {} --format csv", name));
    one->callback([&benchmark, options] { run_benchmark(benchmark, *options); });
  }
  add_load_balance(*command);
  add_jacobi(*command);
  add_nested(*command);
  add_nested_overheads(*command);
  add_nested_solves(*command);
}

}  // namespace lares::cli

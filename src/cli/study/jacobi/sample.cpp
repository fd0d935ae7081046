#include "cli/study/jacobi/sample.hpp"

#include <fmt/format.h>

#include <charconv>
#include <exception>
#include <nlohmann/json.hpp>

namespace lares::cli::jacobi {

const std::vector<Method>& methods() {
  static const std::vector<Method> all{
      {"static", "static", nullptr, false, "a static loop"},
      {"dynamic", "dynamic", nullptr, false, "a dynamic loop"},
      {"tasks", "tasks", nullptr, true, "tasks that one thread submits"},
      {"queues", "queues", nullptr, true, "such tasks, with the paper's locality queues"},
      {"lares-dynamic", "dynamic", "numa", false, "the dynamic loop under Lares"},
      {"lares-tasks", "tasks", "stock", true, "the tasks under Lares"},
  };
  return all;
}

bool has_order(const Method& method, std::string_view init) noexcept {
  return method.submits || init == "submitted";
}

Result<Size> parse_size(const std::string& text) {
  constexpr std::size_t most = 100'000;
  Size size;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::size_t* extent : {&size.ni, &size.nj, &size.nk}) {
    const auto [stop, failure] = std::from_chars(at, end, *extent);
    const bool last = extent == &size.nk;
    if (failure != std::errc() || *extent < 1 || *extent > most ||
        (last ? stop != end : stop == end || *stop != 'x')) {
      return Error{
          fmt::format("\"{}\" is no size; sizes are NIxNJxNK, such as 60x600x600, of at most {} "
                      "each",
                      text, most)};
    }
    at = last ? stop : stop + 1;
  }
  return size;
}

std::string to_string(const Size& size) {
  return fmt::format("{}x{}x{}", size.ni, size.nj, size.nk);
}

Result<Sample> read_line(const std::string& line, const Variant& variant, const Work& work,
                         std::size_t threads) {
  try {
    const auto told = nlohmann::json::parse(line);
    if (const auto wrong = told.at("wrong").get<std::size_t>(); wrong != 0) {
      return Error{fmt::format("{} blocks or sites were wrong", wrong)};
    }
    if (told.at("method") != variant.method->method || told.at("init") != variant.init ||
        told.at("order") != variant.order || told.at("ni") != work.size.ni ||
        told.at("nj") != work.size.nj || told.at("nk") != work.size.nk ||
        told.at("bi") != work.bi || told.at("bj") != work.bj || told.at("sweeps") != work.sweeps) {
      return Error{"the program did other work than it was asked for"};
    }
    if (const auto had = told.at("threads").get<std::size_t>(); had != threads) {
      return Error{fmt::format("the program had {} threads, not {}", had, threads)};
    }
    const auto& mlups = told.at("mlups");
    return Sample{{mlups.at("5"), mlups.at("25"), mlups.at("50"), mlups.at("75"), mlups.at("95")},
                  told.at("local")};
  } catch (const std::exception&) {
    return Error{"the program printed something else than its results"};
  }
}

Result<Sample> run_once(const std::string& program, const Variant& variant, const Work& work,
                        const BenchTeam& team) {
  const BenchRun run{program,
                     {fmt::format("method={}", variant.method->method), "init=" + variant.init,
                      "order=" + variant.order, fmt::format("ni={}", work.size.ni),
                      fmt::format("nj={}", work.size.nj), fmt::format("nk={}", work.size.nk),
                      fmt::format("bi={}", work.bi), fmt::format("bj={}", work.bj),
                      fmt::format("sweeps={}", work.sweeps)},
                     with_loops(variant.method->loops)};
  const auto output = run_bench_program(run, team);
  auto sample = output ? read_line(output.value(), variant, work, team.cpus.size())
                       : Result<Sample>(output.error());
  if (sample) return sample;
  return Error{fmt::format("jacobi: {}, {}, {}: {}", variant.method->name, variant.init,
                           variant.order, sample.error().sentence)};
}

}  // namespace lares::cli::jacobi

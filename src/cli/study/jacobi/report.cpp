#include "cli/study/jacobi/report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace lares::cli::jacobi {
namespace {

constexpr std::size_t line_width = 60;

/// "-" where it does not matter.
const char* order_of(const Variant& variant) {
  return has_order(*variant.method, variant.init) ? variant.order.c_str() : "-";
}

std::string table(const Report& report) {
  using Align = Table::Align;
  Table table({Align::left, Align::left, Align::left, Align::left, Align::right, Align::right});
  table.add({"sites", "method", "init", "order", "10^6 updates/s", "local, %"});
  for (const Row& row : report.rows) {
    const bench::Quantiles& q = row.sample.mlups;
    table.add({to_string(row.size), row.variant.method->name, row.variant.init,
               order_of(row.variant), fmt::format("{:.4g} [{:.4g}..{:.4g}]", q.median, q.q5, q.q95),
               fmt::format("{:.1f}", row.sample.local * 100)});
  }
  return table.text("  ");
}

/// Of the last size.
std::string picture(const Report& report) {
  std::vector<bench::QuantileLine> lines;
  const std::string last = to_string(report.rows.back().size);
  for (const Row& row : report.rows) {
    if (to_string(row.size) != last) continue;
    lines.push_back({fmt::format("{:<13} {:<9} {}", row.variant.method->name, row.variant.init,
                                 order_of(row.variant)),
                     row.sample.mlups});
  }
  return bench::quantile_lines(lines, line_width);
}

}  // namespace

std::string to_text(const Report& report, const Palette& palette) {
  return fmt::format(
      "{}, {} sweeps by blocks of {}x{} rows, {} threads in {} domains ({}), {}: median [5 %..95 "
      "%]\n{}\nFrom 0 to the fastest: - 5 to 95 %, = 25 to 75 %, # median\n{}",
      palette.bold("Jacobi"), report.work.sweeps, report.work.bi, report.work.bj, report.threads,
      report.domains, report.level, report.program, table(report), picture(report));
}

std::string to_json(const Report& report) {
  using Json = nlohmann::ordered_json;
  Json rows = Json::array();
  for (const Row& row : report.rows) {
    const bench::Quantiles& q = row.sample.mlups;
    rows.push_back(
        {{"sites", to_string(row.size)},
         {"method", row.variant.method->name},
         {"init", row.variant.init},
         {"order", order_of(row.variant)},
         {"mlups", {{"5", q.q5}, {"25", q.q25}, {"50", q.median}, {"75", q.q75}, {"95", q.q95}}},
         {"local", row.sample.local}});
  }
  const Json all{{"program", report.program}, {"sweeps", report.work.sweeps},
                 {"bi", report.work.bi},      {"bj", report.work.bj},
                 {"threads", report.threads}, {"domains", report.domains},
                 {"level", report.level},     {"results", std::move(rows)}};
  return all.dump(2) + "\n";
}

std::string to_csv(const Report& report) {
  std::string text = "sites,method,init,order,q5,q25,median,q75,q95,local\n";
  for (const Row& row : report.rows) {
    const bench::Quantiles& q = row.sample.mlups;
    text += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", to_string(row.size),
                        row.variant.method->name, row.variant.init, order_of(row.variant), q.q5,
                        q.q25, q.median, q.q75, q.q95, row.sample.local);
  }
  return text;
}

}  // namespace lares::cli::jacobi

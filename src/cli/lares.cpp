// The table of the program `lares`.
#include "cli/commands.hpp"

namespace lares::cli {
namespace {

// A new command is one file and one line here.
// clang-format off: one line each
constexpr Command commands[] = {
    {"run", add_run},
    {"stall", add_stall},
    {"topo", add_topo},
    {"places", add_places},
    {"distances", add_distances},
    {"measure", nullptr, measure_summary},
    {"bench", nullptr, bench_summary},
    {"policies", add_policies},
    {"doctor", add_doctor},
    {"lab", add_lab},
    {"report", nullptr, report_summary},
    {"export", nullptr, export_summary},
    {"model", nullptr, model_summary},
    {"simulate", nullptr, simulate_summary},
};
// clang-format on

}  // namespace

const Program this_program{"lares",
                           "Lares keeps the tasks of parallel programs at home with their data.",
                           "Example: lares run ./app\nEvery command has --help.", commands};

}  // namespace lares::cli

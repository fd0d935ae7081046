// The table of the program `lares-study`: what measures this machine and predicts others. `lares`
// becomes it for these commands, so that who only runs programs need not build a simulator.
#include "cli/commands.hpp"

namespace lares::cli {
namespace {

constexpr Command commands[] = {
    {"measure", add_measure}, {"bench", add_bench},   {"simulate", add_simulate},
    {"report", add_report},   {"export", add_export}, {"model", add_model},
};

}  // namespace

const Program this_program{"lares", "The commands of lares that measure and predict.",
                           "Example: lares measure --quick", commands};

}  // namespace lares::cli

// `lares lab`: programs on NUMA machines that are not there.
#include "cli/lab/lab.hpp"

#include <fmt/format.h>

#include "cli/commands.hpp"

namespace lares::cli {

void add_lab(CLI::App& app) {
  CLI::App* lab = app.add_subcommand("lab", "Run programs on a NUMA machine that is not there");
  lab->require_subcommand(0, 1);
  lab->footer("Example: lares lab run --nodes 4 -- ./app\nEvery command of the lab has --help.");
  add_lab_run(*lab);
  add_lab_shell(*lab);
  add_lab_list(*lab);
  add_lab_compare(*lab);
  lab->callback([lab] {
    if (lab->get_subcommands().empty()) fmt::print("{}", lab->help());
  });
}

}  // namespace lares::cli

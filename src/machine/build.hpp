// Makes a machine with domains out of a survey.
#pragma once

#include <optional>

#include "base/result.hpp"
#include "machine/machine.hpp"
#include "machine/survey.hpp"

namespace lares::machine {

/// Cuts `survey` into domains at `level` (the default of discover() if there is none). Memory nodes
/// that are no core's own become domains without cores, after the others. The result is valid; the
/// error lists the levels that the machine has.
Result<Machine> build(const Survey& survey, std::optional<Level> level);

/// The tree over `domains` and `sets`; a set that would cut through a domain or through a wider set
/// is left out. `domains` must be those of `level`.
std::vector<TreeNode> build_tree(std::size_t core_count, const std::vector<Domain>& domains,
                                 Level level, const std::vector<SharedSet>& sets);

}  // namespace lares::machine

// Task reductions as Clang lays them out: the compiler describes the items and their functions, the
// runtime keeps one private copy for each thread that asks for it.
#pragma once

#include "runtime/engine.hpp"

namespace lares::omp::kmp {

/// Waits for all members of the innermost open group, closes it, and combines its reductions.
void end_group(runtime::Worker& worker);

}  // namespace lares::omp::kmp

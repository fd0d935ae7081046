// Where code of a program's file stands in its source.
#pragma once

#include <cstdint>
#include <string>

namespace lares::cli {

/// "solver.c:42 sweep", as far as the file's debug information says so: without it
/// "sweep._omp_fn.0 (app)", and without a table of symbols, or libdw to read them, "app+0x1234".
/// `offset`: of the code in the file's image. Any path and offset are allowed; what comes out is
/// printable.
std::string source_place(const std::string& path, std::uint64_t offset);

}  // namespace lares::cli

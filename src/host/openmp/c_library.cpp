#include "host/openmp/c_library.hpp"

namespace lares::omp::c_library {

constinit Originals g_originals;

namespace {

__attribute__((constructor)) void look_all_up() {
#define LARES_LOOK_UP(name) look_up(g_originals.name, #name);
  LARES_C_FUNCTIONS(LARES_LOOK_UP)
#undef LARES_LOOK_UP
}

}  // namespace

}  // namespace lares::omp::c_library

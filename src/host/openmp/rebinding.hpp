// `--bind by-data`: threads that share work out by their numbers go, once, to where their data is.
#pragma once

#include "host/openmp/binding.hpp"
#include "memory/follow/samples.hpp"
#include "runtime/engine.hpp"

namespace lares::omp {

/// Whether threads may still be exchanged: not if the program binds them itself.
inline bool may_rebind() noexcept {
  return g_binds_by_data && !are_places_exchanged() && !has_program_bound();
}

/// After two turns of `work` that `samples` have seen: has the threads run elsewhere, if each of
/// them uses the same pages again and again and enough of those then lie where it runs. They go
/// behind the barrier that the calling thread opens, or with the next region if it is in none. True
/// if so; a note tells. Of work by tasks nothing is concluded: those have no threads.
bool rebind_threads(const runtime::Engine::StableWork& work, const memory::Samples& samples);

}  // namespace lares::omp

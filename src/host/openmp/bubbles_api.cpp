// What liblares asks for the program: which data a thread uses, and how much work it has.
#include "host/openmp/binding.hpp"
#include "host/openmp/bubbles.hpp"
#include "host/openmp/stock.hpp"

namespace bubbles = lares::omp::bubbles;

/// The calling thread uses this memory. `shake` as in lares.h. 0 if nobody places threads.
LARES_EXPORT int lares_runtime_thread_data(const void* memory, std::size_t bytes, int shake,
                                           const bubbles::DataCalls* calls) {
  if (!bubbles::on() || bytes == 0) return 0;
  bubbles::add_data({reinterpret_cast<std::uintptr_t>(memory), bytes}, *calls,
                    static_cast<bubbles::Shake>(shake));
  if (bubbles::t_member != nullptr && lares::omp::t_place >= 0) {
    lares::omp::go_where_wanted(nullptr);
  }
  return 1;
}

/// Thread i of the next team uses chunk i of this memory.
LARES_EXPORT void lares_runtime_next_team_data(const void* memory, std::size_t bytes,
                                               std::size_t chunk, const bubbles::DataCalls* calls) {
  if (!bubbles::on() || bytes == 0 || chunk == 0) return;
  bubbles::add_next_team_data({reinterpret_cast<std::uintptr_t>(memory), bytes}, chunk, *calls);
}

LARES_EXPORT void lares_runtime_clear_thread_data() {
  if (bubbles::on()) bubbles::clear_data();
}

LARES_EXPORT void lares_runtime_thread_load(double work_left) {
  if (bubbles::on()) bubbles::set_load(work_left);
}

LARES_EXPORT void lares_runtime_thread_intensity(double intensity) {
  if (bubbles::on()) bubbles::set_intensity(intensity);
}

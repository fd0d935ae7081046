// The functions that a tool has asked to be called by.
#pragma once

#include <atomic>

#include "host/openmp/tools/ompt_abi.hpp"

namespace lares::omp::tools {

/// What Lares does for the event, whether a tool has asked for it or not.
ompt::SetResult promise(int event) noexcept;
/// More is seen by the larger libraries. Set when they are loaded, before anybody asks.
extern std::atomic<bool> g_sees_loop_ends;
extern std::atomic<bool> g_sees_mutexes;

/// For ompt_set_callback; a null callback asks for none. Any thread.
ompt::SetResult set_callback(int event, ompt::Callback callback) noexcept;
/// nullptr if there is none. Any thread.
ompt::Callback callback(int event) noexcept;
/// The tool has ended: it is called no more.
void forget_callbacks() noexcept;

/// Calls the tool. The types of the arguments are those that OMPT gives the event.
template <class... Arguments>
void tell(ompt::Event event, Arguments... arguments) noexcept {
  const ompt::Callback called = callback(static_cast<int>(event));
  if (called != nullptr) reinterpret_cast<void (*)(Arguments...)>(called)(arguments...);
}

}  // namespace lares::omp::tools

#include "memory/next_touch/ways.hpp"

#include <sys/mman.h>

#include "memory/far.hpp"
#include "memory/next_touch/userfault.hpp"
#include "memory/pointer.hpp"

namespace lares::memory {
namespace {

/// Without UFFDIO_MOVE, pages go aside by mremap (MREMAP_DONTUNMAP, Linux 5.7).
int try_remap(const SystemCalls& calls) noexcept {
  constexpr std::size_t bytes = 65536;
  const long from = calls.map_at(far_place(bytes), bytes);
  if (from < 0 && from > -4096) return static_cast<int>(-from);
  const long to = calls.remap(pointer(static_cast<std::uintptr_t>(from)), bytes, bytes,
                              MREMAP_MAYMOVE | MREMAP_DONTUNMAP, nullptr);
  const bool refused = to < 0 && to > -4096;
  if (!refused) calls.unmap(pointer(static_cast<std::uintptr_t>(to)), bytes);
  calls.unmap(pointer(static_cast<std::uintptr_t>(from)), bytes);
  return refused ? static_cast<int>(-to) : 0;
}

int try_way(const SystemCalls& calls, bool signal, bool& moves) noexcept {
  Userfault userfault(calls);
  const int error = userfault.open(signal);
  if (error != 0) return error;
  moves = userfault.can_move();
  userfault.close();
  return moves ? 0 : try_remap(calls);
}

}  // namespace

WaysHere ways_here(const SystemCalls& calls) noexcept {
  WaysHere here;
  bool moves = false;
  here.by_thread = try_way(calls, false, moves);
  here.moves = moves;
  here.by_signal = try_way(calls, true, moves);
  here.moves = here.moves || moves;
  return here;
}

}  // namespace lares::memory

// A taskloop whose pieces go to the domains of their places in the loop (decide/pieces.hpp).
#pragma once

#include "decide/pieces.hpp"
#include "runtime/team.hpp"

namespace lares::runtime {

/// Lives on its creator's stack while the pieces are made. The loop is open until then, or, if its
/// creator has opened a group for it alone, until that ends: so do both compilers' constructs that
/// wait for their pieces, GCC's inside its entry point, Clang's around it. Of several loops in one
/// group the first one counts.
///
/// The pieces have homes where the policy goes by data, unless the creator's own task has one (this
/// is a part of something larger then), or several loops of the region are open at once: each
/// thread has its own part of the data then, perhaps, and nobody knows which.
///
/// What a loop touches first stays where that piece ran. So while one of the program's loops is
/// new, idle workers leave other domains' pieces alone for longer: a piece that moves then takes
/// its data away from where all later loops look for it.
class Taskloop {
 public:
  /// `code`: that of the construct. `deferred`: false if the pieces run as they are made.
  Taskloop(Worker& worker, std::uintptr_t code, bool deferred) noexcept;
  ~Taskloop();
  Taskloop(const Taskloop&) = delete;
  Taskloop& operator=(const Taskloop&) = delete;

  /// Calls `make(range, is_last, home)` for each, in the order in which they are to be made; `home`
  /// is invalid where it does not matter.
  template <class Make>
  void for_each(const decide::Pieces& pieces, Make make) const {
    if (has_homes_) return for_each_at_home(pieces, make);
    pieces.for_each([&](decide::LoopRange range, bool last) { make(range, last, DomainId{}); });
  }

 private:
  template <class Make>
  [[gnu::noinline]] void for_each_at_home(const decide::Pieces& pieces, Make make) const {
    const policy::Places& places = *worker_.team->places;
    decide::for_each_in_turn(
        pieces, worker_.team->size(), [&](std::uint64_t piece, WorkerId at_home) {
          make(pieces[piece], piece + 1 == pieces.count(), places.domain_of(at_home));
        });
  }
  void open(Team& team) noexcept;
  static bool is_known_to_overlap(Team& team, bool alone) noexcept;

  Worker& worker_;
  Taskgroup* group_ = nullptr;  // with which it ends
  bool counted_ = false;
  bool has_homes_ = false;
};

/// The taskloop is over: that of a group which ends.
void end_taskloop(Team& team, OpenTaskloop taskloop) noexcept;

}  // namespace lares::runtime

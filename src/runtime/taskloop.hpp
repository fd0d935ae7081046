// A taskloop whose pieces go to the domains of their places in the loop (decide/pieces.hpp).
#pragma once

#include "decide/pieces.hpp"
#include "runtime/team.hpp"

namespace lares::runtime {

/// Lives on its creator's stack while the pieces are made and, if the construct waits for them,
/// until they have ended.
///
/// The pieces have homes where the policy goes by data, unless the creator's own task has one (this
/// is a part of something larger then), or several loops of the region are open at once: each
/// thread has its own part of the data then, perhaps, and nobody knows which.
class Taskloop {
 public:
  /// `deferred`: false if the pieces run as they are made.
  Taskloop(Worker& worker, bool deferred) noexcept;
  ~Taskloop();
  Taskloop(const Taskloop&) = delete;
  Taskloop& operator=(const Taskloop&) = delete;

  /// Calls `make(piece, home)` for each, in the order in which they are to be made; `home` is
  /// invalid where it does not matter.
  template <class Make>
  void for_each(const decide::Pieces& pieces, Make make) const {
    if (!has_homes_) {
      for (std::uint64_t piece = 0; piece < pieces.count(); ++piece) make(piece, DomainId{});
      return;
    }
    const policy::Places& places = *worker_.team->places;
    decide::for_each_in_turn(pieces, worker_.team->size(),
                             [&](std::uint64_t piece, WorkerId at_home) {
                               make(piece, places.domain_of(at_home));
                             });
  }

 private:
  Worker& worker_;
  bool counted_ = false;
  bool has_homes_ = false;
};

}  // namespace lares::runtime

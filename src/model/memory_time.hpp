// How long the bytes take that a team moves: Tm.
#pragma once

#include <cstdint>
#include <vector>

#include "model/figures.hpp"

namespace lares::model {

/// Bytes that a team moves, all in the same way.
struct Stream {
  Access access = Access::read;
  Bytes footprint;            ///< of each thread: what passes before a byte is used again
  std::vector<double> bytes;  ///< [from * domains + to]: moved by all threads of `from` together
  bool interleaved = false;   ///< homes change from page to page
};

/// What the slowest part waits for.
enum class Bottleneck : std::uint8_t {
  nothing,  ///< no byte is moved
  pair,     ///< the cores of `from` wait for the memory of `to`
  home,     ///< the memory of `to` serves several domains
  machine   ///< all cores together
};

struct MemoryTime {
  Seconds time;
  Bottleneck bottleneck = Bottleneck::nothing;
  DomainId from;  ///< of a pair
  DomainId to;    ///< of a pair and of a home
};

/// The slowest of: each domain, whose bytes follow each other at its rate with their homes; each
/// home, whose bytes from memory come at what it gives at most; and, if several domains have
/// threads, the machine at what all cores get together. `imbalance`: how much more than the mean
/// the busiest thread moves, at least 1. Precondition: streams have domains x domains numbers, and
/// 0 from domains without threads.
MemoryTime memory_time(const Figures& figures, const Team& team, const std::vector<Stream>& streams,
                       double imbalance = 1);

/// The same streams, all of whose bytes are at home where they are used.
std::vector<Stream> all_local(std::vector<Stream> streams, std::size_t domains);

/// Bytes of all streams.
double sum_of(const std::vector<Stream>& streams);

}  // namespace lares::model

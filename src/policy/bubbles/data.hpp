// Where the data of threads is, and whether it can follow them.
#pragma once

#include "policy/bubbles/forest.hpp"

namespace lares::policy {

/// The domain with most of the bytes that are attached to it, each thread's times its intensity;
/// invalid if there are none. Memory without cores is served by the nearest domain that has some.
DomainId favourite_of(const Forest& forest, EntityId entity);

/// The bytes that are attached to an entity, each thread's times its intensity.
double weight_of(const Forest& forest, EntityId entity);

/// The domain with usable cores that is nearest to some memory: itself if it has some.
DomainId served_by(const RunQueues& queues, DomainId memory);

/// Whether a thread has data elsewhere than in the queue's domain, which has room for it.
bool can_follow(const Forest& forest, EntityId thread, RunQueueId queue);

/// Bytes of an entity that are elsewhere. What lies in memory without cores stays there: such
/// memory was chosen for what it is.
std::uint64_t bytes_outside(const Forest& forest, EntityId entity, DomainId domain);

/// Whether a domain's memory has room for so many bytes beside all that is attached there.
bool has_room(const Forest& forest, DomainId domain, std::uint64_t bytes);

}  // namespace lares::policy

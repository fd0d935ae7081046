#include "host/openmp/allocators/slabs.hpp"

#include <linux/mempolicy.h>

#include <bit>
#include <mutex>

#include "memory/pointer.hpp"

namespace lares::omp {
namespace {

using memory::pointer;

/// Pages aligned to their size, a power of two; 0 if there are none.
std::uintptr_t map_aligned(const memory::SystemCalls& calls, std::size_t bytes) noexcept {
  const long mapped = calls.map(2 * bytes);
  if (mapped < 0) return 0;
  const auto first = static_cast<std::uintptr_t>(mapped);
  const std::uintptr_t begin = (first + bytes - 1) & ~(bytes - 1);
  if (begin > first) calls.unmap(pointer(first), begin - first);
  const std::uintptr_t rest = first + bytes - begin;
  if (rest > 0) calls.unmap(pointer(begin + bytes), rest);
  return begin;
}

}  // namespace

void* Slabs::take(std::size_t bytes) noexcept {
  const auto index =
      static_cast<std::size_t>(std::bit_width((bytes + least_block - 1) / least_block - 1));
  Class& size = sizes_[index];
  const std::lock_guard lock(size.lock);
  if (size.free != nullptr) {
    Free* const block = size.free;
    size.free = block->next;
    return block;
  }
  if (size.next + block_bytes(index) > size.end && !refill(size, block_bytes(index))) {
    return nullptr;
  }
  void* const block = pointer(size.next);
  size.next += block_bytes(index);
  return block;
}

void Slabs::give(void* block) noexcept {
  const auto span = reinterpret_cast<std::uintptr_t>(block) & ~(span_bytes - 1);
  Class& size = *static_cast<Span*>(pointer(span))->size;
  const std::lock_guard lock(size.lock);
  auto* const free = static_cast<Free*>(block);
  free->next = size.free;
  size.free = free;
}

bool Slabs::refill(Class& size, std::size_t bytes) noexcept {
  const std::uintptr_t span = new_span();
  if (span == 0) return false;
  *static_cast<Span*>(pointer(span)) = {this, &size};
  size.next = span + sizeof(Span);
  size.end = size.next + (span_bytes - sizeof(Span)) / bytes * bytes;
  return true;
}

std::uintptr_t Slabs::new_span() noexcept {
  const std::lock_guard lock(chunk_lock_);
  if (chunk_next_ == chunk_end_) {
    const std::uintptr_t chunk = map_aligned(calls_, chunk_bytes);
    if (chunk == 0) return 0;
    const memory::NodeMask mask(node_);
    // Refused, the first touch decides: the memory is as good, only its home is not promised.
    const long bound = calls_.bind(pointer(chunk), chunk_bytes, MPOL_PREFERRED, mask.words());
    if (bound >= 0 && give_home_ != nullptr) give_home_(chunk, chunk_bytes, home_);
    chunk_next_ = chunk;
    chunk_end_ = chunk + chunk_bytes;
  }
  const std::uintptr_t span = chunk_next_;
  chunk_next_ += span_bytes;
  return span;
}

void Slabs::lock_all() noexcept {
  for (Class& size : sizes_) size.lock.lock();
  chunk_lock_.lock();
}

void Slabs::unlock_all() noexcept {
  chunk_lock_.unlock();
  for (Class& size : sizes_) size.lock.unlock();
}

}  // namespace lares::omp

#include "measure/memory.hpp"

#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "memory/calls.hpp"

namespace lares::measure {
namespace {

Error refused(const char* what, int error) {
  return {std::string("cannot measure: ") + what + ": " + std::strerror(error)};
}

std::byte* map(Bytes size) {
  void* start =
      mmap(nullptr, size.count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return start == MAP_FAILED ? nullptr : static_cast<std::byte*>(start);
}

/// 0, or the error. A kernel without memory policies has one node only, so nothing is lost there.
int set_policy(std::byte* data, Bytes size, int mode, std::span<const OsNode> nodes) {
  memory::NodeMask mask;
  for (const OsNode node : nodes) mask.add(node);
  const long result = memory::real_calls().bind(data, size.count, mode, mask.words());
  return result >= 0 || result == -ENOSYS ? 0 : static_cast<int>(-result);
}

}  // namespace

Result<Memory> Memory::on_node(Bytes size, OsNode node, bool huge) {
  std::byte* data = map(size);
  if (data == nullptr) return refused("no address space", errno);
  Memory memory(data, size);
  if (huge) madvise(data, size.count, MADV_HUGEPAGE);  // where it is refused, pages are small
  if (!node.valid()) return memory;
  const int error = set_policy(data, size, MPOL_BIND, std::span(&node, 1));
  if (error != 0) {
    return refused(("memory on node " + std::to_string(node.value()) + " is refused").c_str(),
                   error);
  }
  return memory;
}

Result<Memory> Memory::interleaved(Bytes size, std::span<const OsNode> nodes) {
  if (nodes.size() < 2) return on_node(size, nodes.empty() ? OsNode{} : nodes[0]);
  std::byte* data = map(size);
  if (data == nullptr) return refused("no address space", errno);
  Memory memory(data, size);
  const int error = set_policy(data, size, MPOL_INTERLEAVE, nodes);
  if (error != 0) return refused("interleaved memory is refused", error);
  return memory;
}

Memory::Memory(Memory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(other.size_) {}

Memory& Memory::operator=(Memory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

Memory::~Memory() {
  if (data_ != nullptr) munmap(data_, size_.count);
}

Result<std::size_t> move_to(std::span<void* const> addresses, OsNode node) {
  const std::vector<int> nodes(addresses.size(), node.value());
  std::vector<int> status(addresses.size(), -1);
  std::vector<void*> pages(addresses.begin(), addresses.end());
  const long result =
      memory::real_calls().move(pages.size(), pages.data(), nodes.data(), status.data());
  if (result < 0) return refused("move_pages is refused", static_cast<int>(-result));
  return static_cast<std::size_t>(std::count(status.begin(), status.end(), node.value()));
}

Bytes page_size() {
  static const Bytes size{static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE))};
  return size;
}

}  // namespace lares::measure

#include "measure/memory.hpp"

#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace lares::measure {
namespace {

constexpr std::size_t bits = 8 * sizeof(unsigned long);

Error refused(const char* what, int error) {
  return {std::string("cannot measure: ") + what + ": " + std::strerror(error)};
}

std::vector<unsigned long> mask_of(std::span<const OsNode> nodes) {
  std::size_t highest = 0;
  for (const OsNode node : nodes) highest = std::max(highest, node.index());
  std::vector<unsigned long> mask(highest / bits + 1, 0);
  for (const OsNode node : nodes) mask[node.index() / bits] |= 1UL << (node.index() % bits);
  return mask;
}

std::byte* map(Bytes size) {
  void* start =
      mmap(nullptr, size.count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return start == MAP_FAILED ? nullptr : static_cast<std::byte*>(start);
}

/// 0, or the error. A kernel without memory policies has one node only, so nothing is lost there.
int set_policy(std::byte* data, Bytes size, int mode, std::span<const OsNode> nodes) {
  const auto mask = mask_of(nodes);
  // The kernel reads one bit less than it is told.
  const long failed =
      syscall(SYS_mbind, data, size.count, mode, mask.data(), mask.size() * bits + 1, 0);
  return failed == 0 || errno == ENOSYS ? 0 : errno;
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
  const long failed = syscall(SYS_move_pages, 0, addresses.size(), addresses.data(), nodes.data(),
                              status.data(), MPOL_MF_MOVE);
  if (failed < 0) return refused("move_pages is refused", errno);
  return static_cast<std::size_t>(std::count(status.begin(), status.end(), node.value()));
}

Bytes page_size() {
  static const Bytes size{static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE))};
  return size;
}

}  // namespace lares::measure

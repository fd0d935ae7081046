#include "memory/refusal.hpp"

#include <cerrno>
#include <cstdio>

namespace lares::memory {
namespace {

const char* name_of(int error) noexcept {
  switch (error) {
    case EPERM:
      return "EPERM";
    case EACCES:
      return "EACCES";
    case ENOSYS:
      return "ENOSYS";
    default:
      return "error";
  }
}

}  // namespace

bool is_refusal(int error) noexcept { return error == EPERM || error == EACCES || error == ENOSYS; }

void describe_refusal(int error, std::span<char> out) noexcept {
  const char* remedy = "in a container add the capability SYS_NICE, or use --domain l3";
  if (error == ENOSYS) remedy = "use a kernel with NUMA and page migration, or --domain l3";
  // No capability helps there.
  if (error == EACCES) remedy = "give the program all nodes in its cpuset, or use --domain l3";
  std::snprintf(out.data(), out.size(),
                "move_pages is refused (%s %d): where data lives is unknown, so tasks stay near "
                "their creators; remedy: %s",
                name_of(error), error, remedy);
}

}  // namespace lares::memory

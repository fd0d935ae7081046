#include "memory/kernel.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace lares::memory {
namespace {

long where(std::size_t count, void** pages, int* status) noexcept {
  const int program_errno = errno;
  constexpr int this_process = 0;
  const long result = syscall(SYS_move_pages, this_process, count, pages, nullptr, status, 0);
  const int error = errno;
  errno = program_errno;
  return result < 0 ? -error : result;
}

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

const Kernel& real_kernel() noexcept {
  static constexpr Kernel kernel{&where};
  return kernel;
}

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

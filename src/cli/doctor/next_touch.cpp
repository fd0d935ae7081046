// Which ways there are of letting memory go to whoever touches it next.
#include <fmt/format.h>

#include <cstring>

#include "cli/doctor/checks.hpp"
#include "memory/next_touch/ways.hpp"

namespace lares::cli::doctor {
namespace {

constexpr auto allow_thread =
    "run as root, give the capability SYS_PTRACE, or set the sysctl vm.unprivileged_userfaultfd to "
    "1; in a container also allow userfaultfd in the seccomp profile";

std::string manner(const memory::WaysHere& here) {
  return here.moves ? "pages move without a copy"
                    : "pages are copied: Linux 6.8 and later move them";
}

}  // namespace

void check_next_touch(std::vector<Check>& checks) {
  const memory::WaysHere here = memory::ways_here(memory::real_calls());
  if (here.by_thread == 0) {
    checks.push_back(
        {"next-touch", here.moves ? Verdict::ok : Verdict::note,
         fmt::format("userfault-thread: system calls on marked memory work; {}", manner(here)),
         ""});
    return;
  }
  const std::string refused =
      fmt::format("userfault-thread is refused ({}): ", std::strerror(here.by_thread));
  const std::string left = here.by_signal == 0
                               ? fmt::format("userfault-signal is used; {}", manner(here))
                               : fmt::format("userfault-signal, too ({}): protect is used",
                                             std::strerror(here.by_signal));
  checks.push_back({"next-touch", Verdict::note,
                    refused + left +
                        "; system calls on marked memory fail with EFAULT, and "
                        "--placement repair and follow move nothing",
                    allow_thread});
}

}  // namespace lares::cli::doctor

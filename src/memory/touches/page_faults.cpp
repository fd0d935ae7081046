#include "memory/touches/page_faults.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <string>

#include "base/read_file.hpp"

namespace lares::memory {

namespace {

long or_errno(long result) noexcept { return result < 0 ? -long{errno} : result; }

long open_event(const perf_event_attr& wanted, int cpu) noexcept {
  // The kernel writes the size that it knows into it, and takes it as its own.
  perf_event_attr attributes = wanted;
  return or_errno(syscall(SYS_perf_event_open, &attributes, 0, cpu, -1, PERF_FLAG_FD_CLOEXEC));
}

long map_ring(int descriptor, std::size_t bytes) noexcept {
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  return memory == MAP_FAILED ? -long{errno} : reinterpret_cast<long>(memory);
}

constexpr FaultCalls kernel_fault_calls = {
    open_event, map_ring,
    [](void* address, std::size_t bytes) noexcept { return or_errno(munmap(address, bytes)); },
    [](int descriptor) noexcept { return or_errno(::close(descriptor)); },
    []() noexcept { return sysconf(_SC_NPROCESSORS_CONF); }};

// Minor faults: the event comes when the page is there, so that its size is known.
perf_event_attr every_fault() noexcept {
  perf_event_attr attributes;
  std::memset(&attributes, 0, sizeof(attributes));
  attributes.size = sizeof(attributes);
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_PAGE_FAULTS_MIN;
  attributes.sample_period = 1;
  attributes.sample_type = sample_parts | sample_page_size;
  attributes.exclude_hv = 1;
  attributes.inherit = 1;
  // Nothing is counted before a child becomes its program.
  attributes.disabled = 1;
  attributes.enable_on_exec = 1;
  attributes.use_clockid = 1;
  attributes.clockid = CLOCK_MONOTONIC;
  return attributes;
}

bool is_forbidden(long result) noexcept { return result == -EACCES || result == -EPERM; }

// Asks for less, if there is less to ask for after this answer.
bool ask_for_less(perf_event_attr& wanted, long answer) noexcept {
  if (is_forbidden(answer) && wanted.exclude_kernel == 0) {
    wanted.exclude_kernel = 1;
    return true;
  }
  if (answer == -EINVAL && (wanted.sample_type & sample_page_size) != 0) {
    wanted.sample_type &= ~sample_page_size;  // before Linux 5.11
    return true;
  }
  return false;
}

std::string why_refused(long answer) {
  std::string sentence = "the system refuses the event of page faults (perf_event_open: ";
  sentence += std::strerror(static_cast<int>(-answer));
  if (is_forbidden(answer)) {
    std::string level = read_file("/proc/sys/kernel/perf_event_paranoid");
    while (!level.empty() && level.back() == '\n') level.pop_back();
    if (!level.empty()) sentence += "; kernel.perf_event_paranoid is " + level;
    return sentence +
           "); sysctl kernel.perf_event_paranoid=2 allows it, in a container also its "
           "seccomp profile must";
  }
  return sentence + ")";
}

}  // namespace

const FaultCalls& real_fault_calls() noexcept { return kernel_fault_calls; }

Result<PageFaults> PageFaults::open(const FaultCalls& calls) {
  PageFaults faults(calls);
  const long answer = faults.open_all();
  if (answer < 0) return Error{why_refused(answer)};
  return faults;
}

PageFaults::PageFaults(PageFaults&& other) noexcept
    : calls_(other.calls_),
      rings_(std::exchange(other.rings_, {})),
      lost_(other.lost_),
      sees_system_calls_(other.sees_system_calls_) {}

PageFaults::~PageFaults() {
  for (const Ring& ring : rings_) calls_->unmap(ring.page, ring.mapped_bytes);
}

// 0, or the last refusal if there is no hardware thread on which it works.
long PageFaults::open_all() {
  perf_event_attr wanted = every_fault();
  const long cpus = calls_->cpus();
  long refusal = -ENODEV;
  for (int cpu = 0; cpu < cpus; ++cpu) {
    long descriptor = calls_->open(wanted, cpu);
    while (descriptor < 0 && ask_for_less(wanted, descriptor))
      descriptor = calls_->open(wanted, cpu);
    if (descriptor == -ENODEV) continue;  // it is switched off
    if (descriptor < 0) return descriptor;
    const long mapped = add_ring(static_cast<int>(descriptor));
    // The mapping keeps the event.
    calls_->close(static_cast<int>(descriptor));
    if (mapped < 0) return mapped;
    refusal = 0;
  }
  sees_system_calls_ = wanted.exclude_kernel == 0;
  return refusal;
}

// 512 KiB is what kernel.perf_event_mlock_kb lets each user have for each hardware thread.
long PageFaults::add_ring(int descriptor) {
  constexpr std::array<std::size_t, 3> sizes = {512 * 1024, 128 * 1024, 32 * 1024};
  const auto head = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  long mapped = -EPERM;
  for (const std::size_t bytes : sizes) {
    mapped = calls_->map(descriptor, head + bytes);
    if (mapped == -EPERM || mapped == -ENOMEM) continue;
    if (mapped < 0) break;
    auto* const page = reinterpret_cast<perf_event_mmap_page*>(mapped);
    const auto* const first = reinterpret_cast<const std::byte*>(mapped) + head;
    rings_.push_back({page, head + bytes, {first, bytes}});
    return 0;
  }
  return mapped;
}

}  // namespace lares::memory

#include "cli/launch/pages.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/file_size_limit.hpp"
#include "runtime/record_budget.hpp"

namespace lares::cli {
namespace {

using analysis::TouchRun;

std::uint16_t page_shift() {
  return static_cast<std::uint16_t>(
      std::countr_zero(static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE))));
}

std::vector<std::uint16_t> domains_by_cpu(const machine::Machine& machine) {
  std::vector<std::uint16_t> domains;
  for (const machine::Core& core : machine.cores) {
    for (const OsCpu cpu : core.cpus) {
      if (domains.size() <= cpu.index()) domains.resize(cpu.index() + 1, TouchRun::no_domain);
      domains[cpu.index()] = static_cast<std::uint16_t>(core.domain.index());
    }
  }
  return domains;
}

runtime::RecordBudget* map_budget(const std::string& session) {
  const int file = open((session + "/record").c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return nullptr;
  void* const memory =
      mmap(nullptr, sizeof(runtime::RecordBudget), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  return memory == MAP_FAILED ? nullptr : static_cast<runtime::RecordBudget*>(memory);
}

bool append(int file, const void* bytes, std::size_t count) {
  const off_t end = lseek(file, 0, SEEK_CUR);
  if (end < 0 || static_cast<std::uint64_t>(end) + count > file_size_limit()) return false;
  const auto* next = static_cast<const char*>(bytes);
  while (count > 0) {
    const ssize_t written = ::write(file, next, count);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    next += written;
    count -= static_cast<std::size_t>(written);
  }
  return true;
}

}  // namespace

Result<PageTrace> PageTrace::begin(const std::string& trace, const std::string& session,
                                   const machine::Machine& machine) {
  auto faults = memory::PageFaults::open();
  if (!faults) return faults.error();
  PageTrace pages(std::move(faults.value()), machine);
  pages.budget_ = map_budget(session);
  const std::string name = trace + "/" + analysis::touches_file;
  pages.file_ = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (pages.file_ < 0 || !append(pages.file_, &pages.head_, sizeof(pages.head_))) {
    return Error{fmt::format("cannot write \"{}\": {}", name, std::strerror(errno))};
  }
  pages.written_head_ = pages.head_;
  return pages;
}

PageTrace::PageTrace(memory::PageFaults faults, const machine::Machine& machine)
    : faults_(std::move(faults)), runs_(page_shift()), domain_of_cpu_(domains_by_cpu(machine)) {
  head_.sees_system_calls = faults_.sees_system_calls() ? 1 : 0;
}

PageTrace::PageTrace(PageTrace&& other) noexcept
    : faults_(std::move(other.faults_)),
      runs_(std::move(other.runs_)),
      head_(other.head_),
      written_head_(other.written_head_),
      domain_of_cpu_(std::move(other.domain_of_cpu_)),
      waiting_(std::move(other.waiting_)),
      room_(other.room_),
      budget_(std::exchange(other.budget_, nullptr)),
      file_(std::exchange(other.file_, -1)) {}

PageTrace::~PageTrace() {
  if (file_ >= 0) close(file_);
  if (budget_ != nullptr) munmap(budget_, sizeof(*budget_));
}

std::uint16_t PageTrace::domain_of(OsCpu cpu) const noexcept {
  return cpu.valid() && cpu.index() < domain_of_cpu_.size() ? domain_of_cpu_[cpu.index()]
                                                            : TouchRun::no_domain;
}

void PageTrace::look() {
  faults_.drain([this](const memory::PageTouch& touch) {
    if (const auto run = runs_.add(touch, domain_of(touch.cpu))) note(*run);
  });
  head_.lost = faults_.lost();
  // What is not written when this process is killed is gone, so nothing waits for long.
  if (!waiting_.empty() && !append(file_, waiting_.data(), waiting_.size() * sizeof(TouchRun))) {
    for (const TouchRun& run : waiting_) head_.over_limit += run.pages;
  }
  waiting_.clear();
  write_head();
}

void PageTrace::finish() {
  look();
  for (const TouchRun& run : runs_.take_open()) note(run);
  look();
}

void PageTrace::note(const TouchRun& run) {
  if (take_room(sizeof(run))) {
    waiting_.push_back(run);
  } else {
    head_.over_limit += run.pages;
  }
}

// From the budget in pieces, which all of the program's threads take from, too.
bool PageTrace::take_room(std::uint64_t bytes) noexcept {
  constexpr std::uint64_t piece = 16 * 1024;
  if (budget_ == nullptr) return true;
  if (room_ < bytes) {
    if (!runtime::take_from(*budget_, piece)) return false;
    room_ += piece;
  }
  room_ -= bytes;
  return true;
}

void PageTrace::write_head() {
  if (head_ == written_head_) return;
  if (pwrite(file_, &head_, sizeof(head_), 0) == sizeof(head_)) written_head_ = head_;
}

}  // namespace lares::cli

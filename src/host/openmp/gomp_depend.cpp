#include "host/openmp/gomp_depend.hpp"

#include <cstdlib>

#include "host/openmp/gomp_abi.hpp"

namespace lares::omp::gomp {

namespace {

runtime::DependKind kind_of(DepobjKind kind) noexcept {
  switch (kind) {
    case DepobjKind::in:
      return runtime::DependKind::in;
    case DepobjKind::mutexinoutset:
      return runtime::DependKind::mutexinoutset;
    case DepobjKind::inoutset:
      return runtime::DependKind::inoutset;
    case DepobjKind::out:
    case DepobjKind::inout:
      break;
  }
  return runtime::DependKind::out;
}

std::size_t word(void* entry) noexcept { return reinterpret_cast<std::size_t>(entry); }

}  // namespace

void Dependences::add(void* address, runtime::DependKind kind) noexcept {
  // omp_all_memory is the null address; it can only be written.
  if (address == nullptr && kind == runtime::DependKind::out) {
    kind = runtime::DependKind::all_memory;
  }
  items_[count_++] = {reinterpret_cast<std::uintptr_t>(address), Bytes{}, kind};
}

Dependences::Dependences(void** depend) noexcept {
  const bool plain = depend[0] != nullptr;
  const std::size_t count = word(plain ? depend[0] : depend[1]);
  if (count == 0) return;  // an iterator without values: what follows is not there
  if (count > room) {
    items_ = static_cast<runtime::Dependence*>(std::malloc(count * sizeof(runtime::Dependence)));
    if (items_ == nullptr) std::abort();
  }
  void** address = depend + (plain ? 2 : 5);
  const std::size_t outs = word(plain ? depend[1] : depend[2]);
  const std::size_t exclusives = plain ? 0 : word(depend[3]);
  const std::size_t ins = plain ? count - outs : word(depend[4]);
  for (std::size_t i = 0; i < outs; ++i) add(*address++, runtime::DependKind::out);
  for (std::size_t i = 0; i < exclusives; ++i) {
    add(*address++, runtime::DependKind::mutexinoutset);
  }
  for (std::size_t i = 0; i < ins; ++i) add(*address++, runtime::DependKind::in);
  for (std::size_t i = outs + exclusives + ins; i < count; ++i) {
    auto** object = static_cast<void**>(*address++);
    add(object[0], kind_of(static_cast<DepobjKind>(word(object[1]))));
  }
}

Dependences::~Dependences() {
  if (items_ != inline_) std::free(items_);
}

}  // namespace lares::omp::gomp

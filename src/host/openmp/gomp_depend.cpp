#include "host/openmp/gomp_depend.hpp"

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

std::size_t size_of(void** depend) noexcept {
  return word(depend[0] != nullptr ? depend[0] : depend[1]);
}

void add_to(DependenceList& all, void* address, runtime::DependKind kind) noexcept {
  // omp_all_memory is the null address; it can only be written.
  if (address == nullptr && kind == runtime::DependKind::out) {
    kind = runtime::DependKind::all_memory;
  }
  all.add({reinterpret_cast<std::uintptr_t>(address), Bytes{}, kind});
}

}  // namespace

Dependences::Dependences(void** depend) noexcept : DependenceList(size_of(depend)) {
  const bool plain = depend[0] != nullptr;
  const std::size_t count = size_of(depend);
  if (count == 0) return;  // an iterator without values: what follows is not there
  void** address = depend + (plain ? 2 : 5);
  const std::size_t outs = word(plain ? depend[1] : depend[2]);
  const std::size_t exclusives = plain ? 0 : word(depend[3]);
  const std::size_t ins = plain ? count - outs : word(depend[4]);
  for (std::size_t i = 0; i < outs; ++i) add_to(*this, *address++, runtime::DependKind::out);
  for (std::size_t i = 0; i < exclusives; ++i) {
    add_to(*this, *address++, runtime::DependKind::mutexinoutset);
  }
  for (std::size_t i = 0; i < ins; ++i) add_to(*this, *address++, runtime::DependKind::in);
  for (std::size_t i = outs + exclusives + ins; i < count; ++i) {
    auto** object = static_cast<void**>(*address++);
    add_to(*this, object[0], kind_of(static_cast<DepobjKind>(word(object[1]))));
  }
}

}  // namespace lares::omp::gomp

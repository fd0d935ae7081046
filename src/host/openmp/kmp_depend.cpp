#include "host/openmp/kmp_depend.hpp"

#include <cstdlib>
#include <new>

namespace lares::omp::kmp {

namespace {

runtime::DependKind kind_of(const DependInfo& item) noexcept {
  if ((item.flags & DependInfo::out) != 0) return runtime::DependKind::out;
  if ((item.flags & DependInfo::mutexinoutset) != 0) return runtime::DependKind::mutexinoutset;
  if ((item.flags & DependInfo::inoutset) != 0) return runtime::DependKind::inoutset;
  return runtime::DependKind::in;
}

bool is_all_memory(const DependInfo& item) noexcept {
  return (item.flags & DependInfo::all_memory) != 0 ||
         item.address == DependInfo::all_memory_address;
}

std::size_t size_of(std::int32_t count, const DependInfo* list) noexcept {
  return list == nullptr || count <= 0 ? 0 : static_cast<std::size_t>(count);
}

}  // namespace

void Dependences::add(const DependInfo& item) noexcept {
  if (is_all_memory(item)) {
    new (&items_[count_++]) runtime::Dependence{0, Bytes{}, runtime::DependKind::all_memory};
  } else if (item.address != 0) {  // the null address depends on nothing: so does libomp decide
    new (&items_[count_++]) runtime::Dependence{item.address, Bytes{item.bytes}, kind_of(item)};
  }
}

Dependences::Dependences(std::int32_t count, const DependInfo* list, std::int32_t noalias_count,
                         const DependInfo* noalias_list) noexcept {
  const std::size_t first = size_of(count, list);
  const std::size_t second = size_of(noalias_count, noalias_list);
  void* memory = inline_;
  if (first + second > room) {
    memory = std::malloc((first + second) * sizeof(runtime::Dependence));
    if (memory == nullptr) std::abort();
  }
  items_ = static_cast<runtime::Dependence*>(memory);
  for (std::size_t i = 0; i < first; ++i) add(list[i]);
  for (std::size_t i = 0; i < second; ++i) add(noalias_list[i]);
}

Dependences::~Dependences() {
  if (static_cast<void*>(items_) != inline_) std::free(items_);
}

}  // namespace lares::omp::kmp

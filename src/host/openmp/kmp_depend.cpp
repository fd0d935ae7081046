#include "host/openmp/kmp_depend.hpp"

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

void add_to(DependenceList& all, const DependInfo& item) noexcept {
  if (is_all_memory(item)) {
    all.add({0, Bytes{}, runtime::DependKind::all_memory});
  } else if (item.address != 0) {  // the null address depends on nothing: so does libomp decide
    all.add({item.address, Bytes{item.bytes}, kind_of(item)});
  }
}

}  // namespace

Dependences::Dependences(std::int32_t count, const DependInfo* list, std::int32_t noalias_count,
                         const DependInfo* noalias_list) noexcept
    : DependenceList(size_of(count, list) + size_of(noalias_count, noalias_list)) {
  for (std::size_t i = 0; i < size_of(count, list); ++i) add_to(*this, list[i]);
  for (std::size_t i = 0; i < size_of(noalias_count, noalias_list); ++i) {
    add_to(*this, noalias_list[i]);
  }
}

}  // namespace lares::omp::kmp

// Objects that ask for the alignment of a cache line and more.
// conformance: only gcc: Clang 19 gives copies in tasks no more alignment than malloc does
#include <cstdint>

#include "check.h"

namespace {

struct alignas(128) Line {
  int value = 0;
};

void copies_keep_their_alignment() {
  int bad = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 50; i++) {
    Line line;
    line.value = i;
#pragma omp task firstprivate(line, i) shared(bad)
    {
      const volatile auto place = reinterpret_cast<std::uintptr_t>(&line);
      if (place % alignof(Line) != 0 || line.value != i) bump(&bad);
    }
  }
  CHECK_EQUAL(bad, 0);
}

}  // namespace

CASES(CASE(copies_keep_their_alignment))

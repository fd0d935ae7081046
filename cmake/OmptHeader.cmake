# LARES_OMPT_INCLUDE: the folder of omp-tools.h, which LLVM's libomp brings, and GCC does not. To be
# given by -idirafter: the folder has Clang's own headers, too.
include_guard(GLOBAL)
if(NOT DEFINED CACHE{LARES_OMPT_INCLUDE})
  file(GLOB folders /usr/lib/llvm-*/lib/clang/*/include /usr/lib/clang/*/include
       /usr/lib64/clang/*/include)
  list(SORT folders COMPARE NATURAL ORDER DESCENDING)
  find_path(LARES_OMPT_INCLUDE omp-tools.h PATHS ${folders} DOC "Folder of omp-tools.h")
endif()
if(NOT LARES_OMPT_INCLUDE)
  message(STATUS "No omp-tools.h (libomp-dev): OMPT is not tested.")
endif()

# Programs that users would have: built by GCC's and by Clang's OpenMP, whichever compiler builds
# Lares itself. So they are custom commands and not targets of the project's own compiler.
include_guard(GLOBAL)

# The compiler of the build is the one of its family.
if(CMAKE_C_COMPILER_ID STREQUAL GNU)
  set(LARES_PROGRAM_GCC ${CMAKE_C_COMPILER} CACHE FILEPATH "C compiler whose programs use libgomp")
elseif(CMAKE_C_COMPILER_ID STREQUAL Clang)
  set(LARES_PROGRAM_CLANG ${CMAKE_C_COMPILER} CACHE FILEPATH "C compiler whose programs use libomp")
endif()
find_program(LARES_PROGRAM_GCC NAMES gcc-12 gcc gcc-13 gcc-14 gcc-15
             DOC "C compiler whose programs use libgomp")
find_program(LARES_PROGRAM_CLANG NAMES clang-19 clang clang-20 clang-21 clang-18 clang-17 clang-16
             DOC "C compiler whose programs use libomp")

# Clang comes without libomp in many distributions.
function(lares_forget_without_openmp family)
  string(TOUPPER ${family} upper)
  if(NOT LARES_PROGRAM_${upper} OR LARES_PROGRAM_${upper}_HAS_OPENMP)
    return()
  endif()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/openmp-of-${family}.c)
  file(WRITE ${source} "#include <omp.h>\nint main(void) { return omp_get_max_threads() < 1; }\n")
  execute_process(COMMAND ${LARES_PROGRAM_${upper}} -fopenmp ${source} -o ${source}.out
                  RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
  if(failed)
    message(WARNING "${LARES_PROGRAM_${upper}} has no OpenMP: the programs that it builds are left out.")
    set(LARES_PROGRAM_${upper} LARES_PROGRAM_${upper}-NOTFOUND CACHE FILEPATH "" FORCE)
    set_property(GLOBAL PROPERTY LARES_SAID_NO_${upper} TRUE)
  else()
    set(LARES_PROGRAM_${upper}_HAS_OPENMP TRUE CACHE INTERNAL "")
  endif()
endfunction()
lares_forget_without_openmp(gcc)
lares_forget_without_openmp(clang)

# lares_openmp_program(<name> SOURCES <c files> [DEPENDS <headers>] [OPTIONS <flags>] [LIBRARIES <flags>]
#                      [WITH_LIBLARES])
#
# Makes <name>-gcc and <name>-clang in the current build folder, part of `all`; WITH_LIBLARES: from
# the public headers, linked to liblares. A compiler that is
# missing is said once, and its programs are not made.
function(lares_openmp_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "WITH_LIBLARES" "" "SOURCES;DEPENDS;OPTIONS;LIBRARIES")
  set(flags -std=gnu17 -O2 -g -Wall -Wextra -Wshadow ${LARES_WERROR_OPTION} -fopenmp)
  if(arg_WITH_LIBLARES)
    list(APPEND arg_OPTIONS -I${PROJECT_SOURCE_DIR}/include)
    list(APPEND arg_LIBRARIES -L${PROJECT_BINARY_DIR} -llares -Wl,-rpath,${PROJECT_BINARY_DIR})
  endif()
  list(TRANSFORM arg_SOURCES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  list(TRANSFORM arg_DEPENDS PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  foreach(family IN ITEMS gcc clang)
    string(TOUPPER ${family} upper)
    set(compiler ${LARES_PROGRAM_${upper}})
    if(NOT compiler)
      get_property(said GLOBAL PROPERTY LARES_SAID_NO_${upper})
      if(NOT said)
        message(WARNING "No ${family} found: the programs that it builds are left out.")
        set_property(GLOBAL PROPERTY LARES_SAID_NO_${upper} TRUE)
      endif()
      continue()
    endif()
    set(program ${CMAKE_CURRENT_BINARY_DIR}/${name}-${family})
    add_custom_command(
      OUTPUT ${program}
      COMMAND ${compiler} ${flags} ${arg_OPTIONS} ${arg_SOURCES} -o ${program}
              ${arg_LIBRARIES}
      DEPENDS ${arg_SOURCES} ${arg_DEPENDS}
      COMMENT "Building ${name}-${family} with ${compiler}"
      VERBATIM)
    add_custom_target(program-${name}-${family} ALL DEPENDS ${program})
    if(arg_WITH_LIBLARES)
      add_dependencies(program-${name}-${family} lares_api)
    endif()
  endforeach()
endfunction()

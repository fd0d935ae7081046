# Programs that users would have: built by GCC's and by Clang's OpenMP, whichever compiler builds
# Lares itself. So they are custom commands and not targets of the project's own compiler.
include_guard(GLOBAL)

find_program(LARES_PROGRAM_GCC NAMES gcc-12 gcc DOC "C compiler whose programs use libgomp")
find_program(LARES_PROGRAM_CLANG NAMES clang-19 clang DOC "C compiler whose programs use libomp")

# lares_openmp_program(<name> SOURCES <c files> [DEPENDS <headers>] [OPTIONS <flags>] [LIBRARIES <flags>])
#
# Makes <name>-gcc and <name>-clang in the current build folder, part of `all`. A compiler that is
# missing is said once, and its programs are not made.
function(lares_openmp_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS;OPTIONS;LIBRARIES")
  set(flags -std=gnu17 -O2 -g -Wall -Wextra -Wshadow -Werror -fopenmp)
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
  endforeach()
endfunction()

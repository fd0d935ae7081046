# Settings that every target shares.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 17)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  # A runtime without optimisation measures nothing; whoever wants a debug build says so.
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug or RelWithDebInfo" FORCE)
endif()

# The presets of developers and of continuous integration have it on: other compilers than theirs know
# other warnings.
option(LARES_WERROR "Treat warnings as errors" OFF)
if(LARES_WERROR)
  set(LARES_WERROR_OPTION -Werror)
endif()
set(LARES_SANITIZE
    ""
    CACHE STRING "Sanitizers to build with: address, thread, undefined, or a comma list")

option(LARES_DISORDER "Let the environment variable LARES_DISORDER disturb threads (base/disorder.hpp)" OFF)

add_library(lares_settings INTERFACE)
target_include_directories(lares_settings INTERFACE ${PROJECT_SOURCE_DIR}/src
                                                    ${PROJECT_SOURCE_DIR}/include)
target_compile_options(
  lares_settings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                           ${LARES_WERROR_OPTION})
if(CMAKE_UNITY_BUILD)
  # Several files in one unit: a constant of one may have the name of another's local variable.
  target_compile_options(lares_settings INTERFACE -Wno-shadow)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 takes the moves inside std::string's operator+ for overlapping copies (its bug 105651).
  target_compile_options(lares_settings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
if(LARES_DISORDER)
  target_compile_definitions(lares_settings INTERFACE LARES_DISORDER=1)
endif()
if(LARES_SANITIZE)
  # A finding must end the test that made it, and assertions stay on although the code is optimised.
  # The floors of the preloaded library have no run-time type information, so objects that they make
  # would look broken to the check of virtual calls in the tests, which have it.
  target_compile_options(
    lares_settings INTERFACE -fsanitize=${LARES_SANITIZE} -fno-sanitize=vptr
                             -fno-sanitize-recover=all -fno-omit-frame-pointer -UNDEBUG)
  target_link_options(lares_settings INTERFACE -fsanitize=${LARES_SANITIZE})
endif()

# For what asks, reads and prints around the work: a third of its build would be optimising it.
function(lares_optimise_lightly)
  foreach(target IN LISTS ARGN)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endforeach()
endfunction()

# A command that starts another pays for its own start each time. Half of it would be to relocate the
# C++ library: without it, and at a fixed address, little is left of that.
function(lares_start_quickly)
  if(LARES_SANITIZE)
    return()
  endif()
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_LINK_OPTIONS -static-libstdc++ -static-libgcc)
  check_cxx_source_compiles("#include <string>
int main(int count, char**) { return static_cast<int>(std::string(count, ' ').size()); }"
                            LARES_HAS_STATIC_CXX_LIBRARY)
  foreach(target IN LISTS ARGN)
    if(LARES_HAS_STATIC_CXX_LIBRARY)
      target_link_options(${target} PRIVATE ${CMAKE_REQUIRED_LINK_OPTIONS})
    endif()
    target_link_options(${target} PRIVATE -no-pie)
  endforeach()
endfunction()

# The engine's hot paths cross folders; let the compiler see through. With Clang this would need a
# linker that Debian's gcc-12 toolchain does not bring; and what is disturbed on purpose need not be fast.
function(lares_optimise_across_files)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU
     AND CMAKE_BUILD_TYPE STREQUAL Release
     AND NOT LARES_SANITIZE
     AND NOT LARES_DISORDER)
    set_target_properties(${ARGN} PROPERTIES INTERPROCEDURAL_OPTIMIZATION ON)
    foreach(target IN LISTS ARGN)
      if(BUILD_TESTING)
        # Whole objects, too: what is linked without it, as tests are, must not be compiled once more.
        target_compile_options(${target} PRIVATE -ffat-lto-objects)
      endif()
      target_link_options(${target} PRIVATE -flto=auto) # all cores, and no warning about one
    endforeach()
  endif()
endfunction()

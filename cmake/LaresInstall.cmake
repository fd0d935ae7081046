# What `cmake --install` lays down:
#
#   bin/lares, bin/lares-study     the command, and the program that has the half of it which measures and predicts
#   lib/lares/liblares-openmp.so   what `lares run` preloads; found as ../lib/lares from the command
#   lib/lares/liblares-openmp-loops.so  what `lares run --loops numa` preloads instead
#   lib/lares/liblares-openmp-watched.so  what it preloads where an OMPT tool is named
#   lib/lares/liblares-placement.so  what `lares run --placement` preloads as well
#   lib/lares/lares-lab-init       what `lares lab` puts into its guests
#   lib/lares/lares-lab-counter.so what `lares lab run --count` loads into QEMU
#   lib/lares/bench                the programs that `lares bench` starts
#   lib/liblares.so, include/lares the C interface, for find_package(Lares) and pkg-config
#   share/lares/machines           machine files to try things on
#   share/doc/lares                documentation
include(CMakePackageConfigHelpers)

install(TARGETS lares lares-study RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS lares_openmp lares_openmp_loops lares_openmp_watched lares_placement
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/lares)
if(TARGET lares_lab_init)
  install(TARGETS lares_lab_init RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR}/lares)
endif()
foreach(program IN ITEMS load_balance-gcc load_balance-clang jacobi_blocks-gcc jacobi_blocks-clang
                         nested_stream-gcc nested_stream-clang
                         nested_overhead-gcc nested_overhead-clang nested_solves-gcc nested_solves-clang)
  if(TARGET program-${program})
    install(PROGRAMS ${PROJECT_BINARY_DIR}/bench/${program}
            DESTINATION ${CMAKE_INSTALL_LIBDIR}/lares/bench)
  endif()
endforeach()
install(TARGETS lares_lab_counter LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/lares)
install(FILES ${PROJECT_SOURCE_DIR}/src/lab/plugin/COPYING DESTINATION ${CMAKE_INSTALL_DOCDIR}
        RENAME COPYING.lares-lab-counter)

install(
  TARGETS lares_api
  EXPORT LaresTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/lares DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/machines DESTINATION ${CMAKE_INSTALL_DATADIR}/lares)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/LICENSE
        DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(lares_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Lares)
install(
  EXPORT LaresTargets
  NAMESPACE Lares::
  DESTINATION ${lares_package_dir})
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/LaresConfig.cmake.in ${PROJECT_BINARY_DIR}/LaresConfig.cmake
  INSTALL_DESTINATION ${lares_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/LaresConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/LaresConfig.cmake
              ${PROJECT_BINARY_DIR}/LaresConfigVersion.cmake
        DESTINATION ${lares_package_dir})

# The prefix is found from where lares.pc lies, so an installed tree may be moved.
set(lares_pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH lares_pc_to_prefix /${lares_pc_dir} /)
string(REGEX REPLACE "/$" "" lares_pc_to_prefix ${lares_pc_to_prefix})
configure_file(${PROJECT_SOURCE_DIR}/cmake/lares.pc.in ${PROJECT_BINARY_DIR}/lares.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/lares.pc DESTINATION ${lares_pc_dir})

# What `cmake --install` puts where. The pkg-config file and the CMake package find the rest relative to
# themselves, so an installed tree may be staged, moved, or given another prefix at install time.
include(CMakePackageConfigHelpers)

install(TARGETS eigenmesh_shared eigenmesh_static EXPORT eigenmesh)
install(FILES include/eigenmesh/eigenmesh.h include/eigenmesh/engine.h include/eigenmesh/masks.h include/eigenmesh/page.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/eigenmesh)
install(TARGETS eigenmesh)
foreach(program eigenmesh-local eigenmesh-net)
  if(TARGET ${program})
    install(TARGETS ${program})
  endif()
endforeach()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/eigenmesh)
install(EXPORT eigenmesh NAMESPACE eigenmesh:: FILE eigenmesh-targets.cmake DESTINATION ${package_dir})
configure_file(cmake/eigenmesh-config.cmake.in eigenmesh-config.cmake COPYONLY)
install(FILES ${PROJECT_BINARY_DIR}/eigenmesh-config.cmake DESTINATION ${package_dir})
write_basic_package_version_file(eigenmesh-config-version.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/eigenmesh-config-version.cmake DESTINATION ${package_dir})

set(pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX}/${pc_dir}
           OUTPUT_VARIABLE pc_to_prefix)
list(JOIN EIGENMESH_PRIVATE_LIBRARIES " " pc_private_libraries)
configure_file(cmake/eigenmesh.pc.in eigenmesh.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/eigenmesh.pc DESTINATION ${pc_dir})

foreach(engine IN LISTS engines_found)
  install(TARGETS eigenmesh_${engine}_shared eigenmesh_${engine}_static EXPORT eigenmesh-${engine})
  install(FILES include/eigenmesh/${engine}.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/eigenmesh)
  install(EXPORT eigenmesh-${engine} NAMESPACE eigenmesh:: FILE eigenmesh-${engine}-targets.cmake
          DESTINATION ${package_dir})
  configure_file(cmake/eigenmesh_${engine}.pc.in eigenmesh_${engine}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/eigenmesh_${engine}.pc DESTINATION ${pc_dir})
endforeach()


# The pages, to which the program adds the options that they do not explain; where it can be run here.
file(GLOB manual_sources CONFIGURE_DEPENDS docs/man/*.1)
foreach(source ${manual_sources})
  cmake_path(GET source FILENAME name)
  set(page ${PROJECT_BINARY_DIR}/man/${name})
  list(APPEND manual_pages ${page})
  if(CMAKE_CROSSCOMPILING OR name STREQUAL eigenmesh.1)
    configure_file(${source} ${page} COPYONLY)
  else()
    add_custom_command(OUTPUT ${page} COMMAND ${PROJECT_SOURCE_DIR}/scripts/manual $<TARGET_FILE:eigenmesh> ${source} > ${page}
                       DEPENDS ${source} ${PROJECT_SOURCE_DIR}/scripts/manual eigenmesh VERBATIM)
  endif()
endforeach()
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/man)
add_custom_target(manual ALL DEPENDS ${manual_pages})
install(FILES ${manual_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES completions/eigenmesh.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
        RENAME eigenmesh OPTIONAL)

# What `cmake --install` puts under the prefix: the tool, headers, the libraries, and what CMake and
# pkg-config need to find them. test/install builds a program against the result.

include(CMakePackageConfigHelpers)

set(handrail_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/handrail)

install(TARGETS handrail RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS handrail_reading handrail_compiling EXPORT handrail_targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/handrail DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN *.h PATTERN *.def)
install(EXPORT handrail_targets NAMESPACE handrail:: DESTINATION ${handrail_cmake_dir})

configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/handrail-config.cmake.in ${PROJECT_BINARY_DIR}/handrail-config.cmake
  INSTALL_DESTINATION ${handrail_cmake_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/handrail-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/handrail-config.cmake ${PROJECT_BINARY_DIR}/handrail-config-version.cmake
  DESTINATION ${handrail_cmake_dir})

# The libraries are static, so that whoever links them links what they use: Requires, not
# Requires.private. The prefix is found from the file's own place, so that it may be moved.
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX
  BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/pkgconfig OUTPUT_VARIABLE handrail_pc_prefix)
foreach(library IN ITEMS handrail-symbolize handrail)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/${library}.pc.in ${PROJECT_BINARY_DIR}/${library}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${library}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

# What is installed beside the targets: headers, schema, licence, the engine's library where the
# set-up fetched it, and what find_package(opscope) needs.

# opscope::opscope is the library as its users see it: the use cases of include/opscope.
add_library(opscope_opscope INTERFACE)
add_library(opscope::opscope ALIAS opscope_opscope)
set_target_properties(opscope_opscope PROPERTIES EXPORT_NAME opscope)
target_link_libraries(opscope_opscope INTERFACE opscope_app)
target_include_directories(opscope_opscope INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
install(TARGETS opscope_opscope EXPORT opscope)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/opscope)
install(EXPORT opscope NAMESPACE opscope:: FILE opscope-targets.cmake DESTINATION ${package})
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/opscope-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES cmake/opscope-config.cmake ${PROJECT_BINARY_DIR}/opscope-config-version.cmake
  DESTINATION ${package})

install(DIRECTORY include/opscope DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY schema DESTINATION ${CMAKE_INSTALL_DATADIR}/opscope)
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_BINARY_DIR}/engines/ort
  DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/opscope/engines
  FILES_MATCHING PATTERN "libonnxruntime.so*" PATTERN "LICENSE" PATTERN "CMakeFiles" EXCLUDE)

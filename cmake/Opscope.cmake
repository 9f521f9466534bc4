# Functions of the build: one target a folder, sources globbed, linked as the architecture says.

add_library(opscope_options INTERFACE)
target_compile_features(opscope_options INTERFACE cxx_std_20)
target_include_directories(opscope_options INTERFACE
  ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
target_compile_options(opscope_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
  # gcc 12 reports false overlaps in std::string at -O3.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<BOOL:${OPSCOPE_WERROR}>:-Werror>)
if(OPSCOPE_SANITIZE)
  target_compile_options(opscope_options INTERFACE -fsanitize=${OPSCOPE_SANITIZE}
    -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(opscope_options INTERFACE -fsanitize=${OPSCOPE_SANITIZE})
endif()

# opscope_library(<folder> LINKS <opscope targets…> PRIVATE <libraries…>)
# The target opscope_<folder> from every .cpp of the calling folder; with RECURSE also of those below.
function(opscope_library name)
  cmake_parse_arguments(ARG "RECURSE" "" "LINKS;PRIVATE" ${ARGN})
  if(ARG_RECURSE)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cpp *.h)
  else()
    file(GLOB sources CONFIGURE_DEPENDS *.cpp *.h)
  endif()
  add_library(opscope_${name} STATIC ${sources})
  target_link_libraries(opscope_${name} PUBLIC opscope_options ${ARG_LINKS} PRIVATE ${ARG_PRIVATE})
  set_target_properties(opscope_${name} PROPERTIES LINKER_LANGUAGE CXX)
endfunction()

# opscope_test(<name> SOURCES <…> LINKS <…> LABELS <…>): a googletest program, one ctest.
function(opscope_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS;LABELS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE opscope_options ${ARG_LINKS} GTest::gtest_main)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT 300)
endfunction()

# Functions of the build: one target a folder, sources globbed, linked as the architecture says.

# Developer mode: a compiler cache and a fast linker where the machine has them.
if(PROJECT_IS_TOP_LEVEL)
  find_program(OPSCOPE_CCACHE ccache)
  find_program(OPSCOPE_MOLD mold)
  foreach(language C CXX)
    if(OPSCOPE_CCACHE AND NOT CMAKE_${language}_COMPILER_LAUNCHER)
      set(CMAKE_${language}_COMPILER_LAUNCHER ${OPSCOPE_CCACHE})
    endif()
  endforeach()
endif()

# What every file of ours is built with. Warnings and linker are matters of this project alone.
add_library(opscope_options INTERFACE)
target_compile_features(opscope_options INTERFACE cxx_std_20)
target_include_directories(opscope_options INTERFACE
  ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
if(PROJECT_IS_TOP_LEVEL)
  target_compile_options(opscope_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
    # gcc 12 sees overlaps in std::string and uninitialised optionals that are not there.
    "$<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-maybe-uninitialized>"
    $<$<BOOL:${OPSCOPE_WERROR}>:-Werror>)
endif()
if(OPSCOPE_MOLD)
  target_link_options(opscope_options INTERFACE -fuse-ld=mold)
endif()
if(OPSCOPE_SANITIZE)
  target_compile_options(opscope_options INTERFACE -fsanitize=${OPSCOPE_SANITIZE}
    -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(opscope_options INTERFACE -fsanitize=${OPSCOPE_SANITIZE})
endif()
if(OPSCOPE_FUZZ)
  target_compile_options(opscope_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

# opscope_library(<folder> FOLDERS <folders…> LINKS <opscope targets…> PRIVATE <libraries…>)
# The target opscope_<folder> from every .cpp of the calling folder, and of the FOLDERS in it; with
# RECURSE of all below.
function(opscope_library name)
  cmake_parse_arguments(ARG "RECURSE" "" "FOLDERS;LINKS;PRIVATE" ${ARGN})
  if(ARG_RECURSE)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cpp *.h)
  else()
    list(TRANSFORM ARG_FOLDERS APPEND "/*.cpp" OUTPUT_VARIABLE inner)
    file(GLOB sources CONFIGURE_DEPENDS *.cpp *.h ${inner})
  endif()
  set(target opscope_${name})
  add_library(${target} STATIC ${sources})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target} INTERFACE $<INSTALL_INTERFACE:include>)
  target_link_libraries(${target} PUBLIC $<BUILD_INTERFACE:opscope_options> ${ARG_LINKS}
    PRIVATE ${ARG_PRIVATE})
  # A library may end in a shared object (the Python module): position-independent, and hidden, so
  # that it costs nothing.
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX POSITION_INDEPENDENT_CODE ON
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  install(TARGETS ${target} EXPORT opscope DESTINATION ${CMAKE_INSTALL_LIBDIR}/opscope)
endfunction()

# opscope_links_of(<variable> <source>): the targets of the folders whose headers the file includes,
# so that a test of base links base and is not held up by a folder far above it.
function(opscope_links_of variable source)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  file(STRINGS ${source} includes REGEX "^#include \"[a-z]+/")
  set(links "")
  foreach(include ${includes})
    if(include MATCHES "\"(model|trace)/(formats|export)/")
      list(APPEND links opscope_${CMAKE_MATCH_1}_${CMAKE_MATCH_2})
    elseif(include MATCHES "\"([a-z]+)/")
      # Only now does CMAKE_MATCH_1 hold the folder: arguments of an if are expanded before it runs.
      if(TARGET opscope_${CMAKE_MATCH_1})
        list(APPEND links opscope_${CMAKE_MATCH_1})
      endif()
    endif()
  endforeach()
  list(REMOVE_DUPLICATES links)
  set(${variable} ${links} PARENT_SCOPE)
endfunction()

# opscope_tests(<prefix>): every *_test.cpp of the calling folder becomes a googletest program
# <prefix>_<name>_test and one ctest of the label "fast"; a first line "// labels: samples" gives
# other labels. A program all of whose cases skipped is shown as skipped.
function(opscope_tests prefix)
  file(GLOB sources CONFIGURE_DEPENDS *_test.cpp)
  foreach(source ${sources})
    get_filename_component(name ${source} NAME_WE)
    set(target ${prefix}_${name})
    opscope_links_of(links ${source})
    file(STRINGS ${source} labels REGEX "^// labels: " LIMIT_COUNT 1)
    string(REGEX REPLACE "^// labels: *" "" labels "${labels}")
    string(REGEX MATCHALL "[a-z-]+" labels "${labels}")
    if(NOT labels)
      set(labels fast)
    endif()
    add_executable(${target} ${source})
    target_link_libraries(${target} PRIVATE
      opscope_options ${links} opscope_test_support opscope_test_main)
    # Tests are compiled more than they are run.
    if(OPSCOPE_SANITIZE)
      target_compile_options(${target} PRIVATE -O0)
    else()
      target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
    endif()
    add_test(NAME ${target} COMMAND ${target})
    set_tests_properties(${target} PROPERTIES LABELS "${labels}" TIMEOUT 300 SKIP_RETURN_CODE 77)
  endforeach()
endfunction()

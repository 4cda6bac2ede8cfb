# How every part of the tree is built: flags, and one function per kind of target.

add_library(handrail_flags INTERFACE)
target_compile_options(handrail_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
  -Wold-style-cast -Woverloaded-virtual -Wimplicit-fallthrough)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # Warns of std::string's own operator+ (https://gcc.gnu.org/PR105651).
  target_compile_options(handrail_flags INTERFACE -Wno-restrict)
endif()
if(HANDRAIL_WERROR)
  target_compile_options(handrail_flags INTERFACE -Werror)
endif()
# Symbols are bound when a program starts, and the tables of pointers are then read-only.
target_link_options(handrail_flags INTERFACE -Wl,-z,relro,-z,now)
if(HANDRAIL_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()
if(HANDRAIL_COVERAGE)
  add_compile_options(--coverage)
  add_link_options(--coverage)
endif()
if(HANDRAIL_FUZZERS)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# Files of the tree are listed by pattern: adding a file needs no change here. `*_test.cc` are unit
# tests, `*_bench.cc` benchmarks, everything else is the stage.
function(handrail_sources result directory)
  file(GLOB sources CONFIGURE_DEPENDS ${directory}/*.cc ${directory}/*/*.cc)
  list(FILTER sources EXCLUDE REGEX "_(test|bench)\\.cc$")
  set(${result} ${sources} PARENT_SCOPE)
endfunction()

# handrail_stage(NAME [USES stage...] [LINKS target...])
# One folder of src/, with the folders in it, as an object library `handrail_NAME`. A folder without
# sources is no stage yet, and is left out where another stage uses it.
function(handrail_stage name)
  cmake_parse_arguments(STAGE "" "" "USES;LINKS" ${ARGN})
  set(directory ${PROJECT_SOURCE_DIR}/src/${name})
  handrail_sources(sources ${directory})
  if(NOT sources)
    return()
  endif()
  add_library(handrail_${name} OBJECT ${sources})
  target_include_directories(handrail_${name} PUBLIC
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(handrail_${name} PRIVATE handrail_flags PUBLIC ${STAGE_LINKS})
  foreach(used IN LISTS STAGE_USES)
    if(TARGET handrail_${used})
      target_link_libraries(handrail_${name} PUBLIC handrail_${used})
    endif()
  endforeach()
  set_target_properties(handrail_${name} PROPERTIES HANDRAIL_USES "${STAGE_USES}")
  set_property(GLOBAL APPEND PROPERTY HANDRAIL_STAGES ${name})
endfunction()

# handrail_objects(RESULT NAME): what a program needs of the compiling half to test the stage NAME:
# its objects and those of the stages it uses, so that tests build without the stages below.
function(handrail_objects result name)
  set(objects "")
  if(name IN_LIST HANDRAIL_COMPILING_STAGES)
    list(APPEND objects handrail_${name})
    get_target_property(used handrail_${name} HANDRAIL_USES)
    foreach(stage IN LISTS used)
      handrail_objects(used_objects ${stage})
      list(APPEND objects ${used_objects})
    endforeach()
    list(REMOVE_DUPLICATES objects)
  endif()
  set(${result} ${objects} PARENT_SCOPE)
endfunction()

# handrail_unit_tests(NAME): src/NAME/*_test.cc as the program NAME_test.
function(handrail_unit_tests name)
  file(GLOB tests CONFIGURE_DEPENDS
    ${PROJECT_SOURCE_DIR}/src/${name}/*_test.cc ${PROJECT_SOURCE_DIR}/src/${name}/*/*_test.cc)
  if(tests)
    handrail_objects(objects ${name})
    handrail_test(${name}_test SOURCES ${tests} LINKS ${objects})
  endif()
endfunction()

# handrail_test(NAME SOURCES file... [LINKS target...] [STANDALONE])
# One GoogleTest program, run by ctest. STANDALONE: it does not use the library.
function(handrail_test name)
  cmake_parse_arguments(TEST "STANDALONE" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${name} ${TEST_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE
    handrail_flags ${TEST_LINKS} GTest::gmock GTest::gtest_main)
  if(NOT TEST_STANDALONE)
    target_link_libraries(${name} PRIVATE handrail_reading)
  endif()
  target_compile_definitions(${name} PRIVATE HANDRAIL_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endfunction()

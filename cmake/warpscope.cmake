# Compiler settings and the helpers that every folder uses.
find_program(WARPSCOPE_CCACHE ccache)
if(WARPSCOPE_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${WARPSCOPE_CCACHE})
endif()
find_package(Threads REQUIRED)

add_library(ws_flags INTERFACE)
target_include_directories(ws_flags INTERFACE ${PROJECT_SOURCE_DIR}/src)
target_compile_options(ws_flags INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor)
# GCC 12 warns falsely about std::string::insert and += at -O2 and above (GCC bug 105651).
target_compile_options(ws_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
target_link_libraries(ws_flags INTERFACE Threads::Threads)
if(WARPSCOPE_SANITIZE)
  target_compile_options(ws_flags INTERFACE -fsanitize=${WARPSCOPE_SANITIZE} -fno-omit-frame-pointer -g)
  target_link_options(ws_flags INTERFACE -fsanitize=${WARPSCOPE_SANITIZE})
endif()

# The headers of the standard library, fmt and GoogleTest cost more than most files' own code; compiled once, they save
# a third of a build from nothing. Off where a compiler cache is: its hits are worth more, and a missing #include shows.
if(WARPSCOPE_CCACHE)
  set(precompile OFF)
else()
  set(precompile ON)
endif()
option(WARPSCOPE_PRECOMPILE "precompile the headers of libraries" ${precompile})

if(WARPSCOPE_PRECOMPILE)
  find_package(fmt REQUIRED)
  set(precompiled <algorithm> <array> <charconv> <cmath> <cstdint> <filesystem> <fstream> <functional> <map> <memory>
                  <optional> <set> <span> <string> <string_view> <tuple> <unordered_map> <utility> <variant> <vector>
                  <fmt/format.h>)
  file(WRITE ${PROJECT_BINARY_DIR}/precompiled.cc "")
  add_library(ws_precompiled OBJECT ${PROJECT_BINARY_DIR}/precompiled.cc)
  target_link_libraries(ws_precompiled PRIVATE ws_flags fmt::fmt)
  target_precompile_headers(ws_precompiled PRIVATE ${precompiled})
  if(WARPSCOPE_TESTS)
    find_package(GTest REQUIRED)
    add_library(ws_precompiled_test OBJECT ${PROJECT_BINARY_DIR}/precompiled.cc)
    target_link_libraries(ws_precompiled_test PRIVATE ws_flags fmt::fmt GTest::gtest)
    target_compile_options(ws_precompiled_test PRIVATE -O0)
    target_precompile_headers(ws_precompiled_test PRIVATE ${precompiled} <gtest/gtest.h>)
  endif()
endif()

# Lets a target use them. REQUIRES: its compile options are those of ws_flags (tests: and -O0).
function(ws_use_precompiled target owner)
  if(WARPSCOPE_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM ${owner})
    target_compile_definitions(${target} PRIVATE FMT_SHARED)  # as fmt::fmt has it, which not every folder links
  endif()
endfunction()

# ws_library(name DEPS a b ...): every .cc of the folder (and its subfolders) that is no *_test.cc and no main.cc becomes a static
# library; every *_test.cc becomes one test program with it. DEPS follow the layer table of docs/architecture.md.
function(ws_library name)
  cmake_parse_arguments(ARG "" "" "DEPS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "(_test|/main)\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  if(sources)
    add_library(ws_${name} STATIC ${sources})
    target_link_libraries(ws_${name} PUBLIC ws_flags ${ARG_DEPS})
    ws_use_precompiled(ws_${name} ws_precompiled)
  else()
    add_library(ws_${name} INTERFACE)
    target_link_libraries(ws_${name} INTERFACE ws_flags ${ARG_DEPS})
  endif()
  if(tests AND WARPSCOPE_TESTS)
    find_package(GTest REQUIRED)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE ws_${name} GTest::gtest_main)
    # Unoptimised: tests are built far more often than they run long. Paths only where a test names them, so that the
    # compiler cache serves every checkout.
    target_compile_options(${name}_test PRIVATE -O0)
    ws_use_precompiled(${name}_test ws_precompiled_test)
    foreach(test ${tests})
      file(STRINGS ${test} names_paths REGEX "WS_TEST_DATA|WS_SHARED" LIMIT_COUNT 1)
      if(names_paths)
        set_source_files_properties(${test} PROPERTIES COMPILE_DEFINITIONS
          "WS_TEST_DATA=\"${PROJECT_SOURCE_DIR}/tests/data\";WS_SHARED=\"${PROJECT_SOURCE_DIR}/../shared\"")
      endif()
    endforeach()
    add_test(NAME ${name} COMMAND ${name}_test)
  endif()
endfunction()

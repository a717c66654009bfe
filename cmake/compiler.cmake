# Language, warnings and the floating-point rules that make plans equal on every build.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  # Paths below the source folder are hashed relative to it, so that clones share the cache.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}
                                  CCACHE_NOHASHDIR=1 ${CCACHE_PROGRAM})
endif()

add_library(dcpbench_flags INTERFACE)
target_include_directories(dcpbench_flags INTERFACE ${PROJECT_SOURCE_DIR})
# A fused multiply-add rounds once where the written code rounds twice: a plan would then depend on
# the CPU and the compiler.
target_compile_options(dcpbench_flags INTERFACE -ffp-contract=off -Wall -Wextra -Wpedantic
                                                -Wconversion -Wshadow -Wnon-virtual-dtor)
if(DCPBENCH_WERROR)
  target_compile_options(dcpbench_flags INTERFACE -Werror)
endif()
if(DCPBENCH_SANITIZE)
  target_compile_options(dcpbench_flags INTERFACE -fsanitize=address,undefined
                                                  -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(dcpbench_flags INTERFACE -fsanitize=address,undefined)
endif()

# Language, warnings and the two flags that the bits of results depend on.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# Libraries side by side: libaxle.so looks for libaxle_codegen.so in its own folder.
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(AXLE_CCACHE ccache)
  if(AXLE_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${AXLE_CCACHE})
    set(CMAKE_C_COMPILER_LAUNCHER ${AXLE_CCACHE})
  endif()
endif()

# A compiler may turn a*b+c into fma unless it is told not to, which changes the result.
add_compile_options(-Wall -Wextra -Werror -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_BUILD_TYPE STREQUAL Release)
  # g++ 12 at -O3 sees overlapping copies in "literal" + std::string (its bug 105329).
  add_compile_options(-Wno-restrict)
endif()
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  # The baseline of all library code: fma must be one instruction, never a call into libm.
  add_compile_options(-march=x86-64-v3)
endif()

# AXLE_SANITIZE=address,undefined or thread: every finding ends the process.
set(AXLE_SANITIZE "" CACHE STRING "Sanitizers, as -fsanitize takes them")
if(AXLE_SANITIZE)
  add_compile_options(-fsanitize=${AXLE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${AXLE_SANITIZE})
endif()
if(AXLE_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

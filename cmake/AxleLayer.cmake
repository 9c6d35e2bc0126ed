# One static library per folder of axle/; libaxle.so and libaxle.a made of their objects, but for those of
# AXLE_CODEGEN_LAYERS, which are part of libaxle_codegen.so.

# axle_layer(<folder> [<folders it may use>...])
# Sources are found by pattern: a new op is a new file and no edit here
# (docs/adr/2026-11-21-one-cmake-target-per-folder.md).
function(axle_layer name)
  file(GLOB sources CONFIGURE_DEPENDS
    ${CMAKE_CURRENT_SOURCE_DIR}/*.cc ${CMAKE_CURRENT_SOURCE_DIR}/*/*.cc)
  # What libaxle.so loads when it is asked for, with a CMakeLists.txt of its own.
  list(FILTER sources EXCLUDE REGEX "/distributed/(engine|gloo|mpi)/")
  if(NOT sources)
    return()
  endif()
  add_library(axle_${name} STATIC ${sources})
  target_include_directories(axle_${name} PUBLIC ${CMAKE_SOURCE_DIR})
  foreach(edge IN LISTS ARGN)
    if(TARGET axle_${edge})
      target_link_libraries(axle_${name} PUBLIC axle_${edge})
    endif()
  endforeach()
  if(NOT name IN_LIST AXLE_CODEGEN_LAYERS)
    set_property(GLOBAL APPEND PROPERTY AXLE_LAYER_TARGETS axle_${name})
  endif()
endfunction()

# Another level than -O3 in release builds, for layers without loops over elements: -Os for what makes graphs or
# passes calls on, which halves its size, -O2 for what reads, prints and rewrites, a fifth less. -Os holds in the dev
# build too, so that the bar of libaxle.so is about the same size in both.
function(axle_release_level name level)
  if(TARGET axle_${name} AND (CMAKE_BUILD_TYPE STREQUAL Release OR
                              (level STREQUAL -Os AND CMAKE_BUILD_TYPE STREQUAL RelWithDebInfo AND
                               NOT AXLE_SANITIZE)))
    target_compile_options(axle_${name} PRIVATE ${level})
  endif()
endfunction()

# The same for some sources of a layer: -Os, in the release and the dev build.
function(axle_small_sources)
  if(CMAKE_BUILD_TYPE STREQUAL Release OR (CMAKE_BUILD_TYPE STREQUAL RelWithDebInfo AND NOT AXLE_SANITIZE))
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS -Os)
  endif()
endfunction()

# libaxle.so and libaxle.a: the objects of every layer, as the targets axle::axle and axle::static. Whoever
# links libaxle.so shares one copy of the interning tables with libaxle_codegen.so; linking the static
# libraries as well would make a second one. axle::c is libaxle.so for C: it asks for no C++ standard.
function(axle_library)
  get_property(layers GLOBAL PROPERTY AXLE_LAYER_TARGETS)
  if(NOT layers)
    return()
  endif()
  foreach(layer IN LISTS layers)
    list(APPEND objects $<TARGET_OBJECTS:${layer}>)
  endforeach()
  set(exports ${CMAKE_SOURCE_DIR}/axle/exports.map)
  add_library(axle SHARED ${objects})
  set_target_properties(axle PROPERTIES
    LINKER_LANGUAGE CXX LINK_DEPENDS ${exports} EXPORT_NAME c
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_include_directories(axle INTERFACE $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}>)
  target_link_libraries(axle PRIVATE ZLIB::ZLIB ${AXLE_ZSTD_ARCHIVE} Threads::Threads ${CMAKE_DL_LIBS})
  # docs/adr/2026-11-22-exported-names.md says what these are for.
  target_link_options(axle PRIVATE
    -Wl,--version-script=${exports} -Wl,-Bsymbolic-functions -Wl,-z,nodelete)
  # A bit for each pointer in tables instead of 24 bytes: 0.1 MB less. glibc knows it from 2.36 on, which is what we need.
  include(CheckLinkerFlag)
  check_linker_flag(CXX -Wl,-z,pack-relative-relocs AXLE_PACKS_RELOCATIONS)
  if(AXLE_PACKS_RELOCATIONS)
    target_link_options(axle PRIVATE -Wl,-z,pack-relative-relocs)
  endif()
  if(NOT AXLE_SANITIZE)
    target_link_options(axle PRIVATE -Wl,-z,defs)
  endif()
  add_library(axle_cxx INTERFACE)
  set_target_properties(axle_cxx PROPERTIES EXPORT_NAME axle)
  target_link_libraries(axle_cxx INTERFACE axle)
  target_compile_features(axle_cxx INTERFACE cxx_std_20)
  add_library(axle::c ALIAS axle)
  add_library(axle::axle ALIAS axle_cxx)

  if(NOT AXLE_SANITIZE)
    add_library(axle_archive STATIC ${objects})
    set_target_properties(axle_archive PROPERTIES
      LINKER_LANGUAGE CXX OUTPUT_NAME axle EXPORT_NAME static)
    target_include_directories(axle_archive INTERFACE $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}>)
    target_link_libraries(axle_archive INTERFACE z zstd pthread ${CMAKE_DL_LIBS})
    target_compile_features(axle_archive INTERFACE cxx_std_20)
    add_library(axle::static ALIAS axle_archive)
  endif()
endfunction()

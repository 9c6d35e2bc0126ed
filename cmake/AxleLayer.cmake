# One static library per folder of axle/, and libaxle.so made of all their objects.

# axle_layer(<folder> [<folders it may use>...])
# Sources are found by pattern: a new op is a new file and no edit here
# (docs/adr/2026-11-21-one-cmake-target-per-folder.md).
function(axle_layer name)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
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
  set_property(GLOBAL APPEND PROPERTY AXLE_LAYER_TARGETS axle_${name})
endfunction()

# libaxle.so: the objects of every layer. Whoever links it shares one copy of the interning tables
# with libaxle_codegen.so; linking the static libraries as well would make a second one.
function(axle_shared_library)
  get_property(layers GLOBAL PROPERTY AXLE_LAYER_TARGETS)
  if(NOT layers)
    return()
  endif()
  foreach(layer IN LISTS layers)
    list(APPEND objects $<TARGET_OBJECTS:${layer}>)
  endforeach()
  add_library(axle SHARED ${objects})
  set_target_properties(axle PROPERTIES LINKER_LANGUAGE CXX)
  target_include_directories(axle PUBLIC ${CMAKE_SOURCE_DIR})
  target_link_libraries(axle
    PRIVATE ZLIB::ZLIB PkgConfig::ZSTD PkgConfig::XXHASH Threads::Threads ${CMAKE_DL_LIBS})
  if(NOT AXLE_SANITIZE)
    target_link_options(axle PRIVATE -Wl,-z,defs)
  endif()
endfunction()

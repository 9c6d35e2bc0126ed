# Installs the headers that programs may include, and what those include in turn. Part of the install
# script: `source` is the root of the tree, `destination` the folder for headers below the prefix.
cmake_policy(VERSION 3.22)
file(GLOB_RECURSE headers RELATIVE ${source}
  ${source}/axle/builder/*.h ${source}/axle/client/*.h ${source}/axle/lib/*.h
  ${source}/axle/distributed/transport.h
  ${source}/axle/text/parse.h ${source}/axle/text/print.h
  ${source}/axle/proto/read.h ${source}/axle/proto/write.h ${source}/axle/core/npz.h
  ${source}/axle/core/safetensors.h)
file(GLOB roots RELATIVE ${source} ${source}/axle/*.h)
list(APPEND headers ${roots})
set(seen "")
while(headers)
  list(POP_FRONT headers header)
  if(header IN_LIST seen)
    continue()
  endif()
  list(APPEND seen ${header})
  get_filename_component(folder ${header} DIRECTORY)
  file(INSTALL ${source}/${header} DESTINATION "${CMAKE_INSTALL_PREFIX}/${destination}/${folder}")
  file(STRINGS ${source}/${header} includes REGEX "^#include \"axle/")
  foreach(line IN LISTS includes)
    string(REGEX REPLACE "^#include \"([^\"]*)\".*" "\\1" included "${line}")
    list(APPEND headers ${included})
  endforeach()
endwhile()

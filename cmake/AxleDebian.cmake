# CPack runs this between installing into a folder and packing it: what `cmake --install` puts into
# lib/python3/site-packages goes to dist-packages, which is on the path of Debian's python3.
if(CPACK_GENERATOR STREQUAL "DEB")
  set(python ${CPACK_TEMPORARY_INSTALL_DIRECTORY}${CPACK_PACKAGING_INSTALL_PREFIX}/lib/python3)
  if(NOT IS_DIRECTORY ${python}/site-packages)
    message(FATAL_ERROR "the Python module is not in ${python}/site-packages")
  endif()
  file(RENAME ${python}/site-packages ${python}/dist-packages)
endif()

# What `cmake --install` puts where, as one package "axle": component runtime (the libraries and the
# command line), development (headers, libaxle.a, the files for find_package and pkg-config) and python
# (the module `axle`, which finds the library from where it is).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
if(NOT TARGET axle OR NOT TARGET axle_archive)
  return()
endif()
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/axle)

install(TARGETS axle axle_cxx EXPORT axle
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS axle_archive EXPORT axle
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# What has the native engine inside needs LLVM's archives where a program is linked: the names of those are kept.
if(TARGET axle_native)
  install(TARGETS axle_native EXPORT axle ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
endif()
# Libraries are found from where one is, in the build tree too: what CMake writes there otherwise makes the loader look
# through the current folder as well.
if(TARGET axle_codegen)  # nobody links it: libaxle.so looks for it beside itself
  set_target_properties(axle_codegen PROPERTIES INSTALL_RPATH $ORIGIN BUILD_WITH_INSTALL_RPATH ON)
  install(TARGETS axle_codegen LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime)
endif()
if(TARGET axle_pjrt)  # loaded by name; it finds libaxle.so beside itself
  set_target_properties(axle_pjrt PROPERTIES INSTALL_RPATH $ORIGIN BUILD_WITH_INSTALL_RPATH ON)
  install(TARGETS axle_pjrt LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime)
endif()
# MPI is not part of the Debian package, which would need 53 MB of it for all who install it.
foreach(transport gloo mpi)
  if(TARGET axle_${transport})
    set_target_properties(axle_${transport} PROPERTIES INSTALL_RPATH $ORIGIN BUILD_WITH_INSTALL_RPATH ON)
    set(component distributed)
    if(transport STREQUAL mpi)
      set(component distributed_mpi)
    endif()
    install(TARGETS axle_${transport} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component})
  endif()
endforeach()
if(TARGET axle_gloo_unused)
  install(TARGETS axle_gloo_unused LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT wheel EXCLUDE_FROM_ALL)
endif()
if(TARGET axle_tool)
  file(RELATIVE_PATH libraries /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
  set(rpath $ORIGIN/${libraries} $ORIGIN/../lib)
  list(REMOVE_DUPLICATES rpath)
  set_target_properties(axle_tool PROPERTIES INSTALL_RPATH "${rpath}" BUILD_WITH_INSTALL_RPATH ON)
  install(TARGETS axle_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
  # Completion of shells and manual pages come out of the tool, which does not run here when it is for another machine.
  if(NOT CMAKE_CROSSCOMPILING)
    set(shells ${CMAKE_BINARY_DIR}/package/completion)
    add_custom_command(OUTPUT ${shells}/axle ${shells}/_axle ${shells}/axle.fish ${shells}/man/axle.1
      COMMAND ${CMAKE_COMMAND} -E make_directory ${shells}
      COMMAND axle_tool completion bash --output ${shells}/axle
      COMMAND axle_tool completion zsh --output ${shells}/_axle
      COMMAND axle_tool completion fish --output ${shells}/axle.fish
      COMMAND axle_tool man --output ${shells}/man
      DEPENDS axle_tool COMMENT "Completion and manual pages of axle" VERBATIM)
    add_custom_target(axle_shell_files ALL DEPENDS ${shells}/axle)
    install(FILES ${shells}/axle
      DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT runtime)
    install(FILES ${shells}/_axle DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT runtime)
    install(FILES ${shells}/axle.fish
      DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT runtime)
    install(DIRECTORY ${shells}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT runtime)
  endif()
endif()

# RPATH and not RUNPATH: a libaxle.so of another build in LD_LIBRARY_PATH must not be taken for the one beside them.
foreach(target axle_codegen axle_pjrt axle_gloo axle_mpi axle_tool)
  if(TARGET ${target})
    target_link_options(${target} PRIVATE -Wl,--disable-new-dtags)
    if(AXLE_PACKS_RELOCATIONS)  # of libaxle.so too (AxleLayer.cmake)
      target_link_options(${target} PRIVATE -Wl,-z,pack-relative-relocs)
    endif()
  endif()
endforeach()

# Of Python's own folders there is one for each version; this one serves all, on PYTHONPATH or in a .pth file.
install(DIRECTORY ${CMAKE_SOURCE_DIR}/python/axle
  DESTINATION lib/python3/site-packages COMPONENT python FILES_MATCHING PATTERN "*.py"
  PATTERN __pycache__ EXCLUDE)

# Which headers are public is found out when they are installed: no list to forget a name in.
install(CODE "
  set(source \"${CMAKE_SOURCE_DIR}\")
  set(destination \"${CMAKE_INSTALL_INCLUDEDIR}\")
  include(\"${CMAKE_SOURCE_DIR}/cmake/AxleInstallHeaders.cmake\")" COMPONENT development)

install(EXPORT axle NAMESPACE axle:: FILE axleTargets.cmake
  DESTINATION ${package} COMPONENT development)
set(AXLE_HAS_NATIVE OFF)
if(TARGET axle_native)
  set(AXLE_HAS_NATIVE ON)
endif()
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/axleConfig.cmake.in
  ${CMAKE_BINARY_DIR}/package/axleConfig.cmake INSTALL_DESTINATION ${package})
# Before 1.0 each minor version may change anything, in the interface and in the binary one.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/package/axleConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_BINARY_DIR}/package/axleConfig.cmake ${CMAKE_BINARY_DIR}/package/axleConfigVersion.cmake
  DESTINATION ${package} COMPONENT development)

file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /.)
string(REGEX REPLACE "/$" "" up "${up}")
configure_file(${CMAKE_SOURCE_DIR}/cmake/axle.pc.in ${CMAKE_BINARY_DIR}/package/axle.pc @ONLY)
set(pc ${CMAKE_BINARY_DIR}/package/axle.pc)
if(TARGET axle_native)
  find_program(AXLE_LLVM_CONFIG llvm-config PATHS ${LLVM_TOOLS_BINARY_DIR} NO_DEFAULT_PATH)
  if(AXLE_LLVM_CONFIG)
    execute_process(COMMAND ${AXLE_LLVM_CONFIG} --link-static --libs ${AXLE_LLVM_COMPONENTS}
      OUTPUT_VARIABLE AXLE_LLVM_LIBS OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    configure_file(${CMAKE_SOURCE_DIR}/cmake/axle-static-native.pc.in
      ${CMAKE_BINARY_DIR}/package/axle-static-native.pc @ONLY)
    list(APPEND pc ${CMAKE_BINARY_DIR}/package/axle-static-native.pc)
  endif()
endif()
install(FILES ${pc}
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

install(FILES ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/docs/third-party-licences.txt
  DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)

# `make deb`: one package of everything that is installed.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME axle)
set(CPACK_PACKAGE_VENDOR "The Axle authors")
set(CPACK_PACKAGE_CONTACT "The Axle authors <axle@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Tensor compiler and runtime with the semantics of XLA")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/lib)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_CMAKE_PROJECTS "")
foreach(component runtime distributed development python)
  list(APPEND CPACK_INSTALL_CMAKE_PROJECTS ${CMAKE_BINARY_DIR} ${PROJECT_NAME} ${component} /)
endforeach()
# The Python module lies where Debian's python3 looks for those of packages.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3 (>= 3.9), python3-numpy")
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/cmake/AxleDebian.cmake)
include(CPack)

# Tests that are scripts: checks of the tree, mutants of programs, and tests/**/*_test.py.
# Each finds the command line tool in AXLE_TOOL and the build in AXLE_BINARY_DIR.

# axle_script_test(<name> <script> <arguments>...)
function(axle_script_test name)
  add_test(NAME ${name} COMMAND ${Python3_EXECUTABLE} ${ARGN}
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set(environment PYTHONDONTWRITEBYTECODE=1 AXLE_BINARY_DIR=${CMAKE_BINARY_DIR})
  if(TARGET axle_tool)
    list(APPEND environment AXLE_TOOL=$<TARGET_FILE:axle_tool>)
  endif()
  if(TARGET axle AND NOT AXLE_SANITIZE)  # Python cannot load a library with sanitizers
    list(APPEND environment AXLE_LIBRARY=$<TARGET_FILE:axle>)
  endif()
  set_tests_properties(${name} PROPERTIES
    TIMEOUT 600 LABELS scripts SKIP_RETURN_CODE 77 ENVIRONMENT "${environment}")
endfunction()

axle_script_test(scripts.layers scripts/check_layers.py --link ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
if(NOT AXLE_SANITIZE)  # they read the tree, which is the same for all builds
  axle_script_test(scripts.builder_methods scripts/builder_methods.py --check)
  axle_script_test(scripts.contracts scripts/check_contracts.py)
  axle_script_test(scripts.opcode_cases scripts/check_opcode_cases.py)
  axle_script_test(scripts.todos scripts/check_todos.py)
  axle_script_test(scripts.docs scripts/check_docs.py)
  axle_script_test(scripts.performance_chart bench/draw_performance.py --check)
  axle_script_test(scripts.faults scripts/inject_faults.py --list)
endif()
if(LLVM_TOOLS_BINARY_DIR AND NOT AXLE_SANITIZE)  # of the LLVM that Axle is built with
  axle_script_test(scripts.llvm_bugs scripts/llvm_bugs.py --llc ${LLVM_TOOLS_BINARY_DIR}/llc)
endif()
axle_script_test(scripts.libm scripts/check_libm.py ${CMAKE_BINARY_DIR})
if(TARGET axle AND NOT AXLE_SANITIZE)
  set(libraries $<TARGET_FILE:axle>)
  if(TARGET axle_codegen)
    list(APPEND libraries $<TARGET_FILE:axle_codegen>)
  endif()
  if(TARGET axle_pjrt)
    list(APPEND libraries $<TARGET_FILE:axle_pjrt>)
  endif()
  foreach(transport gloo mpi)
    if(TARGET axle_${transport})
      list(APPEND libraries $<TARGET_FILE:axle_${transport}>)
    endif()
  endforeach()
  axle_script_test(scripts.exports scripts/check_exports.py ${libraries})
endif()
axle_script_test(scripts.contraction scripts/check_contraction.py $<TARGET_FILE:axle>)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND NOT AXLE_SANITIZE)
  axle_script_test(scripts.baseline scripts/check_baseline.py $<TARGET_FILE:axle>)
  axle_script_test(scripts.kernels scripts/check_kernels.py ${CMAKE_BINARY_DIR})
endif()

file(GLOB_RECURSE python_tests RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS
  ${CMAKE_CURRENT_SOURCE_DIR}/*_test.py)
foreach(script IN LISTS python_tests)
  string(REGEX REPLACE "_test\\.py$" "" name ${script})
  string(REPLACE "/" "." name ${name})
  if(name STREQUAL "numerics.canonical")  # exact arithmetic in Python takes its time
    foreach(part RANGE 1 4)
      axle_script_test(python.${name}.${part} tests/${script} 1 ${part}/4)
    endforeach()
  elseif(name STREQUAL "python.collectives")  # sixteen devices on few processors
    foreach(part RANGE 1 5)
      axle_script_test(python.${name}.${part} tests/${script} --part ${part}/5)
    endforeach()
  elseif(name STREQUAL "python.collectives_of_jobs")
    foreach(job two four)
      axle_script_test(python.${name}.${job} tests/${script} Jobs.test_${job}_processes)
    endforeach()
  else()
    axle_script_test(python.${name} tests/${script})
  endif()
endforeach()

# 10,000 damaged files of each format in slices that run side by side. Sanitizers keep freed memory back, so that
# only a build without them can hold memory against the limit.
if(TARGET axle_tool AND EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/data)
  set(slices 1 2 3 4)
  set(count 2500)
  set(memory 1)
  if(AXLE_SANITIZE)
    set(count 250)
    set(memory 0)
  endif()
  foreach(format text proto npz mlir mlirbc)
    foreach(seed IN LISTS slices)
      axle_script_test(mutants.${format}.${seed} scripts/mutate.py $<TARGET_FILE:axle_tool>
        --format ${format} --count ${count} --seed ${seed} --mem-limit ${memory}
        --keep ${CMAKE_BINARY_DIR}/mutants)
    endforeach()
  endforeach()
endif()

# Random programs of one op each against XLA:CPU; skipped where there is no jaxlib, which `make test`
# installs (scripts/deps.sh --python). With sanitizers one program of each, for what they find in Axle.
if(TARGET axle_tool)
  set(shards 8)
  set(count 10)
  if(AXLE_SANITIZE)
    set(count 1)
  endif()
  foreach(shard RANGE 1 ${shards})
    axle_script_test(diff_xla.${shard} tests/diff_xla.py --quick --count ${count} --shard ${shard}/${shards})
  endforeach()
endif()

# The build as an installed package, and programs outside of this tree that use it.
if(TARGET axle_archive AND TARGET axle_tool)
  foreach(step install shared static static-native pkg-config headers python)
    axle_script_test(package.${step} tests/package/package.py ${step})
    set_property(TEST package.${step} APPEND PROPERTY ENVIRONMENT
      AXLE_CXX=${CMAKE_CXX_COMPILER} AXLE_CC=${CMAKE_C_COMPILER})
    set_property(TEST package.${step} PROPERTY FIXTURES_REQUIRED package)
  endforeach()
  set_tests_properties(package.install PROPERTIES FIXTURES_REQUIRED "" FIXTURES_SETUP package)
endif()

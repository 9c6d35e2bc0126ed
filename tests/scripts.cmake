# Checks of the tree that are scripts.
function(axle_script_test name)
  add_test(NAME ${name} COMMAND ${Python3_EXECUTABLE} ${ARGN}
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES TIMEOUT 60 LABELS scripts)
endfunction()

axle_script_test(scripts.layers scripts/check_layers.py)
axle_script_test(scripts.opcode_cases scripts/check_opcode_cases.py)

# Programs of this tree that the comparisons with PyTorch run; `make peer` builds them.
add_custom_target(handrail_peer_programs)

# handrail_peer_program(NAME SOURCE...)
function(handrail_peer_program name)
  add_executable(${name} EXCLUDE_FROM_ALL ${ARGN})
  target_link_libraries(${name} PRIVATE handrail_flags handrail_compiling fmt::fmt)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/peer)
  add_dependencies(handrail_peer_programs ${name})
endfunction()

handrail_peer_program(graph_round_trip ${CMAKE_CURRENT_LIST_DIR}/graph/round_trip.cc)
handrail_peer_program(run_kernels ${CMAKE_CURRENT_LIST_DIR}/kernels/run_kernels.cc)

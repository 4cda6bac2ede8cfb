# handrail::handrail, everything: every stage that is registered after the reading half, and the
# reading half.

get_property(HANDRAIL_COMPILING_STAGES GLOBAL PROPERTY HANDRAIL_STAGES)
list(REMOVE_ITEM HANDRAIL_COMPILING_STAGES ${HANDRAIL_READING_STAGES})

add_library(handrail_compiling STATIC)
set_target_properties(handrail_compiling PROPERTIES EXPORT_NAME handrail OUTPUT_NAME handrail)
foreach(stage IN LISTS HANDRAIL_COMPILING_STAGES)
  target_sources(handrail_compiling PRIVATE $<TARGET_OBJECTS:handrail_${stage}>)
endforeach()
target_link_libraries(handrail_compiling PUBLIC handrail_reading)
add_library(handrail::handrail ALIAS handrail_compiling)

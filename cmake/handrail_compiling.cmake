# The compiling half as one library, for the programs of this tree: every stage that is registered
# after the reading half.

get_property(HANDRAIL_COMPILING_STAGES GLOBAL PROPERTY HANDRAIL_STAGES)
list(REMOVE_ITEM HANDRAIL_COMPILING_STAGES ${HANDRAIL_READING_STAGES})

add_library(handrail_compiling STATIC)
foreach(stage IN LISTS HANDRAIL_COMPILING_STAGES)
  target_sources(handrail_compiling PRIVATE $<TARGET_OBJECTS:handrail_${stage}>)
endforeach()
target_link_libraries(handrail_compiling PUBLIC handrail_reading)

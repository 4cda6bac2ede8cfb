# Puts src/graph/schemas.txt into the stage `graph`, as one string of a written source file.

set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/src/graph/schemas.txt)
file(READ ${PROJECT_SOURCE_DIR}/src/graph/schemas.txt HANDRAIL_TEXT)
configure_file(${PROJECT_SOURCE_DIR}/src/graph/schema_text.cc.in
  ${PROJECT_BINARY_DIR}/generated/schema_text.cc @ONLY)
unset(HANDRAIL_TEXT)
target_sources(handrail_graph PRIVATE ${PROJECT_BINARY_DIR}/generated/schema_text.cc)
# Clang warns of literals that are longer than every compiler has to take.
set_source_files_properties(${PROJECT_BINARY_DIR}/generated/schema_text.cc PROPERTIES
  COMPILE_OPTIONS -Wno-overlength-strings)

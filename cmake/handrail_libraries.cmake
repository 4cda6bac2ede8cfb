# handrail::symbolize, the reading half: what a device or a server needs. The other library that is
# installed, handrail::handrail, is in handrail_compiling.cmake.

get_property(HANDRAIL_READING_STAGES GLOBAL PROPERTY HANDRAIL_STAGES)

add_library(handrail_reading STATIC)
set_target_properties(handrail_reading PROPERTIES
  EXPORT_NAME symbolize OUTPUT_NAME handrail_symbolize)
foreach(stage IN LISTS HANDRAIL_READING_STAGES)
  target_sources(handrail_reading PRIVATE $<TARGET_OBJECTS:handrail_${stage}>)
endforeach()
# `src` is on the path inside the tree only: what is installed is include/.
target_include_directories(handrail_reading PUBLIC
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(handrail_reading
  PUBLIC tl::expected
  PRIVATE fmt::fmt ZLIB::ZLIB PkgConfig::ZSTD PkgConfig::XXHASH
          $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>)
target_compile_features(handrail_reading PUBLIC cxx_std_20)
add_library(handrail::symbolize ALIAS handrail_reading)

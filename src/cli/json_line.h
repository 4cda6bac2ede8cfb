// One JSON object a line, as every verb prints with --format=json.
#pragma once

#include <iosfwd>

#include <nlohmann/json.hpp>

namespace handrail::cli {

// Keeps the order in which members were added.
using JsonObject = nlohmann::ordered_json;

// Bytes that are not UTF-8 become U+FFFD.
void WriteJsonLine(const JsonObject& object, std::ostream& out);

}  // namespace handrail::cli

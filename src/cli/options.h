// Options that several verbs have.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "handrail/symbolize/trace.h"

namespace CLI {
class App;
}  // namespace CLI

namespace handrail::cli {

// --format text|json
void AddFormatOption(CLI::App& verb, bool& as_json);
// --style handrail|pytorch
void AddStyleOption(CLI::App& verb, TraceStyle& style);
// -o OUT.hdm, required. Another suffix is a wrong use: what is written follows OUT's suffix, and
// these verbs write debug maps only.
void AddDebugMapOutput(CLI::App& verb, std::string& path);
// --path-map OLD=NEW, any number of times.
void AddPathMapOption(CLI::App& verb, std::vector<std::pair<std::string, std::string>>& path_map);

}  // namespace handrail::cli

#include "cli/options.h"

#include <CLI/CLI.hpp>

namespace handrail::cli {

void AddFormatOption(CLI::App& verb, bool& as_json) {
  verb.add_option_function<std::string>(
          "--format", [&as_json](const std::string& format) { as_json = format == "json"; },
          "text (the default), or one JSON object a line")
      ->check(CLI::IsMember({"text", "json"}).description(""))
      ->type_name("text|json");
}

void AddStyleOption(CLI::App& verb, TraceStyle& style) {
  verb.add_option_function<std::string>(
          "--style",
          [&style](const std::string& name) {
            style = name == "pytorch" ? TraceStyle::kPytorch : TraceStyle::kHandrail;
          },
          "pytorch: byte for byte what PyTorch prints. handrail (the default): "
          "the same, with what PyTorch leaves unknown")
      ->check(CLI::IsMember({"handrail", "pytorch"}).description(""))
      ->type_name("handrail|pytorch");
}

void AddDebugMapOutput(CLI::App& verb, std::string& path) {
  verb.add_option("-o,--output", path, "The debug map to write")
      ->required()
      ->type_name("OUT.hdm")
      ->check([](const std::string& name) {
        return name.ends_with(".hdm") ? "" : "'" + name + "' does not end in .hdm";
      });
}

void AddPathMapOption(CLI::App& verb, std::vector<std::pair<std::string, std::string>>& path_map) {
  verb.add_option_function<std::vector<std::string>>(
          "--path-map",
          [&path_map](const std::vector<std::string>& rules) {
            for (const std::string& rule : rules) {
              const size_t equals = rule.find('=');
              path_map.emplace_back(rule.substr(0, equals), rule.substr(equals + 1));
            }
          },
          "Replace the leading folders OLD of file names by NEW; the first that fits counts")
      ->type_name("OLD=NEW")
      ->allow_extra_args(false)
      ->check([](const std::string& rule) {
        return rule.find('=') == std::string::npos ? "'" + rule + "' has no '='" : std::string();
      });
}

}  // namespace handrail::cli

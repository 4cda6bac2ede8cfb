// calc PROGRAM MAP.hdm [NAME=VALUE]...
//
// Compiles PROGRAM, writes its debug map, and runs it. If it fails, prints what a device would log,
// which holds a handle and nothing else; then, as this process has the map at hand, the trace.
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "handrail/debug_map/debug_map.h"
#include "handrail/debug_map/debug_map_writer.h"
#include "handrail/symbolize/symbolizer.h"

#include "compiler.h"
#include "machine.h"

namespace {

std::string ReadText(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  return {std::istreambuf_iterator<char>(file), {}};
}

// The value of a Result; its error as an exception, which this program uses.
template <typename T>
T Need(handrail::Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: calc PROGRAM MAP.hdm [NAME=VALUE]...\n";
    return 2;
  }
  try {
    const calc::Compiled compiled = calc::Compile(argv[1], ReadText(argv[1]));
    std::vector<std::byte> bytes = Need(handrail::EncodeDebugMap(compiled.debug_info));
    Need(handrail::WriteFileAtomically(argv[2], bytes));

    std::map<std::string, double> inputs;
    for (int i = 3; i < argc; ++i) {
      const std::string input = argv[i];
      const size_t equals = input.find('=');
      inputs[input.substr(0, equals)] = std::stod(input.substr(equals + 1));
    }
    try {
      std::cout << calc::Run(compiled.program, inputs) << '\n';
    } catch (const calc::RunError& error) {
      const std::string build_id = compiled.debug_info.units.front().build_id.ToHex();
      std::cout << error.what() << " {{{hdh:" << build_id << ':' << error.handle << "}}}\n";

      const handrail::DebugMap map = Need(handrail::DebugMap::FromBytes(std::move(bytes), argv[2]));
      handrail::Symbolizer symbolizer(map);
      handrail::Trace trace;
      symbolizer.Symbolize(error.handle, {}, trace);
      std::cerr << trace.text;
      return 1;
    }
  } catch (const std::exception& error) {
    std::cerr << "calc: " << error.what() << '\n';
    return 2;
  }
  return 0;
}

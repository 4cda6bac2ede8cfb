// What running a model costs Handrail, as JSON: run_table.py sets it beside PyTorch's lite
// interpreter on the same archive.
//
//   run_side ARCHIVE.ptl ROUNDS LOOPS
//     {"seconds": S, "recorded_seconds": S, "events": N, "instructions": N}
//
// `forward` of one int, the fastest of several rounds, plain and with events recorded in turns.
// `events` and `instructions` are those of one round.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "handrail/base/mapped_file.h"
#include "handrail/mobile_archive/program_reader.h"
#include "handrail/runtime/load.h"

#include "need.h"

namespace {

using namespace handrail;
using bytecode::Opcode;

double Run(runtime::Module& module, const std::vector<values::Value>& inputs) {
  const auto start = std::chrono::steady_clock::now();
  const auto result = module.Run("forward", inputs);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  if (!result) {
    std::fprintf(stderr, "%s\n", result.error().ToString().c_str());
    std::exit(1);
  }
  return taken.count();
}

// Of a function with one loop, whose branches are equally long: instructions in it, by rounds.
uint64_t CountInstructions(const bytecode::Function& function, uint64_t loops) {
  const auto& code = function.instructions;
  const auto loop = std::find_if(code.begin(), code.end(), [](const bytecode::Instruction& each) {
    return each.opcode == Opcode::LOOP;
  });
  if (loop == code.end()) return code.size();
  uint64_t in_loop = static_cast<uint64_t>(loop->x);
  for (auto each = loop; each != loop + loop->x; ++each) {
    // Of two branches one runs.
    if (each->opcode == Opcode::JF) in_loop -= static_cast<uint64_t>(each->x - 1);
  }
  return loops * in_loop + (code.size() - static_cast<size_t>(loop->x));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: run_side ARCHIVE.ptl ROUNDS LOOPS\n");
    return 2;
  }
  const std::string path = argv[1];
  const auto loops = static_cast<uint64_t>(std::atoll(argv[3]));
  const MappedFile file = Need(MappedFile::Open(path));
  const auto program = Need(mobile_archive::ReadProgram(file.bytes(), path)).program;
  runtime::Module module = Need(runtime::Load(file.bytes(), path));
  constexpr size_t kEventsMax = 1'000'000;
  runtime::EventRecorder recorder(kEventsMax);
  const std::vector<values::Value> inputs{values::Value(static_cast<int64_t>(loops))};

  Run(module, inputs);
  double plain = std::numeric_limits<double>::max();
  double recorded = plain;
  uint64_t events = 0;
  for (int i = 0; i < std::atoi(argv[2]); ++i) {
    module.set_recorder(nullptr);
    plain = std::min(plain, Run(module, inputs));
    module.set_recorder(&recorder);
    recorded = std::min(recorded, Run(module, inputs));
    events = recorder.recorded_count();
    recorder.Take();
  }
  fmt::print(R"({{"seconds":{:.9f},"recorded_seconds":{:.9f},"events":{},"instructions":{}}})"
             "\n",
             plain, recorded, events, CountInstructions(program.functions.at(0), loops));
}

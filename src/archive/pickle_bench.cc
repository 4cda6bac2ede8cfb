// How fast a large callstack_debug_map.pkl is inflated, parsed and walked.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "handrail/base/byte_cursor.h"

#include "archive/archive.h"
#include "archive/pickle.h"
#include "archive/pickle_writer.h"
#include "archive/zip_writer.h"

namespace handrail {
namespace {

// A record in the proportions of a net of 100 blocks of 100 leaves: 212,404 handles, a call stack
// for every tenth, 20 operators, 300 source ranges.
std::string CallstackRecord() {
  constexpr size_t kHandles = 212'404;
  PickleWriter writer;
  uint32_t stack = 0;
  writer.BeginTuple(kHandles);
  for (size_t handle = 0; handle < kHandles; ++handle) {
    const auto source_tag = static_cast<int64_t>(handle % 300);
    writer.BeginTuple(4);
    writer.Int(static_cast<int64_t>(handle));
    writer.Int(source_tag);
    writer.Text(fmt::format("aten::op{}", handle % 20));
    if (handle % 10 == 0) {
      writer.BeginTuple(4);
      writer.BeginTuple(2);
      writer.Text("__torch__.Leaf");
      writer.Text(fmt::format("{}", handle / 10 % 100));
      writer.EndTuple(2);
      writer.Int(source_tag);
      if (handle % 30 == 0) {
        writer.None();
      } else {
        writer.Get(stack);
      }
      writer.Text("forward");
      writer.EndTuple(4);
      stack = writer.Memoize();
    } else {
      writer.Get(stack);
    }
    writer.EndTuple(4);
  }
  writer.EndTuple(kHandles);
  return std::move(writer).Finish();
}

void BM_Parse(benchmark::State& state) {
  const std::string record = CallstackRecord();
  for (auto _ : state) {
    MemoryBudget budget = MemoryBudget::OfBytes(64u << 20);
    benchmark::DoNotOptimize(Pickle::Parse(AsBytes(record), budget));
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(record.size()));
}
BENCHMARK(BM_Parse)->Unit(benchmark::kMillisecond);

void BM_Walk(benchmark::State& state) {
  const std::string record = CallstackRecord();
  MemoryBudget budget = MemoryBudget::OfBytes(64u << 20);
  const Result<Pickle> pickle = Pickle::Parse(AsBytes(record), budget);
  for (auto _ : state) {
    uint64_t sum = 0;
    for (const PickleValue row : pickle->root().elements()) {
      const auto columns = row.elements();
      sum += static_cast<uint64_t>(columns[0].as_int() + columns[1].as_int());
      sum += columns[2].as_text().size() + columns[3].identity();
    }
    benchmark::DoNotOptimize(sum);
  }
}
BENCHMARK(BM_Walk)->Unit(benchmark::kMillisecond);

void BM_OpenAndInflate(benchmark::State& state) {
  std::string zip;
  ZipWriter writer("m", zip);
  const std::string record = CallstackRecord();
  if (!writer.Add("callstack_debug_map.pkl", record, ZipMethod::kDeflated) || !writer.Finish()) {
    return state.SkipWithError("cannot write");
  }
  for (auto _ : state) {
    MemoryBudget budget = MemoryBudget::OfBytes(64u << 20);
    const Result<Archive> archive = Archive::Open(AsBytes(zip), "m", budget);
    benchmark::DoNotOptimize(archive->Read("callstack_debug_map.pkl", budget));
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(record.size()));
}
BENCHMARK(BM_OpenAndInflate)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace handrail

// How fast schemas are found, graphs are copied, printed and read back.
#include <benchmark/benchmark.h>

#include "graph/clone.h"
#include "graph/graph_text.h"
#include "graph/operators.h"
#include "graph/random_graph_testing.h"
#include "graph/schema_match.h"
#include "graph/verifier.h"

namespace handrail::graph {
namespace {

constexpr std::string_view kNames[] = {"aten::conv2d", "aten::batch_norm", "aten::relu_",
                                       "aten::add",    "aten::size",       "aten::flatten",
                                       "aten::linear", "aten::mul",        "aten::dim",
                                       "aten::eq",     "aten::__getitem__"};

// What a model pays once: the operators of a convolution network, parsed.
void BM_FindOperators(benchmark::State& state) {
  for (auto _ : state) {
    CompilationUnit unit;
    for (std::string_view name : kNames) {
      benchmark::DoNotOptimize(OperatorsNamed(unit, unit.strings.Intern(name)));
    }
  }
}
BENCHMARK(BM_FindOperators)->Unit(benchmark::kMicrosecond);

// And at each call. The worst case: of the 16 overloads of aten::add, only the second fits, and
// only with conversions.
void BM_MatchOverload(benchmark::State& state) {
  CompilationUnit unit;
  const auto schemas = OperatorsNamed(unit, unit.strings.Intern("aten::add"));
  const CallArgument arguments[] = {{{}, types::kTensor}, {{}, types::kTensor}, {{}, types::kInt}};
  for (auto _ : state) {
    benchmark::DoNotOptimize(MatchOverload(unit, schemas, {"aten::add", arguments}));
  }
}
BENCHMARK(BM_MatchOverload)->Unit(benchmark::kNanosecond);

struct Fixture {
  CompilationUnit unit;
  Graph graph = RandomGraphs(unit, 1).Make(10'000);
};

void BM_CloneGraph(benchmark::State& state) {
  Fixture fixture;
  for (auto _ : state) benchmark::DoNotOptimize(CloneGraph(fixture.graph));
  state.SetItemsProcessed(state.iterations() * fixture.graph.node_count());
}
BENCHMARK(BM_CloneGraph)->Unit(benchmark::kMillisecond);

void BM_VerifyGraph(benchmark::State& state) {
  Fixture fixture;
  for (auto _ : state) benchmark::DoNotOptimize(VerifyGraph(fixture.graph, "bench"));
  state.SetItemsProcessed(state.iterations() * fixture.graph.node_count());
}
BENCHMARK(BM_VerifyGraph)->Unit(benchmark::kMillisecond);

void BM_PrintAndParse(benchmark::State& state) {
  Fixture fixture;
  for (auto _ : state) {
    benchmark::DoNotOptimize(ParseGraph(fixture.unit, ToString(fixture.graph)));
  }
  state.SetItemsProcessed(state.iterations() * fixture.graph.node_count());
}
BENCHMARK(BM_PrintAndParse)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace handrail::graph

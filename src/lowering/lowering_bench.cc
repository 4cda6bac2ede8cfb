// What a debug handle costs: issued, with its name, range and call stack interned, and remembered.
#include <optional>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "handrail/base/check.h"
#include "handrail/graph/text_unit.h"
#include "handrail/inlining/inlining.h"
#include "handrail/lowering/backend_debug_info_recorder.h"
#include "handrail/lowering/lowering_key.h"

namespace handrail {
namespace {

void Need(const Status& status) {
  HANDRAIL_CHECK(status.has_value());
}

// Blocks in blocks, each called on every level: 4^depth leaves with stacks of `depth` calls.
class Model {
 public:
  explicit Model(int depth) {
    graph::DefinitionId part = Add(0, "    return torch.relu(torch.add(x, 1)) * 2\n", nullptr);
    for (int level = 1; level <= depth; ++level) {
      part = Add(level, "    return self.d(self.c(self.b(self.a(x)))) + x\n", &part);
    }
    graph_.emplace(
        *graph::InlineFunction(code_.FindMethod(part, "forward"), [this](graph::FunctionId id) {
          return Result<const graph::Graph*>(code_.unit().function(id).graph.get());
        }));
  }

  const graph::Graph& graph() const { return *graph_; }
  const graph::CompilationUnit& unit() const { return code_.unit(); }

 private:
  graph::DefinitionId Add(int level, const std::string& body, const graph::DefinitionId* part) {
    const graph::DefinitionId id = *code_.AddModule("__torch__.Level" + std::to_string(level));
    if (part != nullptr) {
      for (const char* name : {"a", "b", "c", "d"}) Need(code_.AddSubmodule(id, name, *part));
    }
    Need(code_.Define(id, "def forward(self, x):\n" + body));
    return id;
  }

  graph::TextUnit code_;
  std::optional<graph::Graph> graph_;
};

const Model& BigModel() {
  static const Model model(7);
  return model;
}

// Each thread lowers on its own.
void BM_GenerateDebugHandles(benchmark::State& state) {
  const Model& model = BigModel();
  int64_t handles = 0;
  for (auto _ : state) {
    BackendDebugInfoRecorder recorder(model.unit(), {.key = HashBytes("key")});
    benchmark::DoNotOptimize(recorder.GenerateDebugHandles(model.graph()));
    const Result<DebugInfo> info = recorder.StopRecording();
    handles += static_cast<int64_t>(info->units[0].handles.size());
  }
  state.SetItemsProcessed(handles);
}
BENCHMARK(BM_GenerateDebugHandles)
    ->Threads(1)
    ->Threads(2)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

void BM_LoweringKey(benchmark::State& state) {
  const Model& model = BigModel();
  const MethodToLower method{"forward", &model.graph()};
  for (auto _ : state) {
    benchmark::DoNotOptimize(LoweringKey(
        {.backend = "b", .module_type = "__torch__.M", .module_path = "", .options = ""},
        model.unit(), {&method, 1}));
  }
  state.SetItemsProcessed(state.iterations() * model.graph().node_count());
}
BENCHMARK(BM_LoweringKey)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace handrail

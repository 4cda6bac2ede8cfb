#include "handrail/inlining/inlining.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "handrail/graph/loaded_module.h"

#include "graph/block_walk.h"
#include "values/object_archive_testing.h"

namespace handrail::graph {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Archives as PyTorch writes them: classes of one file, `__torch__.py`.
class InliningTest : public testing::Test {
 protected:
  Result<Graph> InlineMethod(const TestModule& top, const std::string& code,
                             const InlineOptions& options = {}) {
    file_ = ModuleArchiveOf(top, {{"__torch__", code}});
    Result<LoadedModule> module = LoadedModule::Load(BytesOf(file_), "m.pt");
    if (!module) return tl::unexpected<Error>(module.error());
    module_.emplace(*std::move(module));
    HANDRAIL_ASSIGN_OR_RETURN(const FunctionId method, module_->FindMethod("forward"));
    return InlineFunction(
        method, [this](FunctionId callee) { return module_->GraphOf(callee); }, options);
  }

  // "aten::add 20 | forward(M m) 12": each operator with its line, then its calls, outermost first,
  // with their lines.
  std::vector<std::string> Operators(const Graph& graph) const {
    std::vector<std::string> lines;
    const CompilationUnit& unit = graph.unit();
    const auto line_of = [&](RangeId range) {
      return std::to_string(unit.origins.PlaceOf(range).line);
    };
    ForEachNode(graph, [&](NodeId node) {
      const std::string kind(graph.kind_name(node));
      if (kind.starts_with("prim::") && kind != "prim::CallMethod" && kind != "prim::Print") return;
      std::string calls;
      for (StackId id = graph.stack(node); !id.is_none(); id = unit.origins.stack(id).caller) {
        const StackRow& row = unit.origins.stack(id);
        std::string instance;
        if (!row.module_name.is_none()) {
          instance = std::string(LastAtom(unit.text(row.module_type))) + " " +
                     std::string(unit.text(row.module_name));
        }
        calls = " | " + std::string(unit.text(row.function)) + "(" + instance + ") " +
                line_of(row.range) + calls;
      }
      lines.push_back(kind + " " + line_of(graph.range(node)) + calls);
    });
    return lines;
  }

  std::string file_;
  std::optional<LoadedModule> module_;
};

constexpr std::string_view kCodeOfNM = R"(class N(Module):
  __parameters__ = []
  __buffers__ = []
  m : __torch__.M
  def forward(self: __torch__.N,
    x: Tensor) -> Tensor:
    m = self.m
    return torch.add((m).forward(x, ), 3)
class M(Module):
  __parameters__ = []
  __buffers__ = []
  def forward(self: __torch__.M,
    x: Tensor) -> Tensor:
    return torch.sub(x, 2)
)";

TEST_F(InliningTest, TheCalleesNodesKnowTheirCall) {
  const auto graph =
      InlineMethod({"__torch__.N", {{"m", {"__torch__.M", {}}}}}, std::string(kCodeOfNM));
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_THAT(Operators(*graph), ElementsAre("aten::sub 14 | forward(M m) 8", "aten::add 8"));
}

TEST_F(InliningTest, OwnMethodsFunctionsBlocksAndNodesWithoutOutputs) {
  const auto graph = InlineMethod({"__torch__.A", {}}, R"(class A(Module):
  __parameters__ = []
  __buffers__ = []
  def forward(self: __torch__.A,
    x: Tensor) -> Tensor:
    return (self).twice(x, )
  def twice(self: __torch__.A,
    x: Tensor) -> Tensor:
    if bool(torch.gt(x, 0)):
      y = __torch__.shift(x, )
    else:
      print(x)
      y = x
    return y
def shift(x: Tensor) -> Tensor:
  return torch.neg(x)
)");
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_THAT(Operators(*graph),
              ElementsAre("aten::gt 9 | twice(A SELF) 6", "aten::Bool 9 | twice(A SELF) 6",
                          "aten::neg 16 | twice(A SELF) 6 | shift() 10",
                          "prim::Print 12 | twice(A SELF) 6"));
}

TEST_F(InliningTest, InterfaceCallsStayCalls) {
  const auto graph =
      InlineMethod({"__torch__.A", {{"impl", {"__torch__.B", {}}}}}, R"(class A(Module):
  __parameters__ = []
  __buffers__ = []
  impl : __torch__.I
  def forward(self: __torch__.A,
    x: Tensor) -> Tensor:
    impl = self.impl
    return (impl).run(x, )
class I(ModuleInterface):
  def run(self: __torch__.I,
    x: Tensor) -> Tensor:
    pass
class B(Module):
  __parameters__ = []
  __buffers__ = []
  def run(self: __torch__.B,
    x: Tensor) -> Tensor:
    return torch.neg(x)
)");
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_THAT(Operators(*graph), ElementsAre("prim::CallMethod 8"));
}

TEST_F(InliningTest, RecursionIsAnErrorThatNamesTheFunctions) {
  const auto graph = InlineMethod({"__torch__.A", {}}, R"(class A(Module):
  __parameters__ = []
  __buffers__ = []
  def forward(self: __torch__.A,
    x: Tensor) -> Tensor:
    return (self).again(x, )
  def again(self: __torch__.A,
    x: Tensor) -> Tensor:
    return (self).forward(x, )
)");
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(graph.error().message, HasSubstr("__torch__.A.forward -> __torch__.A.again -> "
                                               "__torch__.A.forward"));
}

// Each function calls the next one twice.
TEST_F(InliningTest, GraphsThatExplodeAreRefused) {
  std::string code = R"(class A(Module):
  __parameters__ = []
  __buffers__ = []
  def forward(self: __torch__.A,
    x: Tensor) -> Tensor:
    return __torch__.f0(x, )
)";
  constexpr int kFunctions = 40;
  for (int i = 0; i < kFunctions; ++i) {
    const std::string next = "__torch__.f" + std::to_string(i + 1);
    code += "def f" + std::to_string(i) + "(x: Tensor) -> Tensor:\n  return " + next + "(" + next +
            "(x, ), )\n";
  }
  code += "def f" + std::to_string(kFunctions) + "(x: Tensor) -> Tensor:\n  return torch.neg(x)\n";
  const auto graph = InlineMethod({"__torch__.A", {}}, code, {.node_count_max = 10'000});
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error().code, ErrorCode::kLimit);
}

// Depth costs no stack: a chain of calls, each in the next function.
TEST_F(InliningTest, DeepCallsTakeNoStack) {
  std::string code = R"(class A(Module):
  __parameters__ = []
  __buffers__ = []
  def forward(self: __torch__.A,
    x: Tensor) -> Tensor:
    return __torch__.f0(x, )
)";
  constexpr int kFunctions = 2'000;
  for (int i = 0; i < kFunctions; ++i) {
    code += "def f" + std::to_string(i) + "(x: Tensor) -> Tensor:\n  return __torch__.f" +
            std::to_string(i + 1) + "(x, )\n";
  }
  code += "def f" + std::to_string(kFunctions) + "(x: Tensor) -> Tensor:\n  return torch.neg(x)\n";
  const auto graph = InlineMethod({"__torch__.A", {}}, code);
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_EQ(Operators(*graph).size(), 1);
}

}  // namespace
}  // namespace handrail::graph

#include "handrail/bytecode/bytecode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "handrail/bytecode/program_text.h"
#include "handrail/graph/text_unit.h"

namespace handrail::bytecode {
namespace {

// A program of one module's forward, its debug info, and the unit they come from.
struct Compiled {
  Program program;
  DebugInfo info;
};

Result<Compiled> CompileForward(graph::TextUnit& code, graph::DefinitionId module) {
  const graph::FunctionId forward = code.FindMethod(module, "forward");
  DebugInfoBuilder builder;
  EXPECT_TRUE(builder.BeginUnit({.kind = UnitKind::kBytecode}));
  HANDRAIL_ASSIGN_OR_RETURN(Program program,
                            Compile(
                                code.unit(), std::span(&forward, 1),
                                [&](graph::FunctionId id) -> Result<const graph::Graph*> {
                                  return code.unit().function(id).graph.get();
                                },
                                [](uint32_t) -> Result<values::Value> {
                                  return Fail(ErrorCode::kNotFound, "no archive");
                                },
                                builder));
  return Compiled{std::move(program), std::move(builder).Finish()};
}

std::string TextOfForward(std::string_view body) {
  graph::TextUnit code;
  const graph::DefinitionId module = *code.AddModule("__torch__.M");
  EXPECT_TRUE(code.Define(module, body));
  const Result<Compiled> compiled = CompileForward(code, module);
  if (!compiled) return compiled.error().message;
  return ToString(compiled->program.functions[0]);
}

// facts: PyTorch 1.13 writes these six instructions for this method.
TEST(Compile, MakesPytorchsInstructionsOfOneOperator) {
  EXPECT_EQ(TextOfForward("def forward(self, x):\n  return 2 * x\n"),
            "function __torch__.M.forward, 2 registers\n"
            "  0  STOREN 1 2\n"
            "  1  DROPR 1\n"
            "  2  MOVE 2\n"
            "  3  LOADC               2\n"
            "  4  OP                  aten::mul.Scalar, 2 arguments\n"
            "  5  RET\n");
}

TEST(Compile, NamesTheNodeOfEachInstruction) {
  graph::TextUnit code;
  const graph::DefinitionId module = *code.AddModule("__torch__.M");
  ASSERT_TRUE(code.Define(module, "def forward(self, x):\n  return 2 * x\n"));
  const Result<Compiled> compiled = CompileForward(code, module);
  ASSERT_TRUE(compiled);
  EXPECT_EQ(compiled->program.functions[0].handles, (std::vector<DebugHandle>{0, 1, 2, 3, 4, 5}));
  std::vector<std::string_view> names;
  for (const Node& node : compiled->info.units[0].nodes) {
    names.push_back(compiled->info.strings.at(node.name));
  }
  EXPECT_EQ(names, (std::vector<std::string_view>{"prim::Param", "prim::Drop", "aten::mul",
                                                  "aten::mul", "aten::mul", "prim::Return"}));
}

// As archives write it: the class of the exception, which has a default, is an operand, too.
TEST(Compile, LoadsBothOperandsOfARaise) {
  EXPECT_EQ(TextOfForward("def forward(self):\n  ops.prim.RaiseException('no')\n  return 1\n"),
            "function __torch__.M.forward, 2 registers\n"
            "  0  STORE 1\n"
            "  1  DROPR 1\n"
            "  2  UN_INITIALIZED\n"
            "  3  STORE 2\n"
            "  4  LOADC               'no'\n"
            "  5  LOADC 1             NoneType\n"
            "  6  RAISE_EXCEPTION\n"
            "  7  MOVE 2\n"
            "  8  RET\n");
}

TEST(Compile, JumpsOverBranches) {
  EXPECT_EQ(TextOfForward("def forward(self, x: int, b: bool) -> int:\n"
                          "  if b:\n    y = x + 1\n  else:\n    y = x\n  return y\n"),
            "function __torch__.M.forward, 4 registers\n"
            "  0  STOREN 1 3\n"
            "  1  DROPR 1\n"
            "  2  MOVE 3\n"
            "  3  JF 5\n"
            "  4  LOAD 2\n"
            "  5  LOADC               1\n"
            "  6  OP                  aten::add.int, 2 arguments\n"
            "  7  JMP 2\n"
            "  8  LOAD 2\n"
            "  9  STORE 4\n"
            " 10  DROPR 2\n"
            " 11  MOVE 4\n"
            " 12  RET\n");
}

TEST(Compile, LeavesLoopsWithWhatTheyCarry) {
  EXPECT_EQ(TextOfForward("def forward(self, n: int) -> int:\n"
                          "  s = 0\n  for i in range(n):\n    s = s + i\n  return s\n"),
            "function __torch__.M.forward, 4 registers\n"
            "  0  STOREN 1 2\n"
            "  1  DROPR 1\n"
            "  2  LOADC 2             0\n"
            "  3  MOVE 2\n"
            "  4  LOADC 1             True\n"
            "  5  LOADC               0\n"
            "  6  LOOP 7 3\n"
            "  7  STOREN 3 2\n"
            "  8  LOADC 1             True\n"
            "  9  MOVE 4\n"
            " 10  MOVE 3\n"
            " 11  OP                  aten::add.int, 2 arguments\n"
            " 12  JMP -6\n"
            " 13  RET\n");
}

TEST(Compile, CallsMethodsOfInterfaces) {
  graph::TextUnit code;
  ASSERT_TRUE(
      code.Define("class I(ModuleInterface):\n  def one(self, x: Tensor) -> Tensor:\n"
                  "    pass\n",
                  "__torch__"));
  const graph::DefinitionId inner = *code.AddModule("__torch__.Inner");
  ASSERT_TRUE(code.Define(inner, "def one(self, x: Tensor) -> Tensor:\n  return x + x\n"));
  const graph::DefinitionId module = *code.AddModule("__torch__.M");
  ASSERT_TRUE(code.AddAttribute(module, "inner", "__torch__.I"));
  ASSERT_TRUE(code.Define(module, "def forward(self, x):\n  return self.inner.one(x)\n"));
  const Result<Compiled> compiled = CompileForward(code, module);
  ASSERT_TRUE(compiled) << compiled.error().message;
  ASSERT_EQ(compiled->program.functions.size(), 2);
  EXPECT_EQ(compiled->program.functions[1].name, "__torch__.Inner.one");
}

std::vector<std::string> TypesOfForward(std::string_view classes, std::string_view body) {
  graph::TextUnit code;
  EXPECT_TRUE(code.Define(classes, "__torch__"));
  const graph::DefinitionId module = *code.AddModule("__torch__.M");
  EXPECT_TRUE(code.Define(module, body));
  const Result<Compiled> compiled = CompileForward(code, module);
  if (!compiled) return {compiled.error().message};
  return compiled->program.functions[0].types;
}

// The runtime takes both operands off the stack, the default one as well.
TEST(Compile, LoadsAllThatAnInstructionTakes) {
  EXPECT_EQ(TextOfForward("def forward(self, x: Tensor):\n"
                          "  torch.warn('careful')\n"
                          "  return x\n"),
            "function __torch__.M.forward, 2 registers\n"
            "  0  STOREN 1 2\n"
            "  1  DROPR 1\n"
            "  2  LOADC               'careful'\n"
            "  3  LOADC 1             2\n"
            "  4  WARN\n"
            "  5  MOVE 2\n"
            "  6  RET\n");
}

TEST(Compile, NamesTypesAsPytorchDoes) {
  EXPECT_THAT(
      TypesOfForward("class P(NamedTuple):\n  x : Tensor\n  n : int\n"
                     "class Q(NamedTuple):\n  p : __torch__.P\n",
                     "def forward(self, x: Tensor):\n"
                     "  d = annotate(Dict[int, Dict[str, int]], {})\n"
                     "  l = annotate(List[Optional[int]], [])\n"
                     "  return d, l, __torch__.Q(__torch__.P(x, 1))\n"),
      testing::ElementsAre(
          "Dict[int,Dict[str, int]]", "List[Optional[int]]",
          "__torch__.P[NamedTuple, [[x, Tensor],[n, int]]]",
          "__torch__.Q[NamedTuple, [[p, __torch__.P[NamedTuple, [[x, Tensor],[n, int]]]]]]"));
}

TEST(Compile, SaysWhichLineHasNoInstruction) {
  EXPECT_THAT(TextOfForward("def forward(self, x: Tensor):\n"
                            "  y = x + x\n"
                            "  def __forked_function():\n"
                            "    return y + y\n"
                            "  task = fork(__forked_function)\n"
                            "  return torch.wait(task)\n"),
              testing::HasSubstr("no instruction for prim::fork, at <string>:5"));
}

TEST(Verify, FindsWhatLiesOutsideOfTheFunction) {
  Function function;
  function.name = "f";
  function.instructions = {{Opcode::LOAD, 0, 1}, {Opcode::RET, 0, 0}};
  EXPECT_EQ(Verify(function).error().message,
            "function 'f': instruction 0: LOAD: need a register from 1 to 0, have 1");
  function.register_count = 1;
  EXPECT_TRUE(Verify(function));
  function.instructions[0] = {Opcode::JMP, 0, 2};
  EXPECT_EQ(Verify(function).error().message,
            "function 'f': instruction 0: JMP: need a jump from 0 to 1, have 2");
  function.instructions = {};
  EXPECT_EQ(Verify(function).error().message,
            "function 'f': need RET at its end, have no instructions");
}

}  // namespace
}  // namespace handrail::bytecode

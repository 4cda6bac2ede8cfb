#include "handrail/graph/loaded_module.h"

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/block_walk.h"
#include "values/object_archive_testing.h"

namespace handrail::graph {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kHead = "  __parameters__ = []\n  __buffers__ = []\n";

std::string ClassOf(const std::string& name, const std::string& body) {
  return "class " + name + "(Module):\n" + std::string(kHead) + body;
}

std::string Forward(const std::string& class_name, const std::string& body) {
  return "  def forward(self: __torch__." + class_name + ",\n    x: Tensor) -> Tensor:\n" + body;
}

class LoadedModuleTest : public testing::Test {
 protected:
  Result<const Graph*> Load(const std::string& file) {
    file_ = file;
    Result<LoadedModule> module = LoadedModule::Load(BytesOf(file_), "m.pt");
    if (!module) return tl::unexpected<Error>(module.error());
    module_.emplace(*std::move(module));
    HANDRAIL_ASSIGN_OR_RETURN(const FunctionId method, module_->FindMethod("forward"));
    return module_->GraphOf(method);
  }
  std::string Message(const std::string& file) {
    const auto graph = Load(file);
    EXPECT_FALSE(graph);
    return graph ? "" : graph.error().message;
  }
  // "model.py:3:5-3:9 aten::neg"
  std::vector<std::string> Operators(const Graph& graph) const {
    std::vector<std::string> lines;
    ForEachNode(graph, [&](NodeId node) {
      const std::string kind(graph.kind_name(node));
      if (kind.starts_with("prim::")) return;
      const OriginTable& origins = graph.unit().origins;
      const RangeRow& range = origins.range(graph.range(node));
      const auto place = origins.PlaceOf(graph.range(node));
      const std::string_view file =
          range.source.is_none() ? "" : origins.source(range.source).file_name.value_or("");
      lines.push_back(std::string(file) + ":" + std::to_string(place.line) + ":" +
                      std::to_string(place.column) + "-" + std::to_string(place.end_column) + " " +
                      kind);
    });
    return lines;
  }

  std::string file_;
  std::optional<LoadedModule> module_;
};

const std::string kNegate = ClassOf("M", Forward("M", "    return torch.neg(x)\n"));

// The record of kNegate's ranges, in the form of PyTorch 1.12 and up: `neg` was written in line 3
// of model.py.
std::string RangesOf(int64_t start, int64_t end, int64_t line_row = 1) {
  PickleWriter writer;
  writer.BeginTuple(3);
  writer.Text("FORMAT_WITH_STRING_TABLE");
  writer.BeginTuple(3);
  writer.Text("");
  writer.Text("  return -x\n");
  writer.Text("model.py");
  writer.EndTuple(3);
  writer.BeginTuple(2);
  const auto entry = [&](int64_t offset, auto&& write_source, int64_t from, int64_t to) {
    writer.BeginTuple(3);
    writer.Int(offset);
    writer.BeginTuple(3);
    writer.BeginTuple(3);
    write_source();
    writer.EndTuple(3);
    writer.Int(from);
    writer.Int(to);
    writer.EndTuple(3);
    writer.Int(0);
    writer.EndTuple(3);
  };
  entry(
      0, [&] { writer.IntList(std::vector<int64_t>{}), writer.Int(0), writer.Int(0); }, 0, 0);
  entry(
      static_cast<int64_t>(kNegate.find("torch.neg")),
      [&] {
        writer.IntList(std::vector<int64_t>{line_row});
        writer.Int(2);
        writer.Int(3);
      },
      start, end);
  writer.EndTuple(2);
  writer.EndTuple(3);
  return std::move(writer).Finish();
}

TEST_F(LoadedModuleTest, RangesAreThoseOfTheOriginalFile) {
  const auto graph = Load(ModuleArchiveOf({"__torch__.M", {}}, {{"__torch__", kNegate}},
                                          {{"code/__torch__.py.debug_pkl", RangesOf(9, 11)}}));
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_THAT(Operators(**graph), ElementsAre("model.py:3:10-12 aten::neg"));
  EXPECT_TRUE(module_->warnings().empty());
}

TEST_F(LoadedModuleTest, WithoutARecordRangesAreThoseOfTheCodeFile) {
  const auto graph = Load(ModuleArchiveOf({"__torch__.M", {}}, {{"__torch__", kNegate}}));
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_THAT(Operators(**graph), ElementsAre("code/__torch__.py:6:12-21 aten::neg"));
}

TEST_F(LoadedModuleTest, ADamagedRecordIsAWarning) {
  for (const std::string& record :
       {std::string("\x80\x02("), RangesOf(9, 11, 7), RangesOf(-1, 2)}) {
    const auto graph = Load(ModuleArchiveOf({"__torch__.M", {}}, {{"__torch__", kNegate}},
                                            {{"code/__torch__.py.debug_pkl", record}}));
    ASSERT_TRUE(graph) << graph.error().message;
    EXPECT_THAT(Operators(**graph), ElementsAre("code/__torch__.py:6:12-21 aten::neg"));
    ASSERT_EQ(module_->warnings().size(), 1);
    EXPECT_THAT(module_->warnings()[0].message,
                HasSubstr("m.pt: record 'code/__torch__.py.debug_pkl': "));
  }
}

TEST_F(LoadedModuleTest, CodeOfOtherFilesIsReadWhenItIsNamed) {
  const std::string top =
      ClassOf("M", "  part : __torch__.a.b.Part\n" + Forward("M",
                                                             "    part = self.part\n"
                                                             "    return (part).forward(x, )\n"));
  const std::string part = "class Part(Module):\n" + std::string(kHead) +
                           "  def forward(self: __torch__.a.b.Part,\n    x: Tensor) -> Tensor:\n"
                           "    return torch.neg(x)\n";
  const TestModule module{"__torch__.M", {{"part", {"__torch__.a.b.Part", {}}}}};
  EXPECT_TRUE(Load(ModuleArchiveOf(module, {{"__torch__", top}, {"__torch__.a.b", part}})));
  ASSERT_TRUE(module_->CompileAll());
  EXPECT_EQ(module_->unit().function_count(), 2);
  EXPECT_THAT(Message(ModuleArchiveOf(module, {{"__torch__", top}})),
              HasSubstr("__torch__.a.b.Part"));
}

TEST_F(LoadedModuleTest, MissingPartsAreErrorsThatNameThem) {
  EXPECT_THAT(Message(ZipOf({{"version", "3\n"}})), HasSubstr("data.pkl"));
  EXPECT_THAT(Message(ModuleArchiveOf({"__torch__.M", {}}, {})), HasSubstr("'__torch__.M'"));
  EXPECT_THAT(Message("no archive"), HasSubstr("m.pt: need a module archive"));
  EXPECT_THAT(Message(""), HasSubstr("have no bytes"));
  EXPECT_THAT(Message(ModuleArchiveOf({"__torch__.M", {}}, {{"__torch__", "class M(Module:\n"}})),
              HasSubstr("code/__torch__.py:1:"));
  EXPECT_THAT(Message(ModuleArchiveOf({"__torch__.M", {}},
                                      {{"__torch__", ClassOf("M", "  x : __torch__.Nowhere\n")}})),
              HasSubstr("__torch__.Nowhere"));
  EXPECT_THAT(
      Message(ModuleArchiveOf(
          {"__torch__.M", {}},
          {{"__torch__", ClassOf("M", Forward("M", "    return torch.add(x, CONSTANTS.c3)\n"))}})),
      HasSubstr("constant 3"));
  ASSERT_TRUE(Load(ModuleArchiveOf({"__torch__.M", {}}, {{"__torch__", kNegate}})));
  const auto method = module_->FindMethod("train");
  ASSERT_FALSE(method);
  EXPECT_EQ(method.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(method.error().message, HasSubstr("have forward"));
}

// A class whose attribute is of the other class, and the reverse (facts of PyTorch issue 76775).
TEST_F(LoadedModuleTest, ClassesMayNameEachOther) {
  const std::string code =
      ClassOf("A", "  inverse : __torch__.B\n" + Forward("A", "    return torch.neg(x)\n")) +
      ClassOf("B", "  inverse : __torch__.A\n" + Forward("B", "    return torch.neg(x)\n"));
  PickleWriter writer;
  const auto open = [&](std::string_view name) {
    writer.Global("__torch__", name);
    writer.BeginTuple(0);
    writer.EndTuple(0);
    writer.NewObject();
    const uint32_t self = writer.Memoize();
    writer.BeginDict();
    writer.Text("inverse");
    return self;
  };
  const uint32_t a = open("A");
  open("B");
  writer.Get(a);
  for (int i = 0; i < 2; ++i) {
    writer.EndDict();
    writer.Build();
  }
  const auto graph =
      Load(ZipOf({{"data.pkl", std::move(writer).Finish()}, {"code/__torch__.py", code}}));
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_TRUE(module_->CompileAll());
}

TEST_F(LoadedModuleTest, NamedTuplesThatContainThemselvesAreRefused) {
  const std::string code =
      ClassOf("M", "  p : __torch__.P\n" + Forward("M", "    return torch.neg(x)\n")) +
      "class P(NamedTuple):\n  p : __torch__.P\n";
  EXPECT_THAT(Message(ModuleArchiveOf({"__torch__.M", {}}, {{"__torch__", code}})),
              HasSubstr("'__torch__.P' contains itself"));
}

TEST_F(LoadedModuleTest, DeepExpressionsAreErrorsAndLongChainsAreNot) {
  constexpr int kDepth = 100'000;
  std::string chain = "x";
  for (int i = 0; i < kDepth; ++i) chain += ".neg()";
  EXPECT_TRUE(Load(
      ModuleArchiveOf({"__torch__.M", {}},
                      {{"__torch__", ClassOf("M", Forward("M", "    return " + chain + "\n"))}})));
  std::string nest;
  for (int i = 0; i < kDepth; ++i) nest += "torch.neg(";
  nest += "x" + std::string(kDepth, ')');
  EXPECT_THAT(Message(ModuleArchiveOf(
                  {"__torch__.M", {}},
                  {{"__torch__", ClassOf("M", Forward("M", "    return " + nest + "\n"))}})),
              HasSubstr("m.pt: code/__torch__.py:6:"));
}

TEST_F(LoadedModuleTest, EveryTruncationAndEveryFlippedByteIsReadOrRefused) {
  const std::string file = ModuleArchiveOf({"__torch__.M", {}}, {{"__torch__", kNegate}},
                                           {{"code/__torch__.py.debug_pkl", RangesOf(9, 11)}});
  const auto try_to_load = [](const std::string& bytes) {
    Result<LoadedModule> module = LoadedModule::Load(BytesOf(bytes), "m.pt");
    if (module) static_cast<void>(module->CompileAll());
  };
  for (size_t size = 0; size < file.size(); size += 3) try_to_load(file.substr(0, size));
  for (size_t at = 0; at < file.size(); ++at) {
    std::string flipped = file;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x41);
    try_to_load(flipped);
  }
}

}  // namespace
}  // namespace handrail::graph

// Sound archives of every age: what each record says arrives in the debug info.
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "torch_debug/record_values_test.h"

namespace handrail {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::string_view kAddNode =
    "21: 'aten::add' 'model.py':21:10-21:19 in '__torch__.M.forward'"
    " < 'forward' of '__torch__.A' 'a' at 'model.py':21:3-21:19";
constexpr std::string_view kReturnNode = "22: 'prim::Return' gap0 in '__torch__.M.forward'";

std::string FileContent(std::string_view name) {
  std::ifstream file(std::string(HANDRAIL_SOURCE_DIR "/test/data/") + std::string(name),
                     std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(SoundRecords, PyTorch113) {
  const auto read = Read(SmallModel());
  EXPECT_THAT(NodeTexts(read), ElementsAre(kAddNode, kReturnNode));
  EXPECT_THAT(WarningTexts(read), IsEmpty());
  EXPECT_EQ(read->kind, TorchFileKind::kMobile);
  EXPECT_EQ(read->top_type, "__torch__.M");
  EXPECT_EQ(read->bytecode_version, 8);
  EXPECT_TRUE(read->has_debug_handles);
  EXPECT_TRUE(read->has_debug_info);
  ASSERT_THAT(read->functions, SizeIs(1));
  EXPECT_EQ(read->functions[0].name, "__torch__.M.forward");
  EXPECT_EQ(read->functions[0].instruction_count, 2);
  EXPECT_EQ(read->functions[0].handle_count, 2);
  ASSERT_THAT(read->info.units, SizeIs(1));
  EXPECT_EQ(read->info.units[0].kind, UnitKind::kForeign);
  EXPECT_EQ(read->info.units[0].build_id, read->build_id);
  EXPECT_EQ(read->info.strings.at(read->info.units[0].top_type), "__torch__.M");
}

TEST(SoundRecords, TextsInPlaceOfATextTable) {
  SmallModel model;
  const Value source = Tuple({"def forward(self, x):\n  return self.a(x)\n", "model.py", 20});
  model.ranges =
      Tuple({Tuple({0, Tuple({Tuple({"", "", 0}), 0, 0}), 0}),
             Tuple({10, Tuple({source, 31, 40}), 1}), Tuple({20, Tuple({source, 24, 40}), 2})});
  const auto read = Read(model);
  EXPECT_THAT(NodeTexts(read), ElementsAre(kAddNode, kReturnNode));
  EXPECT_THAT(WarningTexts(read), IsEmpty());
}

TEST(SoundRecords, SourceWithoutNameAndWithEmptyName) {
  SmallModel model;
  model.ranges = Tuple({Tuple({0, Tuple({Tuple({"x + 1", None(), 7}), 0, 1}), 1})});
  EXPECT_THAT(NodeTexts(Read(model)).front(), ::testing::HasSubstr("'aten::add' none:7:1-7:2 in"));
  model.ranges = Tuple({Tuple({0, Tuple({Tuple({"x + 1", "", 7}), 0, 1}), 1})});
  EXPECT_THAT(NodeTexts(Read(model)).front(), ::testing::HasSubstr("'aten::add' '':7:1-7:2 in"));
  // With a text table there is always a name.
  model = SmallModel();
  model.range_entries()[1][1][0][1] = 0;
  EXPECT_THAT(NodeTexts(Read(model)).front(),
              ::testing::HasSubstr("'aten::add' '':21:10-21:19 in"));
}

TEST(SoundRecords, EmptyTextIsNullOnlyIfNothingElseIsKnown) {
  SmallModel model;
  const auto first_node = [&](Value source, int end) {
    model.ranges = Tuple({Tuple({0, Tuple({std::move(source), 0, end}), 1})});
    return NodeTexts(Read(model)).front();
  };
  EXPECT_THAT(first_node(Tuple({"", "", 0}), 0), ::testing::HasSubstr(" gap0 in"));
  EXPECT_THAT(first_node(Tuple({"", None(), 0}), 0), ::testing::HasSubstr(" gap0 in"));
  EXPECT_THAT(first_node(Tuple({"", "", 0}), 4), ::testing::HasSubstr(" '':0:1-0:5 in"));
  EXPECT_THAT(first_node(Tuple({"", "m.py", 3}), 0), ::testing::HasSubstr(" 'm.py':3:1-3:1 in"));
}

TEST(SoundRecords, CallStackMapBeforePyTorch110) {
  SmallModel model;
  model.map = Tuple(
      {Tuple({21, 1, Tuple({Tuple({"__torch__.A", "a"}), 2, None()})}), Tuple({22, 0, None()})});
  const auto read = Read(model);
  EXPECT_THAT(NodeTexts(read),
              ElementsAre("21: none 'model.py':21:10-21:19 in '__torch__.M.forward'"
                          " < none of '__torch__.A' 'a' at 'model.py':21:3-21:19",
                          "22: none gap0 in '__torch__.M.forward'"));
  EXPECT_THAT(WarningTexts(read), IsEmpty());
}

TEST(SoundRecords, UntaggedRangesBeforePyTorch19) {
  SmallModel model;
  for (Value& entry : model.range_entries().items) entry.items.pop_back();
  // PyTorch's mobile runtime skips them, so its tags are undefined.
  EXPECT_THAT(NodeTexts(Read(model)).front(), ::testing::HasSubstr("'aten::add' gap2 in"));

  Records records = model.Build();
  for (const char* name : {"bytecode.pkl", "mobile_debug_handles.pkl", "callstack_debug_map.pkl"}) {
    records.Erase(name);
  }
  const auto read = Read(records);
  EXPECT_EQ(read->kind, TorchFileKind::kModule);
  EXPECT_THAT(read->info.sources, SizeIs(1));
  EXPECT_THAT(WarningTexts(read), IsEmpty());
}

TEST(SoundRecords, StacksFunctionsAndMissingTagsOfCalls) {
  SmallModel model;
  Value inner = Tuple({None(), -1, None(), "helper"});
  model.map[0][3] = Tuple({Tuple({"__torch__.A", "a"}), 2, std::move(inner), "forward"});
  const auto read = Read(model);
  EXPECT_THAT(NodeTexts(read).front(),
              "21: 'aten::add' 'model.py':21:10-21:19 in '__torch__.M.forward'"
              " < 'helper' of none none at gap1"
              " < 'forward' of '__torch__.A' 'a' at 'model.py':21:3-21:19");
  EXPECT_THAT(WarningTexts(read), IsEmpty());
}

TEST(SoundRecords, NodeWithoutTag) {
  SmallModel model;
  model.map[0][1] = -1;
  const auto read = Read(model);
  EXPECT_THAT(NodeTexts(read).front(), ::testing::HasSubstr("'aten::add' gap1 in"));
  EXPECT_THAT(WarningTexts(read), IsEmpty());
}

TEST(SoundRecords, DelegatesHandlesBelongToNoFunction) {
  SmallModel model;
  model.map.items.push_back(Tuple({3, 1, "aten::mul", None()}));
  EXPECT_THAT(NodeTexts(Read(model)).front(), "3: 'aten::mul' 'model.py':21:10-21:19 in none");
}

TEST(SoundRecords, HandleOfTwoFunctionsBelongsToNone) {
  SmallModel model;
  model.handles.items.push_back(model.handles[1]);
  model.handles[2][0] = "__torch__.M.other";
  model.handles[2][1][0][1][0] = Ints({22});
  model.bytecode.items.push_back(model.bytecode[1]);
  model.bytecode[2][0] = "__torch__.M.other";
  model.bytecode[2][1][0][1].items.pop_back();
  const auto read = Read(model);
  EXPECT_THAT(NodeTexts(read), ElementsAre(kAddNode, "22: 'prim::Return' gap0 in none"));
  EXPECT_THAT(WarningTexts(read), IsEmpty());
}

TEST(SoundRecords, HandlesOfAnySize) {
  SmallModel model;
  constexpr int64_t kOffset = int64_t{1} << 62;
  model.map[0][0] = 21 + kOffset;
  model.map[1][0] = INT64_MIN;
  model.handles[1][1][0][1][0] = Ints({21 + kOffset, INT64_MIN});
  const auto texts = NodeTexts(Read(model));
  ASSERT_THAT(texts, SizeIs(2));
  EXPECT_THAT(texts[0], ::testing::StartsWith("-9223372036854775808: 'prim::Return'"));
  EXPECT_THAT(texts[1], ::testing::StartsWith("4611686018427387925: 'aten::add'"));
}

TEST(SoundRecords, RecordOrderAndExtraRecordsDoNotMatter) {
  Records records = SmallModel().Build();
  SmallModel delegated;
  delegated.ranges = Tuple({"FORMAT_WITH_STRING_TABLE", Tuple({""}), Tuple({})});
  records["delegated_backends.debug_pkl"] = delegated.ranges.Pickled();
  records["byteorder"] = "little";
  records[".data/serialization_id"] = std::string(40, '0');
  const auto intact = Read(records);
  std::reverse(records.all.begin(), records.all.end());
  const auto reversed = Read(records);
  EXPECT_THAT(NodeTexts(intact), ElementsAre(kAddNode, kReturnNode));
  EXPECT_EQ(NodeTexts(intact), NodeTexts(reversed));
  EXPECT_EQ(intact->build_id, reversed->build_id);
  EXPECT_THAT(WarningTexts(reversed), IsEmpty());
}

TEST(SoundRecords, StrippedArchiveKeepsHandlesAndBuildId) {
  Records records = SmallModel().Build();
  const auto intact = Read(records);
  records.Erase("callstack_debug_map.pkl");
  records.Erase("code/__torch__.py.debug_pkl");
  const auto stripped = Read(records);
  EXPECT_THAT(NodeTexts(stripped), ElementsAre("21: none gap4 in '__torch__.M.forward'",
                                               "22: none gap4 in '__torch__.M.forward'"));
  EXPECT_THAT(WarningTexts(stripped), IsEmpty());
  EXPECT_EQ(stripped->build_id, intact->build_id);
  EXPECT_EQ(stripped->info.units[0].key, intact->info.units[0].key);
  EXPECT_FALSE(stripped->has_debug_info);
}

TEST(SoundRecords, ArchiveWithoutDebugInfoHasAUnitWithoutHandles) {
  Records records = SmallModel().Build();
  const auto intact = Read(records);
  records.Erase("callstack_debug_map.pkl");
  records.Erase("mobile_debug_handles.pkl");
  const auto read = Read(records);
  EXPECT_THAT(NodeTexts(read), IsEmpty());
  EXPECT_THAT(WarningTexts(read), IsEmpty());
  EXPECT_THAT(read->info.units, SizeIs(1));
  EXPECT_NE(read->build_id, intact->build_id);
  EXPECT_FALSE(read->has_debug_handles);
  ASSERT_THAT(read->functions, SizeIs(1));
  EXPECT_EQ(read->functions[0].instruction_count, 2);
  EXPECT_EQ(read->functions[0].handle_count, 0);
}

TEST(SoundRecords, MapWithoutHandleRecord) {
  Records records = SmallModel().Build();
  records.Erase("mobile_debug_handles.pkl");
  EXPECT_THAT(NodeTexts(Read(records)).front(),
              ::testing::HasSubstr("21: 'aten::add' 'model.py':21:10-21:19 in none < 'forward'"));
}

TEST(SoundRecords, BuildIdDependsOnWhatRuns) {
  const auto build_id = [](const Records& records) { return Read(records)->build_id; };
  const Records intact = SmallModel().Build();
  Records changed = intact;
  changed["callstack_debug_map.pkl"] = Tuple({}).Pickled();
  changed["data/0"] = "weights";
  EXPECT_EQ(build_id(changed), build_id(intact));
  SmallModel model;
  model.bytecode[1][1][0][1][0][1] = 1;
  EXPECT_NE(build_id(model.Build()), build_id(intact));
  model = SmallModel();
  model.handles[1][1][0][1][0][0] = 23;
  EXPECT_NE(build_id(model.Build()), build_id(intact));
}

TEST(SoundRecords, BuildIdOfLoweredModulesDependsOnTheirBlobs) {
  Records records = SmallModel().Build();
  records["data.pkl"] = RootObject("torch.jit.LoweredModule.demo.__torch__", "M");
  records["data/0"] = "blob";
  const Hash128 intact = Read(records)->build_id;
  records["data/0"] = "other";
  EXPECT_NE(Read(records)->build_id, intact);
  records["data/0"] = "blob";
  records["callstack_debug_map.pkl"] = Tuple({}).Pickled();
  std::reverse(records.all.begin(), records.all.end());
  EXPECT_EQ(Read(records)->build_id, intact);
  records["data.pkl"] = RootObject("torch.jit.LoweredModule.demo.__torch__", "N");
  EXPECT_NE(Read(records)->build_id, intact);
}

TEST(SoundRecords, ModuleArchiveKeepsSourcesAndRanges) {
  Records records = SmallModel().Build();
  for (const char* name : {"bytecode.pkl", "mobile_debug_handles.pkl", "callstack_debug_map.pkl"}) {
    records.Erase(name);
  }
  const auto read = Read(records);
  EXPECT_EQ(read->kind, TorchFileKind::kModule);
  EXPECT_EQ(read->top_type, "__torch__.M");
  EXPECT_THAT(read->info.units, IsEmpty());
  ASSERT_THAT(read->info.sources, SizeIs(1));
  EXPECT_EQ(read->info.text(read->info.sources[0].text),
            "def forward(self, x):\n  return self.a(x)\n");
  size_t ranges_in_source = 0;
  for (const SourceRange& range : read->info.ranges) ranges_in_source += !range.source.is_none();
  EXPECT_EQ(ranges_in_source, 2);
  EXPECT_THAT(WarningTexts(read), IsEmpty());
  const Hash128 intact = read->build_id;
  records.Erase("code/__torch__.py.debug_pkl");
  EXPECT_EQ(Read(records)->build_id, intact);
  records["code/__torch__.py"] = "class N(Module):\n  pass\n";
  EXPECT_NE(Read(records)->build_id, intact);
}

TEST(SoundRecords, TorchPackage) {
  Records records;
  records[".data/ts_code/code/__torch__.py"] = "class M(Module):\n  pass\n";
  records[".data/ts_code/code/__torch__.py.debug_pkl"] = SmallModel().ranges.Pickled();
  records[".data/ts_code/0/data.pkl"] = RootObject("__torch__", "M");
  const auto read = Read(records);
  EXPECT_EQ(read->kind, TorchFileKind::kModule);
  EXPECT_THAT(read->info.sources, SizeIs(1));
}

TEST(SoundRecords, ModulePathsBeforePyTorch19) {
  SmallModel model;
  model.bytecode[0] = 4;
  model.bytecode[1][1][1][1] =
      Tuple({Tuple({"aten::add", "Tensor"}), Tuple({"aten::mul", ""}), Tuple({"aten::sub", ""})});
  Records records = model.Build();
  records.Erase("callstack_debug_map.pkl");
  records.Erase("mobile_debug_handles.pkl");
  records["mobile_debug.pkl"] =
      Tuple({4, Tuple({"__torch__.M.forward",
                       Tuple({Tuple({"module_debug_info",
                                     Tuple({"top(M).forward", "top(M).b(B).forward.a(A).forward",
                                            Tuple({"top(M).a(A).forward", 1})})})})})})
          .Pickled();
  const auto read = Read(records);
  EXPECT_THAT(NodeTexts(read),
              ElementsAre("0: 'aten::add' gap1 in '__torch__.M.forward'",
                          "1: 'aten::mul' gap1 in '__torch__.M.forward' < 'forward' of 'A' 'a' at"
                          " gap1 < 'forward' of 'B' 'b' at gap1",
                          "2: 'aten::sub' 'model.py':21:10-21:19 in '__torch__.M.forward'"
                          " < 'forward' of 'A' 'a' at gap1"));
  EXPECT_THAT(WarningTexts(read), IsEmpty());
  EXPECT_TRUE(read->has_debug_info);
  EXPECT_FALSE(read->has_debug_handles);
  EXPECT_EQ(read->bytecode_version, 4);
}

TEST(SoundRecords, FixturesOfPyTorch) {
  const auto model = Read(FileContent("model.ptl"));
  ASSERT_TRUE(model);
  EXPECT_THAT(WarningTexts(model), IsEmpty());
  EXPECT_THAT(model->info.units.at(0).handles, SizeIs(125));
  const auto stripped = Read(FileContent("model_stripped.ptl"));
  ASSERT_TRUE(stripped);
  EXPECT_THAT(WarningTexts(stripped), IsEmpty());
  EXPECT_EQ(stripped->build_id, model->build_id);
  EXPECT_EQ(stripped->info.units[0].handles, model->info.units[0].handles);
  const auto without = Read(FileContent("model_without_debug.ptl"));
  ASSERT_TRUE(without);
  EXPECT_THAT(WarningTexts(without), IsEmpty());
  EXPECT_THAT(without->info.units.at(0).handles, IsEmpty());
  for (const char* name : {"double.ptl", "interface.ptl", "lowered.ptl", "model.pt"}) {
    const auto read = Read(FileContent(name));
    EXPECT_THAT(WarningTexts(read), IsEmpty()) << name;
    EXPECT_EQ(read->info.units.size(), name == std::string_view("model.pt") ? 0 : 1) << name;
  }
}

TEST(SoundRecords, FixtureOfTheFlatbufferForm) {
  const auto read = Read(FileContent("model_flatbuffer.ptl"));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->kind, TorchFileKind::kFlatbuffer);
  EXPECT_EQ(read->top_type, "__torch__.encoder.Encoder");
  EXPECT_EQ(read->bytecode_version, 9);
  EXPECT_TRUE(read->has_debug_handles);
  EXPECT_FALSE(read->has_debug_info);
  ASSERT_THAT(NodeTexts(read), SizeIs(125));
  EXPECT_THAT(NodeTexts(read).front(),
              ::testing::HasSubstr(": none gap4 in '__torch__.encoder.Encoder.forward'"));
}

}  // namespace
}  // namespace handrail

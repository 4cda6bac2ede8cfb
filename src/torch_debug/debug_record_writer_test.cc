// Debug info -> records -> debug info: nothing is lost of what records can hold.
#include "torch_debug/debug_record_writer.h"

#include <fstream>
#include <iterator>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/support/random_debug_info.h"
#include "torch_debug/record_values_test.h"

namespace handrail {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// An archive with the records of the last unit of `info`.
Records WrittenRecords(const DebugInfo& info) {
  const Unit& unit = info.units.back();
  std::map<std::string_view, std::vector<DebugHandle>> functions;
  for (size_t i = 0; i < unit.handles.size(); ++i) {
    const StringId function = unit.nodes[i].function;
    if (!function.is_none()) functions[info.strings.at(function)].push_back(unit.handles[i]);
  }
  std::vector<FunctionHandles> rows;
  for (const auto& [name, handles] : functions) rows.push_back({name, handles});

  const RangeTags tags(info);
  Records records;
  records["delegated_backends.debug_pkl"] = WriteRangeRecord(info, tags);
  records["callstack_debug_map.pkl"] = WriteCallStackMap(info, unit, tags);
  records["mobile_debug_handles.pkl"] = WriteHandleRecord(8, rows);
  return records;
}

std::vector<std::string> WarningsButForMissingBytecode(const Result<TorchDebugInfo>& read) {
  std::vector<std::string> warnings = WarningTexts(read);
  std::erase(warnings, "m.ptl: record 'bytecode.pkl': need it in a mobile archive, have none");
  return warnings;
}

TEST(DebugRecordWriter, RandomDebugInfoSurvives) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    testing::RandomShape shape;
    shape.units = 1;
    shape.nodes_per_unit = 1 + static_cast<uint32_t>(seed) * 17;
    shape.depth_max = static_cast<uint32_t>(seed) % 12;
    const DebugInfo info = testing::RandomDebugInfo(seed, shape);
    const auto read = Read(WrittenRecords(info));
    EXPECT_THAT(WarningsButForMissingBytecode(read), IsEmpty()) << seed;
    EXPECT_EQ(NodeTexts(read), NodeTexts(info)) << seed;
  }
}

TEST(DebugRecordWriter, SmallModelIsWrittenAsPyTorchWritesIt) {
  const auto read = Read(SmallModel());
  Records records = WrittenRecords(read->info);
  EXPECT_EQ(records["mobile_debug_handles.pkl"], SmallModel().handles.Pickled());
  EXPECT_EQ(NodeTexts(Read(records)), NodeTexts(read));
}

TEST(DebugRecordWriter, FixturesSurvive) {
  for (const char* name : {"model.ptl", "lowered.ptl", "interface.ptl", "double.ptl"}) {
    std::ifstream file(std::string(HANDRAIL_SOURCE_DIR "/test/data/") + name, std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(file), {}};
    const auto read = Read(content);
    ASSERT_TRUE(read) << name;
    EXPECT_EQ(NodeTexts(Read(WrittenRecords(read->info))), NodeTexts(read)) << name;
  }
}

TEST(DebugRecordWriter, SharedInnerCallsAreWrittenOnce) {
  DebugInfoBuilder builder;
  ASSERT_TRUE(builder.BeginUnit({.kind = UnitKind::kForeign, .key = HashBytes("u")}));
  const RangeId null = builder.AddGap(RangeGap::kNull);
  std::vector<std::string> names;
  for (int i = 0; i < 50; ++i) names.push_back(fmt::format("outermost_{}", i));
  for (int i = 0; i < 50; ++i) {
    StackId stack = builder.AddCall({}, names[static_cast<size_t>(i)], std::nullopt, null);
    for (int depth = 0; depth < 100; ++depth) {
      stack = builder.AddCall(stack, fmt::format("inner_{}", depth), std::nullopt, null);
    }
    builder.AddForeignNode(i, Node{builder.AddString("aten::add"), null, stack, {}});
  }
  const DebugInfo info = std::move(builder).Finish();
  const std::string record = WriteCallStackMap(info, info.units[0], RangeTags(info));
  EXPECT_LT(record.size(), 6000);
  EXPECT_EQ(NodeTexts(Read(WrittenRecords(info))), NodeTexts(info));
}

TEST(DebugRecordWriter, DeepStackIsWrittenWithoutRecursion) {
  constexpr uint32_t kDepth = 200'000;
  DebugInfoBuilder builder;
  ASSERT_TRUE(builder.BeginUnit({.kind = UnitKind::kForeign, .key = HashBytes("u")}));
  const RangeId null = builder.AddGap(RangeGap::kNull);
  StackId stack;
  for (uint32_t i = 0; i < kDepth; ++i) stack = builder.AddCall(stack, "f", std::nullopt, null);
  builder.AddForeignNode(1, Node{builder.AddString("aten::add"), null, stack, {}});
  const DebugInfo info = std::move(builder).Finish();
  Records records = WrittenRecords(info);
  records["padding"] = std::string(20 << 20, 'p');
  const auto read = Read(records);
  ASSERT_TRUE(read);
  EXPECT_THAT(WarningsButForMissingBytecode(read), IsEmpty());
  EXPECT_THAT(read->info.stacks, SizeIs(kDepth));
}

TEST(DebugRecordWriter, WhatRecordsCannotHold) {
  DebugInfoBuilder builder;
  ASSERT_TRUE(builder.BeginUnit({.kind = UnitKind::kForeign, .key = HashBytes("u")}));
  const SourceId without_text =
      builder.AddSource({.file_name = "far.py", .first_line = 1, .text = {}});
  const RangeId far = builder.AddRange(without_text, {1, 1}, {1, 5});
  const RangeId null = builder.AddGap(RangeGap::kNull);
  builder.AddForeignNode(1, Node{{}, far, {}, {}});
  builder.AddForeignNode(2, Node{{}, builder.AddGap(RangeGap::kOutsideText), {}, {}});
  const StackId stack = builder.AddCall({}, CallSite{{}, {}, {}, null});
  builder.AddForeignNode(3, Node{builder.AddString("aten::add"), null, stack, {}});
  builder.AddForeignNode(4, Node{{}, builder.AddGap(RangeGap::kStripped), {}, {}});
  const DebugInfo info = std::move(builder).Finish();
  EXPECT_THAT(
      NodeTexts(Read(WrittenRecords(info))),
      ElementsAre("1: '' gap1 in none", "2: '' gap1 in none",
                  "3: 'aten::add' gap0 in none < 'FunctionName_UNKNOWN' of none none at gap0"));
}

}  // namespace
}  // namespace handrail
